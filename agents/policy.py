"""What an agent is: anything with Stable-Baselines3's ``predict()``.

An agent maps observations to actions. What it remembers of an episode is in a state that goes out
of one call and into the next, so one agent serves any number of environments, and
``stable_baselines3.common.evaluation.evaluate_policy`` takes it as it takes a PPO model.
"""

from typing import Any, Protocol, runtime_checkable

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.random import RandomBits, initial_bits

State = tuple[npt.NDArray[Any], ...]
"""What an agent remembers: arrays with a leading axis of environments."""


@runtime_checkable
class Policy(Protocol):
    """An agent: Stable-Baselines3's ``predict()``, with ``state`` as its only memory."""

    def predict(
        self,
        observation: npt.NDArray[Any],
        state: State | None = None,
        episode_start: npt.NDArray[np.bool_] | None = None,
        deterministic: bool = True,
    ) -> tuple[npt.NDArray[np.int64] | np.int64, State | None]:
        """Choose actions.

        Args:
            observation: One observation, or a batch ``[B, ...]``.
            state: What the last call returned; None starts afresh.
            episode_start: bool[B]: this observation is the first of an episode, forget the last one.
            deterministic: False samples, where the agent has a distribution to sample from.

        Returns:
            The action (np.int64), or int64[B] for a batch; and the state to hand to the next call.
        """
        ...


def seed_bits(seed: int, count: int) -> RandomBits:
    """Randomness for ``count`` environments: uint64[count], word ``i`` is what ``seed + i`` gives alone."""
    return np.array([initial_bits(gym.utils.seeding.np_random(seed + i)[0]) for i in range(count)], np.uint64)


def is_single(observation: npt.NDArray[Any], shape: tuple[int, ...]) -> bool:
    """Is this one observation of that shape, rather than a batch of them?

    Raises:
        ValueError: It is neither.
    """
    if observation.shape[observation.ndim - len(shape) :] != shape or observation.ndim > len(shape) + 1:
        raise ValueError(
            f"an observation of shape {observation.shape}; {shape} is needed, or a batch with one axis in front"
        )
    return observation.ndim == len(shape)


def as_batch(observation: npt.NDArray[Any], shape: tuple[int, ...]) -> tuple[npt.NDArray[Any], bool]:
    """Observations of that shape as a batch, and whether it was a single one.

    Raises:
        ValueError: It is neither one nor a batch.
    """
    observation = np.asarray(observation)
    single = is_single(observation, shape)
    return (observation[None] if single else observation), single


def starts_of(episode_start: npt.NDArray[np.bool_] | None, count: int) -> npt.NDArray[np.bool_]:
    """``episode_start`` as bool[count]; None is False everywhere.

    Raises:
        ValueError: It has another length.
    """
    if episode_start is None:
        return np.zeros(count, np.bool_)
    starts = np.asarray(episode_start, np.bool_).reshape(-1)
    if len(starts) != count:
        raise ValueError(f"episode_start has {len(starts)} entries for {count} observations")
    return starts
