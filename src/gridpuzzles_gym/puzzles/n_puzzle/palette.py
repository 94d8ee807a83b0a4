"""The tiles of a board, for arranging them by hand."""

from collections.abc import Mapping, Sequence

from ...engine.board.palette import Palette
from ...engine.puzzle import Extent
from .boards import GOALS, LARGEST, SMALLEST, why_unsolvable


def pieces(extent: Extent) -> Mapping[str, str]:
    """Return the name of the blank and of each tile."""
    return {"0": "blank", **{str(tile): f"tile {tile}" for tile in range(1, extent[0] * extent[1])}}


def examples(extent: Extent) -> Sequence[str]:
    """Return a board without any tile on its goal square, because these look different."""
    height, width = extent
    tiles = list(range(height * width))
    if why_unsolvable(tuple(tiles), GOALS["rows"](height, width), width):
        tiles[1], tiles[3] = tiles[3], tiles[1]
    return ["".join(" ".join(map(str, tiles[row * width : (row + 1) * width])) + "\n" for row in range(height))]


PALETTE = Palette(
    pieces=pieces,
    sides=(SMALLEST, LARGEST),
    size=(3, 3),
    examples=examples,
    arranged=True,
    aliases={"_": "0", ".": "0"},
    endings={("" if goal == "rows" else f"goal: {goal}\n"): f"goal: {goal}" for goal in GOALS},
)
