"""The agent of the original program: follows a wall with one hand, and flees from cats as the original does.

In the original's turn the cat moves before the mouse, so the mouse knows the cat's previous and current squares. It
looks up its table twice: with the cat's previous square as a wall, for the square it wants to go
to, and with the cat's current square as a wall, for the direction it can go.

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

The wall follower's table, with situations numbered as in the original program.

A situation is the direction in which the mouse runs, and the open sides of its square. Its number is the
direction's weight times the sum of the weights of the open sides, and all numbers are distinct:

    weight of            north   west   south   east
    the direction           1      2       3     17
    an open side            7     11      31     37

A hand on the right wall means: turn right if that side is open, else go ahead, else turn left, else turn back; a hand
on the left wall is its mirror image. Four directions times the fourteen sets of one to three open sides make the
original program's 56 situations; the four with every side open, absent from its maze, follow by the same rule.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compile.compilation import compiled, rule
from gridpuzzles_gym.engine.compile.memory import copy_row
from gridpuzzles_gym.engine.messages import plural, quote
from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.cat_mouse.boards import sizes
from gridpuzzles_gym.puzzles.cat_mouse.rules import CELLS, DOWN, EXIT, LEFT, MOUSE, RIGHT, UP, cat_on, neighbour
from gridpuzzles_gym.puzzles.cat_mouse.text import ACTIONS

from ..policy import State
from ..thoughts import LINE, Thoughts
from .maze_agent import MazeAgent, Rows

HANDS = ("right", "left")
DIRECTION_WEIGHTS = {UP: 1, LEFT: 2, DOWN: 3, RIGHT: 17}
SIDE_WEIGHTS = {UP: 7, LEFT: 11, DOWN: 31, RIGHT: 37}
CLOCKWISE = (UP, RIGHT, DOWN, LEFT)
NOWHERE = -1


def situation(direction: int, sides: tuple[int, ...]) -> int:
    """Return the number of a situation."""
    return DIRECTION_WEIGHTS[direction] * sum(SIDE_WEIGHTS[side] for side in sides)


def turn(direction: int, sides: tuple[int, ...], hand: str) -> int:
    """Return the direction to go with that hand on the wall, given the open sides."""
    facing, right = CLOCKWISE.index(direction), 1 if hand == "right" else -1
    wishes = (CLOCKWISE[(facing + quarters * right) % 4] for quarters in (1, 0, -1, 2))
    return next(side for side in wishes if side in sides)


def situations(hand: str = "right", most: int = 3) -> dict[int, int]:
    """Return the table: the number of every situation with at most ``most`` open sides, and the direction to go."""
    return {
        situation(direction, sides): turn(direction, sides, hand)
        for count in range(1, most + 1)
        for sides in itertools.combinations(SIDE_WEIGHTS, count)
        for direction in DIRECTION_WEIGHTS
    }


def ways(hand: str) -> npt.NDArray[np.int64]:
    """Return the table for all sets of sides, int64[largest number + 1]; NOWHERE for numbers without a situation."""
    table = situations(hand, most=4)
    array = np.full(max(table) + 1, NOWHERE)
    array[list(table)] = list(table.values())
    return array


# trail int16[2 + 2 * CAPACITY]. DIRECTION: the facing. DEPTH: number of squares on the stack. STACK: a square
# and the facing there, alternately.
DIRECTION, DEPTH, STACK = range(3)
CAPACITY = 100

AHEAD = 30
"""Maximum number of steps of its way that it tells."""
_DIRECTIONS = np.array([DIRECTION_WEIGHTS[side] for side in range(4)])
_SIDES = np.array([SIDE_WEIGHTS[side] for side in range(4)])


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
        self.hand, self.ways = hand, ways(hand)

    def fresh_memory(self, count: int) -> State:
        """Return the previous state rows, the trails described at the top of the module, and the last actions."""
        before = np.zeros((count, sizes(self.extent)[1]), np.int16)
        return before, np.zeros((count, STACK + 2 * CAPACITY), np.int16), np.zeros(count, np.int64)

    def decide(self, levels: Rows, states: Rows, starting: npt.NDArray[np.bool_], memory: State) -> npt.NDArray[Any]:
        """Choose actions, int64[B]."""
        actions = memory[2]
        make_follow_batch()(self.ways, levels, states, starting, memory[0], memory[1], actions)
        return actions.copy()

    def thoughts(self, observation: npt.NDArray[Any], state: State | None, i: int = 0) -> Thoughts:
        """Its hand, and its way as long as no cat is in it: :meth:`~..thoughts.Explaining.thoughts`."""
        if state is None:
            return Thoughts()
        level, here = self.read_one(observation)
        trail, action = state[1][i], int(state[2][i])
        fled = int(trail[DEPTH])
        figures = {
            "hand on the wall": self.hand,
            "runs": ACTIONS[action],
            "flees": f"yes, {plural(fled, 'step')} to go back" if fled else "no",
        }
        path = self._way(level, int(here[MOUSE]), action, int(trail[DIRECTION]), 1 if fled else AHEAD)
        return Thoughts(legend={LINE: "its way, while no cat is in it"}, path=self.places(path), figures=figures)

    def _way(self, level: Row, square: int, action: int, facing: int, steps: int) -> list[int]:
        """Return the squares of an action, and of those that follow it along the wall; at most that many steps."""
        way, sides = [square], _open_sides(level, square)
        while len(way) <= steps and way[-1] != level[EXIT] and action in sides:
            way.append(int(neighbour(level, way[-1], action)))
            sides = _open_sides(level, way[-1])
            action = facing = turn(facing, sides, self.hand)
        return way


def _open_sides(level: Row, square: int) -> tuple[int, ...]:
    return tuple(side for side in range(4) if level[CELLS + square] >> side & 1)


@rule
def look_up(table, direction, level, state, square):
    """Return the table's direction for a mouse on that square, with cats as walls; NOWHERE if all sides are closed."""
    weights = 0
    for side in range(4):
        if (level[CELLS + square] >> side) & 1 and not cat_on(level, state, neighbour(level, square, side)):
            weights += _SIDES[side]
    return table[_DIRECTIONS[direction] * weights] if weights else NOWHERE


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
