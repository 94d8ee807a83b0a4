"""Positions of Sokoban from which no solution exists, recognized."""
