"""Sources of new levels for each puzzle, and candidates for packs."""

__all__ = ["generating", "makers", "sampled_candidates", "sampler_choice"]
