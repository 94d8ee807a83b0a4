"""A game: an environment with the settings and levels that a person chose, resolved once and handed down."""

import dataclasses
import functools
from collections.abc import Mapping
from typing import Any

import gymnasium as gym
from gymnasium.envs.registration import EnvSpec

from gridpuzzles_gym.engine.arguments import step_limit
from gridpuzzles_gym.engine.env import PuzzleEnv
from gridpuzzles_gym.engine.levels.sources import Sampler, level_source
from gridpuzzles_gym.engine.messages import did_you_mean, one_line, quote, shorten
from gridpuzzles_gym.engine.pictures.pixels import observations_of
from gridpuzzles_gym.engine.puzzle import Level, Puzzle, load_puzzle
from gridpuzzles_gym.engine.vector import PuzzleVectorEnv
from gridpuzzles_gym.registration import bare_id, spec_of

from .level_selection import LevelSelection, level_setting, select_levels
from .puzzle_agents import PuzzleAgents, agents_record

COMMON = ("levels", "strict", "observation", "tile", "max_episode_steps", "flat", "dtype")
"""Settings that every puzzle has, in addition to its own options."""


@dataclasses.dataclass(frozen=True)
class Game:
    """An environment's registration, its puzzle, and how it is played; made by :meth:`of`."""

    id: str
    """The id as `gym.make` takes it, with its ``module:`` if it has one."""
    spec: EnvSpec
    puzzle: Puzzle
    settings: Mapping[str, Any]
    """Keyword arguments of the environment that were given, ``levels`` among them."""
    choice: Any = None
    """The levels as they were named: a file, folder, bundled pack, title, text or list; None: the environment's own."""

    @classmethod
    def of(cls, env_id: str, **settings: Any) -> "Game":
        """Return the game of an id.

        Args:
            env_id: A registered id of this suite or of another package's puzzle; ``module:id`` imports ``module``.
            **settings: Keyword arguments of the environment. ``levels`` may also be the title of a bundled level, or
                ``NAME:3`` for the third level of a file or pack; see :func:`~.level_selection.select_levels`.

        Raises:
            ValueError: The id or its module is unknown or is not a puzzle's, a setting is unknown or has an invalid
                value, or there is no such level.
        """
        try:
            spec = spec_of(env_id)
        except (gym.error.Error, ModuleNotFoundError) as error:
            raise ValueError(f"unknown environment {quote(env_id)}: {shorten(one_line(error), 100)}") from None
        if "puzzle" not in spec.kwargs:
            raise ValueError(f"{env_id} is not an environment of this suite")
        game = cls(env_id, spec, load_puzzle(spec.kwargs["puzzle"]), settings, settings.get("levels"))
        game._check()
        if game.choice is None:
            return game
        source = level_setting(game.puzzle, game.choice, game.options)
        return dataclasses.replace(game, settings={**settings, "levels": source})

    def _check(self) -> None:
        """Check that the settings are options of the puzzle or in :data:`COMMON`, and that their values are valid.

        Raises:
            ValueError: A setting is unknown or has an invalid value.
        """
        puzzle, known = self.puzzle, [*self._own_names, *COMMON]
        for name in self.settings:
            if name not in known:
                raise ValueError(f"{puzzle.title} has no setting {quote(name)}; {did_you_mean(name, known)}")
        puzzle.read_options(**self._own(self.settings))
        observation, allowed = self.settings.get("observation"), observations_of(puzzle)
        if observation is not None and observation not in allowed:
            names = ", ".join(map(repr, allowed))
            raise ValueError(f"observation={quote(observation)} is invalid; {puzzle.title} has {names}")
        step_limit(self.settings.get("max_episode_steps"))

    def with_settings(self, **settings: Any) -> "Game":
        """Return the game with some other settings.

        Raises:
            ValueError: A setting is unknown or has an invalid value.
        """
        own = {name: value for name, value in self.settings.items() if name != "levels"}
        levels = {} if self.choice is None else {"levels": self.choice}
        return Game.of(self.id, **{**own, **levels, **settings})

    def with_levels(self) -> "Game":
        """Return the game with its puzzle's default pack, if it has no levels and the puzzle generates none."""
        if self.choice is None and self.puzzle.generation_with(self.options) is None:
            return self.with_settings(levels=self.puzzle.default_levels)
        return self

    @property
    def name(self) -> str:
        """The id without ``module:`` and without a namespace, by which presets and bundled models are found."""
        return bare_id(self.id)

    @property
    def agents(self) -> PuzzleAgents:
        """The record of the puzzle's agents."""
        return agents_record(self.puzzle)

    @functools.cached_property
    def options(self) -> Any:
        """The puzzle's options, with those of the registration and all defaults filled in."""
        return self.puzzle.read_options(**self.own_settings)

    @property
    def own_settings(self) -> dict[str, Any]:
        """The settings that are options of the puzzle, with those of the registration."""
        return self._own({**self.spec.kwargs, **self.settings})

    @property
    def source(self) -> Any:
        """The levels as ``levels=`` takes them; None: the environment's own."""
        return self.settings.get("levels")

    @property
    def strict(self) -> bool:
        """Whether an invalid level is an error even among valid ones."""
        return bool(self.settings.get("strict", False))

    @property
    def limit(self) -> int | None:
        """The step limit of an episode; None: there is none."""
        return step_limit(self.settings.get("max_episode_steps", self.spec.max_episode_steps))

    @property
    def levels(self) -> list[Level]:
        """The levels that were given, to be played in order; empty if the environment makes or samples its own."""
        return self._selection.levels

    @property
    def left_out(self) -> str:
        """What was left out of them because it is invalid, in one line; empty if nothing was."""
        return self._selection.left_out

    @functools.cached_property
    def _selection(self) -> LevelSelection:
        if self.choice is None or isinstance(self.choice, Mapping | Sampler):
            return LevelSelection([])
        return select_levels(self.puzzle, self.choice, self.strict, self.options)

    def pack(self) -> list[Level]:
        """Return the levels of the environment's pack.

        Raises:
            ValueError: It generates its levels.
        """
        levels = level_source(self.puzzle, self.source, self.options, self.strict).levels
        if not levels:
            raise ValueError(f"{self.id} generates its levels; to play every level, give levels=")
        return list(levels)

    def make(self, **settings: Any) -> PuzzleEnv:
        """Return the environment without a wrapper, which counts no step limit.

        Args:
            **settings: Further keyword arguments of the environment.
        """
        kwargs = {**self.settings, "max_episode_steps": -1, **settings}
        env = gym.make(self.id, disable_env_checker=True, **kwargs).unwrapped
        assert isinstance(env, PuzzleEnv)
        return env

    def make_vec(self, num_envs: int, **settings: Any) -> PuzzleVectorEnv:
        """Return the native vector environment; arguments as for `gym.make_vec`."""
        env = gym.make_vec(self.id, num_envs=num_envs, **{**self.settings, **settings})
        assert isinstance(env, PuzzleVectorEnv)
        return env

    @property
    def _own_names(self) -> list[str]:
        return [field.name for field in dataclasses.fields(self.puzzle.options)]

    def _own(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings that are options of the puzzle."""
        return {name: settings[name] for name in self._own_names if name in settings}
