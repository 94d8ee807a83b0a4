"""Sources of new levels for each puzzle, and candidates for packs."""
