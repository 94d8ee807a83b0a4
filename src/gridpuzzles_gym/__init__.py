"""Five classic AI puzzles as one Gymnasium suite: Wumpus World, Cat and Mouse, Bait, sliding tiles, Sokoban.

Importing this package registers the environments, with and without a namespace: ``gymnasium.make("Wumpus-v0")`` and
``gymnasium.make("gridpuzzles/Wumpus-v0")``; ``gymnasium.make("gridpuzzles_gym:Wumpus-v0")`` imports it first.

- ``ENVIRONMENTS``: the rows of these environments; ``register`` and ``Environment``: for a puzzle of your own.
- ``make_agent(name, env)``: a search agent, a puzzle's own agent, or ``"random"``.
- ``Game.of(env_id, …)``: an environment with settings and levels, as agents are compared and levels solved on it.
- ``solve(game, …)``: solutions of its levels by searches, as ``gridpuzzles solve`` finds them.
- ``Outcome(info["outcome"])``: how an episode has ended.
- ``load_agent(model, env)``: the same, or a trained model, or a model of Stable-Baselines3.
- ``PuzzleVecEnv(env_id, num_envs)``: the environments as a ``VecEnv`` of Stable-Baselines3; needs the extra ``train``.
- ``gridpuzzles_gym.puzzles.<name>``: the rules and the documentation of each puzzle.
- ``gridpuzzles_gym.agents``: searches, samplers, generators, training and evaluation.
- ``gridpuzzles_gym.engine``: the environment classes, levels, and the interface that puzzles implement.
- ``gridpuzzles_gym.text``: conversations and tasks for language models.
- ``gridpuzzles_gym.notebook``: films in notebooks.
- ``gridpuzzles --help``: the command line, also as ``python -m gridpuzzles_gym``.

The public interface is ``PuzzleVecEnv`` and what ``__all__`` lists, here and in every package that is listed (those of
the puzzles and of their agents always are); of a listed module, its own ``__all__`` or all names without a leading
underscore. It changes incompatibly only in a release that raises the major version (before 1.0, the minor version), and
the changelog says how; everything else is private, and may change in any release.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._version import __version__
from .registration import ENVIRONMENTS, Environment, register, register_all

if TYPE_CHECKING:
    from gridpuzzles_gym.agents.game import Game
    from gridpuzzles_gym.agents.registry import load_agent, make_agent
    from gridpuzzles_gym.agents.training.imitation import TeacherCallback as TeacherCallback
    from gridpuzzles_gym.agents.training.imitation import pretrain as pretrain
    from gridpuzzles_gym.agents.training.sb3_vec_env import PuzzleVecEnv as PuzzleVecEnv

    from .engine.puzzle import Outcome
    from .play.solving import solve

__all__ = [
    "ENVIRONMENTS",
    "Environment",
    "Game",
    "Outcome",
    "__version__",
    "agents",
    "engine",
    "load_agent",
    "make_agent",
    "notebook",
    "puzzles",
    "register",
    "solve",
    "text",
]
_LAZY = {
    "Game": "agents.game",
    "Outcome": "engine.puzzle",
    "PuzzleVecEnv": "agents.training.sb3_vec_env",
    "TeacherCallback": "agents.training.imitation",
    "load_agent": "agents.registry",
    "make_agent": "agents.registry",
    "pretrain": "agents.training.imitation",
    "solve": "play.solving",
}
"""The modules of the names that are imported at their first use."""

register_all()


def __getattr__(name: str) -> Any:
    """Import a name, or a public module, at its first use."""
    if name in _LAZY:
        return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
