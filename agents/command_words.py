"""Settings as they are typed at the command line, for the commands that models, datasets and reports name."""

import json
import shlex
from collections.abc import Mapping
from typing import Any

LEVELS = "levels"
"""The argument of environments that has an option of its own."""


def typed(value: Any) -> str:
    """Return a value as it is typed after an option or ``NAME=``: text as it is, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def option_words(env_kwargs: Mapping[str, Any], hyper: Mapping[str, Any] | None = None) -> list[str]:
    """Return the words of a command with these settings: ``["--levels", "starter", "--hyper", "gamma=0.97"]``.

    Args:
        env_kwargs: Keyword arguments of the environment. A level text of several lines becomes ``FILE``.
        hyper: Settings of the training.
    """
    levels = env_kwargs.get(LEVELS)
    text = isinstance(levels, str) and "\n" in levels
    words = [] if levels is None else ["--levels", "FILE" if text else typed(levels)]
    for name, value in env_kwargs.items():
        words += [] if name == LEVELS else ["--set", f"{name}={typed(value)}"]
    for name, value in (hyper or {}).items():
        words += ["--hyper", f"{name}={typed(value)}"]
    return words


def option_line(env_kwargs: Mapping[str, Any], hyper: Mapping[str, Any] | None = None) -> str:
    """Return :func:`option_words` as one line, quoted for a shell where that is needed."""
    return shlex.join(option_words(env_kwargs, hyper))
