"""Rotated and mirrored boards, for puzzles whose rules are the same in all directions."""

from typing import Any

import numpy as np

from ..networks.operations import NUMPY, Array, Operations
from ..orientations import DIRECTIONS, played_actions, reorient, ways


class Orientations:
    """Shows each environment's boards in its own orientation, so that a learner sees each level in eight ways.

    Environment i uses orientation i, modulo their number, of :func:`~gridpuzzles_gym.agents.orientations.ways`.

    Args:
        count: B, the number of environments.
        shape: The shape of an observation, [C, H, W].
        actions: A, the number of actions; those after up, down, left and right have no direction.
        ops: The operations; they say of what kind all arrays are.
    """

    def __init__(
        self, count: int, shape: tuple[int, ...], actions: int = len(DIRECTIONS), ops: Operations = NUMPY
    ) -> None:
        _, height, width = shape
        numbers, squares = ways(height, width), np.arange(height * width).reshape(height, width)
        way_of = np.arange(count) % len(numbers)
        played = np.array([played_actions(way, actions) for way in numbers])[way_of]
        self._ops = ops
        self._squares = ops.array(np.array([reorient(squares, way).flatten() for way in numbers])[way_of])
        """[B, H·W]: the square of the board itself for each of the learner's."""
        self._played = ops.array(played)
        """[B, A]: the action on the board itself for each of the learner's."""
        self._shown = ops.array(np.argsort(played, axis=1))
        """[B, A]: the learner's action for each on the board itself."""

    def seen(self, observations: Array, envs: Any = slice(None)) -> Array:
        """Return observations [n, C, H, W] of the environments ``envs`` (int64[n], or all) as the learner sees them."""
        flat = observations.reshape(*observations.shape[:2], -1)
        return self._ops.gather(flat, self._squares[envs]).reshape(observations.shape)

    def played(self, actions: Array) -> Array:
        """Return the actions on the boards themselves for the learner's actions [B]."""
        return self._ops.gather(self._played[:, None], actions[:, None])[:, 0, 0]

    def shown(self, actions: Array) -> Array:
        """Return the learner's actions for actions on the boards themselves [B]."""
        return self._ops.gather(self._shown[:, None], actions[:, None])[:, 0, 0]

    def per_action(self, table: Array) -> Array:
        """Return a table [B, A] by action (masks, probabilities), reordered for the learner's actions."""
        return self._ops.gather(table[:, None], self._played)[:, 0]


class AsIs:
    """Boards as they are, with the methods of :class:`Orientations`."""

    def seen(self, observations: Array, envs: Any = slice(None)) -> Array:
        """Return them as they are."""
        return observations

    def played(self, actions: Array) -> Array:
        """Return them as they are."""
        return actions

    shown = played

    def per_action(self, table: Array) -> Array:
        """Return it as it is."""
        return table
