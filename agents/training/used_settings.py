"""Which settings of a run have an effect, to be shown when it begins."""

import dataclasses
from typing import Any

from ..networks.table import parameters_of
from .phases import CLONE, DAGGER, PPO, read_phases
from .settings import Settings

_IMITATING = ("cloning_rate", "cloning_batch", "cloning_epochs", "kept_states")
_BY_REWARDS = ("batch_size", "n_epochs", "learning_rate", "clip_range", "entropy", "final_entropy", "pull")
_OF_NETWORKS = {"hidden": "width", "depth": "depth", "channels": "channels", "blocks": "blocks", "centred": "centred"}
"""The parameter of a network that each of these settings is."""


def used_settings(settings: Settings) -> dict[str, Any]:
    """Return the training settings that have an effect and are not the defaults, by name, without the environment's."""
    taught = settings.teacher is not None
    phases = [name for name, _ in read_phases(settings.phases, taught)]
    unused = {name for name, parameter in _OF_NETWORKS.items() if parameter not in parameters_of(settings.network)}
    unused |= set() if {CLONE, DAGGER} & set(phases) else set(_IMITATING)
    unused |= set() if PPO in phases else set(_BY_REWARDS)
    unused |= set() if taught else {"pull"}
    return {
        field.name: value
        for field in dataclasses.fields(settings)
        if field.name not in ("env_id", "env_kwargs", *unused)
        and (value := getattr(settings, field.name)) != field.default
    }
