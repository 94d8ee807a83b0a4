"""The observations of a cave, which contain only what the agent has perceived.

``planes`` and ``egocentric`` contain the percepts of all squares that the agent has visited; ``percepts`` contains only
the current ones.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from ...engine.compile.compilation import rule
from .rules import (
    ALIVE,
    ARROW,
    BREEZE,
    BUMP,
    CELLS,
    EAST,
    FACING,
    GOLD,
    HEIGHT,
    HELD,
    NORTH,
    SCREAM,
    SEEN,
    SOUTH,
    SQUARE,
    START,
    STENCH,
    WALL,
    WEST,
    WIDTH,
)

PLANES = (
    "visited", "stench", "breeze", "glitter",
    "facing north", "facing east", "facing south", "facing west",
    "home", "wall", "arrow", "gold", "bump", "scream",
)  # fmt: skip
VISITED_P, STENCH_P, BREEZE_P, GLITTER_P, FACING_P = 0, 1, 2, 3, 4
HOME_P, WALL_P, ARROW_P, GOLD_P, BUMP_P, SCREAM_P = 8, 9, 10, 11, 12, 13

EGOCENTRIC = (
    "outside", "visited", "stench", "breeze", "glitter", "home", "arrow", "gold", "bump", "scream",
)  # fmt: skip
OUTSIDE_E, VISITED_E, STENCH_E, BREEZE_E, GLITTER_E, HOME_E, ARROW_E, GOLD_E, BUMP_E, SCREAM_E = range(10)
RADIUS = 3
"""The number of squares that the egocentric window extends in each direction."""
SIDE = 2 * RADIUS + 1
CENTRE = RADIUS * SIDE + RADIUS
"""The agent's place in the window."""

PERCEPTS = ("stench", "breeze", "glitter", "bump", "scream")


@rule
def fill(plane, value):
    """Fill a plane with one value."""
    for square in range(plane.shape[0]):
        plane[square] = value


@rule
def show_flags(state, view, first):
    """Fill the constant planes arrow, gold, bump and scream, from channel ``first`` on.

    ``scream`` remains 1 after the scream: the agent remembers that the wumpus is dead.
    """
    fill(view[first], state[ARROW])
    fill(view[first + 1], state[GOLD] == HELD)
    fill(view[first + 2], state[BUMP])
    fill(view[first + 3], 1 - state[ALIVE])


@rule
def refresh_flags(before, state, view, first):
    """Fill the constant planes if one of them has changed."""
    bumped, shot = before[BUMP] != state[BUMP], before[ARROW] != state[ARROW]
    if bumped or shot or before[GOLD] != state[GOLD] or before[ALIVE] != state[ALIVE]:
        show_flags(state, view, first)


@rule
def show_square(level, state, square, view):
    """Write what the agent remembers of one visited square."""
    cell = level[CELLS + square]
    view[VISITED_P, square] = 1
    view[STENCH_P, square] = (cell & STENCH) != 0
    view[BREEZE_P, square] = (cell & BREEZE) != 0
    view[GLITTER_P, square] = state[GOLD] == square


@rule
def observe_planes(level, state, view):
    """Fill ``view``, uint8[14, H*W]: `PLANES`."""
    for plane in range(HOME_P):
        fill(view[plane], 0)
    for square in range(view.shape[1]):
        view[HOME_P, square] = square == level[START]
        view[WALL_P, square] = (level[CELLS + square] & WALL) != 0
        if state[SEEN + square]:
            show_square(level, state, square, view)
    view[FACING_P + state[FACING], state[SQUARE]] = 1
    show_flags(state, view, ARROW_P)


@rule
def refresh_planes(level, before, state, view):
    """Write what one step changed: the square left, the square entered, and the flags if one has changed."""
    view[FACING_P + before[FACING], before[SQUARE]] = 0
    view[FACING_P + state[FACING], state[SQUARE]] = 1
    show_square(level, state, state[SQUARE], view)
    refresh_flags(before, state, view, ARROW_P)


@rule
def clamp(offset):
    """Return the nearest offset inside the window."""
    return max(-RADIUS, min(RADIUS, offset))


@rule
def show_window(level, state, view):
    """Write the squares around the agent, which is in the centre, facing up."""
    height, width = level[HEIGHT], level[WIDTH]
    row, column, facing = state[SQUARE] // width, state[SQUARE] % width, state[FACING]
    # The directions ahead and to the right of the agent, in rows and columns of the cave.
    ahead_row, ahead_column = (facing == SOUTH) * 1 - (facing == NORTH), (facing == EAST) * 1 - (facing == WEST)
    right_row, right_column = ahead_column, -ahead_row
    home_row, home_column = level[START] // width - row, level[START] % width - column
    home_up = clamp(home_row * ahead_row + home_column * ahead_column)
    home_right = clamp(home_row * right_row + home_column * right_column)
    fill(view[OUTSIDE_E], 1)
    for plane in range(VISITED_E, ARROW_E):
        fill(view[plane], 0)
    view[HOME_E, CENTRE - home_up * SIDE + home_right] = 1
    # How far one row down and one column to the right in the cave are in the window.
    down, along = right_row - ahead_row * SIDE, right_column - ahead_column * SIDE
    for there_row in range(max(0, row - RADIUS), min(height, row + RADIUS + 1)):
        for there_column in range(max(0, column - RADIUS), min(width, column + RADIUS + 1)):
            square = there_row * width + there_column
            place = CENTRE + (there_row - row) * down + (there_column - column) * along
            cell = level[CELLS + square]
            view[OUTSIDE_E, place] = (cell & WALL) != 0
            if state[SEEN + square]:
                view[VISITED_E, place] = 1
                view[STENCH_E, place] = (cell & STENCH) != 0
                view[BREEZE_E, place] = (cell & BREEZE) != 0
                view[GLITTER_E, place] = state[GOLD] == square


@rule
def observe_egocentric(level, state, view):
    """Fill ``view``, uint8[10, 7*7]: `EGOCENTRIC`, with the agent in the centre, facing up.

    If the start square is outside the window, ``home`` marks the nearest square on the window's edge.
    """
    show_window(level, state, view)
    show_flags(state, view, ARROW_E)


@rule
def refresh_egocentric(level, before, state, view):
    """Write what one step changed: everything if the agent has moved or turned; otherwise its square and the flags."""
    if before[SQUARE] != state[SQUARE] or before[FACING] != state[FACING]:
        show_window(level, state, view)
    else:
        view[GLITTER_E, CENTRE] = state[GOLD] == state[SQUARE]
    refresh_flags(before, state, view, ARROW_E)


@rule
def observe_percepts(level, state, view):
    """Fill ``view``, int8[5]: the current `PERCEPTS`."""
    cell = level[CELLS + state[SQUARE]]
    view[0] = (cell & STENCH) != 0
    view[1] = (cell & BREEZE) != 0
    view[2] = state[GOLD] == state[SQUARE]
    view[3] = state[BUMP]
    view[4] = state[SCREAM]
