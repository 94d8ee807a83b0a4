"""JSON from files, other processes and the network: reading any text gives a value or an error of one line."""

import json
from typing import Any

from ..messages import one_line

DEEPEST = 100
"""The maximum nesting of objects and lists. Python's parser and what handles its values fail at some thousand."""


class NestingError(ValueError):
    """A JSON text is nested too deeply."""


def read_json(text: str | bytes, source: str = "it", **options: Any) -> Any:
    """Return the value of a JSON text.

    Args:
        text: The text, or its bytes in UTF-8.
        source: What it is, for the message.
        **options: Those of ``json.loads``.

    Raises:
        ValueError: It is not JSON.
        NestingError: It is nested too deeply.
    """
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8").removeprefix("\ufeff")
        value = json.loads(text, **options)
        if text.count("[") + text.count("{") > DEEPEST and _is_deep(value):
            raise RecursionError
        return value
    except RecursionError:
        raise NestingError(f"{source} is nested too deeply: over {DEEPEST} objects or lists in each other") from None
    except ValueError as error:
        raise ValueError(f"{source} is not valid JSON ({one_line(error)})") from None


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [
            each
            for outer in level
            if isinstance(outer, dict | list)
            for each in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return bool(level)
