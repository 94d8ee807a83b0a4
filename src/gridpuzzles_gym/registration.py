"""The environments of the suite: one table with a row for each id."""

from typing import Any, NamedTuple

import gymnasium as gym


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


def register(environment: Environment) -> None:
    """Register one environment with Gymnasium; a user's own puzzle is registered the same way."""
    gym.register(
        id=environment.id,
        entry_point="gridpuzzles_gym.engine.env:PuzzleEnv",
        vector_entry_point="gridpuzzles_gym.engine.vector:PuzzleVectorEnv",
        max_episode_steps=environment.max_episode_steps,
        kwargs={"puzzle": environment.puzzle, **environment.kwargs},
    )


def register_all() -> None:
    """Register all environments; called when the package is imported."""
    for environment in ENVIRONMENTS:
        if environment.id not in gym.registry:
            register(environment)
