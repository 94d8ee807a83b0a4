"""Plays by the table of the optimal policy, action by action.

One row per environment, ``memory int64[11]``:

    VISITED  squares it has been on        SQUARE, FACING  its position
    BREEZES  those where it felt a breeze  CLOCK           steps taken
    LAIRS    where the wumpus may be       LAST            its last action, -1 before the first
    SHOT     ARROW, MISSED or KILLED       MOVE            its current move; NOTHING: undecided
    HAND     1 with the gold in hand       GLITTER         1 with the gold on its square
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import functools
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compile.compilation import compiled, routine, rule
from gridpuzzles_gym.puzzles.wumpus.rules import CLIMB_OUT, FORWARD, GRAB, RELEASE, SHOOT, TURN_LEFT, TURN_RIGHT

from ..cave_agent import BREEZE_FELT, BUMPED, GLITTER_SEEN, SCREAMED, STENCH_FELT
from .exact import SHOOT_MOVE, STOP
from .knowledge import ARROW, FOUND, KILLED, MISSED, PERCEPTS, caves, evidence_row, look, pack
from .world import CLIMB, LIMIT, SQUARES, START, World, entrance, place

VISITED, BREEZES, LAIRS, SHOT, HAND, SQUARE, FACING, CLOCK, LAST, MOVE, GLITTER = range(11)
MEMORY = 11
NOTHING = -1


@rule
def begin(world, memory, facing):
    """The memory before the first percept: the wumpus may be anywhere but on the start square."""
    start = world.facts[START]
    memory[:] = 0
    memory[LAIRS] = (1 << world.facts[SQUARES]) - 1
    memory[SQUARE], memory[FACING] = start, facing
    memory[LAST], memory[MOVE] = -1, NOTHING


@routine
def perceive(world, memory, percepts):
    """Update the memory by the percepts of the last action."""
    last, here = memory[LAST], memory[SQUARE]
    memory[CLOCK] += last >= 0
    if last == TURN_LEFT:
        memory[FACING] = (memory[FACING] + 3) % 4
    elif last == TURN_RIGHT:
        memory[FACING] = (memory[FACING] + 1) % 4
    elif last == FORWARD and not percepts[BUMPED]:
        memory[SQUARE] = here = world.neighbours[here, memory[FACING]]
    elif last == GRAB:
        memory[HAND] |= memory[GLITTER]
        memory[MOVE] = NOTHING
    elif last == RELEASE:
        memory[HAND] = 0
        memory[MOVE] = NOTHING
    elif last == SHOOT and memory[SHOT] == ARROW:
        ray = world.rays[here, memory[FACING]]
        memory[LAIRS] &= ray if percepts[SCREAMED] else ~ray
        memory[SHOT] = KILLED if percepts[SCREAMED] else MISSED
        memory[MOVE] = NOTHING
    memory[GLITTER] = percepts[GLITTER_SEEN]
    if memory[VISITED] >> here & 1 == 0:
        smelly = world.around[here] | 1 << here
        memory[VISITED] |= 1 << here
        memory[BREEZES] |= np.int64(percepts[BREEZE_FELT]) << here
        memory[LAIRS] &= smelly if percepts[STENCH_FELT] else ~smelly
        if memory[SHOT] != KILLED:
            memory[LAIRS] &= ~(1 << here)
        memory[MOVE] = NOTHING


@routine
def decide(world, keys, moves, memory, percepts):
    """Return the next action. Knowledge states missing from the table are worth no more than stopping."""
    perceive(world, memory, percepts)
    action = GRAB
    if memory[HAND] or not memory[GLITTER]:
        if memory[MOVE] == NOTHING:
            # The table ends at the limit; this environment goes on longer.
            clock = 0 if world.facts[CLIMB] else min(memory[CLOCK], world.facts[LIMIT])
            key = pack(
                memory[VISITED], memory[BREEZES], memory[LAIRS], memory[SHOT], memory[HAND],
                4 * memory[SQUARE] + memory[FACING], clock,
            )  # fmt: skip
            slot = place(keys, key)
            memory[MOVE] = moves[slot] if keys[slot] == key else STOP
        action = carry_out(world, memory, memory[MOVE])
    memory[LAST] = action
    return action


@rule
def carry_out(world, memory, move):
    """Return the next action of a move."""
    stance = 4 * memory[SQUARE] + memory[FACING]
    if move == STOP:
        at_home = memory[SQUARE] == world.facts[START]
        if not world.facts[CLIMB] and (at_home or not memory[HAND]):
            return TURN_LEFT
        return CLIMB_OUT if at_home else homewards(world, memory[VISITED], stance)
    if move >= SHOOT_MOVE:
        goal = move - SHOOT_MOVE
        return SHOOT if stance == goal else towards(world, memory[VISITED], stance, goal)
    goal = 4 * entrance(world.neighbours, move >> 2, move & 3) + (move & 3)
    return FORWARD if stance == goal else towards(world, memory[VISITED], stance, goal)


@rule
def after(world, stance, action):
    """Return the stance after an action."""
    square, facing = stance >> 2, stance & 3
    if action == TURN_LEFT:
        return 4 * square + (facing + 3) % 4
    if action == TURN_RIGHT:
        return 4 * square + (facing + 1) % 4
    ahead = world.neighbours[square, facing]
    return 4 * ahead + facing if ahead >= 0 else stance


@rule
def towards(world, visited, stance, goal):
    """Return the first action of a shortest walk over visited squares."""
    walk = world.walk[world.region[visited]]
    for action in (FORWARD, TURN_LEFT, TURN_RIGHT):
        there = after(world, stance, action)
        if walk[stance, there] == 1 and walk[there, goal] == walk[stance, goal] - 1:
            return action
    return TURN_LEFT


@rule
def homewards(world, visited, stance):
    """Return the first action of a shortest way home."""
    number = world.region[visited]
    for action in (FORWARD, TURN_LEFT, TURN_RIGHT):
        there = after(world, stance, action)
        if world.walk[number, stance, there] == 1 and world.home[number, there] == world.home[number, stance] - 1:
            return action
    return TURN_LEFT


@functools.cache
def make_decide_batch() -> Callable[..., None]:
    """``decide_batch(world, keys, moves, percepts, starting, facing, memory, actions)``, compiled at its first use.

    ``starting`` (bool[B]) rows of ``memory`` (int64[B, 11]) are reset; then every row decides, and ``actions``
    (int64[B]) is filled.
    """

    def decide_batch(world, keys, moves, percepts, starting, facing, memory, actions):
        for i in range(len(actions)):
            if starting[i]:
                begin(world, memory[i], facing)
            actions[i] = decide(world, keys, moves, memory[i], percepts[i])

    return compiled(decide_batch, "wumpus-optimal")


Memory = npt.NDArray[np.int64]
"""A row int64[11], see the top of :mod:`.playing`."""


def odds_of(world: World, memory: Memory) -> tuple[int, dict[int, tuple[float, float]]]:
    """Return the number of caves that agree with all percepts; and the odds of squares next to visited ones.

    Returns:
        The number; and for each square the probability of death there, and that of the gold. Without the caves that
        the world generates, in a given one for instance, 0 and nothing.
    """
    visited, breezes, lairs, arrow = (int(memory[place]) for place in (VISITED, BREEZES, LAIRS, SHOT))
    held = int(memory[HAND] or memory[GLITTER])
    with np.errstate(over="ignore"):  # hashes, as in machine code
        row = evidence_row(world, visited, breezes)
        total = 0 if row < 0 else int(caves(world, visited, row, lairs, held))
        found = {}
        for square in range(int(world.facts[SQUARES])) if total else ():
            if not visited >> square & 1 and int(world.around[square]) & visited:
                percepts = np.zeros((PERCEPTS, 4), np.int64)
                count, alive = look(world, visited, breezes, lairs, arrow, held, square, percepts)
                found[square] = 1 - alive / total, float(percepts[:count, FOUND].sum() / total)
    return total, found


def walk_of(world: World, memory: Memory) -> list[int]:
    """Return the squares of the agent's current move, beginning with its own; one alone if it stays there."""
    move, walk, row = int(memory[MOVE]), [int(memory[SQUARE])], memory.copy()
    home = int(world.facts[START])
    stays = move == STOP and not world.facts[CLIMB] and not memory[HAND]
    if move == NOTHING or stays:
        return walk
    for _ in range(4 * len(world.neighbours)):
        action = carry_out(world, row, move)
        arrived = not memory[VISITED] >> walk[-1] & 1 or (move == STOP and walk[-1] == home)
        if arrived or action not in (FORWARD, TURN_LEFT, TURN_RIGHT):
            break
        row[SQUARE], row[FACING] = divmod(int(after(world, 4 * row[SQUARE] + row[FACING], action)), 4)
        if action == FORWARD:
            walk.append(int(row[SQUARE]))
    return walk
