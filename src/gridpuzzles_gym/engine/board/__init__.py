"""What puzzles on a board share: boards in level text, ways, checks of rows, the mouse."""

__all__ = ["checking", "interaction", "text_board", "touch", "ways"]
