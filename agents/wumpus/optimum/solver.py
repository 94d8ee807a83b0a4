"""A search over knowledge states for the maximum expected value, depth first, each key once.

The agent makes a choice, then chance determines the outcome. ``expand`` writes the choices of a key onto the stack:
for each an upper bound on its expected value, and its outcomes: probability, next key, and that key's upper bound
(``hope``). Choices are tried in the order of their bounds. When an outcome is solved, its value replaces its bound, and
a choice whose bound drops to the best of the others is abandoned.

A key is searched for a choice above it, to which values up to some ``floor`` make no difference.
If its value is no higher, it is stored as BOUNDED, and searched again if it matters later; every
other stored value is exact.

The stack persists between calls: the search runs in slices, so that it can show progress and be interrupted.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compile.compilation import routine

from .hashing import place, store

DEEPEST, CHOICES, OUTCOMES = 20, 128, 8
STOP = 255
"""The move of a key if nothing is better than stopping."""
BOUNDED = 254
"""The move of a key of which only an upper bound is known."""
FRESH = -1
_NEAR = 1e-9
"""Choices whose values differ by less are equal."""

Reals = npt.NDArray[np.float64]


class Stack(NamedTuple):
    """The state of the search: one row per level (D), with choices (A) and outcomes (B)."""

    depth: npt.NDArray[np.int64]
    """int64[1]: the current level, -1 for none."""
    keys: npt.NDArray[np.uint64]
    """uint64[D]."""
    floor: Reals
    """float64[D]: values up to this one need not be distinguished."""
    best: Reals
    """float64[D]: the highest value of stopping and the finished choices."""
    chosen: npt.NDArray[np.int64]
    """int64[D]: its move."""
    choices: npt.NDArray[np.int64]
    """int64[D]: number of choices."""
    turn: npt.NDArray[np.int64]
    """int64[D]: how many are finished; FRESH before `expand`."""
    rest: Reals
    """float64[D]: the highest bound of the abandoned choices."""
    part: npt.NDArray[np.int64]
    """int64[D]: finished outcomes of the current choice."""
    running: Reals
    """float64[D]: its current bound."""
    order: npt.NDArray[np.int64]
    """int64[D, A]: choices, the most promising first."""
    moves: npt.NDArray[np.int64]
    """int64[D, A]."""
    upper: Reals
    """float64[D, A]: their bounds."""
    outcomes: npt.NDArray[np.int64]
    """int64[D, A]: number of outcomes of each."""
    chance: Reals
    """float64[D, A, B]."""
    next: npt.NDArray[np.uint64]
    """uint64[D, A, B]."""
    hope: Reals
    """float64[D, A, B]."""


def new_stack() -> Stack:
    """Return an empty stack."""
    level = DEEPEST
    choice, outcome = (level, CHOICES), (level, CHOICES, OUTCOMES)
    whole: Any = np.int64
    return Stack(
        np.full(1, -1), np.zeros(level, np.uint64), np.zeros(level), np.zeros(level), np.zeros(level, whole),
        np.zeros(level, whole), np.zeros(level, whole), np.zeros(level), np.zeros(level, whole), np.zeros(level),
        np.zeros(choice, whole),
        np.zeros(choice, whole), np.zeros(choice), np.zeros(choice, whole), np.zeros(outcome),
        np.zeros(outcome, np.uint64), np.zeros(outcome),
    )  # fmt: skip


@routine
def begin(stack, key, floor):
    """Push a key onto the stack."""
    stack.depth[0] += 1
    depth = stack.depth[0]
    stack.keys[depth] = key
    stack.floor[depth] = floor
    stack.turn[depth] = FRESH


@routine
def add_choice(stack, move, outcomes, upper):
    """Add a choice whose outcomes are written already, unless stopping is as good."""
    depth = stack.depth[0]
    if upper > stack.best[depth]:
        choice = stack.choices[depth]
        stack.moves[depth, choice] = move
        stack.outcomes[depth, choice] = outcomes
        stack.upper[depth, choice] = upper
        stack.choices[depth] += 1


@routine
def add_outcome(stack, part, chance, key, hope):
    """Write an outcome of the choice that is added next; returns its share of that choice's bound."""
    depth = stack.depth[0]
    choice = stack.choices[depth]
    stack.chance[depth, choice, part] = chance
    stack.next[depth, choice, part] = key
    stack.hope[depth, choice, part] = hope
    return chance * hope


