"""Styles: sets of sprites. Two are bundled, and a folder of pictures can be used as another.

The folder contains pictures named as in :data:`SPRITES`, each ``.svg`` or ``.png``, square and of any size:
``box.png``, ``player.svg`` … At least one is required. A missing sprite is replaced by its fallback from the same
folder (:data:`FALLBACKS`), or else taken from the default style. The player is drawn over the goal that he is on, so
the goal's picture must be visible around him.

Each wall is composed of quarters of five sprites, so that adjacent walls join. The upper left quarter is that of
``wall_row`` if there is a wall on the left but none above, of ``wall_column`` if there is one above but none on the
left, of ``wall`` if there is neither, of ``wall_cross`` if there are both but none diagonally between them, and of
``wall_solid`` if there are all three; the other quarters follow by symmetry. If a folder has only ``wall``, all walls
show that picture.
"""

import functools
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from ...engine.messages import did_you_mean, quote

BUNDLED = ("warehouse", "paper")
"""The names of the bundled styles; the first is the default, which has every sprite."""
SPRITES = {
    "void": "a square outside the walls",
    "floor": "a floor square",
    "floor_shaded": "a floor square below a wall",
    "goal": "a goal, drawn over the floor",
    "wall": "a wall without adjacent walls; its quarters are corners",
    "wall_row": "a wall with walls on its left and right",
    "wall_column": "a wall with walls above and below",
    "wall_cross": "a wall with walls on all sides, but none diagonally adjacent",
    "wall_solid": "a wall surrounded by walls",
    "box": "a box that is not on a goal",
    "box_on_goal": "a box on a goal",
    "player": "the player facing down",
    "player_up": "the player facing up",
    "player_left": "the player facing left",
    "player_right": "the player facing right",
    "pusher": "the player pushing down",
    "pusher_up": "the player pushing up",
    "pusher_left": "the player pushing left",
    "pusher_right": "the player pushing right",
    "trail_walk": "the square that the player left, walking up; rotated for other directions",
    "trail_push": "the square that the player left, pushing up; rotated for other directions",
    "bump": "between the player and what blocked him above; rotated for other directions",
}
"""The name of each sprite, and what it shows."""
FALLBACKS = {
    **{f"wall_{form}": "wall" for form in ("row", "column", "cross", "solid")},
    **{f"player_{direction}": "player" for direction in ("up", "left", "right")},
    **{f"pusher_{direction}": f"player_{direction}" for direction in ("up", "left", "right")},
    "pusher": "player",
    "floor_shaded": "floor",
}
"""For some sprites, the one that replaces it if a folder does not have it."""
SUFFIXES = (".PNG", ".png", ".SVG", ".svg")
"""The extensions of pictures; of several files with the same name, the one with the last of these is used."""
LARGEST_FILE = 4 * 2**20
"""The maximum size of a picture file in bytes; the bundled ones have less than 4,000."""

Style = str | Path
"""The name of a bundled style, or the path of a folder."""


def check(style: Style) -> None:
    """Check that a style can be used, without reading its pictures.

    Raises:
        ValueError: It is neither a bundled style nor a folder, or the folder has no picture with a known name, one
            with an unknown name, or one that is too large.
    """
    if not isinstance(style, str | Path):
        raise ValueError(_unknown(style))
    if style not in BUNDLED:
        _found(style)


@functools.lru_cache(32)
def pictures(style: Style) -> Mapping[str, Path]:
    """Return the file of each sprite of a style; each folder is searched once per process.

    Raises:
        ValueError: As :func:`check`.
    """
    folders = [_found(style), _found(BUNDLED[0])]
    return MappingProxyType({name: _pick(name, folders) for name in SPRITES})


def _pick(name: str, folders: Sequence[Mapping[str, Path]]) -> Path:
    """Return the file of a sprite, or of its fallback, in the first folder that has either."""
    for found in folders:
        wanted = name
        while wanted not in found and wanted in FALLBACKS:
            wanted = FALLBACKS[wanted]
        if wanted in found:
            return found[wanted]
    raise AssertionError(f"the default style has no sprite {name}")


def _found(style: Style) -> dict[str, Path]:
    """Return the pictures in a style's folder, by name.

    The known names are tested first, so that a folder without any of them is not even listed. No file is read.
    """
    folder = Path(__file__).with_name("art") / style if style in BUNDLED else Path(os.path.expanduser(style))
    if not os.path.isdir(folder):  # unlike pathlib's, returns False for a name that is too long
        raise ValueError(_unknown(str(style)))
    folder = folder.absolute()
    wanted = [(name, folder / f"{name}{suffix}") for name in SPRITES for suffix in SUFFIXES]
    found = {name: file for name, file in wanted if file.is_file()}
    if not found:
        raise ValueError(f"style={quote(str(style))}: the folder has no picture with a known name; {_NAMES}")
    for file in sorted(folder.iterdir()):
        if file.suffix in SUFFIXES and file.stem not in SPRITES:
            raise ValueError(f"{file}: not the name of a sprite; {_NAMES}")
    for file in found.values():
        size = file.stat().st_size
        if size > LARGEST_FILE:
            raise ValueError(f"{file}: {size:,} bytes; the maximum is {LARGEST_FILE:,}")
    return found


_NAMES = f"allowed are {', '.join(SPRITES)}, each .svg or .png"


def _unknown(style: object) -> str:
    """Return the message about a style that does not exist."""
    known = did_you_mean(style, BUNDLED, repr)
    return f"style={quote(style)}: unknown style; {known}, and the path of a folder of pictures"
