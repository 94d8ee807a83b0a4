"""Sokoban's solver: push searches over positions, alone or taking turns. Private."""
