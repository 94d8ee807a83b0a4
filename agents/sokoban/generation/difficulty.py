"""How hard a Sokoban level is: the effort of the solver, and properties of a solution with the fewest pushes.

Work is counted, not timed: equal levels are equally hard on any machine. The solver's search for corral deadlocks and
its walls of frozen boxes are newer than the packs; the greedy search and the proof do without them here, so that all
measurements can be compared.

For a small level, the solver and the proof of fewest pushes are one compiled call. They expand the same positions as
the searches of :mod:`~..solver.push_search`, but creating those from Python takes far longer than solving an easy
level. Larger levels are left to them.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import dataclasses
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import int16, int64, types, uint8

from gridpuzzles_gym.engine.arguments import integer, real
from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled, routine
from gridpuzzles_gym.engine.kernels import kernel
from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.sokoban import PUZZLE
from gridpuzzles_gym.puzzles.sokoban.notation import LETTERS

from ...search import loops
from ...search.heuristic import ZERO
from ...search.problem import INTERRUPTED, Limits, Problem
from ..searches import solve
from ..solver.board import BOARD, NOWHERE, SIDES, Board, survey, survey_rows
from ..solver.deadlocks.freezing import freezes
from ..solver.flood import walk
from ..solver.nodes import BITS, NO_NODE, Nodes
from ..solver.plans import actions_to, chain_to, write_way
from ..solver.position import ANYWHERE, BOX_AT, QUEUE, STEPS, WORK, make_work
from ..solver.push_search import LOWEST, OWN_END, Settings, search_on
from ..solver.sub_searches import PushSearch, enlarge

# measures int64[4]: what `trace` counts.
PUSHES, CHANGES, CHOICES, TRAPS, MEASURES = range(5)
_LETTERS = np.frombuffer((LETTERS + LETTERS.upper()).encode("ascii"), np.uint8)
"""uint8[8]: the letter of each action, then of each action that pushes."""


class Trace(NamedTuple):
    """Properties of a solution."""

    lurd: str
    """The solution as text (:mod:`gridpuzzles_gym.puzzles.sokoban.notation`)."""
    pushes: int
    changes: int
    """Pushes of a different box than the push before."""
    choices: int
    """Legal pushes, summed over all positions that the solution pushes from."""
    traps: int
    """Legal pushes after which the level is detected as lost: the box can no longer reach any goal, or
    boxes are frozen off the goals or between boxes and goals."""


@routine
def look_around(board, work, player, measures):
    """Count the possible pushes, and those that lose the level; ``work.boxes`` and its flags hold the boxes."""
    neighbours, boxes, box_at, steps = board.neighbours, work.boxes, work.flags[BOX_AT], work.squares[STEPS]
    walk(neighbours, box_at, player, steps, work.squares[QUEUE])
    for k in range(boxes.shape[0]):
        box = boxes[k]
        for action in range(SIDES):
            player_at, there = neighbours[box, action ^ 1], neighbours[box, action]
            if player_at < 0 or there < 0 or steps[player_at] < 0 or box_at[there]:
                continue
            measures[CHOICES] += 1
            if there >= board.live:
                measures[TRAPS] += 1
                continue
            box_at[box], box_at[there], boxes[k] = 0, 1, there
            measures[TRAPS] += freezes(board, work, there)
            box_at[box], box_at[there], boxes[k] = 1, 0, box


@routine
def go_through(board, work, player, plan, pushed, measures):
    """Replay a plan that begins at ``work.boxes``: see :func:`make_tracer`."""
    board, work = borrowed(board), borrowed(work)
    neighbours, boxes, box_at = board.neighbours, work.boxes, work.flags[BOX_AT]
    for square in range(box_at.shape[0]):
        box_at[square] = 0
    for k in range(boxes.shape[0]):
        box_at[boxes[k]] = 1
    last = NOWHERE
    for m in range(plan.shape[0]):
        there = neighbours[player, plan[m]]
        pushed[m] = box_at[there]
        if pushed[m]:
            look_around(board, work, player, measures)
            beyond = neighbours[there, plan[m]]
            box_at[there], box_at[beyond] = 0, 1
            for k in range(boxes.shape[0]):
                if boxes[k] == there:
                    boxes[k] = beyond
            measures[CHANGES] += measures[PUSHES] > 0 and last != there
            measures[PUSHES] += 1
            last = beyond
        player = there


def make_tracer() -> Callable[..., None]:
    """``tracer(board, work, player, plan, pushed, measures)``: replays a plan that begins at ``work.boxes``.

    ``plan`` (uint8[m]) are its actions; outputs are ``pushed`` (uint8[m]), 1 at pushes, and ``measures``.
    """

    def tracer(board, work, player, plan, pushed, measures):
        go_through(board, work, player, plan, pushed, measures)

    signature = types.void(BOARD, WORK, int64, uint8[::1], uint8[::1], int64[::1])
    return compiled(tracer, "sokoban-tracer", signature)


def trace(board: Board, boxes: npt.NDArray[np.int16], player: int, actions: Sequence[int]) -> Trace:
    """Replay a solution.

    Args:
        board: The level's board.
        boxes: int16[k]: the squares of the boxes at the start.
        player: The player's square at the start.
        actions: The solution; each action must be legal.
    """
    plan = np.array(actions, np.uint8)
    pushed, measures = np.zeros(len(plan), np.uint8), np.zeros(MEASURES, np.int64)
    kernel(make_tracer)(board, make_work(board, boxes, 1), player, plan, pushed, measures)
    return make_trace(plan, pushed, measures)


def make_trace(plan: npt.NDArray[np.uint8], pushed: npt.NDArray[np.uint8], measures: npt.NDArray[np.int64]) -> Trace:
    """Return the output of :func:`go_through` as a trace."""
    return Trace(_LETTERS[plan + SIDES * pushed].tobytes().decode("ascii"), *measures.tolist())


# Results other than a solution's length, which is 0 or more: see `make_grader`.
TOO_LARGE, UNSOLVED = -1, -2
# measures int64[6]: those of `tracing`; then the positions expanded by the solver, and by the proof.
NODES, PROOF, NUMBERS = range(MEASURES, MEASURES + 3)
CAPACITY, SLOTS, PLACES = 1 << 12, 1 << 13, 1 << 12
"""Capacities: positions, slots of their hash table, and queues."""
LONGEST = 1 << 10
"""Maximum number of moves in a plan."""


@routine
def empty_nodes(live):
    """Return arrays for the positions of a search; must be cleared before each."""
    words = (live + BITS - 1) // BITS
    return Nodes(
        np.empty((CAPACITY, words), np.uint64),
        np.empty(CAPACITY, np.uint64),
        np.empty(CAPACITY, np.int16),
        np.empty(CAPACITY, np.int32),
        np.empty((CAPACITY, 2), np.int16),
        np.empty(CAPACITY, np.int32),
        np.empty(CAPACITY, np.int32),
        np.empty(CAPACITY, np.int32),
        np.empty(SLOTS, np.int32),
    )


@routine
def run_search(board, nodes, work, heads, boxes, player, proving, budget, control):
    """Run one search from the start; return why it stopped."""
    control[:] = 0
    control[LOWEST] = PLACES
    control[loops.LEAST], control[loops.BUDGET] = loops.UNBOUNDED, budget
    nodes.table[:] = NO_NODE
    heads[:] = NO_NODE
    work.boxes[:] = boxes
    work.match[:] = 0
    settings = Settings(proving, 1, 0, ANYWHERE, 0)
    return search_on(board, nodes, work, heads, player, settings, control)


def make_grader() -> Callable[..., int]:
    """``grader(level, state, alone, limit, plan, measures) -> int``: the length of a solution with the fewest pushes.

    Or UNSOLVED, within ``limit`` positions each; or TOO_LARGE, if nothing is known: also if the first search expands
    more than ``alone`` positions, after which the solver would start others. Outputs are ``measures``
    (int64[NUMBERS]) and ``plan`` (uint8[2, LONGEST]): the actions, and 1 at pushes.
    """

    def grader(level, state, alone, limit, plan, measures):
        plan, measures = borrowed(plan), borrowed(measures)
        board, boxes, player = survey_rows(level, state)
        squares, count = board.neighbours.shape[0], boxes.shape[0]
        for k in range(count):
            if boxes[k] >= board.live:
                return UNSOLVED
        if SIDES * squares * count >= PLACES:  # an estimate could be beyond the last queue
            return TOO_LARGE
        nodes, heads, control = empty_nodes(board.live), np.empty(PLACES, np.int32), np.empty(OWN_END, np.int64)
        work = make_work(board, boxes, 1)
        why = run_search(board, nodes, work, heads, boxes, player, 0, min(alone, limit), control)
        if why == loops.FULL or (why == loops.PAUSED and alone < limit):
            return TOO_LARGE
        measures[NODES] = control[loops.EXPANDED]
        if why != loops.REACHED:
            return UNSOLVED
        why = run_search(board, nodes, work, heads, boxes, player, 1, limit, control)
        if why in (loops.FULL, loops.EMPTIED):
            return TOO_LARGE
        measures[PROOF] = control[loops.EXPANDED]
        if why != loops.REACHED:
            return UNSOLVED
        length = write_way(board, nodes, work, chain_to(nodes, control[loops.AT]), player, plan[0])
        if length > plan.shape[1]:
            return TOO_LARGE
        work.boxes[:] = boxes
        go_through(board, work, player, plan[0, :length], plan[1], measures)
        return length

    signature = int64(int16[::1], int16[::1], int64, int64, uint8[:, ::1], int64[::1])
    return compiled(grader, "sokoban-grader", signature)


FINDING, PROVING = (partial(PushSearch, cost_weight=proving, weight=1, deadlocks=False) for proving in (0, 1))
"""The searches that measure: the greedy one, and the proof of fewest pushes."""
PROVING_MOVES = partial(PushSearch, cost_weight=1, weight=1, by_moves=True)
"""The proof of fewest moves, the same as ``sokoban-moves``."""
MOST_NODES = 100_000
"""Default maximum number of positions that a search expands."""
MOST_MOVE_NODES = 500_000
"""Default maximum number of positions that the proof of fewest moves expands: enough for all bundled packs."""
ALONE = 512
"""Positions that the greedy search expands in machine code alone."""
HEAD_START = 20_000
"""Positions that the greedy search generates before the whole solver is run."""
Start = tuple[Board, npt.NDArray[np.int16], int]
"""The board, the squares of the boxes (int16[k]), and the player's square."""


