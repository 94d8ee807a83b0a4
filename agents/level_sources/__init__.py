"""Sources of new levels for each puzzle, and candidates for packs."""

__all__ = ["backwards", "generating", "makers", "named_samplers"]
