"""Boards in one line, as people type them: ``8 6 7 / 2 5 4 / 3 0 1``."""

import re

from ..puzzle import Level, LevelError, Puzzle
from .left_out import levels_in_text

_ROW_END = re.compile("[|/]")
_ROW_END_IN_BLANKS = re.compile(" [|/] ")
_LAST_END = re.compile(" ?[|/] ?$")


def read_one_line(puzzle: Puzzle, line: str, source: str) -> str | None:
    """Return level text of a board in one line, whose rows are separated by ``|`` or ``/``; None if this is no board.

    Args:
        puzzle: The puzzle of the board.
        line: The line. It may also be a board by itself, as some puzzles allow it.
        source: The name of the text, for messages.

    Raises:
        LevelError: It is a board, because it has a ``|`` or no letters, but an invalid one.
    """
    inner = _LAST_END.sub("", line)
    ends = _ROW_END_IN_BLANKS if len(_ROW_END_IN_BLANKS.findall(inner)) == len(_ROW_END.findall(inner)) else _ROW_END
    rows = [row for row in ends.split(inner) if row.strip()]
    texts = dict.fromkeys(f"{text}\n" for text in (line, "\n".join(rows)))
    error: LevelError | None = None
    for text in texts:
        items = list(levels_in_text(puzzle.read, text, source))
        if any(isinstance(item, Level) for item in items):
            return text
        error = next((item for item in items if isinstance(item, LevelError)), error)
    if error is not None and ("|" in line or not any(letter.isalpha() for letter in line)):
        raise error
    return None
