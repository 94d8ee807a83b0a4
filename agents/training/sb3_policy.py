"""Policies for Stable-Baselines3 that compute our networks; exported models use them."""

# The two base policies differ in their arguments: `action_masks` or none.
# mypy: disable-error-code="misc"

from typing import Any

import numpy as np
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.policies import ActorCriticPolicy

from ..networks.network import Output, Weights
from ..networks.table import network_of
from .torch_networks.operations import TorchOperations, first_weights
from .torch_networks.parameters import as_parameters, by_name


class _OfNetwork:
    """The methods of such a policy; ``action_masks`` are given by MaskablePPO only.

    Args:
        *args: As for the policies of Stable-Baselines3.
        network: The ``name`` of the architecture, and its parameters.
        **kwargs: As for the policies of Stable-Baselines3.
    """

    def __init__(self, *args: Any, network: dict[str, Any], **kwargs: Any) -> None:
        self.__dict__["settings"] = dict(network)
        super().__init__(*args, **kwargs)

    def _build(self: Any, lr_schedule: Any) -> None:
        """Make the weights and the optimiser; called at the end of the constructor."""
        parameters = dict(self.settings)
        name, actions = parameters.pop("name"), int(self.action_space.n)
        self.network = network_of(name, self.observation_space.shape, actions, parameters)
        self.weights = as_parameters(self.network, first_weights(self.network, 0))
        trained = [weight for weight in self.weights.values() if weight.requires_grad]
        self.optimizer = self.optimizer_class(trained, lr=lr_schedule(1), **self.optimizer_kwargs)

    def set_weights(self: Any, weights: Weights) -> None:
        """Set the weights, by our names."""
        own = by_name(self.weights)
        for name, array in weights.items():
            own[name].data.copy_(torch.from_numpy(np.array(array, np.float32)))

    def _output(self: Any, obs: torch.Tensor) -> Output:
        output: Output = self.network.forward(TorchOperations(self.device), by_name(self.weights), obs)
        return output

    def _distribution(self: Any, logits: torch.Tensor, action_masks: Any) -> Any:
        distribution = self.action_dist.proba_distribution(action_logits=logits)
        if action_masks is not None:
            distribution.apply_masking(action_masks)
        return distribution

    def forward(self: Any, obs: torch.Tensor, deterministic: bool = False, action_masks: Any = None) -> tuple[Any, ...]:
        """Return actions, values and the logarithms of the actions' probabilities."""
        output = self._output(obs)
        distribution = self._distribution(output.logits, action_masks)
        actions = distribution.get_actions(deterministic=deterministic)
        return actions, output.values[:, None], distribution.log_prob(actions)

    def evaluate_actions(
        self: Any, obs: torch.Tensor, actions: torch.Tensor, action_masks: Any = None
    ) -> tuple[Any, ...]:
        """Return values, the logarithms of the actions' probabilities, and the entropy."""
        output = self._output(obs)
        distribution = self._distribution(output.logits, action_masks)
        return output.values[:, None], distribution.log_prob(actions), distribution.entropy()

    def get_distribution(self: Any, obs: torch.Tensor, action_masks: Any = None) -> Any:
        """Return the distribution of actions."""
        return self._distribution(self._output(obs).logits, action_masks)

    def predict_values(self: Any, obs: torch.Tensor) -> torch.Tensor:
        """Return values."""
        values: torch.Tensor = self._output(obs).values[:, None]
        return values

    def _get_constructor_parameters(self: Any) -> dict[str, Any]:
        return {**super()._get_constructor_parameters(), "network": self.settings}


class NetworkPolicy(_OfNetwork, ActorCriticPolicy):
    """The policy of PPO and A2C."""


class MaskableNetworkPolicy(_OfNetwork, MaskableActorCriticPolicy):
    """The policy of MaskablePPO."""
