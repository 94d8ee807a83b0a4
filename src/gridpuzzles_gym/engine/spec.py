"""Specs in JSON: the arguments of an environment, for programs that save them and make the environment again.

Gymnasium keeps the arguments of `gym.make` in ``env.spec``. Here a path becomes its text, and a NumPy value Python's.
"""

import dataclasses
import os
from typing import Any

import numpy as np
from gymnasium.envs.registration import EnvSpec

from .puzzle import Puzzle


class HasSpec:
    """An environment whose spec can be written as JSON, unless it was made with a sampler or the like."""

    _spec: EnvSpec | None = None

    @property
    def spec(self) -> EnvSpec | None:
        """What the environment was made with."""
        return self._spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        if spec is not None:
            spec = dataclasses.replace(spec, kwargs={name: _portable(value) for name, value in spec.kwargs.items()})
        self._spec = spec


def _portable(value: Any) -> Any:
    """Return a value as JSON can have it; any other value itself."""
    if isinstance(value, Puzzle):
        return value.module
    if isinstance(value, os.PathLike):
        return os.path.abspath(value)
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic | float | int)):
        return np.dtype(value).name
    return [_portable(item) for item in value] if isinstance(value, list | tuple) else value