@dataclasses.dataclass(frozen=True)
class Difficulty:
    """The measurements of a level; all zero except ``nodes`` and ``proof_nodes`` if it is not solved."""

    solved: bool
    """Whether both searches solved it within the limit."""
    nodes: int
    """Positions expanded by a greedy search, and by the search ``sokoban`` where that does not solve it soon."""
    proof_nodes: int
    """Positions expanded by ``sokoban-pushes``, without corral deadlocks; 0 if the first search gave up."""
    pushes: int = 0
    """The fewest pushes that solve it."""
    moves: int = 0
    """Moves of the certificate; another solution may have fewer."""
    box_changes: int = 0
    """Number of changes to another box in that solution."""
    deadlock_density: float = 0.0
    """Share of the pushes possible along that solution after which a deadlock is detected, from 0 to 1."""
    certificate: str = ""
    """A solution with the fewest pushes, in the notation of Sokoban programs (LURD)."""
    fewest_moves: int | None = None
    """The fewest moves that solve it, proven; None if that is not known: see :func:`prove_fewest_moves`."""

    def numbers(self) -> dict[str, float]:
        """Return the known measurements by name."""
        names = ("pushes", "fewest_moves", "nodes", "proof_nodes", "box_changes", "deadlock_density")
        return {name: number for name in names if (number := getattr(self, name)) is not None}


