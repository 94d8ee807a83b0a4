"""What puzzles on a board share: boards in level text, ways, checks of rows."""

__all__ = ["checking", "gestures", "observations", "palette", "push", "text_board", "touch", "ways"]
