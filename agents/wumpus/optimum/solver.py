"""A search through what may become known: the best expectation, depth first, each key once.

The agent chooses, then chance answers. ``expand`` writes the choices of a key onto the stack: for each a
bound of its expectation from above, and what chance may answer: probability, next key, and that key's bound
(``hope``). Choices are tried by their bounds; every answer solved puts its value in the place of its hope, and
a choice whose bound so sinks to the best of the others is given up.

A key is searched for the sake of a choice above it, to which values up to some ``floor`` make no difference.
If its value is no higher, it is stored as BOUNDED, and searched again should it matter after all; every
other value stored is exact.

The stack outlives a call: the search works in slices, so that it can be watched and interrupted.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compilation import routine

from .hashing import place, store

DEEPEST, CHOICES, ANSWERS = 20, 128, 8
STOP = 255
"""The move of a key where nothing is better than to stop."""
BOUNDED = 254
"""The move of a key of which only a bound from above is known."""
FRESH = -1
_NEAR = 1e-9
"""Choices this close are alike."""

Reals = npt.NDArray[np.float64]


class Stack(NamedTuple):
    """Where the search is: a row a level (D), choices (A) and answers (B)."""

    depth: npt.NDArray[np.int64]
    """int64[1]: the level at work, -1 for none."""
    keys: npt.NDArray[np.uint64]
    """uint64[D]."""
    floor: Reals
    """float64[D]: values up to this one need not be told apart."""
    best: Reals
    """float64[D]: the best of stopping and the choices done."""
    chosen: npt.NDArray[np.int64]
    """int64[D]: its move."""
    choices: npt.NDArray[np.int64]
    """int64[D]: choices."""
    turn: npt.NDArray[np.int64]
    """int64[D]: how many are done; FRESH before `expand`."""
    rest: Reals
    """float64[D]: the highest bound of the choices given up."""
    part: npt.NDArray[np.int64]
    """int64[D]: answers of the choice at work that are done."""
    running: Reals
    """float64[D]: its bound by now."""
    order: npt.NDArray[np.int64]
    """int64[D, A]: choices, the most promising first."""
    moves: npt.NDArray[np.int64]
    """int64[D, A]."""
    upper: Reals
    """float64[D, A]: their bounds."""
    answers: npt.NDArray[np.int64]
    """int64[D, A]: how many each has."""
    chance: Reals
    """float64[D, A, B]."""
    next: npt.NDArray[np.uint64]
    """uint64[D, A, B]."""
    hope: Reals
    """float64[D, A, B]."""


def new_stack() -> Stack:
    """A stack with nothing on it."""
    level = DEEPEST
    choice, answer = (level, CHOICES), (level, CHOICES, ANSWERS)
    whole: Any = np.int64
    return Stack(
        np.full(1, -1), np.zeros(level, np.uint64), np.zeros(level), np.zeros(level), np.zeros(level, whole),
        np.zeros(level, whole), np.zeros(level, whole), np.zeros(level), np.zeros(level, whole), np.zeros(level),
        np.zeros(choice, whole),
        np.zeros(choice, whole), np.zeros(choice), np.zeros(choice, whole), np.zeros(answer),
        np.zeros(answer, np.uint64), np.zeros(answer),
    )  # fmt: skip


@routine
def begin(stack, key, floor):
    """Put one more key on the stack."""
    stack.depth[0] += 1
    depth = stack.depth[0]
    stack.keys[depth] = key
    stack.floor[depth] = floor
    stack.turn[depth] = FRESH


@routine
def offer(stack, move, answers, upper):
    """Enter a choice whose answers are written already, unless stopping is as good."""
    depth = stack.depth[0]
    if upper > stack.best[depth]:
        choice = stack.choices[depth]
        stack.moves[depth, choice] = move
        stack.answers[depth, choice] = answers
        stack.upper[depth, choice] = upper
        stack.choices[depth] += 1


@routine
def answer(stack, part, chance, key, hope):
    """Write an answer to the choice that is offered next; its share of that choice's bound."""
    depth = stack.depth[0]
    choice = stack.choices[depth]
    stack.chance[depth, choice, part] = chance
    stack.next[depth, choice, part] = key
    stack.hope[depth, choice, part] = hope
    return chance * hope


@routine
def sort_choices(stack):
    """By their bounds, the highest first."""
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
    """Begin with the choice whose turn it is."""
    depth = stack.depth[0]
    stack.turn[depth] = turn
    stack.part[depth] = 0
    if turn < stack.choices[depth]:
        stack.running[depth] = stack.upper[depth, stack.order[depth, turn]]


@routine
def finish(memo, stack):
    """Store what is known of the key on top, and take it off."""
    depth = stack.depth[0]
    best, floor = stack.best[depth], stack.floor[depth]
    if best > floor:
        store(memo, stack.keys[depth], best, stack.chosen[depth])
    else:
        store(memo, stack.keys[depth], min(max(best, stack.rest[depth]), floor), BOUNDED)
    stack.depth[0] -= 1


@routine
def go_on(memo, stack, choice, part):
    """Use what is known of the next answer of the choice at work, or search it."""
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
    """The search over choices that ``expand(world, bounds, stack)`` writes for the key on top of the stack.

    Returns:
        ``search(world, bounds, memo, stack, most) -> expanded``, for use in kernels: goes on until the stack
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
            elif stack.part[depth] == stack.answers[depth, choice]:
                stack.best[depth] = stack.running[depth]
                stack.chosen[depth] = stack.moves[depth, choice]
                take_turn(stack, turn + 1)
            else:
                go_on(memo, stack, choice, stack.part[depth])
        return expanded

    return routine(search)
