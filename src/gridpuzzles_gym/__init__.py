"""Five classic AI puzzles as one Gymnasium suite: Wumpus World, Cat and Mouse, Bait, sliding tiles, Sokoban.

Importing this package registers the environments, with and without a namespace: ``gymnasium.make("Wumpus-v0")`` and
``gymnasium.make("gridpuzzles/Wumpus-v0")``; ``gymnasium.make("gridpuzzles_gym:Wumpus-v0")`` imports it first.

- ``ENVIRONMENTS``: the rows of these environments; ``register`` and ``Environment``: for a puzzle of your own.
- ``make_agent(name, env)``: a search agent, a puzzle's own agent, or ``"random"``.
- ``load_agent(model, env)``: the same, or a trained model, or a model of Stable-Baselines3.
- ``gridpuzzles_gym.puzzles.<name>``: the rules and the documentation of each puzzle.
- ``gridpuzzles_gym.agents``: searches, samplers, generators, training and evaluation.
- ``gridpuzzles --help``: the command line, also as ``python -m gridpuzzles_gym``.
"""

from typing import TYPE_CHECKING, Any

from ._version import __version__
from .registration import ENVIRONMENTS, Environment, register, register_all

if TYPE_CHECKING:
    from gridpuzzles_gym.agents.registry import load_agent, make_agent

__all__ = ["ENVIRONMENTS", "Environment", "__version__", "load_agent", "make_agent", "register"]

register_all()


def __getattr__(name: str) -> Any:
    """Import the functions that make agents at their first use."""
    if name in ("load_agent", "make_agent"):
        from gridpuzzles_gym.agents import registry

        return getattr(registry, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
