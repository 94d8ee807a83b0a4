"""Policies for Stable-Baselines3 that compute our networks; and their operations and first weights in PyTorch."""

# The base policies differ in their arguments: `action_masks`, or none.
# mypy: disable-error-code="misc,override"

from typing import Any

import numpy.typing as npt
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.policies import ActorCriticPolicy
from torch import nn
from torch.distributions import Categorical
from torch.nn import functional

from ..networks.architectures import network_of
from ..networks.network import Layers, Network, Operations, Output, Weights

ILLEGAL = -1e8
"""The logit of an illegal action."""
_DOT = "/"
"""Replaces the dot in the names of weights: PyTorch allows none in the names of parameters."""


class TorchOperations(Operations):
    """The operations on tensors of one device.

    Args:
        device: The device of the tensors that :meth:`range` makes.
    """

    def __init__(self, device: torch.device) -> None:
        super().__init__()
        self.device = device

    def floats(self, x: torch.Tensor) -> torch.Tensor:
        """Return x as float32."""
        return x.float()

    def linear(self, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        """Return ``x @ weight.T + bias``."""
        return functional.linear(x, weight, bias)

    def convolve(self, x: torch.Tensor, layers: Layers) -> torch.Tensor:
        """Return the features of planes; channels last, which is faster on every device."""

        def convolved(x: torch.Tensor, layer: int) -> torch.Tensor:
            return functional.conv2d(x, *layers[layer], padding=1)

        x = convolved(x.float().contiguous(memory_format=torch.channels_last), 0).relu()
        for first in range(1, len(layers), 2):
            x = (x + convolved(convolved(x, first).relu(), first + 1)).relu()
        return x

    def relu(self, x: torch.Tensor) -> torch.Tensor:
        """Return the larger of x and 0."""
        return functional.relu(x)

    def maximum(self, x: torch.Tensor) -> torch.Tensor:
        """Return the maximum along the last axis."""
        return x.amax(-1)

    def place_of_maximum(self, x: torch.Tensor) -> torch.Tensor:
        """Return the index of the first maximum along the last axis."""
        return x.argmax(-1)

    def pad(self, x: torch.Tensor, rows: int, columns: int) -> torch.Tensor:
        """Return boards [B, C, H, W] with zeros around them."""
        return functional.pad(x, (columns, columns, rows, rows))

    def gather(self, x: torch.Tensor, indices: torch.Tensor) -> torch.Tensor:
        """Return the entries of x at ``indices``."""
        return x.gather(2, indices[:, None].expand(-1, x.shape[1], -1))

    def concatenate(self, arrays: list[torch.Tensor]) -> torch.Tensor:
        """Return tensors concatenated along axis 1."""
        return torch.cat(arrays, dim=1)

    def range(self, count: int) -> torch.Tensor:
        """Return 0, 1, …, count - 1."""
        return torch.arange(count, device=self.device)


def first_weights(network: Network, seed: int) -> dict[str, npt.NDArray[Any]]:
    """Return initial weights: orthogonal matrices scaled by each shape's gain, as PPO usually begins.

    Args:
        network: The network.
        seed: Random seed.
    """
    generator = torch.Generator().manual_seed(seed)
    weights = {}
    for name, (sizes, gain) in network.shapes().items():
        tensor = torch.zeros(sizes)
        if gain:
            torch.nn.init.orthogonal_(tensor, gain, generator=generator)
        weights[name] = tensor.numpy()
    return weights


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
        name, shape = parameters.pop("name"), self.observation_space.shape
        self.network = network_of(name, shape, int(self.action_space.n), parameters)
        self.weights = nn.ParameterDict(
            {
                name.replace(".", _DOT): nn.Parameter(torch.tensor(array), name not in self.network.fixed)
                for name, array in first_weights(self.network, 0).items()
            }
        )
        trained = [weight for weight in self.weights.values() if weight.requires_grad]
        self.optimizer = self.optimizer_class(trained, lr=lr_schedule(1), **self.optimizer_kwargs)

    @torch.no_grad()
    def set_weights(self: Any, weights: Weights) -> None:
        """Set weights, by our names; others are not changed."""
        for name, array in weights.items():
            self.weights[name.replace(".", _DOT)].copy_(torch.tensor(array))

    def arrays(self: Any) -> Weights:
        """Return a copy of the weights as arrays, by our names."""
        return {name: tensor.detach().cpu().numpy().copy() for name, tensor in self._named().items()}

    def _named(self: Any) -> dict[str, torch.Tensor]:
        return {name.replace(_DOT, "."): weight for name, weight in self.weights.items()}

    def _output(self: Any, obs: torch.Tensor) -> Output:
        output: Output = self.network.forward(TorchOperations(self.device), self._named(), obs)
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
