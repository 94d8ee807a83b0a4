"""The network PPO trains: one shared layer, then one each for the policy and the value."""

from typing import Any

import numpy as np
import torch
from gymnasium import Space
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn


class SharedLayer(BaseFeaturesExtractor):
    """The observation, flattened, through one layer that policy and value share.

    Sharing the widest layer halves the cost of a gradient step, where most of the time goes.

    Args:
        observation_space: Any ``Box`` or ``MultiBinary``.
        width: Units of the layer.
    """

    def __init__(self, observation_space: Space[Any], width: int) -> None:
        super().__init__(observation_space, width)
        assert observation_space.shape is not None
        self.layer = nn.Sequential(nn.Flatten(), nn.Linear(int(np.prod(observation_space.shape)), width), nn.ReLU())

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Float observations ``[B, ...]`` to features ``[B, width]``."""
        features: torch.Tensor = self.layer(observations)
        return features


def policy_kwargs(width: int) -> dict[str, Any]:
    """Stable-Baselines3's ``policy_kwargs`` for this network."""
    return {
        "features_extractor_class": SharedLayer,
        "features_extractor_kwargs": {"width": width},
        "net_arch": {"pi": [width], "vf": [width]},
        "activation_fn": nn.ReLU,
    }