def measure(level: Row, state: Row, limit: int = MOST_NODES) -> Difficulty:
    """Measure a level.

    Args:
        level: int16[L], in the layout of :mod:`gridpuzzles_gym.puzzles.sokoban.rules`.
        state: int16[S], the start state.
        limit: Maximum number of positions that each of the two searches may expand.
    """
    measures, plan = np.zeros(NUMBERS, np.int64), np.empty((2, LONGEST), np.uint8)
    length = kernel(make_grader)(level, state, ALONE, limit, plan, measures)
    if length == TOO_LARGE:
        return _measure_large(level, state, limit)
    if length == UNSOLVED:
        return Difficulty(False, int(measures[NODES]), int(measures[PROOF]))
    return _solved(
        int(measures[NODES]), int(measures[PROOF]), make_trace(plan[0, :length], plan[1, :length], measures[:MEASURES])
    )


def prove_fewest_moves(level: Row, state: Row, limit: int = MOST_MOVE_NODES) -> int | None:
    """Return the fewest moves that solve a level; None if a search has not proven them within ``limit`` positions.

    :func:`measure` does without: a solution with the fewest pushes may have more moves than another, and this proof
    takes longer than that one.
    """
    board, boxes, player = survey(level, state)
    if (boxes >= board.live).any():
        return None
    proof = PROVING_MOVES(board, boxes, player)
    if _drive(proof, limit, limit) != loops.REACHED:
        return None
    return len(actions_to(board, proof.nodes, proof.work, int(proof.control[loops.AT]), player))


