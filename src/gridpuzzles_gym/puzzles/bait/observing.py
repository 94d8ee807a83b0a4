"""What is seen of a board, and the board read out of it again."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import Any

import numpy as np
import numpy.typing as npt

from ...engine.compilation import rule
from ...engine.puzzle import Extent, Row
from .boards import DEAD, FLOOR, LETTERS, PERSON, WALL_SYMBOL, Symbols, make_rows
from .rules import AVATAR, BOX, CELLS, GOAL, HOLE, KEY, KEY_HERE, MUSHROOM, WALL, ahead, thing_on

PLANES = ("wall", "floor", "hole", "box", "key", "goal", "mushroom", "avatar", "key in hand")
WALL_PLANE, FLOOR_PLANE, HOLE_PLANE, BOX_PLANE, KEY_PLANE, GOAL_PLANE, MUSHROOM_PLANE, AVATAR_PLANE, HAND_PLANE = range(
    len(PLANES)
)


# For each plane a bit for every thing that it shows, from the hole's to the mushroom's.
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
    """Write what lies on a square into its planes."""
    thing = thing_on(state, square)
    for plane in range(HOLE_PLANE, AVATAR_PLANE):
        view[plane, square] = (SHOWN[plane] >> thing) & 1


@rule
def observe_planes(level, state, view):
    """Fill ``view``, uint8[9, H*W]; floor is where no wall is, and the last plane is the same everywhere.

    Plane by plane, so that the compiler does many squares at once; the avatar's plane serves as scratch paper.
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
    """The square that the avatar went to in a step; its own where that changed nothing.

    Without the key it has stepped back from a goal, but the box that lay there is gone.
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
    """The square behind the one that was entered, where a box may have gone; some other where the board ends."""
    return min(max(2 * there - here, 0), level.shape[0] - CELLS - 1)


@rule
def refresh_planes(level, before, state, view):
    """Write what one step changed: the avatar's squares; and, seldom, the one that it went to and the one behind."""
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
    """The symbol of a square, the avatar aside."""
    return WALL_SYMBOL if level[CELLS + square] & WALL else FLOOR + thing_on(state, square)


@rule
def show_avatar(state, view):
    """Write the symbol of the avatar's square."""
    here = state[AVATAR]
    view[0, here] = PERSON + state[KEY] + DEAD * (thing_on(state, here) == HOLE)


@rule
def observe_symbols(level, state, view):
    """Fill ``view``, uint8[1, H*W]: one of LETTERS, by number, on each square."""
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
    """The board that ``planes`` show; see :meth:`Puzzle.decode`."""
    seen = np.asarray(seen)
    if seen.shape != (len(PLANES), *extent):
        raise ValueError(f"no planes of {extent[1]}x{extent[0]} squares: their shape is {list(seen.shape)}")
    if not np.isin(seen, (0, 1)).all() or np.ptp(seen[HAND_PLANE]) > 0:
        raise ValueError("no board looks like that: planes are 0 and 1, and the last the same everywhere")
    wall, floor, hole, box, key, goal, mushroom, avatar, hand = seen.astype(np.uint8)
    if (wall == floor).any() or (hole + key + goal + mushroom > floor).any() or ((box | avatar) > floor).any():
        raise ValueError(
            "no board looks like that: a square is wall or floor, and only on floor something is, one thing at most"
        )
    if (box & (hole | mushroom | avatar)).any() or (avatar & (key | goal | mushroom)).any():
        raise ValueError("no board looks like that: only a box shares its square, with a key or a goal")
    thing = key * KEY_HERE + goal * GOAL + hole * HOLE + box * BOX + mushroom * MUSHROOM
    return _decode(np.where(avatar, PERSON + hand + DEAD * hole, np.where(wall, WALL_SYMBOL, FLOOR + thing)), options)


def decode_symbols(seen: npt.NDArray[Any], extent: Extent, options: Any) -> tuple[Row, Row]:
    """The board that ``symbols`` show; see :meth:`Puzzle.decode`."""
    seen = np.asarray(seen)
    if seen.shape != (1, *extent):
        raise ValueError(f"no symbols of {extent[1]}x{extent[0]} squares: their shape is {list(seen.shape)}")
    if not np.isin(seen, range(len(LETTERS))).all():
        raise ValueError(f"no board looks like that: symbols are 0 to {len(LETTERS) - 1}")
    return _decode(seen[0].astype(np.uint8), options)


def _decode(symbols: Symbols, options: Any) -> tuple[Row, Row]:
    if np.count_nonzero(symbols >= PERSON) != 1:
        raise ValueError("no board looks like that: one avatar is needed")
    return make_rows(symbols, options)
