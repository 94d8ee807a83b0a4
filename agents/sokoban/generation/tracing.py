"""Replays a solution push by push: its text, its changes to another box, and the number of losing pushes."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import int64, types, uint8

from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled, routine
from gridpuzzles_gym.engine.kernels import kernel
from gridpuzzles_gym.puzzles.sokoban.notation import LETTERS

from ..solver.board import BOARD, NOWHERE, SIDES, Board
from ..solver.deadlocks.freezing import freezes
from ..solver.flood import walk
from ..solver.position import BOX_AT, QUEUE, STEPS, WORK, make_work

# measures int64[4]: what `trace` counts.
PUSHES, CHANGES, CHOICES, TRAPS, MEASURES = range(5)
_LETTERS = np.frombuffer((LETTERS + LETTERS.upper()).encode("ascii"), np.uint8)
"""uint8[8]: the letter of each action, then of each action that pushes."""


class Trace(NamedTuple):
    """Properties of a solution."""

    lurd: str
    """The solution as text (:mod:`gridpuzzles_gym.puzzles.sokoban.notation`)."""
    pushes: int
    changes: int
    """Pushes of a different box than the push before."""
    choices: int
    """Legal pushes, summed over all positions that the solution pushes from."""
    traps: int
    """Legal pushes after which the level is detected as lost: the box can no longer reach any goal, or
    boxes are frozen off the goals or between boxes and goals."""


@routine
def look_around(board, work, player, measures):
    """Count the possible pushes, and those that lose the level; ``work.boxes`` and its flags hold the boxes."""
    neighbours, boxes, box_at, steps = board.neighbours, work.boxes, work.flags[BOX_AT], work.squares[STEPS]
    walk(neighbours, box_at, player, steps, work.squares[QUEUE])
    for k in range(boxes.shape[0]):
        box = boxes[k]
        for action in range(SIDES):
            player_at, there = neighbours[box, action ^ 1], neighbours[box, action]
            if player_at < 0 or there < 0 or steps[player_at] < 0 or box_at[there]:
                continue
            measures[CHOICES] += 1
            if there >= board.live:
                measures[TRAPS] += 1
                continue
            box_at[box], box_at[there], boxes[k] = 0, 1, there
            measures[TRAPS] += freezes(board, work, there)
            box_at[box], box_at[there], boxes[k] = 1, 0, box


@routine
def go_through(board, work, player, plan, pushed, measures):
    """Replay a plan that begins at ``work.boxes``: see :func:`make_tracer`."""
    board, work = borrowed(board), borrowed(work)
    neighbours, boxes, box_at = board.neighbours, work.boxes, work.flags[BOX_AT]
    for square in range(box_at.shape[0]):
        box_at[square] = 0
    for k in range(boxes.shape[0]):
        box_at[boxes[k]] = 1
    last = NOWHERE
    for m in range(plan.shape[0]):
        there = neighbours[player, plan[m]]
        pushed[m] = box_at[there]
        if pushed[m]:
            look_around(board, work, player, measures)
            beyond = neighbours[there, plan[m]]
            box_at[there], box_at[beyond] = 0, 1
            for k in range(boxes.shape[0]):
                if boxes[k] == there:
                    boxes[k] = beyond
            measures[CHANGES] += measures[PUSHES] > 0 and last != there
            measures[PUSHES] += 1
            last = beyond
        player = there


def make_tracer() -> Callable[..., None]:
    """``tracer(board, work, player, plan, pushed, measures)``: replays a plan that begins at ``work.boxes``.

    ``plan`` (uint8[m]) are its actions; outputs are ``pushed`` (uint8[m]), 1 at pushes, and ``measures``.
    """

    def tracer(board, work, player, plan, pushed, measures):
        go_through(board, work, player, plan, pushed, measures)

    signature = types.void(BOARD, WORK, int64, uint8[::1], uint8[::1], int64[::1])
    return compiled(tracer, "sokoban-tracer", signature)


def trace(board: Board, boxes: npt.NDArray[np.int16], player: int, actions: Sequence[int]) -> Trace:
    """Replay a solution.

    Args:
        board: The level's board.
        boxes: int16[k]: the squares of the boxes at the start.
        player: The player's square at the start.
        actions: The solution; each action must be legal.
    """
    plan = np.array(actions, np.uint8)
    pushed, measures = np.zeros(len(plan), np.uint8), np.zeros(MEASURES, np.int64)
    kernel(make_tracer)(board, make_work(board, boxes, 1), player, plan, pushed, measures)
    return make_trace(plan, pushed, measures)


def make_trace(plan: npt.NDArray[np.uint8], pushed: npt.NDArray[np.uint8], measures: npt.NDArray[np.int64]) -> Trace:
    """Return the output of :func:`go_through` as a trace."""
    return Trace(_LETTERS[plan + SIDES * pushed].tobytes().decode("ascii"), *measures.tolist())
