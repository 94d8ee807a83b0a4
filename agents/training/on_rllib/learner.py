"""RLlib's PPO learner, on rollouts whose advantages are known."""

# Ray ships no type information.
# mypy: disable-error-code="misc"

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from ray.rllib.algorithms.ppo.torch.ppo_torch_learner import PPOTorchLearner
from ray.rllib.core import DEFAULT_MODULE_ID
from ray.rllib.core.columns import Columns
from ray.rllib.evaluation.postprocessing import Postprocessing
from ray.rllib.policy.sample_batch import MultiAgentBatch, SampleBatch

from ..ppo import normalized
from ..torch_networks.adam import adam_for

THREADS, SEED = "threads", "seed"
"""Keys of RLlib's ``learner_config_dict``."""


class BatchLearner(PPOTorchLearner):
    """RLlib's PPO with our optimiser, minibatches and schedules; RLlib computes the loss and takes the steps.

    Advantages are normalized in each minibatch, as our own PPO does it.
    """

    def build(self) -> None:
        """Make the module and its optimiser, for RLlib."""
        chosen = self.config.learner_config_dict
        torch.set_num_threads(chosen[THREADS])
        self._order = torch.Generator().manual_seed(chosen[SEED])
        super().build()

    def configure_optimizers_for_module(self, module_id: str, config: Any = None) -> None:
        """Make our Adam, with RLlib's schedule of the learning rate."""
        adam = adam_for(self.named_weights())
        [group] = adam.param_groups
        self.register_optimizer(
            module_id=module_id, optimizer=adam, params=group["params"], lr_or_lr_schedule=config.lr
        )

    def before_gradient_based_update(self, *, timesteps: dict[str, Any]) -> None:
        """Set the scheduled values for this update; by itself, RLlib sets them after it, for the next one."""
        super().before_gradient_based_update(timesteps=timesteps)
        self.after_gradient_based_update(timesteps=timesteps)

    def compute_loss_for_module(
        self, *, module_id: str, config: Any, batch: dict[str, Any], fwd_out: dict[str, Any]
    ) -> torch.Tensor:
        """Return RLlib's loss, with advantages of mean 0 and standard deviation 1."""
        normal = normalized(batch[Postprocessing.ADVANTAGES])
        logits = fwd_out[Columns.ACTION_DIST_INPUTS].detach()  # needed for the Kullback-Leibler loss only, which is off
        changed = {**batch, Postprocessing.ADVANTAGES: normal, Columns.ACTION_DIST_INPUTS: logits}
        loss: torch.Tensor = super().compute_loss_for_module(
            module_id=module_id, config=config, batch=changed, fwd_out=fwd_out
        )
        return loss

    def _create_iterator_if_necessary(
        self, *, training_data: Any, num_epochs: int, minibatch_size: int, **kwargs: Any
    ) -> Iterator[MultiAgentBatch]:
        """Yield the rollout ``num_epochs`` times, in random order, in minibatches."""
        table = {
            name: torch.from_numpy(np.require(column, requirements="W")).to(self.device)
            for name, column in training_data.batch[DEFAULT_MODULE_ID].items()
        }
        states = len(table[Columns.ACTIONS])
        for _ in range(num_epochs):
            order = torch.randperm(states, generator=self._order).to(self.device)
            for rows in order.tensor_split(max(-(-states // minibatch_size), 1)):
                part = SampleBatch({name: column[rows] for name, column in table.items()})
                yield MultiAgentBatch({DEFAULT_MODULE_ID: part}, len(rows))

    @property
    def adam(self) -> torch.optim.Optimizer:
        """The optimiser."""
        optimiser: torch.optim.Optimizer = self.get_optimizer(DEFAULT_MODULE_ID)
        return optimiser

    def named_weights(self) -> dict[str, torch.Tensor]:
        """Return the weights by our names; they share memory with the parameters."""
        weights: dict[str, torch.Tensor] = self.module[DEFAULT_MODULE_ID].unwrapped().named_weights()
        return weights
