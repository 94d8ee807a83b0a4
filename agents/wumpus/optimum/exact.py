"""The exact value of a knowledge state, given the agent's square.

Between two new percepts nothing is learned, so the agent chooses between whole walks: to enter a new square
with a certain facing, to shoot from a visited square with a certain facing, or to stop. Stopping is idling until
the step limit, or going home and climbing out; with the gold in hand it is going home. Without a climb action
idling costs the remaining steps, so the clock is part of the key and the limit is exact. With one, only
future steps count; :mod:`.optimum.policy` checks whether an optimal policy ever reaches the limit.

Values count from now on. On glitter there is no choice: the agent grabs at once, since nothing that
it could do before is lost by grabbing first.

**An upper bound** holds whatever the agent's square is: the walking is relaxed. However the agent came to have visited
a region, it took at least the ``quickest`` steps, and bringing the gold home takes at least its ``tour``; so choices
need no stance and no clock, and there are few keys. Values count from the start of the episode: they include the cost
of past steps.

**The search** for the maximum expected value is depth first, and searches each key once. The agent makes a choice,
then chance determines the outcome. ``expand`` writes the choices of a key onto the stack: for each an upper bound on
its expected value, and its outcomes: probability, next key, and that key's upper bound (``hope``). Choices are tried
in the order of their bounds. When an outcome is solved, its value replaces its bound, and a choice whose bound drops
to the best of the others is abandoned.

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

from gridpuzzles_gym.engine.compile.compilation import routine, rule
from gridpuzzles_gym.puzzles.wumpus.rules import ARROW_COST, DEATH, TREASURE

from .knowledge import (
    ARROW,
    FOUND,
    KILLED,
    MISSED,
    NEW_BREEZES,
    NEW_LAIRS,
    NOT_FOUND,
    caves,
    evidence_row,
    look,
    pack,
    unpack,
)
from .world import CLIMB, LIMIT, SQUARES, entrance, place, store

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


FOREVER = 1 << 62


@routine
def expand_relaxed(world, percepts, stack):
    """Write the choices of the key on top: squares to enter, sets of lairs to shoot at."""
    depth = stack.depth[0]
    visited, breezes, lairs, arrow, _, _, _ = unpack(stack.keys[depth])
    number = world.region[visited]
    stack.best[depth] = -1.0 - world.tour[number] if world.facts[CLIMB] else -1.0 * world.facts[LIMIT]
    row = evidence_row(world, visited, breezes)
    total = caves(world, visited, row, lairs, 0)
    for square in range(world.facts[SQUARES]):
        if visited >> square & 1 == 0 and world.around[square] & visited:
            count, alive = look(world, visited, breezes, lairs, arrow, 0, square, percepts)
            entered = visited | 1 << square
            larger = world.region[entered]
            upper, outcomes = (DEATH - world.quickest[larger]) * (total - alive) / total, 0
            for k in range(count):
                upper += percepts[k, FOUND] / total * (TREASURE - min(world.tour[larger] + 1, world.facts[LIMIT]))
                if percepts[k, NOT_FOUND]:
                    key = pack(entered, percepts[k, NEW_BREEZES], percepts[k, NEW_LAIRS], arrow, 0, 0, 0)
                    upper += add_outcome(stack, outcomes, percepts[k, NOT_FOUND] / total, key, TREASURE)
                    outcomes += 1
            if count:
                add_choice(stack, square, outcomes, upper)
    if arrow == ARROW:
        for shooter in range(world.facts[SQUARES]):
            for facing in range(4):
                aimed = world.rays[shooter, facing] & lairs
                if visited >> shooter & 1 and aimed:
                    hit = caves(world, visited, row, aimed, 0) / total
                    upper = ARROW_COST + add_outcome(
                        stack, 0, hit, pack(visited, breezes, aimed, KILLED, 0, 0, 0), TREASURE
                    )
                    outcomes = 1
                    if lairs & ~aimed:
                        key = pack(visited, breezes, lairs & ~aimed, MISSED, 0, 0, 0)
                        upper += add_outcome(stack, 1, 1 - hit, key, TREASURE)
                        outcomes = 2
                    add_choice(stack, shooter, outcomes, upper)


search_relaxed = make_search(expand_relaxed)


@routine
def relaxed_value(world, bounds, key):
    """Return the bound of a key without held gold, stance and clock; computed unless it is known."""
    memo, stack, percepts = bounds[:3]
    slot = place(memo.keys, key)
    if memo.keys[slot] != key or memo.moves[slot] == BOUNDED:
        begin(stack, key, -np.inf)
        search_relaxed(world, percepts, memo, stack, FOREVER)
        slot = place(memo.keys, key)
    return memo.values[slot]


SHOOT_MOVE = 64
"""A move is the stance to arrive in, plus this constant for shooting from it."""


@rule
def stop_value(world, number, held, stance, clock):
    """Return the future return if the agent learns nothing more."""
    home = world.home[number, stance]
    if world.facts[CLIMB]:
        return -1.0 * home if held else -1.0 - home
    idling = world.facts[LIMIT] - clock
    return -1.0 * min(home, idling) if held else -1.0 * idling


@rule
def in_time(world, clock, steps):
    """Whether this many steps are left."""
    return world.facts[CLIMB] or clock + steps <= world.facts[LIMIT]


@rule
def clock_after(world, clock, steps):
    """Return the clock of a key this many steps later."""
    return 0 if world.facts[CLIMB] else clock + steps


@rule
def paid(world, visited, stance, clock):
    """Return the minimum cost of the steps so far, which is included in relaxed values but not in exact ones."""
    return world.earliest[world.region[visited], stance] if world.facts[CLIMB] else clock


@routine
def bound(world, bounds, visited, breezes, lairs, arrow, stance, clock):
    """Return an upper bound on the value of a key without the gold: the relaxed value without past steps' cost."""
    value = relaxed_value(world, bounds, pack(visited, breezes, lairs, arrow, 0, 0, 0))
    return value + paid(world, visited, stance, clock)


