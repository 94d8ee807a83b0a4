"""The bound that UCT goes by: P. Auer et al., "Finite-time analysis of the multiarmed bandit problem", 2002."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import math

from gridpuzzles_gym.engine.compilation import rule


@rule
def exploration_bonus(exploration, visits):
    """How far above its mean an action that was tried once is put, where so many simulations passed."""
    return exploration * math.sqrt(math.log(max(visits, 1)))


@rule
def upper_bound(mean, far, visits):
    """The bound of an action tried so often: its mean, and the less above it the more often."""
    return mean + far / math.sqrt(visits)
