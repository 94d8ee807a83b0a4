"""The push searches that a portfolio runs: their arrays; how they are advanced, enlarged and closed."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compile.compilation import compiled, tiered
from gridpuzzles_gym.engine.kernels import kernel

from ...search import loops
from . import feature_search, push_search
from .backwards import reversed_board
from .board import SIDES, Board, aiming_bytes
from .features import ALL_ADVISORS
from .meeting import Found, found_bytes, make_found
from .nodes import NO_NODE, Nodes, copy_nodes, cut_bytes, cut_nodes, make_nodes, nodes_bytes, rehash
from .packing import IN_ORDER, planning, planning_bytes
from .position import ANYWHERE, COUNT, Work, make_work, work_bytes

FIRST_CAPACITY = 1 << 12
"""Initial capacity in nodes."""
GROWTHS = GROWTH, LITTLE_GROWTH = 4, 2
"""Growth factors when full: the second is used if there is no memory for the first."""


Squares = npt.NDArray[np.int16]


class Root(NamedTuple):
    """A position found by another search, from which a search starts."""

    search: "SubSearch"
    node: int


class SubSearch(Protocol):
    """One push search in progress."""

    board: Board
    work: Work
    player: int
    """The player's square at the start, or ANYWHERE."""
    end: int
    """The square where the player must end, ANYWHERE or NO_END."""
    root: Root | None
    """The position where the search starts; None: the start or the solved position of the level."""
    nodes: Nodes
    own: Found
    """What all searches in this direction have found."""
    other: Found
    """What those in the other direction have found."""
    control: npt.NDArray[np.int64]
    """int64[…]: see :mod:`..search.loops` and :mod:`.position`."""
    quantum: int
    """Expansions per turn."""
    most_found: int
    """Maximum number of new positions per turn."""
    closed: bool
    """Whether it has ended."""

    def advance(self) -> int:
        """Work until ``control[BUDGET]`` is used up or the search has ended; return why it stopped."""

    def close(self, cut: bool = True) -> None:
        """End the search; with ``cut``, replace its arrays by copies of the parts that a solution needs."""

    @property
    def cut_bytes(self) -> int:
        """The size of these copies in bytes."""

    def parts(self) -> Iterable[object]:
        """Return all arrays: see :class:`.solver.budget.Holder`."""


class _Search:
    """Base of all searches.

    Args:
        board: The level's board.
        boxes: int16[k]: the squares of the boxes at the start.
        player: The player's square at the start, or ANYWHERE.
        end: The square where the player must end, ANYWHERE or NO_END.
        root: The position where the search starts; None: the start or the solved position of the level.
        capacity: Initial capacity in nodes.
        entries: The size of its control array.
    """

    def __init__(
        self, board: Board, boxes: Squares, player: int, end: int, root: Root | None, capacity: int, entries: int
    ) -> None:
        self.board, self.work = board, make_work(board, boxes)
        self.player, self.end, self.root = player, end, root
        self.nodes = make_nodes(capacity, board.live)
        self.own = self.other = make_found(0)
        self.control = np.zeros(entries, np.int64)
        self.control[loops.LEAST] = loops.UNBOUNDED
        self.closed = False

    def close(self, cut: bool = True) -> None:
        """See :class:`SubSearch`."""
        self.closed = True
        if cut:
            self.nodes = cut_nodes(self.nodes, int(self.control[COUNT]))
            self.work = make_work(self.board, self.work.boxes, 1)
            self.own = self.other = make_found(0)

    @property
    def cut_bytes(self) -> int:
        """See :class:`SubSearch`."""
        small = work_bytes(self.board, len(self.work.boxes), 1) + found_bytes(0)
        return cut_bytes(int(self.control[COUNT]), self.board.live) + small

    def parts(self) -> Iterable[object]:
        """See :class:`SubSearch`."""
        return self.board, self.work, self.nodes, self.own, self.other, self.control

    @classmethod
    def needs(cls, board: Board, count: int) -> int:
        """Return the maximum number of bytes for creating one for ``count`` boxes, including its own board."""
        found, control = found_bytes(0), 8 * feature_search.OWN_END
        return aiming_bytes(board, count) + work_bytes(board, count) + found + control


