"""The observations of a board, and their decoding."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import Any

import numpy as np
import numpy.typing as npt

from ...engine.compile.compilation import rule
from ...engine.puzzle import Extent
from ...engine.scene import Row
from .boards import DEAD, FLOOR, LETTERS, PERSON, WALL_SYMBOL, Symbols, make_rows
from .rules import AVATAR, BOX, CELLS, GOAL, HOLE, KEY, KEY_HERE, MUSHROOM, WALL, ahead, thing_on

PLANES = ("wall", "floor", "hole", "box", "key", "goal", "mushroom", "avatar", "key in hand")
WALL_PLANE, FLOOR_PLANE, HOLE_PLANE, BOX_PLANE, KEY_PLANE, GOAL_PLANE, MUSHROOM_PLANE, AVATAR_PLANE, HAND_PLANE = range(
    len(PLANES)
)


# For each plane from the hole's to the mushroom's, the bits of the things that it shows.
SHOWN = (
    0,
    0,
    1 << HOLE,
    1 << BOX | 1 << (BOX | KEY_HERE) | 1 << (BOX | GOAL),
    1 << KEY_HERE | 1 << (BOX | KEY_HERE),
    1 << GOAL | 1 << (BOX | GOAL),
    1 << MUSHROOM,
)


@rule
def show(state, square, view):
    """Write the things on a square into the planes."""
    thing = thing_on(state, square)
    for plane in range(HOLE_PLANE, AVATAR_PLANE):
        view[plane, square] = (SHOWN[plane] >> thing) & 1


@rule
def observe_planes(level, state, view):
    """Fill ``view``, uint8[9, H*W]; floor is the complement of wall, and the last plane is constant.

    Plane by plane, so that the compiler vectorizes over squares; the avatar's plane is used as scratch memory.
    """
    things = view[AVATAR_PLANE]
    for square in range(view.shape[1]):
        things[square] = thing_on(state, square)
    for plane in range(HOLE_PLANE, AVATAR_PLANE):
        for square in range(view.shape[1]):
            view[plane, square] = (SHOWN[plane] >> things[square]) & 1
    for square in range(view.shape[1]):
        wall = level[CELLS + square] & WALL != 0
        view[WALL_PLANE, square] = wall
        view[FLOOR_PLANE, square] = not wall
        view[HAND_PLANE, square] = state[KEY]
        things[square] = 0
    things[state[AVATAR]] = 1


@rule
def entered(level, before, state):
    """Return the square that the avatar moved to in a step; its own if nothing changed.

    Without the key it has stepped back from a goal, but a box on that goal has been pushed.
    """
    here = state[AVATAR]
    if here == before[AVATAR]:
        for action in range(4):
            there = ahead(level, here, action)
            if thing_on(before, there) != thing_on(state, there):
                return there
    return here


@rule
def behind(level, here, there):
    """Return the square behind the one entered, to which a box may have been pushed; any square at the edge."""
    return min(max(2 * there - here, 0), level.shape[0] - CELLS - 1)


@rule
def refresh_planes(level, before, state, view):
    """Write what one step changed: the avatar's squares and, rarely, the square it entered and the one behind it."""
    left, there = before[AVATAR], entered(level, before, state)
    view[AVATAR_PLANE, left] = 0
    view[AVATAR_PLANE, state[AVATAR]] = 1
    if thing_on(before, there) != thing_on(state, there):
        show(state, there, view)
        show(state, behind(level, left, there), view)
    if state[KEY] != before[KEY]:
        for square in range(view.shape[1]):
            view[HAND_PLANE, square] = 1


@rule
def symbol(level, state, square):
    """Return the symbol of a square, ignoring the avatar."""
    return WALL_SYMBOL if level[CELLS + square] & WALL else FLOOR + thing_on(state, square)


@rule
def show_avatar(state, view):
    """Write the symbol of the avatar's square."""
    here = state[AVATAR]
    view[0, here] = PERSON + state[KEY] + DEAD * (thing_on(state, here) == HOLE)


@rule
def observe_symbols(level, state, view):
    """Fill ``view``, uint8[1, H*W]: the index into LETTERS of each square's symbol."""
    for square in range(view.shape[1]):
        view[0, square] = symbol(level, state, square)
    show_avatar(state, view)


@rule
def refresh_symbols(level, before, state, view):
    """Write what one step changed, as `refresh_planes` does."""
    left, there = before[AVATAR], entered(level, before, state)
    view[0, left] = FLOOR
    if thing_on(before, there) != thing_on(state, there):
        beyond = behind(level, left, there)
        view[0, there] = symbol(level, state, there)
        view[0, beyond] = symbol(level, state, beyond)
    show_avatar(state, view)


def decode_planes(seen: npt.NDArray[Any], extent: Extent, options: Any) -> tuple[Row, Row]:
    """Return the board shown by ``planes``; see :meth:`Puzzle.decode`."""
    seen = np.asarray(seen)
    if seen.shape != (len(PLANES), *extent):
        raise ValueError(f"planes of shape {list(seen.shape)} are not of {extent[1]}x{extent[0]} squares")
    if not np.isin(seen, (0, 1)).all() or np.ptp(seen[HAND_PLANE]) > 0:
        raise ValueError("not an observation of a board: planes must be 0 or 1, and the last one constant")
    wall, floor, hole, box, key, goal, mushroom, avatar, hand = seen.astype(np.uint8)
    if (wall == floor).any() or (hole + key + goal + mushroom > floor).any() or ((box | avatar) > floor).any():
        raise ValueError(
            "not an observation of a board: each square must be wall or floor, with at most one thing, on floor"
        )
    if (box & (hole | mushroom | avatar)).any() or (avatar & (key | goal | mushroom)).any():
        raise ValueError("not an observation of a board: only a box can share its square, with a key or a goal")
    thing = key * KEY_HERE + goal * GOAL + hole * HOLE + box * BOX + mushroom * MUSHROOM
    return _decode(np.where(avatar, PERSON + hand + DEAD * hole, np.where(wall, WALL_SYMBOL, FLOOR + thing)), options)


def decode_symbols(seen: npt.NDArray[Any], extent: Extent, options: Any) -> tuple[Row, Row]:
    """Return the board shown by ``symbols``; see :meth:`Puzzle.decode`."""
    seen = np.asarray(seen)
    if seen.shape != (1, *extent):
        raise ValueError(f"symbols of shape {list(seen.shape)} are not of {extent[1]}x{extent[0]} squares")
    if not np.isin(seen, range(len(LETTERS))).all():
        raise ValueError(f"not an observation of a board: symbols must be from 0 to {len(LETTERS) - 1}")
    return _decode(seen[0].astype(np.uint8), options)


def _decode(symbols: Symbols, options: Any) -> tuple[Row, Row]:
    if np.count_nonzero(symbols >= PERSON) != 1:
        raise ValueError("not an observation of a board: there must be one avatar")
    return make_rows(symbols, options)
