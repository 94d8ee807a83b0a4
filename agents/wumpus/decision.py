"""Decisions of the online-search agent of the Wumpus World: functions over one memory row.

:mod:`.online_search` describes their order, :mod:`.marks` the memory row.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import functools
from collections.abc import Callable

import numpy as np

from gridpuzzles_gym.engine.compile.compilation import compiled, rule
from gridpuzzles_gym.engine.random import below
from gridpuzzles_gym.puzzles.wumpus.rules import CLIMB_OUT, FORWARD, GRAB, SHOOT, TURN_LEFT, TURN_RIGHT

from .geometry import HEIGHT, WIDTH
from .marks import (
    ARROW,
    CLIMB,
    FACING,
    GOAL,
    HELD,
    LAST,
    MARKS,
    RISK,
    SAFE,
    SQUARE,
    START,
    SURE_GOLD,
    SURE_PIT,
    SURE_WUMPUS,
    VISITED,
    begin,
    is_frontier,
    open_neighbour,
    perceive,
)


@rule
def decide(settings, memory, rng, percepts, distances, queue):
    """Return the next action; ``distances`` and ``queue`` (int16[H*W] each) are scratch arrays."""
    perceive(settings, memory, percepts)
    action = choose(settings, memory, rng, distances, queue)
    memory[LAST] = action
    return action


@rule
def choose(settings, memory, rng, distances, queue):
    """Return the next action, given the memory."""
    square = memory[SQUARE]
    if memory[MARKS + square] & SURE_GOLD and not memory[HELD]:
        return GRAB
    if memory[HELD]:
        return leave(settings, memory, distances, queue)
    goal = memory[GOAL]
    if goal < 0:
        goal = find_goal(settings, memory, rng, distances, queue)
    if goal == square:
        return aim(settings, memory)
    if goal < 0:
        if settings[CLIMB]:
            return leave(settings, memory, distances, queue)
        return TURN_LEFT
    memory[GOAL] = goal
    return approach(settings, memory, goal, distances, queue)


@rule
def leave(settings, memory, distances, queue):
    """Go back to the start, and climb out."""
    if memory[SQUARE] != memory[START]:
        return approach(settings, memory, memory[START], distances, queue)
    return CLIMB_OUT if settings[CLIMB] else TURN_LEFT


@rule
def find_goal(settings, memory, rng, distances, queue):
    """Return the next goal: a square to enter, a visited one to shoot from (maybe the current one), or -1 if none."""
    squares = settings[HEIGHT] * settings[WIDTH]
    reached = search_from_here(settings, memory, distances, queue)
    for n in range(reached):
        if memory[MARKS + queue[n]] & (SAFE | VISITED) == SAFE:
            return queue[n]
    if settings[RISK]:
        for n in range(reached):
            if not memory[MARKS + queue[n]] & (VISITED | SURE_PIT | SURE_WUMPUS):
                return queue[n]
    if memory[ARROW]:
        for n in range(reached):
            if memory[MARKS + queue[n]] & VISITED and firing_direction(settings, memory, queue[n]) >= 0:
                return queue[n]
    if settings[RISK]:
        frontier = 0
        for square in range(squares):
            if is_frontier(settings, memory, square):
                queue[frontier] = square
                frontier += 1
        if frontier:
            return queue[below(rng, frontier)]
    return -1


@rule
def search_from_here(settings, memory, distances, queue):
    """Breadth-first search over visited squares; returns the number of squares in ``queue``, nearest first.

    Unvisited squares are reached but not crossed. Directions are tried starting with the current facing, so that of
    equally near squares the one that requires the fewest turns is found first.
    """
    distances[:] = -1
    queue[0] = memory[SQUARE]
    distances[memory[SQUARE]] = 0
    head, tail = 0, 1
    while head < tail:
        square = queue[head]
        head += 1
        if not memory[MARKS + square] & VISITED:
            continue
        for turn in range(4):
            # Ahead, left, right, behind.
            facing = (memory[FACING] + (0, 3, 1, 2)[turn]) % 4
            there = open_neighbour(settings, memory, square, facing)
            if there >= 0 and distances[there] < 0:
                distances[there] = distances[square] + 1
                queue[tail] = there
                tail += 1
    return tail


@rule
def approach(settings, memory, goal, distances, queue):
    """One action along a shortest path to ``goal`` over visited squares, one that requires the fewest turns now."""
    distances[:] = -1
    queue[0] = goal
    distances[goal] = 0
    head, tail = 0, 1
    while head < tail and distances[memory[SQUARE]] < 0:
        square = queue[head]
        head += 1
        for facing in range(4):
            there = open_neighbour(settings, memory, square, facing)
            if there >= 0 and distances[there] < 0 and memory[MARKS + there] & VISITED:
                distances[there] = distances[square] + 1
                queue[tail] = there
                tail += 1
    for turn in range(4):
        facing = (memory[FACING] + (0, 3, 1, 2)[turn]) % 4
        there = open_neighbour(settings, memory, memory[SQUARE], facing)
        if there >= 0 and distances[there] >= 0 and distances[there] == distances[memory[SQUARE]] - 1:
            return FORWARD if turn == 0 else turn_to(memory, facing)
    return TURN_LEFT


@rule
def turn_to(memory, facing):
    """Return the turn towards a facing other than the current one."""
    return TURN_RIGHT if (facing - memory[FACING]) % 4 == 1 else TURN_LEFT


@rule
def firing_direction(settings, memory, square):
    """Return the facing in which an arrow from ``square`` hits a certain wumpus, or -1."""
    for turn in range(4):
        facing = (memory[FACING] + (0, 3, 1, 2)[turn]) % 4
        there = open_neighbour(settings, memory, square, facing)
        while there >= 0:
            if memory[MARKS + there] & SURE_WUMPUS:
                return facing
            there = open_neighbour(settings, memory, there, facing)
    return -1


@rule
def aim(settings, memory):
    """On the square to shoot from: turn towards the wumpus, then shoot."""
    facing = firing_direction(settings, memory, memory[SQUARE])
    return SHOOT if facing == memory[FACING] else turn_to(memory, facing)


@functools.cache
def make_decide_batch() -> Callable[..., None]:
    """``decide_batch(settings, percepts, starting, starts, memory, random_bits, actions)``, compiled at its first use.

    ``starting`` (bool[B]) rows of ``memory`` (int16[B, M]) are reset to ``starts`` (int16[B, 2]:
    square, facing); then every row decides, and ``actions`` (int64[B]) is filled.
    """

    def decide_batch(settings, percepts, starting, starts, memory, random_bits, actions):
        squares = settings[HEIGHT] * settings[WIDTH]
        distances, queue = np.empty(squares, np.int16), np.empty(squares, np.int16)
        for i in range(len(actions)):
            if starting[i]:
                begin(settings, memory[i], starts[i, 0], starts[i, 1])
            actions[i] = decide(settings, memory[i], random_bits[i : i + 1], percepts[i], distances, queue)

    return compiled(decide_batch, "wumpus-online-search")
