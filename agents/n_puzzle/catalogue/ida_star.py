"""Two-sided IDA* with a catalogue of pattern databases: rounds of increasing bounds, shared by threads.

A round is divided by its *roots*, the pairs of boards a few moves from the pair of start and goal; each thread takes
the next ones when it has finished its own. The solution is the one below the first root that has one: it is the same
for any number of threads, and so is the number of nodes, which counts only roots up to that one.
"""

import abc
import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.kernels import kernel
from gridpuzzles_gym.engine.system.process import usable_cores
from gridpuzzles_gym.puzzles.n_puzzle.boards import goal_tiles
from gridpuzzles_gym.puzzles.n_puzzle.rules import BLANK, HEIGHT, TILES, WIDTH

from ...search import loops
from ...search.heuristic import Heuristic
from ...search.problem import Limits, Problem, Progress, Result
from ...search.running import Run
from ..estimates import homes_of
from ..move_pruning import side_automata, steps_of
from . import search
from .databases import COUNTS, END, PATTERNS, SQUARES


class Rounds(abc.ABC):
    """The bounds of one search.

    Args:
        run: The search in progress.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.estimate = int(run.control[loops.LEAST])
        self.next_bound: int | None = self.estimate
        """The bound of the round to begin next; None while one is in progress."""

    @abc.abstractmethod
    def begin(self, bound: int) -> None:
        """Begin a round."""

    def begin_next(self) -> bool:
        """Begin the next round if the last one has ended; return False if it would exceed the depth limit."""
        bound, depth_limit = self.next_bound, self.run.limits.depth
        if bound is None:
            return True
        if depth_limit is not None and bound > depth_limit:
            self.run.control[loops.CUT] = 1
            return False
        self.begin(bound)
        self.run.lower_bound, self.next_bound = bound, None
        return True


ROOT_DEPTH = 10
"""Number of moves from the pair of start and goal to the roots."""
AT_ONCE = 4
"""Number of roots that a thread takes at a time."""
STEP = 2
"""The step of the bound: all estimates have the parity of the distance."""


def catalogue_ida_star(
    problem: Problem, heuristic: Heuristic, limits: Limits, seed: int, progress: Progress, threads: int
) -> Result:
    """Find a shortest solution; see :func:`.ida_star.tile_ida_star`.

    Args:
        problem: A board that can be solved.
        heuristic: The catalogue's.
        limits: Limits of the search.
        seed: Not used.
        progress: Whether, or where, to show progress.
        threads: Number of threads; 0: one for each core.
    """
    run = Run(problem, heuristic, limits, seed, progress)
    with ThreadPoolExecutor(threads or usable_cores()) as pool:
        rounds = _Rounds(run, pool, threads or usable_cores())
        status = run.drive(rounds.advance, lambda memory: 0)
    rounds.count()
    return run.result(status, rounds.plan)


class _Root(NamedTuple):
    """A pair of boards, and the paths that lead to it."""

    squares: npt.NDArray[np.uint8]
    """The pair as a permutation: :mod:`.databases`."""
    sides: tuple[tuple[int, int], tuple[int, int]]
    """For each board: the square of its blank, and the state of its automaton."""
    paths: tuple[tuple[int, ...], tuple[int, ...]]
    """The squares that each board's blank has left, since the start and since the goal."""


class _Worker:
    """The arrays of one thread, for roots with a number of moves left."""

    def __init__(self, numbers: npt.NDArray[np.uint32], left: int, deepest: int) -> None:
        count, patterns = int(numbers[SQUARES]), int(numbers[PATTERNS])
        self.control = np.zeros(search.CONTROL, np.int64)
        self.control[[search.DEPTH, search.LEFT, search.DEEPEST]] = search.NO_ROOT, left, deepest
        self.squares, self.blanks = np.zeros(2 * count, np.uint8), np.zeros(2, np.int64)
        self.values = np.zeros((left + 2) * 2 * patterns, np.int64)
        self.stack = np.zeros((left + 2) * search.FRAME, np.int64)

    @property
    def arrays(self) -> tuple[npt.NDArray[np.generic], ...]:
        """The arrays in the order of the loop's arguments."""
        return self.control, self.squares, self.blanks, self.values, self.stack

    def pair(self, root: _Root) -> _Root:
        """Return the node at which the loop has stopped, below a root."""
        frames = self.stack.reshape(-1, search.FRAME)[: int(self.control[search.DEPTH]) + 1]
        left: tuple[list[int], list[int]] = ([], [])
        for frame in frames[:-1].tolist():
            left[frame[search.SIDE]].append(frame[search.BLANK])
        first, second = root.paths
        states = frames[-1, search.STATES : search.STATES + 2]
        sides = (int(self.blanks[0]), int(states[0])), (int(self.blanks[1]), int(states[1]))
        return _Root(self.squares.copy(), sides, ((*first, *left[0]), (*second, *left[1])))


