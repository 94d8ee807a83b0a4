"""Settings tuned on one environment each: what ``gridpuzzles train`` uses where nothing else is said.

A preset overrides the defaults of :class:`~gridpuzzles_gym.agents.training.settings.Settings`, and whatever
the user gives overrides the preset. Its environment settings hold in training only: `compare` and `watch` play
a model on the environment as it is registered.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

from ..level_sources.sampler_choice import read_choice
from .settings import Settings


@dataclasses.dataclass(frozen=True)
class Preset:
    """What differs from the defaults for one environment."""

    learner: Mapping[str, Any]
    """Fields of `Settings`."""
    environment: Mapping[str, Any]
    """Keyword arguments of the environment in training, JSON-able: a curriculum, a shorter step limit."""
    unless: tuple[str, ...] = ("levels",)
    """Keyword arguments that bring starts of their own: where one is given, none of `environment` is used."""

    def __str__(self) -> str:
        """As the command line takes them: ``--hyper gamma=0.97 --set scramble=[1,60]``."""
        pairs = [f"--hyper {name}={value}" for name, value in self.learner.items()]
        pairs += [f"--set {name}={value}" for name, value in self.environment.items()]
        return " ".join(pair.replace(", ", ",") for pair in pairs)


PRESETS: Mapping[str, Preset] = {
    # No board is more than 31 moves from the goal, uniform starts lie 22 away on average. Scrambles of every length
    # show the goal from the first update on, and a step limit of 60 wastes less on the lost. Masks leave out moves
    # into a wall. Less entropy than on Wumpus-v0: nothing kills here, and each needless move is a detour.
    "EightPuzzle-v0": Preset(
        learner={
            "algorithm": "maskable-ppo",
            "total_steps": 12_000_000,
            "minutes": 10.5,
            "n_steps": 32,
            "batch_size": 2048,
            "learning_rate": 1e-3,
            "final_learning_rate": 5e-5,
            "entropy": 0.01,
            "final_entropy": 5e-4,
            "gamma": 0.97,
        },
        environment={"scramble": [1, 100], "max_episode_steps": 60},
    ),
    # By its first start alone it would learn to hide: hardly any random walk comes past the cat. From everywhere in the
    # maze, the way home is learned from its end; who hides wastes 60 steps, not 200. Nearly all of the planes never
    # changes, so they are centred. The discount leaves it worth while to wait for the cat to go away. No masks: walking
    # into a wall is the way to wait.
    "CatMouse-v0": Preset(
        learner={
            "total_steps": 12_000_000,
            "num_envs": 128,
            "batch_size": 1024,
            "n_epochs": 4,
            "learning_rate": 1e-3,
            "final_learning_rate": 3e-5,
            "entropy": 0.05,
            "final_entropy": 3e-4,
            "gamma": 0.995,
            "hidden": 128,
            "centred": True,
            "threads": 1,
        },
        environment={"levels": "anywhere", "max_episode_steps": 60},
        unless=("levels", "maze"),
    ),
    # GVGAI's score pays for the first hole that is filled, long before a goal is met by luck. Nothing is taken for
    # death or for steps; the discount makes haste worth while. A small network, for boards of a hundred squares.
    "Bait-v0": Preset(
        learner={
            "algorithm": "maskable-ppo",
            "total_steps": 1_500_000,
            "num_envs": 256,
            "n_steps": 32,
            "batch_size": 2048,
            "n_epochs": 2,
            "entropy": 0.03,
            "final_entropy": 1e-3,
            "gamma": 0.97,
            "reward_scale": 0.4,
            "hidden": 128,
            "threads": 1,
        },
        environment={"reward": "gvgai", "max_episode_steps": 100},
    ),
    # Boards of 7×7 are what PPO learns in minutes. None of them needs more than 40 steps, and most of what comes after
    # a mistake is lost time; larger levels want a higher limit. Turning makes eight levels of one, for the sake of
    # those never seen; and with the player in the middle it learns many times faster than from boards as they lie. The
    # rewards, and so their scale, stay where other levels are given.
    "Sokoban-v0": Preset(
        learner={
            "algorithm": "maskable-ppo",
            "total_steps": 12_000_000,
            "minutes": 19.5,
            "num_envs": 256,
            "n_steps": 32,
            "batch_size": 1024,
            "n_epochs": 4,
            "learning_rate": 1e-3,
            "entropy": 0.01,
            "final_entropy": 1e-3,
            "gamma": 0.97,
            "reward_scale": 0.2,
            "turned": True,
            "network": "egocentric",
            "threads": 1,
        },
        environment={"levels": "starter", "reward": "boxoban", "max_episode_steps": 40},
        unless=(),
    ),
}
"""Environment id to preset; ids that are not here train with the defaults."""


def preset_settings(env_id: str, env_kwargs: Mapping[str, Any], chosen: Mapping[str, Any]) -> Settings:
    """The settings of a new run: the defaults, over them the preset of ``env_id``, over it what was chosen.

    Args:
        env_id: A registered id, with or without ``module:`` before it.
        env_kwargs: Keyword arguments of the environment that were given; a preset's are overridden one by one.
            Where one of :attr:`Preset.unless` is given, none of its environment settings are used.
        chosen: Fields of the settings that were given.

    Raises:
        ValueError: A value is not allowed.
    """
    preset = PRESETS.get(env_id.rpartition(":")[2], Preset({}, {}))
    own_starts = any(env_kwargs.get(name) is not None for name in preset.unless)
    environment = {} if own_starts else dict(preset.environment)
    if read_choice(chosen.get("sampler", Settings.sampler)).name == "on-the-fly":
        environment.pop("levels", None)  # it makes its own
    return Settings(env_id=env_id, env_kwargs=environment | dict(env_kwargs), **(dict(preset.learner) | dict(chosen)))
