"""All learners of a run, as one."""

import functools
from typing import Any

import numpy as np
from ray.rllib.core import DEFAULT_MODULE_ID
from ray.rllib.core.learner.learner_group import LearnerGroup
from ray.rllib.policy.sample_batch import MultiAgentBatch, SampleBatch
from ray.rllib.utils.metrics import NUM_ENV_STEPS_SAMPLED_LIFETIME

from ...networks.network import Weights
from ..torch_networks.adam import Arrays
from .env_runner import Rollout
from .learner import BatchLearner


class Learners:
    """RLlib's learners, which all have the same weights.

    Args:
        config: RLlib's settings.
        weights: The first weights, by name.
    """

    def __init__(self, config: Any, weights: Weights) -> None:
        self._config = config
        self._group: LearnerGroup = config.build_learner_group()
        self.set_weights(weights)

    def update(self, rollouts: list[Rollout], minibatch: int, timestep: int) -> None:
        """Learn from rollouts.

        Args:
            rollouts: The rollouts.
            minibatch: States per gradient step, of all learners together.
            timestep: The step of the schedules.
        """
        columns = rollouts[0].table.keys()
        table = SampleBatch({name: np.concatenate([rollout.table[name] for rollout in rollouts]) for name in columns})
        self._group.update(
            batch=MultiAgentBatch({DEFAULT_MODULE_ID: table}, len(table)),
            timesteps={NUM_ENV_STEPS_SAMPLED_LIFETIME: timestep},
            num_epochs=self._config.num_epochs,
            minibatch_size=max(minibatch // max(self._config.num_learners, 1), 1),
        )

    def weights(self) -> dict[str, Any]:
        """Return the weights, by name."""
        weights: dict[str, Any] = self._first(BatchLearner.arrays)
        return weights

    def set_weights(self, weights: Weights) -> None:
        """Set weights of all learners, by name; others are not changed."""
        self._all(functools.partial(_set_arrays, weights=dict(weights)))

    def get_state(self) -> Arrays:
        """Return the weights and the optimiser's moments, for a checkpoint."""
        state: Arrays = self._first(BatchLearner.adam_state)
        return state

    def set_state(self, state: Arrays) -> None:
        """Restore such a state."""
        self._all(functools.partial(_set_adam_state, state=state))

    def close(self) -> None:
        """End the learners."""
        self._group.shutdown()

    def _first(self, function: Any) -> Any:
        return self._all(function)[0]

    def _all(self, function: Any) -> list[Any]:
        return [result.get() for result in self._group.foreach_learner(function)]


def _set_arrays(learner: BatchLearner, weights: Weights) -> None:
    learner.set_arrays(weights)


def _set_adam_state(learner: BatchLearner, state: Arrays) -> None:
    learner.set_adam_state(state)