class PushSearch(_Search):
    """Best-first search over single pushes.

    Args:
        board: The level's board.
        boxes: int16[k]: the squares of the boxes at the start.
        player: The player's square at the start, or ANYWHERE.
        cost_weight: Weight of the cost so far in a position's priority.
        weight: Weight of the estimate in a position's priority.
        by_moves: Minimise moves, not pushes; then the player's square is part of a position.
        end: The square where the player must end, or, when counting pushes, that he must be able to reach; ANYWHERE;
            or NO_END.
        corral_deadlocks: Whether to look for corrals that can never be opened: see :mod:`.corral_deadlocks`.
        root: The position where the search starts; None: the start or the solved position of the level.
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
        corral_deadlocks: bool = True,
        root: Root | None = None,
    ) -> None:
        super().__init__(board, boxes, player, end, root, FIRST_CAPACITY, push_search.OWN_END)
        self.quantum = 512
        self.most_found = self.quantum * SIDES * len(boxes)
        self.heads = np.full(push_search.QUEUES, NO_NODE, np.int32)
        self.control[push_search.COST_WEIGHT], self.control[push_search.WEIGHT] = cost_weight, weight
        self.control[push_search.BY_MOVES] = by_moves
        self.control[push_search.END] = end
        self.control[push_search.LOWEST] = push_search.QUEUES
        self.control[push_search.CORRAL_DEADLOCKS] = corral_deadlocks
        self._search = kernel(push_search.make_push_search)

    def advance(self) -> int:
        """See :class:`SubSearch`."""
        found = self.own, self.other
        why: int = self._search(self.board, self.nodes, *found, self.work, self.heads, self.player, self.control)
        return why

    def close(self, cut: bool = True) -> None:
        """See :class:`SubSearch`."""
        super().close(cut)
        self.heads = np.zeros(0, np.int32)

    def parts(self) -> Iterable[object]:
        """See :class:`SubSearch`."""
        return *super().parts(), self.heads

    @classmethod
    def needs(cls, board: Board, count: int) -> int:
        """See :meth:`_Search.needs`."""
        return super().needs(board, count) + nodes_bytes(FIRST_CAPACITY, board.live) + 4 * push_search.QUEUES


class FeatureSearch(_Search):
    """Feature-space search.

    Args:
        board: The level's board.
        boxes: int16[k]: the squares of the boxes at the start.
        player: The player's square at the start, or ANYWHERE.
        advisors: A bit for each enabled advisor.
        counted: Which filled goals count as packed: see :mod:`.packing`.
        end: The square that the player must be able to reach in the end, ANYWHERE or NO_END.
        root: The position where the search starts; None: the start or the solved position of the level.
    """

    def __init__(
        self,
        board: Board,
        boxes: Squares,
        player: int,
        advisors: int = ALL_ADVISORS,
        counted: int = IN_ORDER,
        end: int = ANYWHERE,
        root: Root | None = None,
    ) -> None:
        self.plan, self.cells = planning(board, boxes, counted), feature_search.make_cells(board, len(boxes))
        capacity = max(FIRST_CAPACITY, len(self.cells.made))
        super().__init__(board, boxes, player, end, root, capacity, feature_search.OWN_END)
        self.quantum = 16
        self.most_found = (self.quantum + 1) * SIDES * len(boxes) * board.live
        self.control[feature_search.ADVISED_BY] = advisors
        self.control[feature_search.ORDERED] = counted == IN_ORDER
        self.control[feature_search.END] = end
        self._search = kernel(feature_search.make_feature_search)

    def advance(self) -> int:
        """See :class:`SubSearch`."""
        found = self.own, self.other
        why: int = self._search(
            self.board, self.plan, self.nodes, *found, self.work, self.cells, self.player, self.control
        )
        return why

    def close(self, cut: bool = True) -> None:
        """See :class:`SubSearch`."""
        super().close(cut)
        self.cells = self.cells._replace(heads=np.zeros((0, feature_search.WEIGHTS), np.int32))

    def parts(self) -> Iterable[object]:
        """See :class:`SubSearch`."""
        return *super().parts(), self.plan, self.cells

    @classmethod
    def needs(cls, board: Board, count: int) -> int:
        """See :meth:`_Search.needs`."""
        nodes = nodes_bytes(max(FIRST_CAPACITY, 2 * SIDES * len(board.neighbours)), board.live)
        cells = feature_search.cells_bytes(board, count)
        return super().needs(board, count) + nodes + cells + planning_bytes(board, count)


class Backwards:
    """Creates the same search on the level read backwards.

    Args:
        make: A search class, or a partial of one.
    """

    def __init__(self, make: Callable[..., SubSearch]) -> None:
        self.make = make

    def __call__(self, board: Board, boxes: Squares, player: int) -> SubSearch:
        """Create it for the start of a level."""
        return self.make(reversed_board(board, boxes), board.goals, ANYWHERE, end=player)

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
    return nodes_bytes(len(search.nodes.word) * growth, search.board.live)


def enlarge(search: SubSearch, growth: int = GROWTH) -> None:
    """Increase a search's capacity for nodes by a factor."""
    nodes, count = search.nodes, int(search.control[COUNT])
    search.nodes = make_nodes(len(nodes.word) * growth, search.board.live)
    copy_nodes(nodes, search.nodes, count)
    tiered(kernel(_make_rehash), search.nodes, count)
