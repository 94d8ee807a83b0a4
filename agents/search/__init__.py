"""Search algorithms for any puzzle with deterministic transitions: a search takes a problem and returns a solution."""
