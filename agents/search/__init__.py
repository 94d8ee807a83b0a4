"""Search algorithms for any puzzle with deterministic transitions: a search takes a problem and returns a solution."""

__all__ = [
    "beam",
    "best_first",
    "breadth_first",
    "depth_first",
    "guided",
    "gumbel",
    "heuristic",
    "local",
    "monte_carlo",
    "problem",
    "search",
    "searches",
]
