"""The UCB1 bound used by UCT: P. Auer et al., "Finite-time analysis of the multiarmed bandit problem", 2002."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import math

from gridpuzzles_gym.engine.compile.compilation import rule


@rule
def exploration_bonus(exploration, visits):
    """Return the exploration bonus of an action tried once, after ``visits`` simulations."""
    return exploration * math.sqrt(math.log(max(visits, 1)))


@rule
def upper_bound(mean, far, visits):
    """Return the upper confidence bound of an action: its mean plus a bonus that decreases with its visits."""
    return mean + far / math.sqrt(visits)