@routine
def expand_exact(world, bounds, stack):
    """Write the choices of the key on top."""
    depth = stack.depth[0]
    visited, breezes, lairs, arrow, held, stance, clock = unpack(stack.keys[depth])
    number = world.region[visited]
    stack.best[depth] = stop_value(world, number, held, stance, clock)
    row = evidence_row(world, visited, breezes)
    total = caves(world, visited, row, lairs, held)
    percepts, hopes = bounds[3], bounds[7]
    for square in range(world.facts[SQUARES]):
        if visited >> square & 1 or world.around[square] & visited == 0:
            continue
        count, alive = look(world, visited, breezes, lairs, arrow, held, square, percepts)
        for k in range(0 if held else count):
            if percepts[k, NOT_FOUND]:
                key = pack(visited | 1 << square, percepts[k, NEW_BREEZES], percepts[k, NEW_LAIRS], arrow, 0, 0, 0)
                hopes[k] = relaxed_value(world, bounds, key)
        for facing in range(4):
            before = entrance(world.neighbours, square, facing)
            if count == 0 or before < 0 or visited >> before & 1 == 0:
                continue
            steps = world.walk[number, stance, 4 * before + facing] + 1
            if in_time(world, clock, steps):
                enter(world, bounds, stack, square, facing, steps, count, total - alive, total)
    if arrow == ARROW:
        add_shots(world, bounds, stack, row, total)


