"""Checks of what a search is told, with one clear message each."""

from typing import Any

from gridpuzzles_gym.engine.arguments import integer, number


def whole(name: str, value: Any, least: int, most: int = 10**9) -> int:
    """An integer from ``least`` to ``most``.

    Raises:
        ValueError: It is none.
    """
    return integer(name, value, least, most)


real = number
