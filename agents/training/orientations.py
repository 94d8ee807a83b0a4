"""Rotated and mirrored boards, for puzzles whose rules are the same in all directions."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ..orientations import DIRECTIONS, played_actions, reorient, ways


class Orientations:
    """Shows each environment's boards in its own orientation, so that a learner sees each level in eight ways.

    Environment i uses orientation i, modulo their number, of :func:`~gridpuzzles_gym.agents.orientations.ways`.

    Args:
        count: B, the number of environments.
        shape: The shape of an observation, [C, H, W].
        actions: A, the number of actions; those after up, down, left and right have no direction.
    """

    def __init__(self, count: int, shape: tuple[int, ...], actions: int = len(DIRECTIONS)) -> None:
        _, height, width = shape
        numbers = ways(height, width)
        self._ways = [numbers[i % len(numbers)] for i in range(count)]
        self._groups = [(way, slice(first, None, len(numbers))) for first, way in enumerate(numbers)]
        table = np.array([played_actions(way, actions) for way in range(8)])
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
