"""Rotated and mirrored boards, for puzzles whose rules are the same in all directions."""

from typing import Any

import numpy as np
import numpy.typing as npt

_DIRECTIONS = ((-1, 0), (1, 0), (0, -1), (0, 1))
"""(row, column) of the actions up, down, left, right."""


class Orientations:
    """Shows each environment's boards in its own orientation, so that a learner sees each level in eight ways.

    Environment i uses orientation ``i % 8``, or ``i % 4`` if boards are not square: mirrored top to bottom (4), left to
    right (2), and along the main diagonal (1), in this order.

    Args:
        count: B, the number of environments.
        shape: The shape of an observation, [C, H, W].
        actions: A, the number of actions; those after up, down, left and right have no direction.
    """

    def __init__(self, count: int, shape: tuple[int, ...], actions: int = len(_DIRECTIONS)) -> None:
        _, height, width = shape
        numbers = range(8) if height == width else range(0, 8, 2)
        self._ways = [numbers[i % len(numbers)] for i in range(count)]
        self._groups = [(way, slice(first, None, len(numbers))) for first, way in enumerate(numbers)]
        rest = range(len(_DIRECTIONS), actions)
        table = np.array([[*_actions(way), *rest] for way in range(8)])
        self._played: npt.NDArray[np.int64] = table[self._ways]
        """[B, A]: the action on the board itself for each of the learner's."""
        self._shown: npt.NDArray[np.int64] = np.argsort(self._played, axis=1)
        """[B, A]: the learner's action for each on the board itself."""

    def seen(self, observations: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return observations [B, C, H, W] as the learner sees them."""
        seen = np.empty_like(observations)
        for way, group in self._groups:
            seen[group] = reorient(observations[group], way)
        return seen

    def seen_of(self, i: int, observation: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return one observation [C, H, W] of environment ``i`` as the learner sees it."""
        return reorient(observation, self._ways[i])

    def played(self, actions: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the actions on the boards themselves for the learner's actions [B]."""
        return np.take_along_axis(self._played, actions[:, None], axis=1)[:, 0]

    def shown(self, actions: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the learner's actions for actions on the boards themselves [B]."""
        return np.take_along_axis(self._shown, actions[:, None], axis=1)[:, 0]

    def per_action(self, table: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return a table [B, A] by action (masks, probabilities), reordered for the learner's actions."""
        return np.take_along_axis(table, self._played, axis=1)


class AsIs:
    """Boards as they are, with the methods of :class:`Orientations`."""

    def seen(self, observations: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return them as they are."""
        return observations

    def seen_of(self, i: int, observation: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return it as it is."""
        return observation

    def played(self, actions: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return them as they are."""
        return actions

    shown = played

    def per_action(self, table: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return it as it is."""
        return table


def reorient(planes: npt.NDArray[Any], way: int) -> npt.NDArray[Any]:
    """Return planes ``[..., H, W]`` in one of the eight orientations; see :class:`Orientations`."""
    if way & 4:
        planes = planes[..., ::-1, :]
    if way & 2:
        planes = planes[..., ::-1]
    return planes.swapaxes(-1, -2) if way & 1 else planes


def _actions(way: int) -> list[int]:
    """Return the actions on the board itself for up, down, left and right on the reoriented board."""
    played = []
    for row, column in _DIRECTIONS:
        if way & 1:
            row, column = column, row
        if way & 2:
            column = -column
        if way & 4:
            row = -row
        played.append(_DIRECTIONS.index((row, column)))
    return played
