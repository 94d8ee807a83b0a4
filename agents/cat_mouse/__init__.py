"""Agents of Cat and Mouse: what a mouse may do, from following a wall to the best that is possible."""
