"""What puzzles on a board share: boards in level text, shortest paths, checks of rows."""

__all__ = ["checking", "gestures", "observations", "palette", "paths", "text_board", "touch", "ways"]
