"""Runs push searches, one or several in turns."""

from collections.abc import Callable, Sequence

from ...search import loops
from ...search.running import Run
from .budget import Budget, arrays_in
from .plans import actions_to
from .position import COUNT
from .sub_searches import GROWTHS, SubSearch, enlarge, enlarged_bytes


class Schedule:
    """One search of a portfolio.

    Args:
        search: The search.
        share: Its work, in multiples of that of a search with a share of 1.
    """

    def __init__(self, search: SubSearch, share: int = 1) -> None:
        self.search, self.share = search, share

    @property
    def work(self) -> int:
        """Positions generated, per share."""
        return int(self.search.control[loops.GENERATED]) // self.share

    @property
    def bytes_per_share(self) -> float:
        """Memory that the search uses, per share."""
        arrays = {id(array): array.nbytes for array in arrays_in(self.search.parts())}
        return sum(arrays.values()) / self.share


class Portfolio:
    """Searches that take turns with equal amounts of work until one finds a solution.

    Work is counted in positions generated, so that results are the same anywhere.

    Args:
        run: The run that drives them.
        budget: Their memory limit. If memory is short, searches are dropped.
        player: The player's square at the start of the level.
        makers: Functions that create the schedules; each is called at its first turn, and again later if it raises
            MemoryError.
        head_start: Positions per share that the first may generate before the second is created, and so on.
    """

    schedule: Schedule
    """The schedule whose turn it is."""

    def __init__(
        self, run: Run, budget: Budget, player: int, makers: Sequence[Callable[[], Schedule]], head_start: int
    ) -> None:
        self.run, self.budget, self.player, self.makers, self.head_start = run, budget, player, list(makers), head_start
        self.schedules: list[Schedule] = []
        self._over = False  # True: there is no memory for any search to continue
        self._pass_on()

    @property
    def turn(self) -> SubSearch:
        """The search whose turn it is."""
        return self.schedule.search

    def advance(self) -> int:
        """Let searches work until the budget is used up or one of them has ended; return why it stopped."""
        control = self.run.control
        while control[loops.BUDGET] > 0:
            if self._over:
                return loops.FULL
            turn, own = self.turn, self.turn.control
            done, made = int(own[loops.EXPANDED]), int(own[loops.GENERATED])
            own[loops.BUDGET] = min(self.left, control[loops.BUDGET])
            why = turn.advance()
            self.left -= int(own[loops.EXPANDED]) - done
            control[loops.EXPANDED] += own[loops.EXPANDED] - done
            control[loops.BUDGET] -= own[loops.EXPANDED] - done
            control[loops.GENERATED] += own[loops.GENERATED] - made
            if turn.board.pushed:
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
        """Grow the current search's arrays; or drop the schedule with the most memory per share, if memory is short.

        Returns:
            The number of bytes in use; 0 if there is no memory to continue.
        """
        for growth in GROWTHS:
            if not self._over and self.budget.fits(enlarged_bytes(self.turn, growth)):
                enlarge(self.turn, growth)
                return self.budget.used
        if self._over or (len(self.schedules) == 1 and not self.makers):
            return 0
        self._drop(max(self.schedules, key=lambda schedule: schedule.bytes_per_share))
        return 0 if self._over else self.budget.used

    def plan(self, solved: bool) -> list[int]:
        """Return the solution, or else the actions to the position with the lowest estimate."""
        searches = [schedule.search for schedule in self.schedules]
        forwards = [one for one in searches if one.board.pushed and one.control[COUNT] > 0]
        if not solved and not forwards:
            return []
        search = self.turn if solved else min(forwards, key=lambda one: int(one.control[loops.LEAST]))
        node = int(search.control[loops.AT if solved else loops.BEST])
        return actions_to(search.board, search.nodes, search.work, node, self.player)

    def _drop(self, schedule: Schedule) -> None:
        """Drop a search."""
        self.schedules.remove(schedule)
        if schedule is self.schedule:
            del self.schedule, schedule  # so that its memory is free for the next
            self._pass_on()

    def _pass_on(self) -> None:
        """Start the turn of the schedule that has done the least work, or of a new one if there is memory for it."""
        least = min(self.schedules, key=lambda schedule: schedule.work, default=None)
        if least is None or (self.makers and least.work >= self.head_start):
            least = self._begin() or least
        if least is None:
            self._over = True
            return
        self.schedule, self.left = least, least.search.quantum

    def _begin(self) -> Schedule | None:
        """Create the next schedule; None if there is not enough memory. One that does not fit alone never will."""
        while self.makers:
            try:
                schedule = self.makers[0]()
            except MemoryError:
                if self.schedules:
                    return None
                self.makers.pop(0)
                continue
            self.makers.pop(0)
            self.schedules.append(schedule)
            return schedule
        return None
