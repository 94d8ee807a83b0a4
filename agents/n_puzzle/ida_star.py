"""IDA* for sliding tiles: the estimate is updated incrementally, and no state is copied.

R. E. Korf, "Depth-first iterative-deepening: an optimal admissible tree search", Artificial
Intelligence 27, 1985. Moves are tried in the order up, left, right, down, and the inverse of the last
move is skipped; so the number of nodes generated, including the start, equals his table 1
exactly.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from numba import int64, uint8

from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled, rule
from gridpuzzles_gym.engine.kernels import kernel
from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.n_puzzle.boards import goal_tiles, why_unsolvable
from gridpuzzles_gym.puzzles.n_puzzle.rules import BLANK, DOWN, LEFT, MOVES, RIGHT, TILES, UP, WIDTH

from ..search import loops
from ..search.heuristic import Heuristic
from ..search.problem import EXHAUSTED, Limits, Problem, Progress, Result
from ..search.running import Run
from ..search.search import Search
from .estimates import Incremental
from .heuristics import incremental_of

ORDER = (UP, LEFT, RIGHT, DOWN)
"""The order in which moves are tried."""

# A move takes MOVE_BITS: the blank's new square, the action, and a 1. An integer holds the moves still to be tried,
# the next one in the lowest bits; 0 is none. A frame of the stack is that integer, SLACK and BLANK of a state.
SQUARE_BITS, MOVE_BITS = 7, 10
SQUARE, WORD = (1 << SQUARE_BITS) - 1, (1 << 4 * MOVE_BITS) - 1
SLACK_AT = 4 * MOVE_BITS
SLACK_BITS = 12
BLANK_AT = SLACK_AT + SLACK_BITS
SLACK = (1 << SLACK_BITS) - 1
"""The maximum slack a frame can store: far above all bounds."""

# control, after the entries common to all search loops. DEPTH: moves on the path. BOUND: the maximum of depth +
# estimate; SLACK_NOW: bound minus that. OVER: the smallest excess over the bound of a pruned node. LENGTH: squares
# of the blank in the best path. NEXT_MOVES, HERE: the moves to be tried and the blank's square.
DEPTH, BOUND, SLACK_NOW, OVER, LENGTH, NEXT_MOVES, HERE, OWN_END = range(loops.OWN, loops.OWN + 8)

NONE_OVER = 1 << 30


@rule
def note_plan(plan, stack, depth, blank, control):
    """Record the blank's squares along the path."""
    for k in range(depth):
        plan[k] = (stack[k] >> BLANK_AT) & SQUARE
    plan[depth] = blank
    control[LENGTH] = depth


@rule
def save_progress(control, depth, slack, word, blank, over, generated, expanded, until, least):
    """Save the state of the search before returning."""
    control[DEPTH], control[SLACK_NOW] = depth, slack
    control[NEXT_MOVES], control[HERE], control[OVER] = word, blank, over
    control[loops.GENERATED], control[loops.EXPANDED], control[loops.LEAST] = generated, expanded, least
    control[loops.BUDGET] = until - expanded


def _make_ida_star(change: Callable[..., int], remembers: int) -> Callable[..., int]:
    def ida_star(tables, numbers, moves, board, memory, stack, plan, control):
        """Search below the bound until the budget is used up (PAUSED), the goal is reached or nothing is left."""
        tables, numbers, moves, board = borrowed(tables), borrowed(numbers), borrowed(moves), borrowed(board)
        memory, stack = borrowed(memory), borrowed(stack)
        # The masks show the compiler that no index is negative.
        depth, bound, slack = control[DEPTH], control[BOUND], control[SLACK_NOW]
        word, blank, over = control[NEXT_MOVES], control[HERE] & SQUARE, control[OVER]
        generated, expanded, least = control[loops.GENERATED], control[loops.EXPANDED], control[loops.LEAST]
        until = expanded + control[loops.BUDGET]
        if expanded >= until:
            return loops.PAUSED
        while True:
            while word != 0:
                square = word & SQUARE
                action = (word >> SQUARE_BITS) & 3
                word >>= MOVE_BITS
                tile = np.int64(board[square])
                generated += 1
                at = depth * remembers
                left = slack - 1 - change(tables, numbers, memory, at, board, tile, square, blank, action)
                if left < 0:
                    over = min(over, -left)
                    continue
                stack[depth] = word | (slack << SLACK_AT) | (blank << BLANK_AT)
                board[blank] = tile
                depth += 1
                blank, slack = square, left
                word = moves[(blank << 3) | (action + 1)]
                if bound - depth - slack < least:
                    least = bound - depth - slack
                    note_plan(plan, stack, depth, blank, control)
                    if least == 0:
                        save_progress(control, depth, slack, word, blank, over, generated, expanded, until, least)
                        return loops.REACHED
                expanded += 1
                if expanded >= until:
                    save_progress(control, depth, slack, word, blank, over, generated, expanded, until, least)
                    return loops.PAUSED
            if depth == 0:
                save_progress(control, depth, slack, word, blank, over, generated, expanded, until, least)
                return loops.EMPTIED
            depth -= 1
            square = blank
            blank = (stack[depth] >> BLANK_AT) & SQUARE
            board[square] = board[blank]
            slack = (stack[depth] >> SLACK_AT) & SLACK
            word = stack[depth] & WORD

    name = f"n_puzzle-ida-star-{change.__name__}"
    signature = int64(uint8[::1], int64[::1], int64[::1], uint8[::1], int64[::1], int64[::1], int64[::1], int64[::1])
    return compiled(ida_star, name, signature)


