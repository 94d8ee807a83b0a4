"""The environments of the suite: one table with a row for each id."""

import dataclasses
import importlib
from typing import TYPE_CHECKING, Any, NamedTuple

import gymnasium as gym
from gymnasium.envs.registration import EnvSpec

if TYPE_CHECKING:
    from .engine.puzzle import Puzzle


class Environment(NamedTuple):
    """One registered environment."""

    id: str
    puzzle: str
    """The dotted name of the module that holds its ``PUZZLE``."""
    max_episode_steps: int
    kwargs: dict[str, Any]
    """Keyword arguments whose defaults differ from the puzzle's own."""
    aliases: tuple[str, ...] = ()
    """Further names accepted at the command line; the id is accepted with and without its version."""


ENVIRONMENTS = (
    # id, module, maximum number of steps, keyword arguments, aliases
    Environment("Wumpus-v0", "gridpuzzles_gym.puzzles.wumpus", 100, {}),
    Environment("CatMouse-v0", "gridpuzzles_gym.puzzles.cat_mouse", 200, {}),
    Environment(
        "EightPuzzle-v0", "gridpuzzles_gym.puzzles.n_puzzle", 200, {"width": 3, "height": 3}, ("8-puzzle", "tiles")
    ),
    Environment("FifteenPuzzle-v0", "gridpuzzles_gym.puzzles.n_puzzle", 500, {"width": 4, "height": 4}, ("15-puzzle",)),
    Environment("Bait-v0", "gridpuzzles_gym.puzzles.bait", 2000, {}),
    Environment("Sokoban-v0", "gridpuzzles_gym.puzzles.sokoban", 120, {}),
)


NAMESPACE = "gridpuzzles"
"""The ids of the suite in this namespace are never another package's: ``gridpuzzles/Sokoban-v0``."""
_ENTRY_POINT = "gridpuzzles_gym.engine.env:PuzzleEnv"
_TEXT_ENTRY_POINT = "gridpuzzles_gym.text.text_env:TextEnv"


def register(environment: Environment) -> None:
    """Register one environment with Gymnasium; a user's own puzzle is registered the same way."""
    gym.register(
        id=environment.id,
        entry_point=_ENTRY_POINT,
        vector_entry_point="gridpuzzles_gym.engine.vector:PuzzleVectorEnv",
        max_episode_steps=environment.max_episode_steps,
        kwargs={"puzzle": environment.puzzle, **environment.kwargs},
    )


def register_text(env_id: str) -> None:
    """Register the environment of texts of a registered one: of Sokoban-v0, ``gridpuzzles/SokobanText-v0``."""
    name, _, version = bare_id(env_id).rpartition("-")
    text_id = f"{NAMESPACE}/{name}Text-{version}"
    gym.registry.pop(text_id, None)
    gym.register(id=text_id, entry_point=_TEXT_ENTRY_POINT, kwargs={"env_id": env_id})


def spec_of(env_id: str) -> EnvSpec:
    """Return what is registered for an id; with ``module:`` before it, that module is imported first.

    Raises:
        gymnasium.error.Error: It is not registered.
        ImportError: There is no such module.
    """
    module, _, name = env_id.rpartition(":")
    if module:
        importlib.import_module(module)
    return gym.spec(name)


def puzzle_of_id(env_id: str) -> "Puzzle":
    """Return the puzzle of an environment's id, as for :func:`spec_of`.

    Raises:
        gymnasium.error.Error: It is not registered.
        ImportError: There is no such module.
        ValueError: It is not an environment of this suite.
    """
    from .engine.puzzle import load_puzzle

    return load_puzzle(environment_of(env_id).puzzle)


def environment_of(env_id: str) -> Environment:
    """Return the row of a registered id of this suite or of another package, as for :func:`puzzle_of_id`."""
    spec = spec_of(env_id)
    if "puzzle" not in spec.kwargs:
        raise ValueError(f"{env_id} is not an environment of this suite")
    return Environment(spec.id, spec.kwargs["puzzle"], spec.max_episode_steps or 0, {})


def find_spec(env_id: str) -> EnvSpec | None:
    """Return what is registered for an id, that of the suite first; None if there is nothing."""
    return gym.registry.get(f"{NAMESPACE}/{bare_id(env_id)}") or gym.registry.get(bare_id(env_id))


def bare_id(env_id: str) -> str:
    """Return an id without ``module:`` and without the suite's namespace."""
    return env_id.rpartition(":")[2].removeprefix(f"{NAMESPACE}/")


def register_all() -> None:
    """Register all environments, each also in the namespace, and as text; called when the package is imported.

    An id that another package has registered before stays that package's, with a warning.
    """
    for environment in ENVIRONMENTS:
        taken = gym.registry.pop(environment.id, None)
        register(environment)
        own, full_id = gym.registry[environment.id], f"{NAMESPACE}/{environment.id}"
        gym.registry[full_id] = own
        if taken is not None and taken.entry_point != own.entry_point:
            gym.registry[environment.id], gym.registry[full_id] = taken, dataclasses.replace(own, id=full_id)
            gym.logger.warn(
                f"the id {environment.id} is another package's, {taken.entry_point}; "
                f"that of gridpuzzles_gym is {full_id}"
            )
        register_text(full_id)