@routine
def enter(world, bounds, stack, square, facing, steps, count, deadly, total):
    """Add the choice to enter a square, where ``deadly`` caves of ``total`` kill, with its percepts as outcomes."""
    visited, _, _, arrow, held, _, clock = unpack(stack.keys[stack.depth[0]])
    percepts, hopes = bounds[3], bounds[7]
    entered, stance = visited | 1 << square, 4 * square + facing
    number, then = world.region[entered], clock_after(world, clock, steps)
    upper, outcomes = DEATH * deadly / total - steps, 0
    for k in range(count):
        felt, left = percepts[k, NEW_BREEZES], percepts[k, NEW_LAIRS]
        if percepts[k, FOUND] and in_time(world, then, 1):
            chance, grabbed = percepts[k, FOUND] / total, clock_after(world, then, 1)
            upper += chance * (TREASURE - 1)
            key = pack(entered, felt, left, arrow, 1, stance, grabbed)
            share, outcomes = carry(world, stack, outcomes, chance, key, number, stance, grabbed)
            upper += share
        if percepts[k, NOT_FOUND]:
            chance = percepts[k, NOT_FOUND] / total
            key = pack(entered, felt, left, arrow, held, stance, then)
            if held:
                share, outcomes = carry(world, stack, outcomes, chance, key, number, stance, then)
                upper += share
            else:
                upper += add_outcome(stack, outcomes, chance, key, hopes[k] + paid(world, entered, stance, then))
                outcomes += 1
    add_choice(stack, stance, outcomes, upper)


@routine
def carry(world, stack, outcomes, chance, key, number, stance, clock):
    """Add the outcome of having the gold in hand; returns its share of the bound, and the number of outcomes.

    No outcome is added if the way home cannot become shorter: then its value is known.
    """
    at_best, stopped = -1.0 * world.beeline[stance], stop_value(world, number, 1, stance, clock)
    if stopped >= at_best:
        return chance * stopped, outcomes
    return add_outcome(stack, outcomes, chance, key, at_best), outcomes + 1


@routine
def add_shots(world, bounds, stack, row, total):
    """Add a shot from every stance; stances whose arrows pass the same lairs differ only in the walk."""
    visited, breezes, lairs, _, held, stance, clock = unpack(stack.keys[stack.depth[0]])
    number, tried = world.region[visited], 0
    _, _, _, _, aims, hits, values, _ = bounds
    for there in range(4 * world.facts[SQUARES]):
        aimed = world.rays[there >> 2, there & 3] & lairs
        steps = world.walk[number, stance, there] + 1
        if visited >> (there >> 2) & 1 == 0 or aimed == 0 or not in_time(world, clock, steps):
            continue
        k = 0
        while k < tried and aims[k] != aimed:
            k += 1
        if k == tried:
            tried += 1
            aims[k], hits[k], values[k] = aimed, caves(world, visited, row, aimed, held) / total, 0.0
            if not held:
                key = pack(visited, breezes, aimed, KILLED, 0, 0, 0)
                values[k] = hits[k] * relaxed_value(world, bounds, key)
                if lairs & ~aimed:
                    key = pack(visited, breezes, lairs & ~aimed, MISSED, 0, 0, 0)
                    values[k] += (1 - hits[k]) * relaxed_value(world, bounds, key)
        then = clock_after(world, clock, steps)
        at_best = values[k] + ARROW_COST - steps + (0 if held else paid(world, visited, there, then))
        if at_best > stack.best[stack.depth[0]]:
            shoot(world, bounds, stack, there, steps, aimed, hits[k])


@routine
def shoot(world, bounds, stack, stance, steps, aimed, hit):
    """Add the choice to shoot; the arrow passes the lairs ``aimed``, and hits with probability ``hit``."""
    visited, breezes, lairs, _, held, _, clock = unpack(stack.keys[stack.depth[0]])
    then, missed = clock_after(world, clock, steps), lairs & ~aimed
    upper, outcomes = ARROW_COST - steps, 0
    for arrow in (KILLED, MISSED):
        left, chance = (aimed, hit) if arrow == KILLED else (missed, 1 - hit)
        if left:
            key = pack(visited, breezes, left, arrow, held, stance, then)
            if held:
                share, outcomes = carry(world, stack, outcomes, chance, key, world.region[visited], stance, then)
                upper += share
            else:
                hope = bound(world, bounds, visited, breezes, left, arrow, stance, then)
                upper += add_outcome(stack, outcomes, chance, key, hope)
                outcomes += 1
    add_choice(stack, SHOOT_MOVE + stance, outcomes, upper)


search_exact = make_search(expand_exact)
