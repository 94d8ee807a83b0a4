"""Push searches in progress, alone or taking turns."""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compilation import compiled, tiered
from gridpuzzles_gym.engine.kernels import kernel

from ..search import loops
from ..search.running import Run
from . import feature_search, push_search
from .board import Board
from .features import ALL_ADVISORS
from .nodes import NO_NODE, Nodes, bytes_a_node, copy_nodes, make_nodes, rehash
from .packing import planning
from .plans import actions_to
from .position import COUNT, Work, make_work

FIRST_CAPACITY, GROWTH = 1 << 12, 4
"""Initial capacity in nodes; growth factor when full."""


Squares = npt.NDArray[np.int16]


class Member(Protocol):
    """One push search in progress."""

    board: Board
    work: Work
    player: int
    """The player's square at the start."""
    nodes: Nodes
    control: npt.NDArray[np.int64]
    """int64[…]: see :mod:`..search.loops` and :mod:`.position`."""
    quantum: int
    """Expansions per turn."""

    def advance(self) -> int:
        """Work until ``control[BUDGET]`` is used up or the search has ended; returns why it stopped."""


class PushSearch:
    """Best-first search over single pushes.

    Args:
        board: The level's board.
        boxes: int16[k]: the squares of the boxes at the start.
        player: The player's square at the start.
        cost_weight: Weight of the cost so far in a position's priority.
        weight: Weight of the estimate in a position's priority.
        by_moves: Minimise moves, not pushes; then the player's square is part of a position.
        end: The square where the player must end, or, when counting pushes, that he must be able to reach; None is any.
    """

    def __init__(
        self,
        board: Board,
        boxes: Squares,
        player: int,
        cost_weight: int,
        weight: int,
        by_moves: bool = False,
        end: int | None = None,
    ) -> None:
        self.board, self.work, self.player = board, make_work(board, boxes), player
        self.quantum = 512
        self.nodes = make_nodes(FIRST_CAPACITY, board.live)
        self.heads = np.full(push_search.QUEUES, NO_NODE, np.int32)
        self.control = np.zeros(push_search.OWN_END, np.int64)
        self.control[push_search.COST_WEIGHT], self.control[push_search.WEIGHT] = cost_weight, weight
        self.control[push_search.BY_MOVES] = by_moves
        self.control[push_search.END] = -1 if end is None else end
        self.control[push_search.LOWEST] = push_search.QUEUES
        self.control[loops.LEAST] = loops.UNBOUNDED
        self._search = kernel(push_search.make_push_search)

    def advance(self) -> int:
        """See :class:`Member`."""
        why: int = self._search(self.board, self.nodes, self.work, self.heads, self.player, self.control)
        return why


class FeatureSearch:
    """Feature-space search.

    Args:
        board: The level's board.
        boxes: int16[k]: the squares of the boxes at the start.
        player: The player's square at the start.
        advisors: A bit for each enabled advisor.
    """

    def __init__(self, board: Board, boxes: Squares, player: int, advisors: int = ALL_ADVISORS) -> None:
        self.board, self.work, self.player = board, make_work(board, boxes), player
        self.quantum = 16
        self.plan = planning(board, boxes)
        self.cells = feature_search.make_cells(board, len(boxes))
        self.nodes = make_nodes(max(FIRST_CAPACITY, len(self.cells.made)), board.live)
        self.control = np.zeros(feature_search.OWN_END, np.int64)
        self.control[feature_search.ADVISED_BY] = advisors
        self.control[loops.LEAST] = loops.UNBOUNDED
        self._search = kernel(feature_search.make_feature_search)

    def advance(self) -> int:
        """See :class:`Member`."""
        why: int = self._search(self.board, self.plan, self.nodes, self.work, self.cells, self.player, self.control)
        return why


class Portfolio:
    """Searches that take turns with equal amounts of work until one finds a solution.

    Work is counted in positions generated, so that results are the same on any machine.

    Args:
        run: The run that drives them.
        makers: Functions that create the members; each is called when its first turn comes.
        head_start: Positions that the first may generate before the second is created, and so on.
    """

    def __init__(self, run: Run, makers: Sequence[Callable[[], Member]], head_start: int) -> None:
        self.run, self.makers, self.head_start = run, list(makers), head_start
        self.members: list[Member] = []
        self._pass_on()

    def advance(self) -> int:
        """Let members work until the budget is used up or one of them has ended; returns why it stopped."""
        control = self.run.control
        while control[loops.BUDGET] > 0:
            own = self.turn.control
            done, made = int(own[loops.EXPANDED]), int(own[loops.GENERATED])
            own[loops.BUDGET] = min(self.left, control[loops.BUDGET])
            why = self.turn.advance()
            self.left -= int(own[loops.EXPANDED]) - done
            control[loops.EXPANDED] += own[loops.EXPANDED] - done
            control[loops.BUDGET] -= own[loops.EXPANDED] - done
            control[loops.GENERATED] += own[loops.GENERATED] - made
            control[loops.LEAST] = min(control[loops.LEAST], own[loops.LEAST])
            control[loops.CUT] |= own[loops.CUT]
            if why != loops.PAUSED:
                return why
            # A turn that is cut short continues at the next call, so that turns do not depend on the clock.
            if self.left == 0:
                self._pass_on()
            elif own[loops.BUDGET] > 0:  # an expansion may exceed the budget
                return why
        return loops.PAUSED

    def grow(self, memory: float) -> int:
        """Grow the current member's arrays, or drop it if memory is short and others are left."""
        capacity = len(self.turn.nodes.word) * GROWTH
        if self._bytes() + capacity * bytes_a_node(self.turn.board.live) <= memory:
            enlarge(self.turn)
            return self._bytes()
        if len(self.members) == 1 and not self.makers:
            return 0
        self.members.remove(self.turn)
        self._pass_on()
        return self._bytes()

    def plan(self, solved: bool) -> list[int]:
        """The solution, or else the actions to the position with the lowest estimate."""
        member = self.turn if solved else min(self.members, key=lambda other: int(other.control[loops.LEAST]))
        if member.control[COUNT] == 0:
            return []
        node = int(member.control[loops.AT] if solved else member.control[loops.BEST])
        return actions_to(member.board, member.nodes, member.work, node, member.player)

    def _pass_on(self) -> None:
        """Start the turn of the member that has done the least work, or of a new one."""
        least = min(self.members, key=_generated, default=None)
        if least is None or (self.makers and _generated(least) >= self.head_start):
            least = self.makers.pop(0)()
            self.members.append(least)
            self.run.peak_bytes = max(self.run.peak_bytes, self._bytes())
        self.turn, self.left = least, least.quantum

    def _bytes(self) -> int:
        return sum(len(member.nodes.word) * bytes_a_node(member.board.live) for member in self.members)


def _generated(member: Member) -> int:
    return int(member.control[loops.GENERATED])


def _make_rehash() -> Callable[..., None]:
    def rehash_all(nodes, count):  # type: ignore[no-untyped-def]  # typed by numba
        rehash(nodes, count)

    return compiled(rehash_all, "sokoban-rehash")


def enlarge(member: Member) -> None:
    """Increase a search's capacity for nodes."""
    nodes, count = member.nodes, int(member.control[COUNT])
    member.nodes = make_nodes(len(nodes.word) * GROWTH, member.board.live)
    copy_nodes(nodes, member.nodes, count)
    tiered(kernel(_make_rehash), member.nodes, count)
