"""The greedy mouse: takes a shortest path to the exit, whatever the cats do."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compile.compilation import compiled, rule
from gridpuzzles_gym.engine.messages import plural
from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.cat_mouse.rules import CELLS, EXIT, MOUSE, neighbour

from ..policy import State
from ..thoughts import LINE, Thoughts
from .maze_agent import MazeAgent, Rows

FAR = 30_000
"""More steps than any path has."""


class ShortestPath(MazeAgent):
    """The agent; see the module's docstring. Ties between paths go to up, then down, left and right."""

    def decide(self, levels: Rows, states: Rows, starting: npt.NDArray[np.bool_], memory: State) -> npt.NDArray[Any]:
        """Choose actions, int64[B]."""
        actions = np.empty(len(levels), np.int64)
        scratch = np.empty((2, levels.shape[1] - CELLS), np.int16)
        make_run_batch()(levels, states, scratch, actions)
        return actions

    def thoughts(self, observation: npt.NDArray[Any], state: State | None, i: int = 0) -> Thoughts:
        """Its path to the exit: :meth:`gridpuzzles_gym.agents.thoughts.Explaining.thoughts`."""
        if state is None:
            return Thoughts()
        level, here = self.read_one(observation)
        steps, queue = np.empty((2, len(level) - CELLS), np.int16)
        steps_to_exit(level, steps, queue)
        path = [int(here[MOUSE])]
        while path[-1] != level[EXIT]:
            path.append(int(neighbour(level, path[-1], nearer(level, steps, path[-1]))))
        figures = {"way to the exit": plural(len(path) - 1, "step")}
        return Thoughts(legend={LINE: "its path, whatever the cats do"}, path=self.places(path), figures=figures)


def shortest_plan(level: Row, state: Row) -> tuple[int, ...] | None:
    """Return the actions of a shortest path to the exit, if no cat is in the way; None if there is no path.

    Args:
        level: The level row.
        state: The state to begin with.
    """
    steps, queue = np.empty((2, len(level) - CELLS), np.int16)
    steps_to_exit(level, steps, queue)
    square, plan = int(state[MOUSE]), list[int]()
    if steps[square] == FAR:
        return None
    while square != level[EXIT]:
        plan.append(int(nearer(level, steps, square)))
        square = int(neighbour(level, square, plan[-1]))
    return tuple(plan)


@rule
def steps_to_exit(level, steps, queue):
    """Fill ``steps`` (int16[N]) with the distance of each square from the exit, FAR if there is no path."""
    steps[:] = FAR
    steps[level[EXIT]] = 0
    queue[0] = level[EXIT]
    head, tail = 0, 1
    while head < tail:
        square = queue[head]
        head += 1
        for side in range(4):
            if (level[CELLS + square] >> side) & 1:
                there = neighbour(level, square, side)
                if steps[there] == FAR:
                    steps[there] = steps[square] + 1
                    queue[tail] = there
                    tail += 1


@rule
def nearer(level, steps, square):
    """Return the first direction that leads nearer to the exit; 0 if none does."""
    for side in range(4):
        if (level[CELLS + square] >> side) & 1 and steps[neighbour(level, square, side)] < steps[square]:
            return side
    return 0


@functools.cache
def make_run_batch() -> Callable[..., None]:
    """``run_batch(levels, states, scratch, actions)``, compiled at its first use."""

    def run_batch(levels, states, scratch, actions):
        for i in range(levels.shape[0]):
            steps_to_exit(levels[i], scratch[0], scratch[1])
            actions[i] = nearer(levels[i], scratch[0], states[i, MOUSE])

    return compiled(run_batch, "cat-mouse-shortest-path")
