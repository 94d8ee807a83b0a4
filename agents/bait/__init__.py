"""Agents for Bait: estimates, and the search for the highest score."""
