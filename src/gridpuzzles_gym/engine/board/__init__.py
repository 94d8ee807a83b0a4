"""What puzzles on a board share: boards in level text, shortest paths, checks of rows."""
