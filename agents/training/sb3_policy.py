"""Policies for Stable-Baselines3 that compute our networks; training and exported models use them."""

# The base policies differ in their arguments: `action_masks`, the states of recurrent ones, or none.
# mypy: disable-error-code="misc,override"

from types import SimpleNamespace
from typing import Any

import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from sb3_contrib.common.recurrent.policies import RecurrentActorCriticPolicy
from sb3_contrib.common.recurrent.type_aliases import RNNStates
from stable_baselines3.common.policies import ActorCriticPolicy
from torch.distributions import Categorical

from ..networks.architectures import network_of
from ..networks.network import Output, Weights
from .torch_networks import (
    ILLEGAL,
    Arrays,
    TorchOperations,
    adam_state,
    as_arrays,
    as_parameters,
    by_name,
    first_weights,
    set_adam_state,
    set_tensors,
    with_last_action,
)


class _OfNetwork:
    """The methods of such a policy; ``action_masks`` are given by MaskablePPO only.

    Args:
        *args: As for the policies of Stable-Baselines3.
        network: The ``name`` of the architecture, its parameters, and the ``shape`` of the environment's observations,
            if the policy is given another one, that of what :meth:`.Network.remember` returns.
        **kwargs: As for the policies of Stable-Baselines3.
    """

    def __init__(self, *args: Any, network: dict[str, Any], **kwargs: Any) -> None:
        self.__dict__["settings"] = dict(network)
        super().__init__(*args, **kwargs)

    def _build(self: Any, lr_schedule: Any) -> None:
        """Make the weights and the optimiser; called at the end of the constructor."""
        parameters = dict(self.settings)
        name, actions = parameters.pop("name"), int(self.action_space.n)
        shape = parameters.pop("shape", self.observation_space.shape)
        self.network = network_of(name, shape, actions, parameters)
        self.weights = as_parameters(self.network, first_weights(self.network, 0))
        trained = [weight for weight in self.weights.values() if weight.requires_grad]
        self.optimizer = self.optimizer_class(trained, lr=lr_schedule(1), **self.optimizer_kwargs)

    def set_weights(self: Any, weights: Weights) -> None:
        """Set the weights, by our names."""
        set_tensors(by_name(self.weights), weights)

    def arrays(self: Any) -> Weights:
        """Return a copy of the weights as arrays, by our names."""
        return as_arrays(by_name(self.weights))

    def get_state(self: Any) -> Arrays:
        """Return the weights and the optimiser's moments, for a checkpoint."""
        return adam_state(by_name(self.weights), self.optimizer)

    def set_state(self: Any, state: Arrays) -> None:
        """Restore such a state."""
        set_adam_state(by_name(self.weights), self.optimizer, state)

    def _output(self: Any, obs: torch.Tensor, *memory: torch.Tensor) -> Output:
        remembered = self.network.memory and not memory  # the observations contain the memory
        compute = self.network.read if remembered else self.network.forward
        output: Output = compute(TorchOperations(self.device), by_name(self.weights), obs, *memory)
        return output

    def _distribution(self: Any, logits: torch.Tensor, action_masks: Any) -> Any:
        if action_masks is not None:
            legal = torch.as_tensor(action_masks, dtype=torch.bool, device=logits.device).reshape(logits.shape)
            logits = logits.masked_fill(~legal, ILLEGAL)
        self.action_dist.distribution = Categorical(logits=logits, validate_args=False)
        return self.action_dist

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


class RecurrentNetworkPolicy(_OfNetwork, RecurrentActorCriticPolicy):
    """The policy of RecurrentPPO, for networks with a memory: each of its four state tensors is the memory."""

    def __init__(self, *args: Any, network: dict[str, Any], **kwargs: Any) -> None:
        self.__dict__["settings"] = dict(network)
        ActorCriticPolicy.__init__(self, *args, **kwargs)  # that of the base class adds layers of its own

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        self.lstm_actor: Any = SimpleNamespace(num_layers=1, hidden_size=self.network.memory)  # the shape of the states
        self.lstm_hidden_state_shape = (1, 1, self.network.memory)

    def _step(self, obs: torch.Tensor, states: tuple[torch.Tensor, ...], episode_starts: torch.Tensor) -> Output:
        """Compute the output for B environments, whose memories are empty where an episode starts."""
        return self._output(obs, states[0][0] * (1 - episode_starts.float())[:, None])

    def _remembered(self, memory: Any, actions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the states after these actions."""
        memory = with_last_action(memory, actions, self.network.actions)[None]
        return memory, memory

    def with_actions(self, states: RNNStates, actions: torch.Tensor) -> RNNStates:
        """Return the states as if these actions had been chosen."""
        remembered = self._remembered(states.pi[0][0], actions)
        return RNNStates(remembered, remembered)

    def forward(
        self, obs: torch.Tensor, lstm_states: RNNStates, episode_starts: torch.Tensor, deterministic: bool = False
    ) -> tuple[Any, ...]:
        """Return actions, values, the logarithms of the actions' probabilities, and the next states."""
        output = self._step(obs, lstm_states.pi, episode_starts)
        distribution = self._distribution(output.logits, None)
        actions = distribution.get_actions(deterministic=deterministic)
        states = self._remembered(output.memory, actions)
        return actions, output.values[:, None], distribution.log_prob(actions), RNNStates(states, states)

    def evaluate_actions(
        self, obs: torch.Tensor, actions: torch.Tensor, lstm_states: RNNStates, episode_starts: torch.Tensor
    ) -> tuple[Any, ...]:
        """Return values, the logarithms of the actions' probabilities, and the entropy, of sequences one by one."""
        count, states = lstm_states.pi[0].shape[1], lstm_states.pi
        logits, values = [], []
        columns = (part.unflatten(0, (count, -1)).unbind(1) for part in (obs, actions, episode_starts))
        for seen, chosen, starts in zip(*columns, strict=True):
            output = self._step(seen, states, starts)
            states = self._remembered(output.memory, chosen)
            logits.append(output.logits)
            values.append(output.values)
        distribution = self._distribution(torch.stack(logits, 1).flatten(0, 1), None)
        return torch.stack(values, 1).flatten()[:, None], distribution.log_prob(actions), distribution.entropy()

    def predict_values(
        self, obs: torch.Tensor, lstm_states: tuple[torch.Tensor, ...], episode_starts: torch.Tensor
    ) -> torch.Tensor:
        """Return values."""
        values: torch.Tensor = self._step(obs, lstm_states, episode_starts).values[:, None]
        return values

    def _predict(
        self,
        observation: torch.Tensor,
        lstm_states: tuple[torch.Tensor, ...],
        episode_starts: torch.Tensor,
        deterministic: bool = False,
    ) -> tuple[torch.Tensor, tuple[torch.Tensor, ...]]:
        """Return actions and the next states."""
        states = RNNStates(lstm_states, lstm_states)
        actions, _, _, states = type(self).forward(self, observation, states, episode_starts, deterministic)
        return actions, states.pi
