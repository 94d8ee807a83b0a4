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
from .board import SIDES, Board
from .features import ALL_ADVISORS
from .meeting import BYTES_A_SLOT, NODE_BITS, NOT_FOUND, Found, enlarged, make_found, slots_for
from .nodes import NO_NODE, Nodes, bytes_a_node, copy_nodes, make_nodes, rehash
from .packing import IN_ORDER, planning
from .plans import actions_to
from .position import COUNT, MET, NUMBER, Work, make_work

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
    own: Found
    """What all searches in this direction have found."""
    other: Found
    """What those in the other direction have found."""
    control: npt.NDArray[np.int64]
    """int64[…]: see :mod:`..search.loops` and :mod:`.position`."""
    quantum: int
    """Expansions per turn."""
    most_found: int
    """Maximum number of positions that it finds in a turn."""

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
        trials: Look for corrals that stay shut by trials: see :mod:`.opening`.
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
        trials: bool = True,
    ) -> None:
        self.board, self.work, self.player = board, make_work(board, boxes), player
        self.quantum = 512
        self.most_found = self.quantum * SIDES * len(boxes)
        self.nodes = make_nodes(FIRST_CAPACITY, board.live)
        self.own = self.other = make_found(0)
        self.heads = np.full(push_search.QUEUES, NO_NODE, np.int32)
        self.control = np.zeros(push_search.OWN_END, np.int64)
        self.control[push_search.COST_WEIGHT], self.control[push_search.WEIGHT] = cost_weight, weight
        self.control[push_search.BY_MOVES] = by_moves
        self.control[push_search.END] = -1 if end is None else end
        self.control[push_search.LOWEST] = push_search.QUEUES
        self.control[push_search.TRIALS] = trials
        self.control[loops.LEAST] = loops.UNBOUNDED
        self._search = kernel(push_search.make_push_search)

    def advance(self) -> int:
        """See :class:`Member`."""
        found = self.own, self.other
        why: int = self._search(self.board, self.nodes, *found, self.work, self.heads, self.player, self.control)
        return why


class FeatureSearch:
    """Feature-space search.

    Args:
        board: The level's board.
        boxes: int16[k]: the squares of the boxes at the start.
        player: The player's square at the start.
        advisors: A bit for each enabled advisor.
        counted: Which filled goals count as packed: see :mod:`.packing`.
        end: The square that the player must be able to reach in the end; None is any.
    """

    def __init__(
        self,
        board: Board,
        boxes: Squares,
        player: int,
        advisors: int = ALL_ADVISORS,
        counted: int = IN_ORDER,
        end: int | None = None,
    ) -> None:
        self.board, self.work, self.player = board, make_work(board, boxes), player
        self.quantum = 16
        self.most_found = (self.quantum + 1) * SIDES * len(boxes) * board.live
        self.plan = planning(board, boxes, counted)
        self.cells = feature_search.make_cells(board, len(boxes))
        self.nodes = make_nodes(max(FIRST_CAPACITY, len(self.cells.made)), board.live)
        self.own = self.other = make_found(0)
        self.control = np.zeros(feature_search.OWN_END, np.int64)
        self.control[feature_search.ADVISED_BY] = advisors
        self.control[feature_search.ORDERED] = counted == IN_ORDER
        self.control[feature_search.END] = -1 if end is None else end
        self.control[loops.LEAST] = loops.UNBOUNDED
        self._search = kernel(feature_search.make_feature_search)

    def advance(self) -> int:
        """See :class:`Member`."""
        found = self.own, self.other
        why: int = self._search(
            self.board, self.plan, self.nodes, *found, self.work, self.cells, self.player, self.control
        )
        return why


