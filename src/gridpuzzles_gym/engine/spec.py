"""Specs in JSON: the arguments of an environment, for programs that save them and make the environment again.

Gymnasium keeps the arguments of `gym.make` in ``env.spec``. Here a path becomes its text and a sampler a description::

    {"sampler": "package.module:Class", "arguments": {"levels": "first"}}

which environments take as ``levels=`` like the sampler itself.
"""

import dataclasses
import enum
import importlib
import inspect
import json
import os
import sys
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from gymnasium.envs.registration import EnvSpec

from .messages import quote
from .puzzle import Puzzle

_SAMPLER, _ARGUMENTS = "sampler", "arguments"
_SUITE = __name__.partition(".")[0]


class Describable:
    """Base of samplers that can be part of a spec: it stores the arguments they are made with."""

    _made_with: tuple[tuple[Any, ...], dict[str, Any]] = ((), {})

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Make the object and store the arguments."""
        made = super().__new__(cls)
        made._made_with = args, kwargs
        return made

    def describe(self) -> dict[str, Any]:
        """Return the class and the arguments, as JSON if these can be described in JSON."""
        args, kwargs = self._made_with
        signature = inspect.signature(type(self))
        bound = signature.bind(*args, **kwargs).arguments
        for name, parameter in signature.parameters.items():
            if parameter.kind is parameter.VAR_KEYWORD:
                bound |= bound.pop(name, {})
        arguments = {name: described(value) for name, value in bound.items()}
        return {_SAMPLER: _name_of(type(self)), _ARGUMENTS: arguments}


def _name_of(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


def _class_named(name: str) -> Any:
    """Return the class of that name; None if there is none, or it is of another package that is not imported yet.

    A spec may come from an untrusted file, which must not choose what this process imports.
    """
    module, _, kind = name.partition(":")
    if module not in sys.modules and not module.startswith(f"{_SUITE}."):
        return None
    try:
        return getattr(importlib.import_module(module), kind, None)
    except ImportError:
        return None


def described(value: Any) -> Any:
    """Return a description of a value in JSON; if there is none, the value itself."""
    if isinstance(value, Describable):
        return value.describe() if _class_named(_name_of(type(value))) is type(value) else value
    if isinstance(value, Puzzle):
        return value.module
    if isinstance(value, os.PathLike):
        return os.path.abspath(value)
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic | float | int)):
        return np.dtype(value).name
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, list | tuple):
        return [described(item) for item in value]
    return value


def restored(value: Any) -> Any:
    """Return a value in which descriptions by :func:`described` are samplers again.

    Raises:
        ValueError: A description is invalid, or it is not that of a sampler.
    """
    if isinstance(value, list | tuple):
        return [restored(item) for item in value]
    if not (isinstance(value, Mapping) and _SAMPLER in value):
        return value
    name, arguments = value[_SAMPLER], value.get(_ARGUMENTS, {})
    if not isinstance(name, str) or not isinstance(arguments, Mapping):
        raise ValueError(f"levels={quote(value)}: must have the form {{'sampler': 'MODULE:CLASS', 'arguments': {{…}}}}")
    found = _class_named(name)
    if not (isinstance(found, type) and issubclass(found, Describable)):
        raise ValueError(f"levels={quote(value)}: {quote(name)} is not the class of a sampler, or not imported")
    try:
        return found(**{name: restored(argument) for name, argument in arguments.items()})
    except TypeError as error:
        raise ValueError(f"levels={quote(value)}: {error}") from None


class HasSpec:
    """An environment whose spec can be written as JSON, unless it was made with arguments that JSON cannot describe."""

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
    found = described(value)
    try:
        json.dumps(found)
    except (TypeError, ValueError):
        return value
    return found