class _Rounds(Rounds):
    """The rounds of one search.

    Args:
        run: The search in progress.
        pool: The threads.
        threads: Number of threads.
    """

    def __init__(self, run: Run, pool: ThreadPoolExecutor, threads: int) -> None:
        super().__init__(run)
        self.pool, self.threads = pool, threads
        level, state = run.problem.level, run.problem.state
        height, width = int(level[HEIGHT]), int(level[WIDTH])
        self.tables = run.instance.tables
        counts = self.tables[: 4 * COUNTS].view(np.uint32)
        self.numbers = self.tables[: 4 * int(counts[END])].view(np.uint32)
        self.automata, second = side_automata(height, width)
        self.steps = steps_of(height, width)
        self.kernel = kernel(search.make_search)
        homes, tiles = homes_of(level), state[TILES:]
        squares = np.array([*np.argsort(tiles)[np.array(goal_tiles(level))], *homes[tiles]], np.uint8)
        blank, goal = int(state[BLANK]), int(homes[0])
        self.start = _Root(squares, ((blank, blank), (goal, second + goal)), ((), ()))
        self.lock = threading.Lock()
        self.earlier = np.zeros(search.WORK, np.int64)
        self.work = np.zeros((0, search.WORK), np.int64)
        self.found: int | None = None
        self.plan: tuple[int, ...] = ()

    def advance(self) -> int:
        """Work until the budget is used up or the search has ended, starting new rounds as needed."""
        if not self.begin_next():
            return loops.EMPTIED
        control = self.run.control
        budget = -(-int(control[loops.BUDGET]) // self.threads)
        list(self.pool.map(self._work, self.workers, [budget] * self.threads))
        self.count()
        control[loops.BUDGET] = 0
        working = any(worker.control[search.ROOT] < worker.control[search.STOP] for worker in self.workers)
        if working or self.next < self._end:
            return loops.PAUSED
        if self.found is not None:
            return loops.REACHED
        self.next_bound = self.bound + STEP
        return loops.PAUSED

    def count(self) -> None:
        """Count the nodes of all rounds; once there is a solution, only those up to its root."""
        counted = self.work if self.found is None else self.work[: self.found + 1]
        expanded, generated = self.earlier + counted.sum(axis=0)
        self.run.control[[loops.EXPANDED, loops.GENERATED]] = expanded, generated

    def begin(self, bound: int) -> None:
        """See :class:`.ida_star.Rounds`."""
        self.earlier += self.work.sum(axis=0)
        self.bound, self.next = bound, 0
        self.roots = self._find_roots()
        self.pairs = np.array([root.squares for root in self.roots], np.uint8).reshape(-1, 2 * len(self.steps))
        self.states = np.array([root.sides for root in self.roots], np.int64).reshape(-1, 2, 2)
        self.work = np.zeros((len(self.roots), search.WORK), np.int64)
        self.workers = [_Worker(self.numbers, max(bound - ROOT_DEPTH, 0), bound) for _ in range(self.threads)]
        mine = sum(array.nbytes for worker in self.workers for array in worker.arrays)
        self.run.peak_bytes = mine + self.pairs.nbytes + self.states.nbytes + self.automata.nbytes

    def _find_roots(self) -> list[_Root]:
        """Return the pairs at the depth of the roots; the end of a shorter solution is a root, too."""
        scout, found = _Worker(self.numbers, self.bound, ROOT_DEPTH), []
        scout.control[[search.STOP, search.BUDGET]] = 1, np.iinfo(np.int64).max
        work = np.zeros((1, search.WORK), np.int64)
        pairs, states = self.start.squares[None, :], np.array([self.start.sides])
        while (why := self._search(scout, pairs, states, work)) != search.FINISHED:
            found.append(scout.pair(self.start))
            if why == search.REACHED:
                self._note(len(found) - 1, found[-1])
                break
        self.earlier += work[0]
        return found

    @property
    def _end(self) -> int:
        """The number of roots that are still needed."""
        return len(self.roots) if self.found is None else self.found

    def _search(
        self,
        worker: _Worker,
        pairs: npt.NDArray[np.uint8],
        states: npt.NDArray[np.int64],
        work: npt.NDArray[np.int64],
    ) -> int:
        """Run the compiled loop."""
        ways = self.automata, self.steps.reshape(-1)
        why: int = self.kernel(self.tables, self.numbers, *ways, pairs, states, *worker.arrays, work)
        return why

    def _work(self, worker: _Worker, budget: int) -> None:
        """Search in one thread until the budget is used up or no root is left."""
        control = worker.control
        control[search.BUDGET] = budget
        while control[search.BUDGET] > 0 or budget == 0:
            if control[search.ROOT] == control[search.STOP]:
                with self.lock:
                    if self.next >= self._end:
                        return
                    control[search.ROOT] = self.next
                    self.next = min(self.next + AT_ONCE, len(self.roots))
                    control[search.STOP] = self.next
            if self.found is not None and control[search.ROOT] > self.found:  # another root comes first
                control[search.DEPTH], control[search.STOP] = search.NO_ROOT, control[search.ROOT]
                continue
            if self._search(worker, self.pairs, self.states, self.work) == search.REACHED:
                root = int(control[search.ROOT])
                with self.lock:
                    self._note(root, worker.pair(self.roots[root]))
                control[[search.DEPTH, search.STOP]] = search.NO_ROOT, root
            if budget == 0:
                return

    def _note(self, root: int, met: _Root) -> None:
        """Record a solution, if it is below an earlier root than the last one."""
        if self.found is None or root < self.found:
            self.found = root
            squares = (*met.paths[0], met.sides[0][0], *reversed(met.paths[1]))
            self.plan = tuple(
                int(np.flatnonzero(self.steps[here] == there)[0]) for here, there in itertools.pairwise(squares)
            )
