"""The pieces of a level, for drawing it by hand."""

from ...engine.board.palette import Palette
from .boards import LARGEST

PIECES = {
    ".": "floor",
    "w": "wall",
    "A": "avatar",
    "K": "avatar with a key",
    "1": "box",
    "0": "hole",
    "k": "key",
    "g": "goal",
    "m": "mushroom",
}

PALETTE = Palette(
    pieces=lambda extent: PIECES,
    sides=(1, LARGEST),
    size=(8, 10),
    examples=lambda extent: tuple(
        f"wwwwwwwww\nw.......w\nw.{avatar}.1.0.w\nw.k.g.m.w\nw.%.*...w\nw.......w\nwwwwwwwww\n" for avatar in "AK"
    ),
    combined={"%": "k1", "*": "g1"},
    single=("AK",),
    border="w",
)
