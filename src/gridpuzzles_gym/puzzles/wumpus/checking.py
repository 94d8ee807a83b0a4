"""Validation of the rows of a cave."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import Any

import numpy as np
import numpy.typing as npt

from ...engine.board.checking import board_extent, check_encoding, check_number, reachable, same
from ...engine.compile.compilation import routine
from ...engine.puzzle import Extent
from ...engine.scene import Row
from .rules import (
    ALIVE,
    ARROW,
    BUMP,
    CELLS,
    CLIMB,
    CLIMBED,
    EATEN,
    ENDING,
    FACING,
    FELL,
    GOLD,
    GOLD_AT,
    HEADING,
    HEIGHT,
    HELD,
    HOME,
    NORTH,
    PIT,
    RUNNING,
    SCREAM,
    SEEN,
    SQUARE,
    START,
    TEXTBOOK,
    WALL,
    WEST,
    WIDTH,
    WUMPUS,
    begin,
    finish,
    neighbour,
)
from .text import LARGEST, make_level, row_lengths

# settings int64[4]: what `is_level` reads.
SET_HEIGHT, SET_WIDTH, SET_CLIMB, SET_TEXTBOOK = range(4)

# Entries of a state, with the maximum value of each.
_MOST = {"facing": (FACING, WEST), "ending": (ENDING, CLIMBED)} | {
    name: (place, 1) for name, place in (("arrow", ARROW), ("alive", ALIVE), ("bump", BUMP), ("scream", SCREAM))
}


def check_rows(level: Row, state: Row, options: Any) -> Extent:
    """Check that rows describe a cave and a state that can be reached in it.

    Returns:
        The extent of the cave.

    Raises:
        ValueError: The rows are invalid; the message says why.
    """
    extent = board_extent(level, state, len(level) - CELLS, WIDTH, row_lengths)
    check_number("the longer side of the cave", max(extent), 1, LARGEST)
    _check_level(level, extent, options)
    _check_state(level, state)
    seen = state[SEEN:].reshape(extent) == 1
    if not np.array_equal(reachable(seen, int(level[START])), seen):
        raise ValueError("the visited squares must be connected to the start")
    return extent


def settings(options: Any, extent: Extent) -> npt.NDArray[np.int64]:
    """Return the numbers that :func:`is_level` reads."""
    height, width = extent
    check_number("the longer side of the cave", max(extent), 1, LARGEST)
    return np.array([height, width, options.climb, options.reward == "textbook"], np.int64)


@routine
def is_level(settings, level, state, own_level, own_state):
    """Whether rows are those of a cave; see :class:`~gridpuzzles_gym.engine.puzzle.RowCheck`.

    Everything but rock, pits, wumpus, gold and the agent's start is derived from them again, and compared.
    """
    squares = level.shape[0] - CELLS
    start, gold, heading = level[START], level[GOLD_AT], level[HEADING]
    if not (0 <= start < squares and 0 <= gold < squares and NORTH <= heading <= WEST):
        return False
    own_level[HEIGHT], own_level[WIDTH] = settings[SET_HEIGHT], settings[SET_WIDTH]
    own_level[START], own_level[GOLD_AT], own_level[HEADING] = start, gold, heading
    own_level[CLIMB], own_level[TEXTBOOK] = settings[SET_CLIMB], settings[SET_TEXTBOOK]
    wumpuses = 0
    for square in range(squares):
        things = level[CELLS + square] & (WALL | PIT | WUMPUS)
        if things & WALL and (things != WALL or square == gold):
            return False
        if things and square == start:
            return False
        own_level[CELLS + square] = things
        wumpuses += things & WUMPUS != 0
    if wumpuses > 1:
        return False
    finish(own_level)
    begin(own_level, own_state)
    return same(level, own_level) and same(state, own_state)


def _check_level(level: Row, extent: Extent, options: Any) -> None:
    last = extent[0] * extent[1] - 1
    start = check_number("the start square", level[START], 0, last)
    gold = check_number("the square of the gold", level[GOLD_AT], 0, last)
    heading = check_number("the initial facing", level[HEADING], 0, WEST)
    things = level[CELLS:] & (WALL | PIT | WUMPUS)
    if things[start]:
        raise ValueError(f"the start square is {start}: it must be free of rock, pits and the wumpus")
    walls = things & WALL != 0
    if (things[walls] != WALL).any() or walls[gold]:
        raise ValueError("squares of solid rock must be empty")
    if np.count_nonzero(things & WUMPUS) > 1:
        raise ValueError("a cave must have at most one wumpus")
    expected = make_level(things.reshape(extent), start, heading, gold, options)
    check_encoding(level, level, (expected, level))


def _check_state(level: Row, state: Row) -> None:
    for name, (place, most) in _MOST.items():
        check_number(name, state[place], 0, most)
    last = len(level) - CELLS - 1
    square = check_number("the agent's square", state[SQUARE], 0, last)
    gold = check_number("the gold's square", state[GOLD], HELD, last)
    seen, cells = state[SEEN:], level[CELLS:]
    if ((seen != 0) & (seen != 1)).any():
        raise ValueError("each square must be marked as visited (1) or not (0)")
    if not seen[square]:
        raise ValueError(f"the agent's square is {square}, which is not marked as visited")
    if gold not in (HELD, level[GOLD_AT]) and not seen[gold]:
        raise ValueError(f"the gold's square is {gold}, which the agent has not visited")
    if not state[ALIVE] and (state[ARROW] or not (cells & WUMPUS).any()):
        raise ValueError("the wumpus is dead, but no arrow has been shot, or there is no wumpus")
    if state[SCREAM] and state[ALIVE]:
        raise ValueError("the wumpus screamed, but it is alive")
    if state[BUMP] and (state[SCREAM] or neighbour(level, square, state[FACING]) >= 0):
        raise ValueError("the agent bumped, but there is no wall ahead of it, or the wumpus screamed")
    deadly = cells & (PIT | WUMPUS if state[ALIVE] else PIT) != 0
    if (np.flatnonzero(deadly & (seen == 1)) != square).any():
        raise ValueError("the agent has survived a visit to a pit or a live wumpus")
    if state[ENDING] not in (endings := _endings(level, state, int(cells[square]), square)):
        raise ValueError(
            f"ending is {state[ENDING]}; on the agent's square it must be {' or '.join(map(str, endings))}"
        )


def _endings(level: Row, state: Row, cell: int, square: int) -> tuple[int, ...]:
    """The possible values of ENDING with the agent on a square."""
    if cell & PIT:
        return (FELL,)
    if cell & WUMPUS and state[ALIVE]:
        return (EATEN,)
    at_start = square == level[START]
    if at_start and state[GOLD] == HELD and not level[TEXTBOOK]:
        return (HOME,)
    return (RUNNING, CLIMBED) if at_start and level[CLIMB] else (RUNNING,)
