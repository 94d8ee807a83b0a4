"""The push searches that a portfolio runs: their arrays; how they are advanced and enlarged."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Protocol

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compile.compilation import compiled, tiered
from gridpuzzles_gym.engine.kernels import kernel

from ...search import loops
from . import feature_search, push_search
from .advisors import advice_bytes, make_advice
from .board import SIDES, Board, aimed, aiming_bytes
from .cells import NO_CELL, cells_bytes, heaps_bytes, make_cells, make_heaps
from .feature_search import make_steps, steps_bytes
from .features import NOTHING
from .hotspots import find_hotspots, hotspots_bytes
from .nodes import NO_NODE, Nodes, copy_nodes, make_nodes, nodes_bytes, rehash
from .packing import MOST_SPREAD, make_planning, no_plan, plan_bytes
from .position import ANYWHERE, COUNT, Work, make_work, work_bytes

FIRST_CAPACITY = 1 << 12
"""Initial capacity in nodes."""
GROWTHS = GROWTH, LITTLE_GROWTH = 4, 2
"""Growth factors when full: the second is used if there is no memory for the first."""
MOST_EMPTIED = 500
"""Maximum number of positions that a search for a plan expands."""


Squares = npt.NDArray[np.int16]


class SubSearch(Protocol):
    """One push search in progress."""

    board: Board
    work: Work
    nodes: Nodes
    control: npt.NDArray[np.int64]
    """int64[…]: see :mod:`..search.loops` and :mod:`.position`."""
    quantum: int
    """Expansions per turn."""

    def advance(self) -> int:
        """Work until ``control[BUDGET]`` is used up or the search has ended; return why it stopped."""

    def enlarge_queues(self, capacity: int) -> None:
        """Increase the capacity of its queues, if they have one."""

    def queues_bytes(self, capacity: int) -> int:
        """Return the size in bytes of the queues that have a capacity."""

    def parts(self) -> Iterable[object]:
        """Return all arrays: see :class:`.solver.budget.Holder`."""


class _Search:
    """Base of all searches.

    Args:
        board: The level's board.
        boxes: int16[k]: the squares of the boxes at the start.
        player: The player's square at the start, or ANYWHERE.
        capacity: Initial capacity in nodes.
        entries: The size of its control array.
    """

    def __init__(self, board: Board, boxes: Squares, player: int, capacity: int, entries: int) -> None:
        self.board, self.work = board, make_work(board, boxes)
        self.player = player
        self.nodes = make_nodes(capacity, board.live)
        self.control = np.zeros(entries, np.int64)
        self.control[loops.LEAST] = loops.UNBOUNDED

    def parts(self) -> Iterable[object]:
        """See :class:`SubSearch`."""
        return self.board, self.work, self.nodes, self.control

    def enlarge_queues(self, capacity: int) -> None:
        """Increase the capacity of its queues, if they have one."""

    @classmethod
    def queues_bytes(cls, capacity: int) -> int:
        """Return the size in bytes of the queues that have a capacity."""
        return 0

    @classmethod
    def needs(cls, board: Board, count: int) -> int:
        """Return the maximum number of bytes for creating one for ``count`` boxes, including its own board."""
        return aiming_bytes(board, count) + work_bytes(board, count) + 2 * 8 * feature_search.OWN_END


class PushSearch(_Search):
    """Best-first search over single pushes.

    Args:
        board: The level's board.
        boxes: int16[k]: the squares of the boxes at the start.
        player: The player's square at the start, or ANYWHERE.
        cost_weight: Weight of the cost so far in a position's priority.
        weight: Weight of the estimate in a position's priority.
        by_moves: Minimise moves, not pushes; then the player's square is part of a position.
        end: The square where the player must end, or, when counting pushes, that he must be able to reach; or ANYWHERE.
        deadlocks: Whether to look for all deadlocks, not only for boxes that a push freezes.
    """

    def __init__(
        self,
        board: Board,
        boxes: Squares,
        player: int,
        cost_weight: int,
        weight: int,
        by_moves: bool = False,
        end: int = ANYWHERE,
        deadlocks: bool = True,
    ) -> None:
        super().__init__(board, boxes, player, FIRST_CAPACITY, push_search.OWN_END)
        self.quantum = 512
        self.heads = np.full(push_search.QUEUES, NO_NODE, np.int32)
        self.settings = push_search.Settings(cost_weight, weight, int(by_moves), end, int(deadlocks))
        self.control[push_search.LOWEST] = push_search.QUEUES
        self._search = kernel(push_search.make_push_search)

    def advance(self) -> int:
        """See :class:`SubSearch`."""
        arrays = self.board, self.nodes, self.work, self.heads
        why: int = self._search(*arrays, self.player, self.settings, self.control)
        return why

    def parts(self) -> Iterable[object]:
        """See :class:`SubSearch`."""
        return *super().parts(), self.heads

    @classmethod
    def needs(cls, board: Board, count: int) -> int:
        """See :meth:`_Search.needs`."""
        return super().needs(board, count) + nodes_bytes(FIRST_CAPACITY, board.live) + 4 * push_search.QUEUES


class FeatureSearch(_Search):
    """Feature-space search: at first for a packing plan, then along it.

    Args:
        board: The level's board.
        boxes: int16[k]: the squares of the boxes at the start.
        player: The player's square at the start, or ANYWHERE.
        ordered: Whether all steps of the plan must be made in order, and hotspots count; else, only those steps that
            would block each other are in order.
        by_areas: Whether the areas of the floor count along the plan.
    """

    def __init__(self, board: Board, boxes: Squares, player: int, ordered: bool = True, by_areas: bool = True) -> None:
        capacity = _capacity(board)
        super().__init__(board, boxes, player, capacity, feature_search.OWN_END)
        self.quantum = 16
        self.heaps, self.cells, self.steps = make_heaps(capacity), make_cells(len(boxes)), make_steps(board)
        self.advice, self.hotspots = make_advice(board), np.zeros((0, 0), np.uint8)
        self.sinks = np.zeros((2 + len(boxes), len(board.neighbours)), np.uint8)
        self.plan, self._start = no_plan(board), boxes
        self.ordered, self.by_areas = ordered, by_areas
        self._emptied: Board | None = None
        if len(board.neighbours) * len(boxes) ** 2 <= MOST_SPREAD:
            self._emptied = aimed(board, boxes, pushed=0)
            self.work.boxes[:] = board.goals
        self._planning = np.zeros_like(self.control)
        self._search = kernel(feature_search.make_feature_search)

    def advance(self) -> int:
        """See :class:`SubSearch`."""
        if self._emptied is not None:
            why = self._empty(self._emptied)
            if why == loops.PAUSED and self._planning[loops.EXPANDED] < MOST_EMPTIED:
                return why
            self._follow(self._emptied, why)
        return self._run(self.board, self.player, self.control)

    def _run(self, board: Board, player: int, control: npt.NDArray[np.int64]) -> int:
        queues = self.work, self.heaps, self.cells, self.steps, self.advice, self.hotspots, self.sinks
        arrays = feature_search.Arrays(board, self.plan, self.nodes, *queues, int(self.by_areas))
        why: int = self._search(arrays, player, control)
        return why

    def _empty(self, emptied: Board) -> int:
        """Continue the search for a plan; return why it stopped."""
        control, counters = self._planning, (loops.EXPANDED, loops.GENERATED)
        before = control.copy()
        control[loops.BUDGET] = self.control[loops.BUDGET]
        why = self._run(emptied, ANYWHERE, control)
        for counter in counters:
            self.control[counter] += control[counter] - before[counter]
        self.control[loops.BUDGET] = control[loops.BUDGET]
        return why

    def _follow(self, emptied: Board, why: int) -> None:
        """Make the plan from the best position found; prepare the arrays for the search along it."""
        control = self._planning
        self._emptied, self.sinks = None, self.sinks[:0].copy()
        emptied = self.board._replace(goals=self._start, pushed=emptied.pushed)  # the plan may need their memory
        if control[feature_search.BEST_FEATURES] < NOTHING:
            node = int(control[loops.AT] if why == loops.REACHED else control[feature_search.BEST_NODE])
            plan = emptied, self.nodes, node, self.work.boxes, self.plan.near, self.ordered
            self.plan = kernel(make_planning)(*plan)
        if self.ordered:
            self.hotspots = find_hotspots(self.board)
        self.nodes.table[:] = self.cells.top[:] = NO_NODE
        self.heaps.best[:] = 0
        self.cells.after[:] = NO_CELL
        self.work.boxes[:] = self._start

    def enlarge_queues(self, capacity: int) -> None:
        """See :meth:`_Search.enlarge_queues`."""
        old, self.heaps = self.heaps, make_heaps(capacity)
        self.heaps.key[: len(old.key)] = old.key
        self.heaps.best[: len(old.key)] = old.best
        self.heaps.below[: len(old.key)] = old.below

    def parts(self) -> Iterable[object]:
        """See :class:`SubSearch`."""
        own = self.plan, self.heaps, self.cells, self.steps, self.advice, self.hotspots, self.sinks
        return *super().parts(), *own, self._emptied or (), self._planning, self._start

    @classmethod
    def queues_bytes(cls, capacity: int) -> int:
        """See :meth:`_Search.queues_bytes`."""
        return heaps_bytes(capacity)

    @classmethod
    def needs(cls, board: Board, count: int) -> int:
        """See :meth:`_Search.needs`."""
        nodes = nodes_bytes(_capacity(board), board.live) + heaps_bytes(_capacity(board))
        cells = cells_bytes(count) + steps_bytes(board) + advice_bytes(board)
        plan = plan_bytes(board, count) + (2 + count) * len(board.neighbours) + hotspots_bytes(board)
        return super().needs(board, count) + nodes + cells + plan + aiming_bytes(board, count)


def _capacity(board: Board) -> int:
    """Return the initial capacity of a feature search in nodes; the search for a plan ends when it is used up."""
    return max(4 * FIRST_CAPACITY, 2 * SIDES * len(board.neighbours))


class Backwards:
    """Creates the same search on the level read backwards: boxes start on the goals, and are pulled to their squares.

    Unpacking is often easy where packing is hard.

    Args:
        make: A search class, or a partial of one.
    """

    def __init__(self, make: Callable[..., SubSearch]) -> None:
        self.make = make

    def __call__(self, board: Board, boxes: Squares, player: int) -> SubSearch:
        """Create it for the start of a level."""
        return self.make(aimed(board, boxes, pushed=0), board.goals, ANYWHERE, end=player)

    def needs(self, board: Board, count: int) -> int:
        """See :meth:`_Search.needs`."""
        return needs_of(self.make)(board, count)


def needs_of(make: Callable[..., SubSearch]) -> Callable[[Board, int], int]:
    """Return the function ``needs`` of a search class, of a partial of one, or of :class:`Backwards`."""
    needs: Callable[[Board, int], int] = (make.func if isinstance(make, partial) else make).needs  # type: ignore[union-attr]
    return needs


def _make_rehash() -> Callable[..., None]:
    def rehash_all(nodes, count):  # type: ignore[no-untyped-def]  # typed by numba
        rehash(nodes, count)

    return compiled(rehash_all, "sokoban-rehash")


def enlarged_bytes(search: SubSearch, growth: int = GROWTH) -> int:
    """Return the size in bytes of the larger arrays, which exist together with the old ones while they are copied."""
    capacity = len(search.nodes.word) * growth
    return nodes_bytes(capacity, search.board.live) + search.queues_bytes(capacity)


def enlarge(search: SubSearch, growth: int = GROWTH) -> None:
    """Increase a search's capacity for nodes by a factor."""
    nodes, count = search.nodes, int(search.control[COUNT])
    search.nodes = make_nodes(len(nodes.word) * growth, search.board.live)
    search.enlarge_queues(len(search.nodes.word))
    copy_nodes(nodes, search.nodes, count)
    tiered(kernel(_make_rehash), search.nodes, count)
