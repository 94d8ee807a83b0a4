"""Searches over any puzzle whose transitions are deterministic: a search maps a problem to a plan."""
