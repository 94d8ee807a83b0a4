"""Wrappers of a ``VecEnv`` that change what a learner sees: turned boards, and a memory without weights."""

from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from stable_baselines3.common.vec_env.base_vec_env import VecEnv, VecEnvStepReturn, VecEnvWrapper

from ...networks.network import Network
from ..orientations import Orientations
from ..torch_networks.fixed_memory import FixedMemory

_FINAL = "terminal_observation"


class TurnedVecEnv(VecEnvWrapper):
    """Shows each environment's boards in its own orientation: rotated and mirrored in up to eight ways."""

    def __init__(self, venv: VecEnv) -> None:
        super().__init__(venv)
        actions: Any = venv.action_space
        self._orientations = Orientations(venv.num_envs, venv.observation_space.shape or (), int(actions.n))

    def reset(self) -> npt.NDArray[Any]:
        """Begin new episodes."""
        seen: npt.NDArray[Any] = self._orientations.seen(self.venv.reset())
        return seen

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Store the actions on the boards themselves."""
        self.venv.step_async(self._orientations.played(actions))

    def step_wait(self) -> VecEnvStepReturn:
        """Step."""
        observations: Any
        observations, rewards, dones, infos = self.venv.step_wait()
        for i in np.flatnonzero(dones).tolist():
            infos[i][_FINAL] = self._orientations.seen(infos[i][_FINAL][None], [i])[0]
        return self._orientations.seen(observations), rewards, dones, infos

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Call a method; action masks are those of the turned boards."""
        if method_name != "action_masks":
            return self.venv.env_method(method_name, *method_args, indices=indices, **method_kwargs)
        masks = self._orientations.per_action(np.stack(self.venv.env_method(method_name)))
        return [masks[i] for i in self._get_indices(indices)]


class RememberingVecEnv(VecEnvWrapper):
    """Shows what a network's memory without weights contains, as ``VecFrameStack`` shows the latest observations.

    Args:
        venv: The environments.
        network: The network; its :meth:`~.Network.read` takes these observations.
    """

    def __init__(self, venv: VecEnv, network: Network) -> None:
        self._memory = FixedMemory(network, venv.num_envs)
        blank = np.zeros((venv.num_envs, *network.shape), venv.observation_space.dtype)
        self._seen: npt.NDArray[Any] = self._memory.seen(blank)
        super().__init__(venv, gym.spaces.Box(0, 255, self._seen.shape[1:], self._seen.dtype.type))

    def reset(self) -> npt.NDArray[Any]:
        """Begin new episodes, with empty memories."""
        self._memory.forget(np.ones(self.num_envs, np.bool_))
        self._seen = self._memory.seen(self.venv.reset())
        return self._seen

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Remember the last observations and the actions."""
        self._memory.acted(self._seen, actions)
        self.venv.step_async(actions)

    def step_wait(self) -> VecEnvStepReturn:
        """Step; memories are empty where episodes begin."""
        observations: Any
        observations, rewards, dones, infos = self.venv.step_wait()
        for i in np.flatnonzero(dones):
            infos[i][_FINAL] = self._memory.seen(infos[i][_FINAL][None], np.array([i]))[0]
        self._memory.forget(dones)
        self._seen = self._memory.seen(observations)
        return self._seen, rewards, dones, infos
