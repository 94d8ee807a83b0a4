"""Parsing and formatting of boards as level text, and the text rendering.

The format of a text is detected automatically (:mod:`.level_io`): XSB or letters (:mod:`.level_io.alphabets` has the
table of symbols), possibly run-length encoded, in collections with titles, authors and comments (``.xsb``, ``.txt`` and
``.sok`` files, including Boxoban's), or XML (``.slc``). :mod:`.checking` describes which levels are valid.
"""

from collections.abc import Iterator
from typing import Any

from ...engine.board.interaction import Palette
from ...engine.puzzle import Extent, Level, LevelError
from ...engine.scene import Row, Scene
from .boards import LARGEST, encode_rows, grid
from .checking import check
from .level_io.alphabets import XSB, Board
from .level_io.formats import read_entries
from .rules import ASTRAY

ACTIONS = ("up", "down", "left", "right")


def read(text: str, source: str) -> Iterator[Level | LevelError]:
    """Yield the levels in a text, and the errors of those that are invalid.

    A level's content is the result of :func:`~.checking.check`: its rows in plain XSB, of equal length, with a wall on
    every square that the player can never reach.

    Raises:
        LevelError: The text cannot be divided into levels.
    """
    for entry in read_entries(text, source):
        if isinstance(entry, LevelError):
            yield entry
            continue
        name = entry.title or f"{source}:{entry.board.lines[0].number}"
        try:
            rows = check(entry.board.rows, entry.board.where)
        except LevelError as error:
            yield LevelError(f"{error}{_hint(entry.board)}").named(name)
        else:
            yield Level((len(rows), len(rows[0])), rows, name, __package__, entry.author)


def _hint(board: Board) -> str:
    """Return a note on the letters P and B of XSB, which are easily mistaken for those of the other alphabet."""
    rows = [line.text.strip() for line in board.lines]
    walled = sum(row.startswith("#") and row.endswith("#") for row in rows) > len(rows) / 2
    if board.alphabet is XSB and walled and any(capital in row for row in rows for capital in "PB"):
        return "; with # for walls, P is the player on a goal and B a box on a goal, and p and b are not on goals"
    return ""


def encode(level: Level, extent: Extent, options: Any) -> tuple[Row, Row]:
    """Return the rows of a level in the top left corner of a board of size ``extent``, surrounded by walls."""
    return encode_rows(level.content, extent, options)


def format_level(level: Row, state: Row) -> str:
    """Return level text of the board in its current state, in plain XSB, without the walls that only pad it.

    The text of a solved board cannot be read as a level.
    """
    rows = grid(level, state)
    while len(rows) > 1 and set(rows[-1] + rows[-2]) == {"#"}:
        rows.pop()
    width = max([len(row.rstrip("#")) for row in rows]) + 1
    return "".join(f"{row[:width]}\n" for row in rows)


def ansi(scene: Scene) -> str:
    """Render the board as text, with steps, return and status below it."""
    astray = int(scene.state[ASTRAY])
    line = "solved" if astray == 0 else f"{astray} to go"
    return "\n".join([*grid(scene.level, scene.state), f"step {scene.steps}  return {scene.score:g}  {line}"]) + "\n"


PIECES = {" ": "floor", "#": "wall", "@": "player", "$": "box", ".": "goal"}

PALETTE = Palette(
    pieces=lambda extent: PIECES,
    sides=(3, LARGEST),
    size=(8, 9),
    examples=lambda extent: (
        "##########\n#        #\n# @ $ .* #\n#        #\n##########\n",
        "##########\n#        #\n# + $    #\n#        #\n##########\n",
    ),
    combined={"*": ".$", "+": ".@"},
    single=("@",),
    border="#",
    aliases={"-": " ", "_": " "},
    visible_empty="-",
)
