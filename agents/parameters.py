"""A name with parameters in one text, as samplers, teachers and searches are given: ``"curriculum:up=0.7"``."""

import re
from typing import Any, NamedTuple

from gridpuzzles_gym.engine.messages import quote
from gridpuzzles_gym.engine.system.files import NestingError, read_json

_PYTHON = {"True": True, "False": False, "None": None}


class NameAndParameters(NamedTuple):
    """A name and its parameters."""

    name: str
    parameters: dict[str, Any]


def read_parameters(text: str, what: str) -> NameAndParameters:
    """Parse ``"name:parameter=value,…"``; values are JSON or plain text.

    Args:
        text: The text.
        what: The name of the setting in errors, such as ``"sampler"``.

    Raises:
        ValueError: A parameter has no name, no value, or is given twice.
    """
    name, _, rest = text.partition(":")
    parameters: dict[str, Any] = {}
    for pair in re.split(r",(?=\s*\w+\s*=)", rest) if rest else ():
        key, equals, value = (part.strip() for part in pair.partition("="))
        if not equals or not key.isidentifier() or not value:
            raise ValueError(f"{what}={quote(text)}: expected name=value after the colon, for example NAME:seed=1")
        if key in parameters:
            raise ValueError(f"{what}={quote(text)}: {key} is given twice")
        parameters[key] = read_value(value)
    return NameAndParameters(name, parameters)


def read_value(text: str) -> Any:
    """Parse a value: JSON, ``True``, ``False`` or ``None``, otherwise plain text; infinities and NaN are text too.

    Raises:
        ValueError: The JSON is nested too deeply.
    """
    if text in _PYTHON:
        return _PYTHON[text]
    try:
        return read_json(text, quote(text))
    except NestingError:
        raise
    except ValueError:
        return text
