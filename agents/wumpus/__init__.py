"""Agents that only the Wumpus World needs."""
