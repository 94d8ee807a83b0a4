"""The weights of our networks in PyTorch: the first ones, those that are trained, and copies as arrays."""

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt
import torch
from torch import nn

from ...networks.network import Network, Weights

_DOT = "/"
"""Replaces the dot in the names of weights: PyTorch allows none in the names of parameters."""


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
