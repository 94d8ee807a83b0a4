"""Styles: sets of pictures. Two are bundled; a folder of your own is a third.

A folder holds pictures named as in :data:`SPRITES`, each ``.svg`` or ``.png``, square and of any size: ``box.png``,
``player.svg`` … One is enough: a sprite that is missing is shown by its stand-in from the same folder
(:data:`STAND_INS`), else by the default style's. The player is drawn over the goal he stands on, so that only what a
goal shows around him tells that it is one.

Walls join because each is put together from the quarters of five pictures: its upper left quarter is that of
``wall_row`` where there is a wall to its left and none above, of ``wall_column`` where there is one above and none to
its left, of ``wall`` where there is neither, ``wall_cross`` where there are both but none between them, and
``wall_solid`` where there are all three; the other quarters likewise. A folder with ``wall`` alone shows that picture
on every wall.
"""

import functools
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from ...engine.messages import quote

BUNDLED = ("warehouse", "paper")
"""The names of the bundled styles; the first is the default, and has every sprite."""
SPRITES = {
    "void": "what lies outside the walls",
    "floor": "a square to walk on",
    "floor_shaded": "a square to walk on, below a wall",
    "goal": "on a floor: where a box must go",
    "wall": "a wall on its own: its quarters are corners",
    "wall_row": "a wall between walls left and right",
    "wall_column": "a wall between walls above and below",
    "wall_cross": "a wall with walls on its four sides, and none at its corners",
    "wall_solid": "a wall with walls all around",
    "box": "a box off the goals",
    "box_on_goal": "a box on a goal",
    "player": "the player facing down",
    "player_up": "the player facing up",
    "player_left": "the player facing left",
    "player_right": "the player facing right",
    "pusher": "the player pushing down",
    "pusher_up": "the player pushing up",
    "pusher_left": "the player pushing left",
    "pusher_right": "the player pushing right",
    "trail_walk": "the square he left, walking up; turned for other ways",
    "trail_push": "the square he left, pushing up; turned for other ways",
    "bump": "between the player and what stopped him above; turned for other ways",
}
"""Name → what it shows."""
STAND_INS = {
    **{f"wall_{form}": "wall" for form in ("row", "column", "cross", "solid")},
    **{f"player_{way}": "player" for way in ("up", "left", "right")},
    **{f"pusher_{way}": f"player_{way}" for way in ("up", "left", "right")},
    "pusher": "player",
    "floor_shaded": "floor",
}
"""Sprite → the one shown instead where a folder lacks it."""
ENDINGS = (".PNG", ".png", ".SVG", ".svg")
"""Of several files with the same name, the last is shown."""
LARGEST_FILE = 4 * 2**20
"""Maximum size of a picture's file in bytes; the bundled ones have less than 4,000."""

Style = str | Path
"""The name of a bundled style, or the path of a folder."""


def check(style: Style) -> None:
    """See that a style can be shown.

    Raises:
        ValueError: There is no style of that name and no such folder, or the folder holds no picture of a known
            name, one of an unknown name, or one that is too large.
    """
    if not isinstance(style, str | Path):
        raise ValueError(f"style={quote(style)}: {_ALLOWED}")
    if style not in BUNDLED:
        _found(style)


@functools.lru_cache(32)
def pictures(style: Style) -> Mapping[str, Path]:
    """The file of each sprite of a style; a folder is looked through once a process.

    Raises:
        ValueError: As :func:`check`.
    """
    folders = [_found(style), _found(BUNDLED[0])]
    return MappingProxyType({name: _pick(name, folders) for name in SPRITES})


def _pick(name: str, folders: Sequence[Mapping[str, Path]]) -> Path:
    """The file of a sprite, or of its stand-in, in the first folder that has either."""
    for found in folders:
        wanted = name
        while wanted not in found and wanted in STAND_INS:
            wanted = STAND_INS[wanted]
        if wanted in found:
            return found[wanted]
    raise AssertionError(f"the default style lacks {name}")


def _found(style: Style) -> dict[str, Path]:
    """The pictures in a style's folder, by name; of two with the same name, the SVG.

    The known names are looked for first: a folder that has none of them is not even listed. No file is read here.
    """
    folder = Path(__file__).with_name("art") / style if style in BUNDLED else Path(os.path.expanduser(style))
    if not os.path.isdir(folder):  # unlike pathlib's, false for a name too long for a file
        raise ValueError(f"style={quote(str(style))}: {_ALLOWED}")
    folder = folder.absolute()
    wanted = [(name, folder / f"{name}{ending}") for name in SPRITES for ending in ENDINGS]
    found = {name: file for name, file in wanted if file.is_file()}
    if not found:
        raise ValueError(f"style={str(style)!r}: the folder holds no picture of a known name; {_NAMES}")
    for file in sorted(folder.iterdir()):
        if file.suffix in ENDINGS and file.stem not in SPRITES:
            raise ValueError(f"{file}: no sprite has that name; {_NAMES}")
    for file in found.values():
        size = file.stat().st_size
        if size > LARGEST_FILE:
            raise ValueError(f"{file}: {size:,} bytes; a picture has at most {LARGEST_FILE:,}")
    return found


_NAMES = f"there may be {', '.join(SPRITES)}, each .svg or .png"
_ALLOWED = f"no such style; there are {', '.join(map(repr, BUNDLED))}, or the path of a folder of pictures"
