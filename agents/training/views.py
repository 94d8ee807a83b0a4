"""Wrappers of a ``VecEnv`` that change what a learner sees: turned boards, and a memory without weights."""

from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from stable_baselines3.common.vec_env.base_vec_env import VecEnv, VecEnvStepReturn, VecEnvWrapper

from ..networks.network import NUMPY, Network
from ..orientations import DIRECTIONS, played_actions, reorient, ways

_FINAL = "terminal_observation"


class Orientations:
    """Each environment's boards in its own orientation, so that a learner sees each level in eight ways.

    Environment i uses orientation i, modulo their number, of :func:`~gridpuzzles_gym.agents.orientations.ways`.

    Args:
        count: B, the number of environments.
        shape: The shape of an observation, [C, H, W].
        actions: A, the number of actions; those after up, down, left and right have no direction.
    """

    def __init__(self, count: int, shape: tuple[int, ...], actions: int = len(DIRECTIONS)) -> None:
        _, height, width = shape
        numbers, squares = ways(height, width), np.arange(height * width).reshape(height, width)
        way_of = np.arange(count) % len(numbers)
        self._played: npt.NDArray[np.int64] = np.array([played_actions(way, actions) for way in numbers])[way_of]
        """[B, A]: the action on the board itself for each of the learner's."""
        self._squares = np.array([reorient(squares, way).flatten() for way in numbers])[way_of]
        """[B, H·W]: the square of the board itself for each of the learner's."""

    def seen(self, observations: npt.NDArray[Any], envs: Any = slice(None)) -> npt.NDArray[Any]:
        """Return observations [n, C, H, W] of the environments ``envs`` (int64[n], or all) as the learner sees them."""
        flat = observations.reshape(*observations.shape[:2], -1)
        seen: npt.NDArray[Any] = NUMPY.gather(flat, self._squares[envs]).reshape(observations.shape)
        return seen

    def played(self, actions: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the actions on the boards themselves for the learner's actions [B]."""
        return np.take_along_axis(self._played, actions[:, None], 1)[:, 0]

    def per_action(self, table: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return a table [B, A] by action (masks, probabilities), reordered for the learner's actions."""
        return np.take_along_axis(table, self._played, 1)


class TurnedVecEnv(VecEnvWrapper):
    """Shows each environment's boards in its own orientation: rotated and mirrored in up to eight ways."""

    def __init__(self, venv: VecEnv) -> None:
        super().__init__(venv)
        actions: Any = venv.action_space
        self.orientations = Orientations(venv.num_envs, venv.observation_space.shape or (), int(actions.n))

    def reset(self) -> npt.NDArray[Any]:
        """Begin new episodes."""
        observations: Any = self.venv.reset()
        return self.orientations.seen(observations)

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Store the actions on the boards themselves."""
        self.venv.step_async(self.orientations.played(actions))

    def step_wait(self) -> VecEnvStepReturn:
        """Step."""
        observations: Any
        observations, rewards, dones, infos = self.venv.step_wait()
        for i in np.flatnonzero(dones).tolist():
            infos[i][_FINAL] = self.orientations.seen(infos[i][_FINAL][None], [i])[0]
        return self.orientations.seen(observations), rewards, dones, infos

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Call a method; action masks are those of the turned boards."""
        if method_name != "action_masks":
            return self.venv.env_method(method_name, *method_args, indices=indices, **method_kwargs)
        masks = self.orientations.per_action(np.stack(self.venv.env_method(method_name)))
        return [masks[i] for i in self._get_indices(indices)]


class RememberingVecEnv(VecEnvWrapper):
    """Shows what a network's memory without weights contains, as ``VecFrameStack`` shows the latest observations.

    Args:
        venv: The environments.
        network: The network, :meth:`.Network.remember`; the numbers of its memory are integers from 0 to 255. Its
            :meth:`~.Network.read` takes these observations.
    """

    def __init__(self, venv: VecEnv, network: Network) -> None:
        self._network, self._memory = network, np.zeros((venv.num_envs, network.memory), np.uint8)
        blank = np.zeros((venv.num_envs, *network.shape), venv.observation_space.dtype)
        self._seen = self._shown(blank)
        super().__init__(venv, gym.spaces.Box(0, 255, self._seen.shape[1:], self._seen.dtype.type))

    def _shown(self, observations: npt.NDArray[Any], envs: Any = slice(None)) -> npt.NDArray[Any]:
        """Return the input of the network's first layer for observations of the environments ``envs``."""
        view: npt.NDArray[Any] = self._network.view(NUMPY, observations)
        shown: npt.NDArray[Any] = self._network.remember(NUMPY, view, self._memory[envs])
        return shown

    def reset(self) -> npt.NDArray[Any]:
        """Begin new episodes, with empty memories."""
        self._memory[:] = 0
        observations: Any = self.venv.reset()
        self._seen = self._shown(observations)
        return self._seen

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Remember the last observations and the actions."""
        count = self._network.actions
        self._memory[:, :-count] = self._seen
        self._memory[:, -count:] = np.arange(count) == actions[:, None]
        self.venv.step_async(actions)

    def step_wait(self) -> VecEnvStepReturn:
        """Step; memories are empty where episodes begin."""
        observations: Any
        observations, rewards, dones, infos = self.venv.step_wait()
        for i in np.flatnonzero(dones):
            infos[i][_FINAL] = self._shown(infos[i][_FINAL][None], np.array([i]))[0]
        self._memory[dones] = 0
        self._seen = self._shown(observations)
        return self._seen, rewards, dones, infos