def _move_words(level: Row) -> npt.NDArray[np.int64]:
    """Return int64[N * 8]: the moves from each blank square, by the previous action + 1 (0: none)."""
    width = int(level[WIDTH])
    step = {UP: -width, DOWN: width, LEFT: -1, RIGHT: 1}
    squares = len(level[MOVES:]) // 2
    words = np.zeros((squares, 8), np.int64)
    for blank in range(squares):
        for last in range(5):
            for action in reversed(ORDER):
                if level[MOVES + blank] >> action & 1 and (last == 0 or action != (last - 1) ^ 1):
                    move = (blank + step[action]) | action << SQUARE_BITS | 1 << (MOVE_BITS - 1)
                    words[blank, last] = words[blank, last] << MOVE_BITS | move
    return words.reshape(-1)


def tile_ida_star(
    problem: Problem,
    heuristic: Heuristic,
    limits: Limits,
    seed: int = 0,
    progress: Progress = False,
) -> Result:
    """IDA* for sliding tiles; finds a shortest solution, using memory for little more than one path.

    Args:
        problem: A board of sliding tiles; every move costs 1.
        heuristic: One of :data:`.n_puzzle.heuristics.HEURISTICS`.
        limits: Limits of the search.
        seed: Not used.
        progress: Whether, or where, to show progress.

    Raises:
        ValueError: Another puzzle, other costs, or a heuristic without an incremental version.
    """
    if problem.puzzle.name != "n_puzzle":
        raise ValueError(f"tile-ida-star solves sliding tiles, not {problem.puzzle.title}; ida-star solves any puzzle")
    if (problem.costs != 1).any():
        raise ValueError(f"tile-ida-star counts moves: costs={problem.costs.tolist()} must all be 1; see ida-star")
    level, state = problem.level, problem.state
    if why_unsolvable(tuple(state[TILES:].tolist()), goal_tiles(level), int(level[WIDTH])):
        return Run(problem, heuristic, limits, seed, progress).result(EXHAUSTED, ())
    incremental = incremental_of(heuristic)
    run = Run(problem, heuristic, limits, seed, progress, own=OWN_END - loops.OWN)
    rounds = _Rounds(run, incremental)
    status = run.drive(rounds.advance, lambda memory: 0)
    return run.result(status, rounds.best_plan())


class _Rounds:
    """The rounds of one search: the loop with increasing bounds, and its arrays.

    Args:
        run: The search in progress.
        incremental: Its heuristic.
    """

    def __init__(self, run: Run, incremental: Incremental) -> None:
        self.run = run
        self.estimate = int(run.control[loops.LEAST])
        self.next_bound: int | None = self.estimate
        """The bound of the round to begin next; None while one is in progress."""
        self.incremental = incremental
        self.search = kernel(_make_ida_star, incremental.change, incremental.remembers)
        self.level, self.state = run.problem.level, run.problem.state
        self.tables = run.instance.tables
        self.numbers = incremental.numbers(self.level, self.tables)
        self.moves = _move_words(self.level)
        self.board = np.ascontiguousarray(self.state[TILES:], np.uint8)
        self.memory = self.stack = self.plan = np.empty(0, np.int64)

    def advance(self) -> int:
        """Work until the budget is used up or the search has ended, starting new rounds as needed; return why."""
        if not self._begin_next():
            return loops.EMPTIED
        control = self.run.control
        why: int = self.search(
            self.tables, self.numbers, self.moves, self.board, self.memory, self.stack, self.plan, control
        )
        if why == loops.EMPTIED and control[OVER] < NONE_OVER:
            self.next_bound = int(control[BOUND] + control[OVER])
            return loops.PAUSED
        return why

    def _begin_next(self) -> bool:
        """Begin the next round if the last one has ended; return False if it would exceed the depth limit."""
        bound, depth_limit = self.next_bound, self.run.limits.depth
        if bound is None:
            return True
        if depth_limit is not None and bound > depth_limit:
            self.run.control[loops.CUT] = 1
            return False
        self._begin(bound)
        self.run.lower_bound, self.next_bound = bound, None
        return True

    def _begin(self, bound: int) -> None:
        if len(self.stack) <= bound:  # paths are no longer than the bound
            plan = self.plan
            self.stack, self.plan = np.zeros((2, 2 * bound + 2), np.int64)
            self.plan[: len(plan)] = plan
            self.memory = np.zeros(len(self.stack) * self.incremental.remembers, np.int64)
            arrays = (self.stack, self.plan, self.memory, self.numbers, self.moves, self.board)
            self.run.peak_bytes = sum(array.nbytes for array in arrays)
        control, blank = self.run.control, self.state[BLANK]
        control[[DEPTH, BOUND, SLACK_NOW, OVER]] = 0, bound, bound - self.estimate, NONE_OVER
        control[[NEXT_MOVES, HERE]] = self.moves[blank << 3], blank
        control[loops.EXPANDED] += 1
        control[loops.BUDGET] -= 1
        self.incremental.start(self.level, self.state, self.tables, self.numbers, self.memory)

    def best_plan(self) -> list[int]:
        """Return actions to the goal, or to the state with the lowest estimate."""
        width = int(self.level[WIDTH])
        action_of = {-width: UP, width: DOWN, -1: LEFT, 1: RIGHT}
        squares = self.plan[: self.run.control[LENGTH] + 1]
        return [action_of[int(step)] for step in np.diff(squares)]


SEARCHES: dict[str, Search] = {
    search.name: search
    for search in (
        Search(
            "tile-ida-star",
            "IDA* with incremental estimates; moves cost 1",
            tile_ida_star,
            optimal=True,
        ),
    )
}
"""Searches by name, in addition to those for every puzzle."""
