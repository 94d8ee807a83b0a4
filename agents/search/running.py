"""Runs one search: compiled loops in short slices, with limits, memory, progress and Ctrl-C handled between them.

A search loop is a kernel that works until its budget of expansions is used up, keeps all its state in
arrays, and returns why it stopped. So Python can check the clock a hundred times a second, replace full
arrays with larger ones, and handle Ctrl-C, at no cost to the loop.
"""

import signal
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compile.compilation import working_time
from gridpuzzles_gym.engine.kernels import kernel, make_expand
from gridpuzzles_gym.engine.random import initial_bits
from gridpuzzles_gym.engine.system.process import Interruption

from . import loops
from .heuristic import Heuristic
from .problem import (
    EXHAUSTED,
    FOUND,
    INTERRUPTED,
    INTERVAL,
    LIMIT,
    STUCK,
    Limits,
    Problem,
    Progress,
    Result,
    Show,
    Snapshot,
    shown,
)

_SLICE_SECONDS = 0.01


class Run:
    """A search in progress.

    Args:
        problem: The problem to solve.
        heuristic: The estimate that guides the search, or selects the best state so far.
        limits: When to give up.
        seed: Random seed.
        progress: How to show progress; True also shows a bar on the terminal while tables are built.
        own: How many entries of its own the loop has in ``control``.
    """

    def __init__(
        self, problem: Problem, heuristic: Heuristic, limits: Limits, seed: int, progress: Progress, own: int = 0
    ) -> None:
        self.problem, self.limits, self.progress = problem, limits, progress
        self.expand = kernel(make_expand, problem.puzzle)
        self.evaluate = heuristic.function()
        actions = len(problem.costs)
        self.control = np.zeros(loops.OWN + own, np.int64)
        self.control[loops.DEEPEST] = limits.depth or loops.UNBOUNDED
        self.control[loops.AT] = -1
        self.instance = loops.Instance(
            problem.level,
            problem.costs,
            heuristic.prepare(problem.level, progress is True),
            np.array([initial_bits(np.random.default_rng(seed))], np.uint64),
            np.zeros((actions, len(problem.state)), np.int16),
            np.zeros(actions),
            np.zeros(actions, np.uint8),
            self.control,
        )
        self.control[loops.LEAST] = self.estimate(problem.state)
        self.began = working_time()
        self.peak_bytes = 0
        self.reason = ""
        self.solution: int | None = None
        """Number of actions of the solution that the search is shortening, if any."""
        self.lower_bound = 0
        """No solution has fewer actions: what the search has proven so far, if it tells."""
        self._next_report = INTERVAL
        self._slice = 16
        self._begun = False

    def estimate(self, state: npt.NDArray[np.int16]) -> int:
        """Return the heuristic's estimate of a state."""
        return int(self.evaluate(self.problem.level, state, self.instance.tables))

    def drive(self, advance: Callable[[], int], grow: Callable[[float], int]) -> str:
        """Run a loop until it ends or has to be stopped; return the status of the search.

        Args:
            advance: Performs at most ``control[BUDGET]`` expansions, counting it down, and returns why it stopped.
            grow: Called with the bytes allowed when arrays are full; returns the bytes in use now, or 0 if
                larger arrays do not fit.

        Raises:
            KeyboardInterrupt: Ctrl-C came too late to stop the search.
        """
        memory = float(self.limits.memory or np.inf)
        if self.peak_bytes > memory:  # not enough memory to begin
            return self._stopped("memory")
        if not self._begun:  # compilation and the first call with function values do not count as search time
            self._begun = True
            self.control[loops.BUDGET] = 0
            advance()
            self.began = working_time()
        interruption = Interruption()
        try:
            with shown(self.progress) as show, interruption:
                status = self._loop(advance, grow, memory, show, interruption)
        except KeyboardInterrupt:
            return INTERRUPTED
        except MemoryError:  # the process may have less memory than the limit; the old arrays are still intact
            status = self._stopped("memory")
        if not interruption.wanted:
            return status
        if status == FOUND:  # the search has ended by itself, but its caller must hear of Ctrl-C
            signal.raise_signal(signal.SIGINT)
            return FOUND
        self.reason = ""
        return INTERRUPTED

    def _loop(
        self,
        advance: Callable[[], int],
        grow: Callable[[float], int],
        memory: float,
        show: Show | None,
        interruption: Interruption,
    ) -> str:
        """Run the loop until it ends or has to be stopped; return the status, any if Ctrl-C was recorded."""
        growth = 0.0
        while True:
            self.control[loops.BUDGET] = self._budget()
            begun = working_time()
            why = advance()
            now = working_time()
            if why == loops.REACHED:
                return FOUND
            if interruption.wanted:
                return INTERRUPTED
            if why in (loops.EMPTIED, loops.STALLED):
                unlimited = EXHAUSTED if why == loops.EMPTIED else STUCK
                return self._stopped("depth") if self.control[loops.CUT] else unlimited
            if why == loops.FULL:
                if self.limits.seconds is not None and now + 3 * growth > self.began + self.limits.seconds:
                    return self._stopped("seconds")  # not enough time to copy the arrays
                held = grow(memory)
                growth = max(growth, working_time() - now)
                self.peak_bytes = max(self.peak_bytes, held)
                if not held:
                    return self._stopped("memory")
            elif now - begun < self._patience() / 2:
                if self.control[loops.BUDGET] <= 0:
                    self._slice *= 2
            elif now - begun > self._patience() * 2:
                self._slice = max(self._slice // 2, 1)
            if self.limits.nodes is not None and self.control[loops.EXPANDED] >= self.limits.nodes:
                return self._stopped("nodes")
            if self.limits.seconds is not None and now - self.began >= self.limits.seconds:
                return self._stopped("seconds")
            if show is not None:
                self._report(show, now - self.began)

    def result(self, status: str, plan: Sequence[int]) -> Result:
        """Return the result of the search."""
        return Result(
            status=status,
            actions=tuple(plan),
            cost=int(self.problem.costs[list(plan)].sum()),
            expanded=int(self.control[loops.EXPANDED]),
            generated=int(self.control[loops.GENERATED]),
            reopened=int(self.control[loops.REOPENED]),
            peak_bytes=self.peak_bytes,
            seconds=working_time() - self.began,
            reason=self.reason,
            lower_bound=self.lower_bound,
        )

    def _report(self, show: Show, seconds: float) -> None:
        """Show how far the search has come, if that is due."""
        if seconds >= self._next_report:
            self._next_report = seconds + INTERVAL
            least = int(self.control[loops.LEAST])
            nearest = None if least >= loops.UNBOUNDED else least
            show(Snapshot(seconds, int(self.control[loops.EXPANDED]), nearest, self.solution))

    def _stopped(self, reason: str) -> str:
        self.reason = reason
        return LIMIT

    def _budget(self) -> int:
        left = self._slice if self.limits.nodes is None else self.limits.nodes - int(self.control[loops.EXPANDED])
        return min(self._slice, left)

    def _patience(self) -> float:
        return min(_SLICE_SECONDS, (self.limits.seconds or 1.0) / 50)
