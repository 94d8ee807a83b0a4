"""IDA* with a catalogue of pattern databases: rounds of increasing bounds, shared by threads.

A round is divided by its *roots*, the boards some moves from the start; each thread takes the next ones when it has
finished its own. Moves are tried in one order, and roots are in that order, so the solution is the one below the first
root that has one: it is the same for any number of threads, and so is the number of nodes, which counts only roots up
to that one.
"""

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.kernels import kernel
from gridpuzzles_gym.engine.processors import usable_cores
from gridpuzzles_gym.puzzles.n_puzzle.rules import BLANK, HEIGHT, TILES, WIDTH

from ..search import loops
from ..search.heuristic import Heuristic
from ..search.problem import Limits, Problem, Result
from ..search.progress import Progress
from ..search.running import Run
from . import catalogue_search as search
from .catalogue_tables import COUNT, END, HEADER, LENGTH, SQUARES, TILE, WAYS
from .catalogue_tables import TILES as TILES_AT
from .move_pruning import ACTIONS, ORDER, move_automaton, steps_of
from .rounds import Rounds

ROOTS = 1000
"""At least this many roots, if the bound allows it."""
AT_ONCE = 4
"""How many roots a thread takes at a time."""


def catalogue_ida_star(
    problem: Problem, heuristic: Heuristic, limits: Limits, seed: int, progress: Progress, threads: int
) -> Result:
    """Find a shortest solution; see :func:`.ida_star.tile_ida_star`.

    Args:
        problem: A board that can be solved.
        heuristic: The catalogue's.
        limits: When to give up.
        seed: Not used.
        progress: How to show progress.
        threads: How many; 0: one for each core.
    """
    run = Run(problem, heuristic, limits, seed, progress)
    with ThreadPoolExecutor(threads or usable_cores()) as pool:
        rounds = _Rounds(run, pool, threads or usable_cores())
        status = run.drive(rounds.advance, lambda memory: 0)
    rounds.count()
    return run.result(status, rounds.plan)


Root = tuple[npt.NDArray[np.uint8], int, int, tuple[int, ...]]
"""A board, its blank's square, the state of the automaton, and the actions that lead to it."""


class _Worker:
    """The arrays of one thread."""

    def __init__(self, numbers: npt.NDArray[np.int32], bound: int) -> None:
        squares, ways = int(numbers[SQUARES]), int(numbers[WAYS])
        tiles = numbers[numbers[TILES_AT] :][: ways * squares * TILE].reshape(ways, squares, TILE)
        logged = ways + int(tiles[:, :, LENGTH].sum(axis=0).max())
        self.control = np.zeros(search.CONTROL, np.int64)
        self.control[[search.DEPTH, search.OVER, search.BOUND]] = search.NO_ROOT, search.NONE_OVER, bound
        self.board = np.zeros(squares, np.uint8)
        self.words, self.halves = np.zeros(numbers[COUNT], np.int64), np.zeros(2 * ways, np.int64)
        self.log, self.stack = np.zeros((bound + 2) * logged, np.int64), np.zeros((bound + 2) * search.FRAME, np.int64)

    @property
    def arrays(self) -> tuple[npt.NDArray[np.generic], ...]:
        return self.control, self.board, self.words, self.halves, self.log, self.stack


class _Rounds(Rounds):
    """The rounds of one search.

    Args:
        run: The search in progress.
        pool: The threads.
        threads: How many.
    """

    def __init__(self, run: Run, pool: ThreadPoolExecutor, threads: int) -> None:
        super().__init__(run)
        self.pool, self.threads = pool, threads
        level, state = run.problem.level, run.problem.state
        height, width = int(level[HEIGHT]), int(level[WIDTH])
        self.tables = run.instance.tables
        header = self.tables[: 4 * HEADER].view(np.int32)
        self.numbers = self.tables[: 4 * int(header[END])].view(np.int32)
        self.automaton = move_automaton(height, width)
        self.steps, self.order = steps_of(height, width), np.array(ORDER)
        self.kernel = kernel(search.make_search)
        self.levels: list[list[Root]] = [[(state[TILES:].astype(np.uint8), int(state[BLANK]), int(state[BLANK]), ())]]
        self.lock = threading.Lock()
        self.earlier = np.zeros(search.WORK, np.int64)
        self.work = np.zeros((0, search.WORK), np.int64)
        self.found: int | None = None
        self.plan: tuple[int, ...] = ()
        self.bound = self.estimate

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
        over = min(int(worker.control[search.OVER]) for worker in self.workers)
        if over == search.NONE_OVER:
            return loops.EMPTIED
        self.next_bound = self.bound + over
        return loops.PAUSED

    def count(self) -> None:
        """Count the nodes of all rounds; once there is a solution, only those up to its root."""
        counted = self.work if self.found is None else self.work[: self.found + 1]
        expanded, generated = self.earlier + counted.sum(axis=0)
        self.run.control[[loops.EXPANDED, loops.GENERATED]] = expanded, generated

    def begin(self, bound: int) -> None:
        """See :class:`.rounds.Rounds`."""
        self.earlier += self.work.sum(axis=0)
        self.bound = bound
        self.next = 0
        while len(self.levels[-1]) < ROOTS and 2 * len(self.levels) <= bound:
            self.levels.append(self._following())
        roots = self.levels[-1]
        self.roots = np.array([root[0] for root in roots])
        self.states = np.array([root[2] for root in roots], np.int32)
        self.work = np.zeros((len(roots), search.WORK), np.int64)
        self.workers = [_Worker(self.numbers, bound) for _ in range(self.threads)]
        for worker in self.workers:
            worker.control[search.BASE] = len(self.levels) - 1
        mine = sum(array.nbytes for worker in self.workers for array in worker.arrays)
        self.run.peak_bytes = mine + self.roots.nbytes + self.states.nbytes + self.automaton.nbytes

    def _following(self) -> list[Root]:
        """The boards one move after the last roots, in the order of the search."""
        found: list[Root] = []
        for board, blank, state, actions in self.levels[-1]:
            for action in ORDER:
                after = int(self.automaton[state * ACTIONS + action])
                if after >= 0:
                    square, moved = int(self.steps[blank, action]), board.copy()
                    moved[blank], moved[square] = board[square], 0
                    found.append((moved, square, after, (*actions, action)))
        return found

    @property
    def _end(self) -> int:
        """The end of the roots that are still needed."""
        return len(self.roots) if self.found is None else self.found

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
            why = self.kernel(
                self.tables, self.numbers, self.automaton, self.steps.reshape(-1), self.order, self.roots,
                self.states, control, worker.board, worker.words, worker.halves, worker.log, worker.stack, self.work,
            )  # fmt: skip
            if why == search.REACHED:
                self._note(worker)
            if budget == 0:
                return

    def _note(self, worker: _Worker) -> None:
        """Record a solution, if it is below an earlier root than the last one."""
        root, depth = int(worker.control[search.ROOT]), int(worker.control[search.DEPTH])
        with self.lock:
            if self.found is None or root < self.found:
                self.found = root
                squares = worker.stack[: (depth + 1) * search.FRAME : search.FRAME].tolist()
                actions = [
                    int(np.flatnonzero(self.steps[here] == there)[0]) for here, there in itertools.pairwise(squares)
                ]
                self.plan = (*self.levels[-1][root][3], *actions)
        worker.control[[search.DEPTH, search.STOP]] = search.NO_ROOT, root
