"""The networks of the suite in PyTorch: their operations, weights and optimiser, with the weights as arrays by name."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.nn import functional

from ..networks.network import Network, Weights

ILLEGAL = -1e8
"""The logit of an illegal action."""
_DOT = "/"
"""Replaces the dot in the names of weights: PyTorch allows none in the names of parameters."""
_STEPS, _WEIGHTS = "steps", "weights"
_MOMENTS = ("exp_avg", "exp_avg_sq")

Arrays = dict[str, npt.NDArray[Any]]


class TorchOperations:
    """The operations on tensors of one device.

    Args:
        device: The device of the tensors that :meth:`array` and :meth:`range` make.
    """

    def __init__(self, device: torch.device) -> None:
        self.device = device

    def array(self, x: npt.NDArray[Any]) -> torch.Tensor:
        """Return an array as a tensor; on the CPU it shares the array's memory."""
        return torch.from_numpy(x).to(self.device, non_blocking=True)

    def floats(self, x: torch.Tensor) -> torch.Tensor:
        """Return x as float32."""
        return x.float()

    def cast(self, x: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
        """Return x as numbers of the type of another tensor."""
        return x.to(like.dtype)

    def linear(self, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        """Return ``x @ weight.T + bias``."""
        return functional.linear(x, weight, bias)

    def convolve(self, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        """Return a 3×3 convolution, with zeros around the board; channels last, which is faster on every device."""
        return functional.conv2d(x.contiguous(memory_format=torch.channels_last), weight, bias, padding=1)

    def relu(self, x: torch.Tensor) -> torch.Tensor:
        """Return the larger of x and 0."""
        return functional.relu(x)

    def sigmoid(self, x: torch.Tensor) -> torch.Tensor:
        """Return ``1 / (1 + exp(-x))``."""
        return torch.sigmoid(x)

    def tanh(self, x: torch.Tensor) -> torch.Tensor:
        """Return the hyperbolic tangent."""
        return torch.tanh(x)

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


def trainable(network: Network, weights: Weights, device: torch.device) -> dict[str, torch.Tensor]:
    """Return copies of weights as tensors on a device, those that are trained with gradients."""
    tensors = {name: torch.tensor(array, dtype=torch.float32, device=device) for name, array in weights.items()}
    for name, tensor in tensors.items():
        tensor.requires_grad_(name not in network.fixed)
    return tensors


def as_parameters(network: Network, weights: Weights) -> nn.ParameterDict:
    """Return copies of weights as parameters of a module, those that are trained with gradients."""
    tensors = trainable(network, weights, torch.device("cpu"))
    return nn.ParameterDict(
        {name.replace(".", _DOT): nn.Parameter(tensor, tensor.requires_grad) for name, tensor in tensors.items()}
    )


def by_name(parameters: nn.ParameterDict) -> dict[str, torch.Tensor]:
    """Return the parameters by the names of the weights."""
    return {name.replace(_DOT, "."): parameter for name, parameter in parameters.items()}


def as_array(tensor: torch.Tensor) -> npt.NDArray[Any]:
    """Return a copy of a tensor as an array."""
    array: npt.NDArray[Any] = tensor.detach().cpu().numpy().copy()
    return array


def as_arrays(tensors: Mapping[str, torch.Tensor]) -> dict[str, npt.NDArray[Any]]:
    """Return copies of tensors as arrays, by the same names."""
    return {name: as_array(tensor) for name, tensor in tensors.items()}


@torch.no_grad()
def set_tensors(tensors: Mapping[str, torch.Tensor], arrays: Weights) -> None:
    """Copy arrays into the tensors of the same names; others are not changed."""
    for name, array in arrays.items():
        tensors[name].copy_(torch.tensor(array))


def with_last_action(memory: torch.Tensor, actions: torch.Tensor, count: int) -> torch.Tensor:
    """Return memories [B, M] that end in these actions, int64[B] of ``count`` ones."""
    return torch.cat([memory[:, :-count], torch.nn.functional.one_hot(actions, count)], dim=1)


def adam_state(weights: Mapping[str, torch.Tensor], optimiser: torch.optim.Optimizer) -> Arrays:
    """Return weights and Adam's state of them, as arrays that share no memory with them.

    Args:
        weights: All weights, by name; those that require a gradient are trained.
        optimiser: Adam, which trains them.
    """
    arrays = {f"{_WEIGHTS}/{name}": as_array(tensor) for name, tensor in weights.items()}
    arrays[_STEPS] = np.zeros(())
    for name, tensor in weights.items():
        if tensor.requires_grad:
            state = optimiser.state.get(tensor, {})
            for moment in _MOMENTS:
                arrays[f"{moment}/{name}"] = as_array(state.get(moment, torch.zeros_like(tensor)))
            arrays[_STEPS] = np.array(float(state.get("step", 0)))
    return arrays


def set_adam_state(weights: Mapping[str, torch.Tensor], optimiser: torch.optim.Optimizer, arrays: Arrays) -> None:
    """Restore the result of :func:`adam_state`; arrays of other names are ignored."""
    set_tensors(weights, {name: arrays[f"{_WEIGHTS}/{name}"] for name in weights})
    for name, tensor in weights.items():
        if tensor.requires_grad:
            state = {moment: torch.tensor(arrays[f"{moment}/{name}"], device=tensor.device) for moment in _MOMENTS}
            on = tensor.device if optimiser.defaults["fused"] else "cpu"
            state["step"] = torch.tensor(float(arrays[_STEPS]), device=on)
            optimiser.state[tensor] = state
