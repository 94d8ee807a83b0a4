"""How hard a Sokoban level is: the effort of the solver, and properties of a solution with the fewest pushes.

Work is counted, not timed: equal levels are equally hard on any machine. The solver's search for corral deadlocks is
newer than the packs; the greedy search and the proof do without it here, so that all measurements can be compared.
"""

import dataclasses
from functools import partial

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.kernels import kernel
from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.sokoban import PUZZLE

from ...search import loops
from ...search.heuristic import ZERO
from ...search.problem import INTERRUPTED, Limits, Problem
from ..searches import HEAD_START, solve
from ..solver.board import Board, survey
from ..solver.plans import actions_to
from ..solver.sub_searches import PushSearch, enlarge
from .grading import LONGEST, NODES, NUMBERS, PROOF, TOO_LARGE, UNSOLVED, make_grader
from .tracing import MEASURES, Trace, make_trace, trace

FINDING, PROVING = (partial(PushSearch, cost_weight=proving, weight=1, corral_deadlocks=False) for proving in (0, 1))
"""The searches that measure: the greedy one, and the proof of fewest pushes."""
PROVING_MOVES = partial(PushSearch, cost_weight=1, weight=1, by_moves=True)
"""The proof of fewest moves, the same as ``sokoban-moves``."""
MOST_NODES = 100_000
"""Default maximum number of positions that a search expands."""
MOST_MOVE_NODES = 500_000
"""Default maximum number of positions that the proof of fewest moves expands: enough for all bundled packs."""
ALONE = 512
"""Positions that the solver's first search expands before others may start."""
Start = tuple[Board, npt.NDArray[np.int16], int]
"""The board, the squares of the boxes (int16[k]), and the player's square."""


@dataclasses.dataclass(frozen=True)
class Difficulty:
    """The measurements of a level; all zero except ``nodes`` and ``proof_nodes`` if it is not solved."""

    solved: bool
    """Whether both searches solved it within the limit."""
    nodes: int
    """Positions expanded by the search ``sokoban``, which finds any solution; at first without corral deadlocks."""
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

    Only the first search of its portfolio is run here, without the overhead of an interactive search; when its head
    start is used up, the whole solver starts from the beginning.
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
            return result.solved, result.expanded
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
