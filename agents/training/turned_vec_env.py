"""Rotated and mirrored boards, for puzzles whose rules are the same in all directions."""

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Discrete
from stable_baselines3.common.vec_env.base_vec_env import VecEnv, VecEnvStepReturn, VecEnvWrapper

_DIRECTIONS = ((-1, 0), (1, 0), (0, -1), (0, 1))
"""(row, column) of the actions up, down, left, right."""


class TurnedVecEnv(VecEnvWrapper):
    """Shows each environment's boards in an orientation of its own, so that a learner sees each level in eight ways.

    Environment i uses orientation ``i % 8``, or ``i % 4`` if boards are not square: mirrored top to bottom (4), left to
    right (2), and along the main diagonal (1), in this order. The learner's actions are mapped back.

    Args:
        venv: Environments of a puzzle whose rules are the same in all directions, with observations ``[C, H, W]``.
    """

    def __init__(self, venv: VecEnv) -> None:
        super().__init__(venv)
        assert isinstance(venv.observation_space, Box)
        assert isinstance(venv.action_space, Discrete)
        _, height, width = venv.observation_space.shape
        numbers = range(8) if height == width else range(0, 8, 2)
        self._ways = [numbers[i % len(numbers)] for i in range(self.num_envs)]
        self._groups = [(way, slice(first, None, len(numbers))) for first, way in enumerate(numbers)]
        table = np.array([_actions(way) for way in range(8)])
        self._played: npt.NDArray[np.int64] = table[self._ways]
        """[B, A]: the action to play for each of the learner's."""

    def _turned(self, observations: npt.NDArray[Any]) -> npt.NDArray[Any]:
        seen = np.empty_like(observations)
        for way, group in self._groups:
            seen[group] = turn(observations[group], way)
        return seen

    def reset(self) -> npt.NDArray[Any]:
        """Begin new episodes everywhere."""
        observations = self.venv.reset()
        assert isinstance(observations, np.ndarray)
        return self._turned(observations)

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Store the actions for :meth:`step_wait`."""
        self.venv.step_async(np.take_along_axis(self._played, np.asarray(actions)[:, None], axis=1)[:, 0])

    def step_wait(self) -> VecEnvStepReturn:
        """Step, with observations and actions in each environment's orientation."""
        observations, rewards, dones, infos = self.venv.step_wait()
        assert isinstance(observations, np.ndarray)
        for i in np.flatnonzero(dones).tolist():
            infos[i]["terminal_observation"] = turn(infos[i]["terminal_observation"], self._ways[i])
        return self._turned(observations), rewards, dones, infos

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Call a method of the vector environment; the result of ``action_masks`` is reoriented."""
        results = self.venv.env_method(method_name, *method_args, indices=indices, **method_kwargs)
        if method_name != "action_masks":
            return results
        chosen = self.venv._get_indices(indices)
        return [masks[self._played[i]] for i, masks in zip(chosen, results, strict=True)]


def turn(planes: npt.NDArray[Any], way: int) -> npt.NDArray[Any]:
    """Planes ``[..., H, W]`` in one of the eight orientations; see :class:`TurnedVecEnv`."""
    if way & 4:
        planes = planes[..., ::-1, :]
    if way & 2:
        planes = planes[..., ::-1]
    return planes.swapaxes(-1, -2) if way & 1 else planes


def _actions(way: int) -> list[int]:
    """The actions on the board itself for up, down, left and right on the reoriented board."""
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
