"""The advisors: each recommends at most one move of a position, the best of those that serve its purpose."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import int16, int64, types, uint8

from gridpuzzles_gym.engine.compile.compilation import routine, rule

from .areas import AREA
from .board import SIDES, Board, is_step, step_of
from .features import NOTHING, areas_in, astray_in, hot_in, left_in
from .flood import walk
from .nodes import NO_NODE
from .position import BOX_AT, QUEUE, reaches

# The first four recommend a move that reduces one feature, the third of them the boxes astray. EXPLORING: the player
# can push a box from where he could not get before. OPENING: the box closest to where the plan needs one makes way.
# VANISHING: the box to take off the board next, when a level is emptied.
PACKING, CONNECTING, GATHERING, COOLING, EXPLORING, OPENING, VANISHING, ADVISORS = range(8)
MOST_WAY = 100_000
"""More than the length of any way."""


class Advice(NamedTuple):
    """What is recommended in a position, and what some advisors choose by; n squares."""

    rank: npt.NDArray[np.int64]
    """int64[ADVISORS]: the rank of the best move so far, the lowest; NOTHING without one."""
    child: npt.NDArray[np.int64]
    """int64[ADVISORS]: the node that it leads to, or NO_NODE."""
    walks: npt.NDArray[np.int16]
    """int16[n]: the player's steps from the square where the plan needs a box next, without boxes; or -1."""
    walls: npt.NDArray[np.uint8]
    """uint8[n]: scratch."""


ADVICE = types.NamedTuple((int64[::1], int64[::1], int16[::1], uint8[::1]), Advice)


def make_advice(board: Board) -> Advice:
    """Return arrays for positions of a board."""
    squares = len(board.neighbours)
    rank, child, walks = np.zeros(ADVISORS, np.int64), np.zeros(ADVISORS, np.int64), np.zeros(squares, np.int16)
    return Advice(rank, child, walks, np.zeros(squares, np.uint8))


def advice_bytes(board: Board) -> int:
    """Return the size of :func:`make_advice` in bytes."""
    return 2 * 8 * ADVISORS + 3 * len(board.neighbours)


@rule
def recommend(advice, advisor, rank, child):
    """Recommend a move unless a better one has been."""
    if rank < advice.rank[advisor]:
        advice.rank[advisor], advice.child[advisor] = rank, child


@routine
def prepare(board, plan, work, advice, parent):
    """Forget all recommendations, and measure the walks in the position with the features ``parent``."""
    advice.rank[:], advice.child[:] = NOTHING, NO_NODE
    advice.walls[:], advice.walks[:] = 0, -1
    packed = plan.square.shape[0] - left_in(parent)
    if board.pushed and plan.before.shape[0] == 0 and packed < plan.square.shape[0]:
        walk(board.neighbours, advice.walls, plan.square[packed], advice.walks, work.squares[QUEUE])


@rule
def advise(advice, child, features, parent, box, there, exploring):
    """Show a move of a box, and the features before and after it, to each advisor that works along a plan."""
    if left_in(features) > left_in(parent):
        return
    same_floor = areas_in(features) <= areas_in(parent)
    if left_in(features) < left_in(parent):
        recommend(advice, PACKING, features, child)
    if areas_in(features) < areas_in(parent):
        recommend(advice, CONNECTING, features, child)
    if astray_in(features) < astray_in(parent) and same_floor:
        recommend(advice, GATHERING, features, child)
    if hot_in(features) < hot_in(parent):
        recommend(advice, COOLING, features, child)
    if exploring:
        recommend(advice, EXPLORING, features, child)
    walks = advice.walks
    if 0 <= walks[box] <= walks[there] and same_floor:
        recommend(advice, OPENING, np.int64(walks[box]) * MOST_WAY - walks[there], child)


@rule
def settle(advice):
    """Withdraw what is recommended only if nothing better is."""
    if advice.child[VANISHING] != NO_NODE:
        advice.child[:VANISHING] = NO_NODE
    elif advice.child[PACKING] != NO_NODE:
        advice.child[OPENING] = NO_NODE


@routine
def explores(board, boxes, work, moved, before, after):
    """Whether a box not on ``moved`` can be pushed, or pulled, from an area other than ``before``.

    The player is in the area ``after`` now; ``before`` is the one where he was.
    """
    box_at, area = work.flags[BOX_AT], work.areas[AREA]
    for box in boxes:
        for action in range(SIDES):
            player_at, there, ends = step_of(board, box, action)
            if box == moved or not is_step(board, box_at, box, player_at, there, ends) or area[player_at] == before:
                continue
            if reaches(board.neighbours, work, after, player_at):
                return True
    return False


@routine
def advise_vanishing(board, near, advice, queue, child, box, sink, areas):
    """Show the move by which a box vanishes at a sink to the advisor for it.

    Boxes that are off the goals already come first, then those that leave the fewest ``areas`` with the box on the
    sink, then those with the farthest walk to it.
    """
    advice.walls[:] = 0
    walk(board.neighbours, advice.walls, box, advice.walks, queue)
    rank = np.int64(areas) * MOST_WAY - advice.walks[sink]
    recommend(advice, VANISHING, rank if near[box] == 0 else np.int64(-MOST_WAY), child)
