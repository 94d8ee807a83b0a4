"""Stable-Baselines3's ``VecEnv`` over the native vector environment.

Gymnasium's SAME_STEP autoreset is what SB3 expects, so no step is emulated: the final observation
becomes ``terminal_observation``, a truncation ``TimeLimit.truncated``, and the returns summed in the kernel
become the ``episode`` statistics that SB3's logger averages. If levels come from a sampler, the infos at the end
of an episode contain its ``level``.

A wrapper turns the boards that a learner sees.
"""

import time
from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from gridpuzzles_gym.engine.messages import quote
from gridpuzzles_gym.engine.puzzle import UNFINISHED, Level
from gridpuzzles_gym.engine.vector import PuzzleVectorEnv

from ..networks.network import NUMPY
from ..orientations import DIRECTIONS, played_actions, reorient, ways

try:
    from stable_baselines3.common.vec_env.base_vec_env import VecEnv, VecEnvStepReturn, VecEnvWrapper
except ModuleNotFoundError as error:
    hint = f'{error.name} is not installed; to install it: pip install "gridpuzzles_gym[train]"'
    raise ModuleNotFoundError(hint, name=error.name) from None


class PuzzleVecEnv(VecEnv):
    """``num_envs`` environments of one id for a Stable-Baselines3 learner.

    Args:
        env_id: A registered id, e.g. ``"Wumpus-v0"``.
        num_envs: Number of environments.
        reward_scale: Factor on the rewards the learner sees; ``info["episode"]["r"]`` stays unscaled.
        **kwargs: Further keyword arguments of ``gymnasium.make_vec``.
    """

    def __init__(self, env_id: str, num_envs: int, reward_scale: float = 1.0, **kwargs: Any) -> None:
        vector = gym.make_vec(env_id, num_envs=num_envs, autoreset_mode=AutoresetMode.SAME_STEP, **kwargs)
        if not isinstance(vector, PuzzleVectorEnv):
            raise ValueError(f"{env_id} is not an environment of this suite")
        self.env = vector
        self.reward_scale = reward_scale
        self.render_mode = vector.render_mode
        self._actions: npt.NDArray[Any] = np.zeros(num_envs, np.int64)
        self._begun = time.time()
        self._sampled = vector.config.sampler is not None
        self._levels: list[Level | None] = [None] * num_envs
        """The current level of each environment, if the sampler uses it."""
        super().__init__(num_envs, vector.single_observation_space, vector.single_action_space)

    def reset(self) -> npt.NDArray[Any]:
        """Begin new episodes everywhere, with the seeds and options of a preceding :meth:`seed` and `set_options`."""
        different: list[dict[str, Any]] = []
        for options in self._options:
            if options not in different:
                different.append(options)
        begun = []
        for options in different:  # environments with equal options begin together
            mask = np.array([each == options for each in self._options])
            observations, infos = self.env.reset(seed=list(self._seeds), options={**options, "reset_mask": mask})
            begun.append((np.flatnonzero(mask), infos))
        for which, infos in begun:
            self._note_resets(which, infos)
        self._reset_seeds()
        self._reset_options()
        if self._sampled:
            self._levels = [self.env.batch.level_played(i) for i in range(self.num_envs)]
        return observations

    def _note_resets(self, which: npt.NDArray[np.intp], infos: dict[str, Any]) -> None:
        masks = self.env.action_masks().astype(np.int8)
        for i in which.tolist():
            begun = {"action_mask": masks[i], "is_success": False, "outcome": UNFINISHED}
            self.reset_infos[i] = begun | _info_of(infos, i)

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Store the actions for :meth:`step_wait`."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Step; the infos are like those of SB3's Monitor and DummyVecEnv."""
        observations, rewards, terminated, truncated, gathered = self.env.step(self._actions)
        done = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if "final_info" in gathered:
            batch, final = self.env.batch, gathered["final_info"]
            now = round(time.time() - self._begun, 6)
            which = np.flatnonzero(done)
            endings = batch.endings(which)
            for k, i in enumerate(which.tolist()):
                infos[i] = {
                    **_info_of(final, i),
                    "terminal_observation": gathered["final_obs"][i],
                    "TimeLimit.truncated": bool(truncated[i] and not terminated[i]),
                    "episode": {
                        "r": float(endings.returns[k]),
                        "l": int(endings.lengths[k]),
                        "t": now,
                        "outcome": int(final["outcome"][i]),
                    },
                }
                if self._sampled:  # the next episode has begun already, on another level
                    infos[i]["level"], self._levels[i] = self._levels[i], batch.level_played(i)
            self._note_resets(which, gathered)
        return observations, (rewards * self.reward_scale).astype(np.float32), done, infos

    def close(self) -> None:
        """Close the vector environment."""
        self.env.close()

    def get_images(self) -> Sequence[npt.NDArray[np.uint8] | None]:
        """Return the current pictures, where the environments were made with ``render_mode="rgb_array"``."""
        return self.env.render() or [None] * self.num_envs

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which actions change the state, bool[B, A]."""
        return self.env.action_masks()

    def _chosen(self, indices: Any) -> list[int]:
        return [int(i) for i in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of the vector environment, once for each index."""
        return [getattr(self.env, attr_name) for _ in self._chosen(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute; the environments share it, so ``indices`` must be all of them."""
        if len(self._chosen(indices)) != self.num_envs:
            raise ValueError(f"all {self.num_envs} environments share {quote(attr_name)}: set it for all of them")
        setattr(self.env, attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Call a method of the vector environment; a result with one entry per environment is split up."""
        result = getattr(self.env, method_name)(*method_args, **method_kwargs)
        each = isinstance(result, np.ndarray | tuple | list) and len(result) == self.num_envs
        return [result[i] if each else result for i in self._chosen(indices)]

    def env_is_wrapped(self, wrapper_class: type[gym.Wrapper[Any, Any, Any, Any]], indices: Any = None) -> list[bool]:
        """Return True for Monitor, whose statistics this class records; there are no other wrappers."""
        from stable_baselines3.common.monitor import Monitor

        return [wrapper_class is Monitor for _ in self._chosen(indices)]


def _info_of(infos: dict[str, Any], i: int) -> dict[str, Any]:
    """Return what a vector environment's infos say of environment ``i``, as a single environment would."""
    plain = ((name, each) for name, each in infos.items() if not name.startswith(("_", "final_")))
    return {name: each[i].item() if isinstance(each[i], np.generic) else each[i] for name, each in plain}


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
