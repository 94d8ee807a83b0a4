"""Level text of Sokoban, both ways.

Read are XSB, letters and runs of either, in collections with titles, authors and comments as ``.xsb``, ``.txt`` and
``.sok`` files have them, Boxoban's included, and ``.slc``: :mod:`.level_io` finds out which of them a text is, and
:mod:`.level_io.alphabets` has the table of symbols. :mod:`.checking` says what a level must be.
"""

from typing import Any

from ...engine.puzzle import Extent, Level, LevelError, Row, Scene
from .boards import encode_rows, grid
from .checking import check
from .level_io.alphabets import XSB, Board
from .level_io.formats import read_entries
from .rules import ASTRAY

ACTIONS = ("up", "down", "left", "right")


def parse(text: str, source: str) -> list[Level]:
    """Read the levels in a text.

    A level's content is a tuple of its rows in plain XSB, of equal length, with a wall wherever the player can never
    come: what :func:`~.checking.check` answers.

    Raises:
        LevelError: A level is invalid; the message begins with ``source:line:column``.
    """
    levels = []
    for board, title, _, _ in read_entries(text, source):
        try:
            rows = check(board.rows, board.where)
        except LevelError as error:
            raise LevelError(f"{error}{_hint(board)}") from None
        levels.append(Level((len(rows), len(rows[0])), rows, title or f"{source}:{board.lines[0].number}"))
    return levels


def _hint(board: Board) -> str:
    """What may be meant otherwise than it was read: capitals, which are on no goal in letters."""
    capitals = board.alphabet is XSB and any(capital in line.text for line in board.lines for capital in "PB")
    return "; beside # walls, P is the player on a goal and B a box on one, p and b are not" if capitals else ""


def encode(level: Level, extent: Extent, options: Any) -> tuple[Row, Row]:
    """Return the rows of a level in the top left corner of a board of size ``extent``, surrounded by walls."""
    return encode_rows(level.content, extent, options)


def format_level(level: Row, state: Row) -> str:
    """Level text of the board as it is now, in plain XSB; walls that only fill it up are left out.

    Once solved, it is no level any more: read again, it is an error that says so.
    """
    rows = grid(level, state)
    while len(rows) > 1 and set(rows[-1] + rows[-2]) == {"#"}:
        rows.pop()
    width = max([len(row.rstrip("#")) for row in rows]) + 1
    return "".join(f"{row[:width]}\n" for row in rows)


def ansi(scene: Scene) -> str:
    """The board; below it steps, score, and how things stand."""
    astray = int(scene.state[ASTRAY])
    line = "solved" if astray == 0 else f"{astray} to go"
    return "\n".join([*grid(scene.level, scene.state), f"step {scene.steps}  score {scene.score:g}  {line}"]) + "\n"
