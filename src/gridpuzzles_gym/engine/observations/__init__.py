"""Observations in the format that a caller asks for, and the memory in which single steps return them. Private."""