@routine
def sort_choices(stack):
    """Sort the choices by their bounds, highest first."""
    depth = stack.depth[0]
    order, upper = stack.order[depth], stack.upper[depth]
    for choice in range(stack.choices[depth]):
        gap = choice
        while gap > 0 and upper[order[gap - 1]] < upper[choice]:
            order[gap] = order[gap - 1]
            gap -= 1
        order[gap] = choice


@routine
def take_turn(stack, turn):
    """Start the choice with index ``turn`` in the order."""
    depth = stack.depth[0]
    stack.turn[depth] = turn
    stack.part[depth] = 0
    if turn < stack.choices[depth]:
        stack.running[depth] = stack.upper[depth, stack.order[depth, turn]]


@routine
def finish(memo, stack):
    """Store the result of the key on top, and pop it."""
    depth = stack.depth[0]
    best, floor = stack.best[depth], stack.floor[depth]
    if best > floor:
        store(memo, stack.keys[depth], best, stack.chosen[depth])
    else:
        store(memo, stack.keys[depth], min(max(best, stack.rest[depth]), floor), BOUNDED)
    stack.depth[0] -= 1


@routine
def go_on(memo, stack, choice, part):
    """Use the known value of the next outcome of the current choice, or search it."""
    depth = stack.depth[0]
    key, chance, hope = (
        stack.next[depth, choice, part],
        stack.chance[depth, choice, part],
        stack.hope[depth, choice, part],
    )
    slot = place(memo.keys, key)
    known = memo.keys[slot] == key
    if known and memo.moves[slot] != BOUNDED:
        stack.running[depth] += chance * (memo.values[slot] - hope)
        stack.part[depth] += 1
    elif known and memo.values[slot] < hope:
        stack.running[depth] += chance * (memo.values[slot] - hope)
        stack.hope[depth, choice, part] = memo.values[slot]
    else:
        needless = stack.running[depth] - max(stack.best[depth], stack.floor[depth])
        begin(stack, key, hope - needless / chance)


def make_search(expand: Callable[..., None]) -> Callable[..., int]:
    """Return a search over the choices that ``expand(world, bounds, stack)`` writes for the key on top of the stack.

    Returns:
        ``search(world, bounds, memo, stack, most) -> expanded``, for use in kernels: runs until the stack
        is empty or ``most`` keys are expanded.
    """

    def search(world, bounds, memo, stack, most):
        expanded = 0
        while stack.depth[0] >= 0 and expanded < most:
            depth = stack.depth[0]
            if stack.turn[depth] == FRESH:
                stack.choices[depth] = 0
                stack.chosen[depth] = STOP
                stack.rest[depth] = -np.inf
                expand(world, bounds, stack)
                sort_choices(stack)
                take_turn(stack, 0)
                expanded += 1
            enough = max(stack.best[depth], stack.floor[depth]) + _NEAR
            turn = stack.turn[depth]
            choice = stack.order[depth, turn]
            if turn == stack.choices[depth] or stack.upper[depth, choice] <= enough:
                if turn < stack.choices[depth]:
                    stack.rest[depth] = max(stack.rest[depth], stack.upper[depth, choice])
                finish(memo, stack)
            elif stack.running[depth] <= enough:
                stack.rest[depth] = max(stack.rest[depth], stack.running[depth])
                take_turn(stack, turn + 1)
            elif stack.part[depth] == stack.outcomes[depth, choice]:
                stack.best[depth] = stack.running[depth]
                stack.chosen[depth] = stack.moves[depth, choice]
                take_turn(stack, turn + 1)
            else:
                go_on(memo, stack, choice, stack.part[depth])
        return expanded

    return routine(search)
