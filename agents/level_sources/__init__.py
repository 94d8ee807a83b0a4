"""What makes new levels of a puzzle, and candidates for packs."""