class Portfolio:
    """Searches that take turns with equal amounts of work until one finds a solution.

    A solution may be made of two parts, where searches in opposite directions meet. Work is counted in positions
    generated, so that results are the same on any machine.

    Args:
        run: The run that drives them.
        makers: Functions that create the members; each is called when its first turn comes.
        head_start: Positions that the first may generate before the second is created, and so on.
    """

    def __init__(self, run: Run, makers: Sequence[Callable[[], Member]], head_start: int) -> None:
        self.run, self.makers, self.head_start = run, list(makers), head_start
        self.members: dict[int, Member] = {}
        self._found = [make_found(0), make_found(0)]  # backwards, forwards
        self._made = 0
        self._pass_on()

    def advance(self) -> int:
        """Let members work until the budget is used up or one of them has ended; returns why it stopped."""
        control = self.run.control
        while control[loops.BUDGET] > 0:
            own = self.turn.control
            done, made = int(own[loops.EXPANDED]), int(own[loops.GENERATED])
            own[loops.BUDGET] = min(self.left, control[loops.BUDGET])
            self._share()
            why = self.turn.advance()
            if why == loops.REACHED and not self._reached():
                own[loops.AT] = NO_NODE
                why = loops.PAUSED
            self.left -= int(own[loops.EXPANDED]) - done
            control[loops.EXPANDED] += own[loops.EXPANDED] - done
            control[loops.BUDGET] -= own[loops.EXPANDED] - done
            control[loops.GENERATED] += own[loops.GENERATED] - made
            if self.turn.board.pushed:
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
        del self.members[int(self.turn.control[NUMBER])]
        self._pass_on()
        return self._bytes()

    def plan(self, solved: bool) -> list[int]:
        """The solution, or else the actions to the position with the lowest estimate."""
        forwards = [member for member in self.members.values() if member.board.pushed and member.control[COUNT] > 0]
        if solved:
            ways = [(self.turn, int(self.turn.control[loops.AT]))]
            if self.turn.control[MET] != NOT_FOUND:
                ways.append(self._met())
        elif forwards:
            best = min(forwards, key=lambda member: int(member.control[loops.LEAST]))
            ways = [(best, int(best.control[loops.BEST]))]
        else:
            ways = []
        ways.sort(key=lambda way: way[0].board.pushed, reverse=True)
        actions: list[int] = []
        player = self.turn.player
        for member, node in ways:
            for action in actions_to(member.board, member.nodes, member.work, node, player):
                actions.append(action)
                player = int(member.board.beside[player, action])
        return actions

    def _share(self) -> None:
        """Show the current member what all have found, and make room for what it will find, if memory allows."""
        turn, pushed = self.turn, self.turn.board.pushed
        found = self._found[pushed]
        free = len(turn.nodes.word) - int(turn.control[COUNT])
        slots = slots_for(found, min(turn.most_found, free))
        if slots > len(found.word):
            memory = self.run.limits.memory
            if memory is not None and self._bytes() + slots * BYTES_A_SLOT > memory:
                found = make_found(0)
            else:
                self._found[pushed] = found = enlarged(found, slots)
        turn.own, turn.other = found, self._found[1 - pushed]

    def _met(self) -> tuple[Member, int]:
        """The search that the current member has met, and the node there; KeyError if it was dropped."""
        met = int(self.turn.control[MET])
        return self.members[met >> NODE_BITS], met & ((1 << NODE_BITS) - 1)

    def _reached(self) -> bool:
        """Does the position that the current member reached solve the level? Positions may have equal hashes."""
        turn, met = self.turn, int(self.turn.control[MET])
        if met == NOT_FOUND:
            return True
        if met >> NODE_BITS not in self.members:
            return False
        (member, there), here = self._met(), int(turn.control[loops.AT])
        same = bool((member.nodes.boxes[there] == turn.nodes.boxes[here]).all())
        return same and bool(member.nodes.player[there] == turn.nodes.player[here])

    def _pass_on(self) -> None:
        """Start the turn of the member that has done the least work, or of a new one."""
        least = min(self.members.values(), key=_generated, default=None)
        if least is None or (self.makers and _generated(least) >= self.head_start):
            least = self.makers.pop(0)()
            least.control[NUMBER] = self._made
            self.members[self._made] = least
            self._made += 1
            self.run.peak_bytes = max(self.run.peak_bytes, self._bytes())
        self.turn, self.left = least, least.quantum

    def _bytes(self) -> int:
        slots = sum(len(found.word) for found in self._found)
        members = self.members.values()
        return slots * BYTES_A_SLOT + sum(len(one.nodes.word) * bytes_a_node(one.board.live) for one in members)


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
