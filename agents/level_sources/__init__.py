"""Sources of new levels for each puzzle, and candidates for packs."""

__all__ = ["collecting", "known_levels", "makers", "sampled_candidates", "sampler_choice"]
