"""Recognizes positions from which a level cannot be solved."""
