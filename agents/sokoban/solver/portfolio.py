"""Runs push searches, one or several in turns."""

from collections.abc import Callable, Iterable, Sequence

from ...search import loops
from ...search.running import Run
from .budget import Budget, arrays_in
from .meeting import NODE_BITS, NOT_FOUND, Found, enlarged, found_bytes, make_found, noted, slots_for
from .nodes import NO_NODE
from .plans import actions_to
from .position import COUNT, MET, NUMBER
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

    Where searches in opposite directions meet, a solution consists of two parts. Work is counted in positions
    generated, so that results are the same anywhere.

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
        self._nothing = make_found(0)
        self._found = [self._nothing, self._nothing]  # backwards, forwards
        self._made = 0
        self._over = False  # True: there is no memory for any search to continue
        budget.count(self)
        self._pass_on()

    @property
    def turn(self) -> SubSearch:
        """The search whose turn it is."""
        return self.schedule.search

    @property
    def searches(self) -> dict[int, SubSearch]:
        """The searches of the schedules, by number."""
        return {int(schedule.search.control[NUMBER]): schedule.search for schedule in self.schedules}

    def parts(self) -> Iterable[object]:
        """Return the tables of positions found: see :class:`.solver.budget.Holder`."""
        return self._nothing, self._found

    def advance(self) -> int:
        """Let searches work until the budget is used up or one of them has ended; return why it stopped."""
        control = self.run.control
        while control[loops.BUDGET] > 0:
            if self._over:
                return loops.FULL
            turn, own = self.turn, self.turn.control
            done, made = int(own[loops.EXPANDED]), int(own[loops.GENERATED])
            own[loops.BUDGET] = min(self.left, control[loops.BUDGET])
            self._share()
            why = turn.advance()
            if why == loops.REACHED and not self._reached():
                own[loops.AT] = NO_NODE
                why = loops.PAUSED
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
        forwards = [search for search in self.searches.values() if search.board.pushed and search.control[COUNT] > 0]
        ends: list[tuple[SubSearch, int]] = []
        if solved:
            ends.append((self.turn, int(self.turn.control[loops.AT])))
            if self.turn.control[MET] != NOT_FOUND:
                ends.append(self._met())
            ends.sort(key=lambda end: end[0].board.pushed, reverse=True)
        elif forwards:
            best = min(forwards, key=lambda search: int(search.control[loops.LEAST]))
            ends.append((best, int(best.control[loops.BEST])))
        actions: list[int] = []
        player = self.player
        for search, node in ends:
            for action in actions_to(search.board, search.nodes, search.work, node, player):
                actions.append(action)
                player = int(search.board.neighbours[player, action])
        return actions

    def _share(self) -> None:
        """Give the current search the tables of positions found, enlarged for its new ones if memory allows."""
        turn, pushed = self.turn, self.turn.board.pushed
        more = min(turn.most_found, len(turn.nodes.word) - int(turn.control[COUNT]))
        slots = slots_for(self._found[pushed], more)
        fits = True
        if slots > len(self._found[pushed].word):
            fits = self.budget.fits(found_bytes(slots))
            if fits:
                self._replace_table(pushed, enlarged(self._found[pushed], slots_for(self._found[pushed], more)))
        found = self._found[pushed] if fits else self._nothing
        turn.own, turn.other = found, self._found[1 - pushed]

    def _drop(self, schedule: Schedule) -> None:
        """Drop a search, and what it has found."""
        self.schedules.remove(schedule)
        for pushed in range(2):
            self._replace_table(pushed, self._nothing)
            same = {number: one for number, one in self.searches.items() if one.board.pushed == pushed}
            words = {number: one.nodes.word[: int(one.control[COUNT])] for number, one in same.items()}
            if self.budget.fits(found_bytes(slots_for(self._nothing, sum(map(len, words.values()))))):
                self._replace_table(pushed, noted(words))
        if schedule is self.schedule:
            del self.schedule, schedule  # so that its memory is free for the next
            self._pass_on()

    def _replace_table(self, pushed: int, found: Found) -> None:
        """Replace the table of one direction, and release the old one in all searches."""
        self._found[pushed] = found
        for one in self.searches.values():
            one.own = one.other = self._nothing

    def _met(self) -> tuple[SubSearch, int]:
        """Return the search that the current one has met, and the node there; KeyError if it was dropped."""
        met = int(self.turn.control[MET])
        return self.searches[met >> NODE_BITS], met & ((1 << NODE_BITS) - 1)

    def _reached(self) -> bool:
        """Whether the current search has reached a solution, not only a position with an equal hash."""
        turn, met = self.turn, int(self.turn.control[MET])
        if met == NOT_FOUND:
            return True
        if met >> NODE_BITS not in self.searches:
            return False
        (search, there), here = self._met(), int(turn.control[loops.AT])
        same = bool((search.nodes.boxes[there] == turn.nodes.boxes[here]).all())
        return same and bool(search.nodes.player[there] == turn.nodes.player[here])

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
            schedule.search.control[NUMBER] = self._made
            self._made += 1
            return schedule
        return None
