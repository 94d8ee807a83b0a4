"""The pieces of a maze, for drawing it by hand."""

from ...engine.board.palette import Palette
from .boards import LARGEST

PIECES = {".": "floor", "#": "wall", "M": "mouse", "E": "exit", "C": "cat"}

PALETTE = Palette(
    pieces=lambda extent: PIECES,
    sides=(1, LARGEST),
    size=(10, 10),
    examples=lambda extent: tuple(f"#######\n#.....#\n#.M.C.#\n#...{exit}.#\n#.....#\n#######\n" for exit in "Ec"),
    combined={"c": "EC"},
    single=("M", "E"),
    border="#",
)
