"""The random agent: every action is equally likely."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.config import config_of
from gridpuzzles_gym.engine.random import RandomBits

from .policy import State, as_batch, seed_bits


class RandomAgent:
    """Samples actions uniformly, whatever the observation.

    Args:
        n_actions: Number of actions.
        observation_shape: The shape of one observation; an input with one axis more is a batch.
        seed: Environment ``i`` of a batch gets the actions that ``seed + i`` gives by itself.
    """

    def __init__(self, n_actions: int, observation_shape: tuple[int, ...], seed: int = 0) -> None:
        self.n_actions, self.observation_shape, self.seed = n_actions, observation_shape, seed

    @classmethod
    def for_env(cls, env: Any, seed: int = 0) -> Self:
        """Return the agent for one of the suite's environments, single or vector, wrapped or not."""
        config = config_of(env)
        return cls(len(config.action_names), config.space.shape or (), seed)

    def predict(
        self,
        observation: npt.NDArray[Any],
        state: State | None = None,
        episode_start: npt.NDArray[np.bool_] | None = None,
        deterministic: bool = True,
    ) -> tuple[npt.NDArray[np.int64] | np.int64, State]:
        """Sample actions; the state holds random bits for each environment, uint64[B].

        Raises:
            ValueError: The observation has another shape.
        """
        batch, single = as_batch(observation, self.observation_shape)
        random_bits = seed_bits(self.seed, len(batch)) if state is None else advance(state[0])
        # 32 bits times a small number of actions fits in 64; the upper half is uniform below n_actions.
        actions = ((random_bits >> np.uint64(32)) * np.uint64(self.n_actions) >> np.uint64(32)).astype(np.int64)
        return actions[0] if single else actions, (random_bits,)


def advance(random_bits: RandomBits) -> RandomBits:
    """One xorshift64 step of each entry, like :func:`gridpuzzles_gym.engine.random.next_bits`."""
    random_bits = random_bits ^ (random_bits << np.uint64(13))
    random_bits = random_bits ^ (random_bits >> np.uint64(7))
    return random_bits ^ (random_bits << np.uint64(17))
