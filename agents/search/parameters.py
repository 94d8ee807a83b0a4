"""Checks of search parameters, with a clear error message for each."""

from typing import Any

from gridpuzzles_gym.engine.arguments import integer, number


def whole(name: str, value: Any, least: int, most: int = 10**9) -> int:
    """Check that a parameter is an integer from ``least`` to ``most``.

    Raises:
        ValueError: It is not.
    """
    return integer(name, value, least, most)


real = number
