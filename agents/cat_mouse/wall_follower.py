"""The agent of the original program: runs along a wall, a hand on it.

A cat next to the mouse counts as a wall. Where it blocks the way that the mouse would go, the mouse flees: along the
wall, as the table tells with that side closed, remembering on a stack the squares that it leaves. As soon as the cat is
not on the last of them it goes back, square by square, and then on as if nothing had been. Where it comes to a square
that is on the stack, what was left since is forgotten. With no way to flee it waits.

A hand on the wall finds every exit that lies at the outer wall of a maze without loops. Where walls form islands it may
run round one of them for ever. The mouse begins facing right.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compilation import compiled, rule
from gridpuzzles_gym.puzzles.cat_mouse.rules import CELLS, MOUSE, RIGHT, beside, cat_on

from ..policy import State
from .maze_agent import MazeAgent, Rows
from .situations import DIRECTION_WEIGHTS, HANDS, NOWHERE, SIDE_WEIGHTS, ways

# memory int16[B, 7 + N]. DIRECTION: in which it runs. KEPT: in which it ran when it began to flee. LAST: the square
# that it was on. WAY, KIND: where it wanted to go from there, and why. DEPTH: how many squares are on the stack.
DIRECTION, KEPT, LAST, WAY, KIND, DEPTH, STACK = range(7)
FOLLOW, FLEE, RETURN, WAIT = range(4)

_DIRECTIONS = np.array([DIRECTION_WEIGHTS[side] for side in range(4)])
_SIDES = np.array([SIDE_WEIGHTS[side] for side in range(4)])


class WallFollower(MazeAgent):
    """The agent; see the module's docstring.

    Args:
        env: One of the suite's environments, single or vector, wrapped or not.
        hand: ``"right"`` or ``"left"``: which is on the wall.

    Raises:
        ValueError: ``hand`` is not known, or the environment shows something else than planes.
    """

    def __init__(self, env: Any, hand: str = "right") -> None:
        super().__init__(env)
        if hand not in HANDS:
            raise ValueError(f"hand={hand!r} is not known; allowed are {', '.join(map(repr, HANDS))}")
        self.ways = ways(hand)

    def fresh_memory(self, count: int) -> State:
        """Rows, drawn at the top of the module."""
        return (np.zeros((count, STACK + self.extent[0] * self.extent[1]), np.int16),)

    def decide(self, levels: Rows, states: Rows, starting: npt.NDArray[np.bool_], memory: State) -> npt.NDArray[Any]:
        """Choose actions, int64[B]."""
        actions = np.empty(len(levels), np.int64)
        _make_follow_batch()(self.ways, levels, states, starting, memory[0], actions)
        return actions


@rule
def look_up(table, direction, level, state, square, cats):
    """Where the table sends the mouse; with ``cats``, those beside it are walls."""
    weights = 0
    for side in range(4):
        there = beside(level, square, side)
        if (level[CELLS + square] >> side) & 1 and not (cats and cat_on(level, state, there)):
            weights += _SIDES[side]
    return table[_DIRECTIONS[direction] * weights] if weights else NOWHERE


@rule
def begin(memory, square):
    """An episode begins."""
    memory[DIRECTION] = memory[KEPT] = RIGHT
    memory[LAST], memory[WAY], memory[KIND], memory[DEPTH] = square, RIGHT, WAIT, 0


@rule
def note_move(memory, square):
    """Take down what came of the last wish, unless something was in the way."""
    last = memory[LAST]
    memory[LAST] = square
    if square == last or memory[KIND] == WAIT:
        return
    memory[DIRECTION] = memory[WAY]
    if memory[KIND] == FLEE:
        memory[STACK + memory[DEPTH]] = last
        memory[DEPTH] += 1
        for place in range(memory[DEPTH]):
            if memory[STACK + place] == square:
                memory[DEPTH] = place
                break
    elif memory[KIND] == RETURN:
        memory[DEPTH] -= 1
    if memory[DEPTH] == 0 and memory[KIND] != FOLLOW:
        memory[DIRECTION] = memory[KEPT]


@rule
def side_of(level, square, there):
    """The side on which a square beside another lies."""
    for side in range(3):
        if beside(level, square, side) == there:
            return side
    return RIGHT


@rule
def follow(table, level, state, memory):
    """The next action."""
    square = state[MOUSE]
    note_move(memory, square)
    if memory[DEPTH] == 0:
        way = look_up(table, memory[DIRECTION], level, state, square, False)
        if way == NOWHERE or not cat_on(level, state, beside(level, square, way)):
            memory[WAY], memory[KIND] = max(way, 0), FOLLOW
            return memory[WAY]
        memory[KEPT] = memory[DIRECTION]
    else:
        back = memory[STACK + memory[DEPTH] - 1]
        if not cat_on(level, state, back):
            memory[WAY], memory[KIND] = side_of(level, square, back), RETURN
            return memory[WAY]
    way = look_up(table, memory[DIRECTION], level, state, square, True)
    memory[KIND] = FLEE
    if way == NOWHERE:
        memory[KIND] = WAIT
        way = closed_side(level, square)
    memory[WAY] = way
    return way


@rule
def closed_side(level, square):
    """A side with a wall, to wait at; 0 where there is none."""
    for side in range(4):
        if not (level[CELLS + square] >> side) & 1:
            return side
    return 0


@functools.cache
def _make_follow_batch() -> Callable[..., None]:
    """``follow_batch(table, levels, states, starting, memory, actions)``, compiled at its first use."""

    def follow_batch(table, levels, states, starting, memory, actions):
        for i in range(levels.shape[0]):
            if starting[i]:
                begin(memory[i], states[i, MOUSE])
            actions[i] = follow(table, levels[i], states[i], memory[i])

    return compiled(follow_batch, [begin, follow], "cat-mouse-wall-follower")
