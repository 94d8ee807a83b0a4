"""The compiled loop of the generator: the tree search of :mod:`.score_mcts` over the game of building."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from collections.abc import Callable
from typing import Any

from gridpuzzles_gym.engine.compile.compilation import routine

from ...search.monte_carlo.score_mcts import Game, make_simulate
from . import building
from .evaluating import evaluate
from .rolling import roll_out


@routine
def score(spec, state, weights, scratch):
    """Return a score, and whether it is final: if there are no weights, Python is asked for it.

    With weights, it is the original program's evaluation; without a valid level, 0.
    """
    if not building.valid(spec, state):
        return 0.0, True
    if weights.shape[0] == 0:
        return 0.0, False
    return evaluate(spec, state, weights, scratch[0]), True


def make_generate_loop() -> Callable[..., Any]:
    """``simulate(spec, root, state, rng, weights, tree, control, scratch, score, asked)``, compiled."""
    game = Game(building.actions, building.legal, building.play, building.finished, roll_out, score)
    return make_simulate(game, "sokoban-generator")
