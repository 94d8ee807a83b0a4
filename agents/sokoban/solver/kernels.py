"""The push searches as one kernel each, which searches to the end: for playing without Python.

:func:`.searches.fewest_pushes` and :func:`.searches.fewest_moves` run the same loop in slices. These kernels cannot be
interrupted: give them a limit, and run them in a thread of their own.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import functools
from collections.abc import Callable, Mapping

import numpy as np

from gridpuzzles_gym.engine.compile.compilation import compiled, routine

from ...agent_kernels import EXPANDED, GENERATED, LENGTH, Solver
from ...search import loops
from .board import survey_rows
from .nodes import NO_NODE, copy_nodes, make_nodes, rehash
from .plans import chain_to, write_way
from .position import ANYWHERE, COUNT, make_work
from .push_search import LOWEST, OWN_END, QUEUES, Settings, search_on
from .sub_searches import FIRST_CAPACITY, GROWTH


@routine
def enlarged(nodes, count, live):
    """Return the same nodes with a larger capacity: :func:`.sub_searches.enlarge`."""
    larger = make_nodes(nodes.word.shape[0] * GROWTH, live)
    copy_nodes(nodes, larger, count)
    rehash(larger, count)
    return larger


# settings int64[3] of the solver: the weights of a position's priority; 1: minimise moves, not pushes.
COST, ESTIMATE, MOVES = range(3)


@routine
def search_to_end(level, state, settings, most, plan, counts):
    """Search by pushes; see :class:`~..agent_kernels.Solver`."""
    board, boxes, player = survey_rows(level, state)
    counts[:] = 0
    if boxes.max() >= board.live:
        return loops.EMPTIED
    nodes, work = make_nodes(FIRST_CAPACITY, board.live), make_work(board, boxes)
    heads, control = np.full(QUEUES, NO_NODE, np.int32), np.zeros(OWN_END, np.int64)
    control[LOWEST], control[loops.LEAST] = QUEUES, loops.UNBOUNDED
    what = Settings(settings[COST], settings[ESTIMATE], settings[MOVES], ANYWHERE, 1)
    why = loops.FULL
    while why == loops.FULL:
        control[loops.BUDGET] = most - control[loops.EXPANDED]
        why = search_on(board, nodes, work, heads, player, what, control)
        if why == loops.FULL:
            nodes = enlarged(nodes, control[COUNT], board.live)
    node = control[loops.AT] if why == loops.REACHED else control[loops.BEST]
    counts[LENGTH] = write_way(board, nodes, work, chain_to(nodes, node), player, plan)
    counts[EXPANDED], counts[GENERATED] = control[loops.EXPANDED], control[loops.GENERATED]
    return why


@functools.cache
def make_solver() -> Callable[..., int]:
    """``solver(level, state, settings, most, plan, counts) -> int``: :func:`search_to_end`."""

    def solver(level, state, settings, most, plan, counts):
        return search_to_end(level, state, settings, most, plan, counts)

    return compiled(solver, "sokoban-solver")


def solvers() -> Mapping[str, Solver]:
    """Return the solvers by the names of their searches; ``sokoban`` is the first search of that portfolio."""
    return {
        "sokoban": Solver(make_solver(), search_to_end, (0, 1, 0)),
        "sokoban-pushes": Solver(make_solver(), search_to_end, (1, 1, 0)),
        "sokoban-moves": Solver(make_solver(), search_to_end, (1, 1, 1), weight=ESTIMATE),
    }
