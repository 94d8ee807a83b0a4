"""Shortens a solution: segments are replaced by shortest paths between the same two positions."""

from ...search import loops
from ...search.running import Run
from .board import Board, aimed
from .budget import Budget
from .plans import actions_to, pushes_of, walked
from .sub_searches import PushSearch, Squares, enlarge, enlarged_bytes

STRETCHES = (8, 16, 32)
"""Pushes per segment, by round."""
MOST_NODES = 20_000
"""Maximum number of positions expanded for one segment; then it is not changed."""


class Improvement:
    """The improvement of one solution in progress.

    Args:
        run: The run that drives it.
        budget: The memory limit of its searches. A segment for which there is not enough memory is not changed.
        board: The level's board.
        boxes: int16[k]: the squares of the boxes at the start.
        player: The player's square at the start.
        plan: The solution.
        by_moves: Reduce the number of moves; otherwise of pushes.
    """

    def __init__(
        self, run: Run, budget: Budget, board: Board, boxes: Squares, player: int, plan: list[int], by_moves: bool
    ) -> None:
        self.run, self.budget, self.board, self.by_moves = run, budget, board, by_moves
        self._boxes, self._player = boxes, player
        self._pushes = pushes_of(board, boxes, player, plan)
        self._rounds = list(STRETCHES)
        self._first = 0
        self._search: PushSearch | None = None
        self._follow()

    def plan(self) -> list[int]:
        """Return the current solution."""
        return walked(self.board, self._boxes, self._player, self._pushes)

    def advance(self) -> int:
        """Work until the budget is used up or no segment can be shortened; return why it stopped."""
        control = self.run.control
        while control[loops.BUDGET] > 0:
            if self._search is None and not self._begin():
                return loops.EMPTIED
            search = self._search
            assert search is not None
            own = search.control
            done = int(own[loops.EXPANDED])
            own[loops.BUDGET] = control[loops.BUDGET]
            why = search.advance()
            control[loops.EXPANDED] += own[loops.EXPANDED] - done
            control[loops.BUDGET] -= own[loops.EXPANDED] - done
            if why == loops.FULL and self.budget.fits(enlarged_bytes(search)):
                enlarge(search)
            elif why == loops.REACHED:
                self._replace(search)
            elif why in (loops.EMPTIED, loops.FULL) or own[loops.EXPANDED] >= MOST_NODES:
                self._move_on()
        return loops.PAUSED

    def _follow(self) -> None:
        """Record the position before each push and at the end, and the length of the solution."""
        self.run.solution = len(self.plan())
        boxes, player = self._boxes.copy(), self._player
        self._positions = [(boxes.copy(), player)]
        for box, action in self._pushes:
            boxes[boxes == box] = self.board.neighbours[box, action]
            self._positions.append((boxes.copy(), box))

    def _last(self) -> int:
        return min(self._first + self._rounds[0], len(self._pushes))

    def _begin(self) -> bool:
        """Start the next segment; return False if none is left, or there is no memory for any."""
        if self._first >= len(self._pushes):
            self._rounds.pop(0)
            self._first = 0
            if not self._rounds:
                return False
        (boxes, player), (target, ends) = self._positions[self._first], self._positions[self._last()]

        def make() -> PushSearch:
            return PushSearch(aimed(self.board, target), boxes, player, 1, 1, self.by_moves, end=ends)

        needs = PushSearch.needs(self.board, len(boxes))
        if not self.budget.fits(needs):
            return False
        self._search = self.budget.create(needs, make)
        return True

    def _move_on(self) -> None:
        self._first += self._rounds[0] // 2
        self._search = None

    def _replace(self, search: PushSearch) -> None:
        """Replace the segment by the path found, if it is shorter; continue."""
        first, last = self._first, self._last()
        boxes, player = self._positions[first]
        way = actions_to(search.board, search.nodes, search.work, int(search.control[loops.AT]), player)
        pushes = pushes_of(self.board, boxes, player, way)
        before = walked(self.board, boxes, player, self._pushes[first:last])
        if (len(way) < len(before)) if self.by_moves else (len(pushes) < last - first):
            self._pushes[first:last] = pushes
            self._follow()
        self._move_on()
