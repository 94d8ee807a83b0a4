"""How local search and Monte-Carlo tree search choose the next action."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import math

from gridpuzzles_gym.engine.compile.compilation import rule
from gridpuzzles_gym.engine.random import below, next_bits

from . import loops
from .heuristic import DEAD_END

# control. LEVEL: consecutive steps that left the estimate unchanged; LEVEL_MOST: their maximum.
LEVEL, LEVEL_MOST = loops.OWN, loops.OWN + 1
# numbers float64[4], the annealing schedule.
TEMPERATURE, HOTTEST, COLDEST, COOLING = range(4)

# Returned if there is no step to take: no action is possible, or the sampled one is rejected.
NOWHERE, NOT_NOW = -1, -2
# The score of a successor that must not be entered.
BARRED = DEAD_END
_ADVANTAGE = 1 << 20
"""The maximum weight of an advantage: the sum of the weights has to fit into 31 bits."""
_2_TO_32 = 4294967296.0


@rule
def choose_least(scores, rng):
    """Return the action with the lowest score, ties broken at random; NOWHERE if all are barred."""
    least, ties, chosen = BARRED, 0, NOWHERE
    for action in range(scores.shape[0]):
        if scores[action] < least:
            least, ties, chosen = scores[action], 1, action
        elif scores[action] == least and least < BARRED:
            ties += 1
            if below(rng, ties) == 0:
                chosen = action
    return chosen


@rule
def choose_best(scores, here, control, rng):
    """Return the action with the lowest score, if it is below ``here``, or equal and LEVEL_MOST allows it."""
    chosen = choose_least(scores, rng)
    if chosen < 0 or scores[chosen] > here:
        return NOWHERE
    if scores[chosen] < here:
        control[LEVEL] = 0
        return chosen
    if control[LEVEL] == control[LEVEL_MOST]:
        return NOWHERE
    control[LEVEL] += 1
    return chosen


@rule
def choose_better(scores, here, control, rng):
    """Return a better action with a probability proportional to how much better it is; NOWHERE if none is."""
    total = 0
    for action in range(scores.shape[0]):
        if scores[action] < here:
            total += min(here - scores[action], _ADVANTAGE)
    if total == 0:
        return NOWHERE
    control[LEVEL] = 0
    luck = below(rng, total)
    for action in range(scores.shape[0]):
        if scores[action] < here:
            luck -= min(here - scores[action], _ADVANTAGE)
            if luck < 0:
                return action
    return NOWHERE


@rule
def count_open(scores):
    """Return the number of actions that are not barred."""
    count = 0
    for action in range(scores.shape[0]):
        count += scores[action] < BARRED
    return count


@rule
def choose_any(scores, rng):
    """Return a uniformly random action that is not barred; NOWHERE if all are."""
    count = count_open(scores)
    if count == 0:
        return NOWHERE
    luck = below(rng, count)
    chosen = NOWHERE
    while luck >= 0:
        chosen += 1
        luck -= scores[chosen] < BARRED
    return chosen


@rule
def accept(action, rise, numbers, rng):
    """Return a random action, or NOT_NOW; a rise is accepted with probability exp(-rise / temperature). Cool down."""
    if rise > 0 and next_bits(rng) >= math.exp(-rise / numbers[TEMPERATURE]) * _2_TO_32:
        action = NOT_NOW
    numbers[TEMPERATURE] *= numbers[COOLING]
    return action


@rule
def exploration_bonus(exploration, visits):
    """Return the exploration bonus of an action tried once, after ``visits`` simulations."""
    return exploration * math.sqrt(math.log(max(visits, 1)))


@rule
def upper_bound(mean, far, visits):
    """Return the upper confidence bound of an action: its mean plus a bonus that decreases with its visits."""
    return mean + far / math.sqrt(visits)
