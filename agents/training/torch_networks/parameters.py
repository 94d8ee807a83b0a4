"""Weights of our networks as parameters of a PyTorch module."""

import numpy as np
import torch
from torch import nn

from ...networks.network import Network, Weights

_DOT = "/"
"""Replaces the dot in the names of weights: PyTorch allows none in the names of parameters."""


def as_parameters(network: Network, weights: Weights) -> nn.ParameterDict:
    """Return weights as parameters, those that are trained with gradients."""
    parameters = nn.ParameterDict()
    for name, array in weights.items():
        tensor = torch.from_numpy(np.array(array, np.float32))
        parameters[name.replace(".", _DOT)] = nn.Parameter(tensor, requires_grad=name not in network.fixed)
    return parameters


def by_name(parameters: nn.ParameterDict) -> dict[str, torch.Tensor]:
    """Return the parameters by the names of the weights."""
    return {name.replace(_DOT, "."): parameter for name, parameter in parameters.items()}
