"""The exact value of a knowledge state, given the agent's square.

Between two new percepts nothing is learned, so the agent chooses between whole walks: to enter a new square
with a certain facing, to shoot from a visited square with a certain facing, or to stop. Stopping is idling until
the step limit, or going home and climbing out; with the gold in hand it is going home. Without a climb action
idling costs the remaining steps, so the clock is part of the key and the limit is exact. With one, only
future steps count; :mod:`.optimum.policy` checks whether an optimal policy ever reaches the limit.

Values count from now on. On glitter there is no choice: the agent grabs at once, since nothing that
it could do before is lost by grabbing first.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

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
from .relaxed import relaxed_value
from .solver import add_choice, add_outcome, make_search
from .world import CLIMB, LIMIT, SQUARES, entrance

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
