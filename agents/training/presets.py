"""The settings of a new run: the defaults, the environment's preset, and the user's choices.

A preset (in the record of each puzzle's agents) overrides the defaults of
:class:`~gridpuzzles_gym.agents.training.settings.Settings`, and the user's choices override the preset. Its
environment settings apply to training only: `compare` and `watch` play a model on the registered environment.
"""

from collections.abc import Mapping
from typing import Any

from gridpuzzles_gym.engine.puzzle import load_puzzle
from gridpuzzles_gym.registration import bare_id, spec_of

from ..level_sources.sampler_choice import read_choice
from ..puzzle_agents import Preset, agents_record
from .settings import Settings


def preset_of(env_id: str) -> Preset | None:
    """Return the preset of an environment; None if there is none, so that the defaults apply.

    Args:
        env_id: A registered id, with or without ``module:`` before it.
    """
    spec = spec_of(env_id)
    return agents_record(load_puzzle(spec.kwargs["puzzle"])).presets.get(bare_id(spec.id))


def preset_settings(env_id: str, env_kwargs: Mapping[str, Any], chosen: Mapping[str, Any]) -> Settings:
    """Return the settings of a new run: the defaults, overridden by the preset of ``env_id``, overridden by ``chosen``.

    Args:
        env_id: A registered id, with or without ``module:`` before it.
        env_kwargs: Keyword arguments of the environment that were given; they override the preset's one by one.
            If one of :attr:`Preset.unless` is given, none of the preset's environment settings are used.
        chosen: Fields of the settings that were given.

    Raises:
        ValueError: A value is invalid.
    """
    preset = preset_of(env_id) or Preset({}, {})
    own_starts = any(env_kwargs.get(name) is not None for name in preset.unless)
    environment = {} if own_starts else dict(preset.environment)
    if read_choice(chosen.get("sampler", Settings.sampler)).name == "on-the-fly":
        environment.pop("levels", None)  # the sampler makes its own
    learner = dict(preset.learner) | (dict(preset.taught) if chosen.get("teacher") else {}) | dict(chosen)
    return Settings(env_id=env_id, env_kwargs=environment | dict(env_kwargs), **learner)
