"""The two usual observations of a board: planes of 0 and 1, or one number per square."""

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np

from ..puzzle import Extent, Observation


def planes(
    channels: tuple[str, ...] | Callable[[Extent], tuple[str, ...]],
    observe: Callable[..., Any],
    refresh: Callable[..., Any] | None = None,
    decode: Callable[..., Any] | None = None,
    *,
    flags: int = 0,
    size: tuple[int, int] | None = None,
) -> Observation:
    """Return an observation uint8[C, H, W] of 0 and 1.

    Args:
        channels: The name of each plane, or a function of the extent that returns them.
        observe: Writes the whole observation; see :class:`~gridpuzzles_gym.engine.puzzle.Observation`.
        refresh: Writes what one step changed.
        decode: Returns the rows that an observation shows.
        flags: The number of planes, the last ones, that are the same on all squares.
        size: The (H, W) of the planes, if it differs from the board's.
    """

    def names(extent: Extent) -> tuple[str, ...]:
        return channels(extent) if callable(channels) else channels

    def space(extent: Extent) -> gym.spaces.Box:
        return gym.spaces.Box(0, 1, (len(names(extent)), *(size or extent[:2])), np.uint8)

    return Observation(names, space, observe, refresh, decode, flags)


def symbols(
    count: int | Callable[[Extent], int],
    observe: Callable[..., Any],
    refresh: Callable[..., Any] | None = None,
    decode: Callable[..., Any] | None = None,
    *,
    channel: str = "symbol",
) -> Observation:
    """Return an observation uint8[1, H, W]: one number per square.

    Args:
        count: The number of symbols, or a function of the extent that returns it.
        observe: Writes the whole observation; see :class:`~gridpuzzles_gym.engine.puzzle.Observation`.
        refresh: Writes what one step changed.
        decode: Returns the rows that an observation shows.
        channel: The name of the only channel.
    """

    def space(extent: Extent) -> gym.spaces.Box:
        return gym.spaces.Box(0, (count(extent) if callable(count) else count) - 1, (1, *extent[:2]), np.uint8)

    return Observation(lambda extent: (channel,), space, observe, refresh, decode)
