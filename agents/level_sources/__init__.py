"""Sources of new levels for each puzzle, and candidates for packs."""

__all__ = ["generating", "makers"]
