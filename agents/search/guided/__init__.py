"""Searches guided by a network's policy and value."""
