"""The push searches as one kernel each, which searches to the end: for playing without Python.

:func:`.searches.fewest_pushes` and :func:`.searches.fewest_moves` run the same loop in slices; a kernel that cannot be
interrupted must be given a limit, and belongs into a thread of its own.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import functools
from collections.abc import Callable, Mapping

import numpy as np

from gridpuzzles_gym.engine.compilation import compiled, routine

from ..agent_kernels import EXPANDED, GENERATED, LENGTH, Solver
from ..search import loops
from .board import survey_rows
from .nodes import BITS, NO_NODE, Nodes, rehash
from .plans import write_way
from .portfolio import FIRST_ROOM, GROWTH
from .position import COUNT, Work
from .push_search import BY_MOVES, COST_WEIGHT, END, LOWEST, OWN_END, QUEUES, WEIGHT, search_on


@routine
def empty_nodes(capacity, live):
    """What :func:`.nodes.make_nodes` returns, as a rule."""
    slots = 4
    while slots < 2 * capacity:
        slots *= 2
    words = (live + BITS - 1) // BITS
    return Nodes(
        np.zeros((capacity, words), np.uint64),
        np.zeros(capacity, np.uint64),
        np.zeros(capacity, np.int16),
        np.zeros(capacity, np.int32),
        np.zeros((capacity, 2), np.int16),
        np.zeros(capacity, np.int32),
        np.zeros(capacity, np.int32),
        np.zeros(capacity, np.int32),
        np.full(slots, NO_NODE, np.int32),
    )


@routine
def enlarged(nodes, count, live):
    """The same nodes with a larger capacity: :func:`.portfolio.enlarge`."""
    larger = empty_nodes(nodes.word.shape[0] * GROWTH, live)
    larger.boxes[:count] = nodes.boxes[:count]
    larger.word[:count] = nodes.word[:count]
    larger.player[:count] = nodes.player[:count]
    larger.parent[:count] = nodes.parent[:count]
    larger.push[:count] = nodes.push[:count]
    larger.cost[:count] = nodes.cost[:count]
    larger.estimate[:count] = nodes.estimate[:count]
    larger.after[:count] = nodes.after[:count]
    rehash(larger, count)
    return larger


@routine
def empty_work(board, boxes):
    """What :func:`.position.make_work` returns, as a rule."""
    squares, count = board.beside.shape[0], boxes.shape[0]
    return Work(
        boxes.copy(),
        np.zeros((6, squares), np.int16),
        np.zeros((2, squares), np.uint8),
        np.zeros((2, 5, count), np.int32),
        np.zeros((board.live + BITS - 1) // BITS, np.uint64),
    )


@routine
def chain_to(nodes, node):
    """The nodes from the first to another, int32[c]."""
    length, at = 1, node
    while nodes.parent[at] != NO_NODE:
        at = nodes.parent[at]
        length += 1
    chain = np.empty(length, np.int32)
    for k in range(length - 1, -1, -1):
        chain[k] = node
        node = nodes.parent[node]
    return chain


# settings int64[3] of the solver: the weights of a position's priority; 1: minimise moves, not pushes.
COST, ESTIMATE, MOVES = range(3)


@functools.cache
def make_solver() -> Callable[..., int]:
    """``solver(level, state, settings, most, plan, counts) -> int``: see :class:`~..agent_kernels.Solver`."""

    def solver(level, state, settings, most, plan, counts):
        board, boxes, player = survey_rows(level, state)
        counts[:] = 0
        if boxes.max() >= board.live:
            return loops.EMPTIED
        nodes, work = empty_nodes(FIRST_ROOM, board.live), empty_work(board, boxes)
        heads, control = np.full(QUEUES, NO_NODE, np.int32), np.zeros(OWN_END, np.int64)
        control[COST_WEIGHT], control[WEIGHT], control[BY_MOVES] = settings[COST], settings[ESTIMATE], settings[MOVES]
        control[END], control[LOWEST], control[loops.LEAST] = -1, QUEUES, loops.UNBOUNDED
        why = loops.FULL
        while why == loops.FULL:
            control[loops.BUDGET] = most - control[loops.EXPANDED]
            why = search_on(board, nodes, work, heads, player, control)
            if why == loops.FULL:
                nodes = enlarged(nodes, control[COUNT], board.live)
        node = control[loops.AT] if why == loops.REACHED else control[loops.BEST]
        counts[LENGTH] = write_way(board, nodes, work, chain_to(nodes, node), player, plan)
        counts[EXPANDED], counts[GENERATED] = control[loops.EXPANDED], control[loops.GENERATED]
        return why

    return compiled(solver, "sokoban-solver")


def solvers() -> Mapping[str, Solver]:
    """Return the solvers by the names of their searches; ``sokoban`` is what that search tries first."""
    return {
        "sokoban": Solver(make_solver(), (0, 1, 0)),
        "sokoban-pushes": Solver(make_solver(), (1, 1, 0)),
        "sokoban-moves": Solver(make_solver(), (1, 1, 1)),
    }
