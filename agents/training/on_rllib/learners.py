"""All learners of a run, as one."""

from collections.abc import Callable
from typing import Any

import numpy as np
from ray.rllib.core import DEFAULT_MODULE_ID
from ray.rllib.core.learner.learner_group import LearnerGroup
from ray.rllib.policy.sample_batch import MultiAgentBatch, SampleBatch
from ray.rllib.utils.metrics import NUM_ENV_STEPS_SAMPLED_LIFETIME

from ...networks.network import Weights
from ..torch_networks.adam import Arrays, adam_state, set_adam_state
from ..torch_networks.weights import as_arrays, set_tensors
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

    def arrays(self) -> dict[str, Any]:
        """Return a copy of the weights as arrays, by name."""
        arrays: dict[str, Any] = self._all(lambda learner: as_arrays(learner.named_weights()))[0]
        return arrays

    def set_weights(self, weights: Weights) -> None:
        """Set weights of all learners, by name; others are not changed."""
        given = dict(weights)
        self._all(lambda learner: set_tensors(learner.named_weights(), given))

    def get_state(self) -> Arrays:
        """Return the weights and the optimiser's moments, for a checkpoint."""
        state: Arrays = self._all(lambda learner: adam_state(learner.named_weights(), learner.adam))[0]
        return state

    def set_state(self, state: Arrays) -> None:
        """Restore such a state."""
        self._all(lambda learner: set_adam_state(learner.named_weights(), learner.adam, state))

    def close(self) -> None:
        """End the learners."""
        self._group.shutdown()

    def _all(self, function: Callable[[BatchLearner], Any]) -> list[Any]:
        return [result.get() for result in self._group.foreach_learner(function)]
