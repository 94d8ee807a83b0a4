"""The agent of the original program: follows a wall with one hand, and flees from cats as the original does.

In the original's turn the cat moves before the mouse, so the mouse knows the cat's previous and current squares. It
looks up where the wall leads (:func:`turns`) twice: with the cat's previous square as a wall, for the square it wants
to go to, and with the cat's current square as a wall, for the direction it can go.

- It follows the wall until a cat stands on the wanted square. Then it flees. In either case it goes in the direction of
  the second look-up, and then faces that way.
- When it flees, it pushes the square it leaves, and the direction it faced there, onto a stack. At every turn in
  which a cat is on the square on top of the stack it continues to flee.
- As soon as none does, it returns to that square and direction. With an empty stack it follows the wall again.

We extend this to any number of cats, and to what the original cannot handle: at the first turn no previous square is
known, and none counts as a wall; with every side closed the mouse waits (the original walks into the wall); and when
the stack is full the oldest square is dropped (the original's holds ten squares and overflows).

A wall follower finds every exit in the outer wall of a maze without loops. Where walls form islands it may
circle one of them forever. The mouse begins facing right.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compile.compilation import compiled, rule
from gridpuzzles_gym.engine.compile.memory import copy_row
from gridpuzzles_gym.engine.messages import plural, quote
from gridpuzzles_gym.puzzles.cat_mouse.boards import row_lengths
from gridpuzzles_gym.puzzles.cat_mouse.rules import CELLS, DOWN, LEFT, MOUSE, RIGHT, UP, cat_on, neighbour
from gridpuzzles_gym.puzzles.cat_mouse.text import ACTIONS

from ..policy import State
from ..thoughts import Thoughts
from .maze_agent import MazeAgent, Rows

# trail int16[2 + 2 * CAPACITY]. DIRECTION: the facing. DEPTH: number of squares on the stack. STACK: a square
# and the facing there, alternately.
DIRECTION, DEPTH, STACK = range(3)
CAPACITY = 100

HANDS = ("right", "left")
CLOCKWISE = (UP, RIGHT, DOWN, LEFT)
NOWHERE = -1


class WallFollower(MazeAgent):
    """The agent; see the module's docstring.

    Args:
        env: One of the suite's environments, single or vector, wrapped or not.
        hand: ``"right"`` or ``"left"``: the hand on the wall.

    Raises:
        ValueError: ``hand`` is unknown, or the environment's observation is not planes.
    """

    def __init__(self, env: Any, hand: str = "right") -> None:
        super().__init__(env)
        if hand not in HANDS:
            raise ValueError(f"hand={quote(hand)} is not known; allowed are {', '.join(map(repr, HANDS))}")
        self.hand, self.turns = hand, turns(hand)

    def fresh_memory(self, count: int) -> State:
        """Return the previous state rows, the trails described at the top of the module, and the last actions."""
        before = np.zeros((count, row_lengths(self.extent)[1]), np.int16)
        return before, np.zeros((count, STACK + 2 * CAPACITY), np.int16), np.zeros(count, np.int64)

    def decide(self, levels: Rows, states: Rows, starting: npt.NDArray[np.bool_], memory: State) -> npt.NDArray[Any]:
        """Choose actions, int64[B]."""
        make_follow_batch()(self.turns, levels, states, starting, *memory)
        return memory[2].copy()

    def thoughts(self, observation: npt.NDArray[Any], state: State | None, i: int = 0) -> Thoughts:
        """Return its hand, its direction, and whether it flees: :meth:`~..thoughts.Explaining.thoughts`."""
        if state is None:
            return Thoughts()
        fled = int(state[1][i, DEPTH])
        return Thoughts(
            figures={
                "hand on the wall": self.hand,
                "runs": ACTIONS[int(state[2][i])],
                "flees": f"yes, {plural(fled, 'step')} to go back" if fled else "no",
            }
        )


def turns(hand: str) -> npt.NDArray[np.int64]:
    """Return int64[4, 16]: by the direction faced and the open sides, as bits, where to go; NOWHERE if there are none.

    A hand on the right wall means: turn right if that side is open, else go ahead, else turn left, else turn back; a
    hand on the left wall is its mirror image.
    """
    table, right = np.full((4, 16), NOWHERE), 1 if hand == "right" else -1
    for facing, direction in enumerate(CLOCKWISE):
        for quarters in (2, -1, 0, 1):  # the first choice last
            side = CLOCKWISE[(facing + quarters * right) % 4]
            table[direction, [sides for sides in range(16) if sides >> side & 1]] = side
    return table


@rule
def look_up(table, direction, level, state, square):
    """Return the table's direction for a mouse on that square, with cats as walls; NOWHERE if all sides are closed."""
    sides = 0
    for side in range(4):
        if (level[CELLS + square] >> side) & 1 and not cat_on(level, state, neighbour(level, square, side)):
            sides |= 1 << side
    return table[direction, sides]


@rule
def begin(before, trail):
    """Start an episode: no previous cat, and an empty stack."""
    before[:] = -1
    trail[DIRECTION], trail[DEPTH] = RIGHT, 0


@rule
def push(trail, square):
    """Push the square that the mouse leaves and its facing onto the stack; drop the oldest if it is full."""
    if trail[DEPTH] == CAPACITY:
        for place in range(STACK, STACK + 2 * CAPACITY - 2):
            trail[place] = trail[place + 2]
        trail[DEPTH] -= 1
    top = STACK + 2 * trail[DEPTH]
    trail[top], trail[top + 1] = square, trail[DIRECTION]
    trail[DEPTH] += 1


@rule
def side_towards(level, square, there):
    """Return the direction from a square to a neighbouring one."""
    for side in range(3):
        if neighbour(level, square, side) == there:
            return side
    return RIGHT


@rule
def closed_side(level, square):
    """Return a direction with a wall, for waiting; 0 if there is none."""
    for side in range(4):
        if not (level[CELLS + square] >> side) & 1:
            return side
    return 0


@rule
def follow(table, level, before, state, trail):
    """Return the next action; ``before`` is the state a turn ago."""
    square = state[MOUSE]
    if trail[DEPTH] > 0:
        top = STACK + 2 * trail[DEPTH] - 2
        if not cat_on(level, state, trail[top]):
            trail[DEPTH] -= 1
            trail[DIRECTION] = trail[top + 1]
            return side_towards(level, square, trail[top])
        flees = True
    else:
        wanted = look_up(table, trail[DIRECTION], level, before, square)
        flees = wanted != NOWHERE and cat_on(level, state, neighbour(level, square, wanted))
    way = look_up(table, trail[DIRECTION], level, state, square)
    if way == NOWHERE:
        return closed_side(level, square)
    if flees:
        push(trail, square)
    trail[DIRECTION] = way
    return way


@functools.cache
def make_follow_batch() -> Callable[..., None]:
    """``follow_batch(table, levels, states, starting, befores, trails, actions)``, compiled at its first use."""

    def follow_batch(table, levels, states, starting, befores, trails, actions):
        for i in range(levels.shape[0]):
            if starting[i]:
                begin(befores[i], trails[i])
            actions[i] = follow(table, levels[i], befores[i], states[i], trails[i])
            copy_row(states[i], befores[i])

    return compiled(follow_batch, "cat-mouse-wall-follower")
