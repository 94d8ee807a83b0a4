"""Sliding tiles: heuristics, pattern databases, and an IDA* of their own."""