def _solved(nodes: int, proof_nodes: int, seen: Trace) -> Difficulty:
    density = seen.traps / seen.choices if seen.choices else 0.0
    return Difficulty(True, nodes, proof_nodes, seen.pushes, len(seen.lurd), seen.changes, density, seen.lurd)


def _measure_large(level: Row, state: Row, limit: int) -> Difficulty:
    """Return the same for levels too large for the compiled grader."""
    start = survey(level, state)
    solved, nodes = _solve(level, state, start, limit)
    if not solved:
        return Difficulty(False, nodes, 0)
    proof = PROVING(*start)
    if _drive(proof, limit, limit) != loops.REACHED:
        return Difficulty(False, nodes, int(proof.control[loops.EXPANDED]))
    plan = actions_to(proof.board, proof.nodes, proof.work, int(proof.control[loops.AT]), proof.player)
    return _solved(nodes, int(proof.control[loops.EXPANDED]), trace(*start, plan))


def _solve(level: Row, state: Row, start: Start, limit: int) -> tuple[bool, int]:
    """Return whether the search ``sokoban`` solves it, and the number of positions that it expands.

    At first only the greedy search of its portfolio is run, without the overhead of an interactive search; when its
    head start is used up, the whole solver starts from the beginning.
    """
    if (start[1] >= start[0].live).any():
        return False, 0
    first = FINDING(*start)
    why = loops.PAUSED
    while why == loops.PAUSED and first.control[loops.EXPANDED] < limit:
        if first.control[loops.GENERATED] >= HEAD_START:
            problem = Problem(PUZZLE, level, state, PUZZLE.read_options())
            result = solve(problem, ZERO, Limits(nodes=limit))
            if result.status == INTERRUPTED:
                raise KeyboardInterrupt
            return result.solved, int(first.control[loops.EXPANDED]) + result.expanded
        why = _drive(first, limit, ALONE)
    return why == loops.REACHED, int(first.control[loops.EXPANDED])


def _drive(search: PushSearch, limit: int, turn: int) -> int:
    """Let a search expand a number of positions, at most ``limit`` in total; return why it stopped."""
    control = search.control
    control[loops.BUDGET] = min(turn, limit - int(control[loops.EXPANDED]))
    why = search.advance()
    while why == loops.FULL:
        enlarge(search)
        why = search.advance()
    return why


@dataclasses.dataclass(frozen=True)
class Measured:
    """The weights of an evaluation by measured difficulty; see :class:`~.difficulty.Difficulty`.

    Nodes count by their logarithms: from 10 to 20 adds as much as from 1,000 to 2,000.

    Raises:
        ValueError: A number is out of range.
    """

    nodes: float = 1.0
    """Per doubling of the positions that the solver expands."""
    proof_nodes: float = 1.0
    """Per doubling of the positions that the proof of fewest pushes expands."""
    pushes: float = 0.15
    """Per push of the shortest solution."""
    box_changes: float = 0.15
    """Per change of this solution to another box."""
    deadlock_density: float = 10.0
    """For the share of pushes that lead to a deadlock, from 0 to 1."""
    limit: int = 5000
    """Maximum number of positions that each search may expand; a level that takes more counts as unsolved."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            if field.name != "limit":
                real(field.name, getattr(self, field.name), 0, 1e6)
        integer("limit", self.limit, 1)

    def __call__(self, level: Row, state: Row) -> float:
        """Return the score of a level, from its rows; 0 if it is not solved within the limit."""
        return self.worth(measure(level, state, self.limit))

    def worth(self, difficulty: Difficulty) -> float:
        """Return the score of a level of this difficulty."""
        if not difficulty.solved:
            return 0.0
        return (
            self.nodes * math.log2(1 + difficulty.nodes)
            + self.proof_nodes * math.log2(1 + difficulty.proof_nodes)
            + self.pushes * difficulty.pushes
            + self.box_changes * difficulty.box_changes
            + self.deadlock_density * difficulty.deadlock_density
        )
