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
        centred: Take the mean of the first batch away from every observation. What never changes, as the walls of a
            given maze, is then 0: else all its inputs pull a unit the same way at every gradient step of Adam's,
            and drown the few that tell where things are.
    """

    def __init__(self, observation_space: Space[Any], width: int, centred: bool = False) -> None:
        super().__init__(observation_space, width)
        assert observation_space.shape is not None
        size = int(np.prod(observation_space.shape))
        self.layer = nn.Sequential(nn.Flatten(), nn.Linear(size, width), nn.ReLU())
        self.centre: torch.Tensor | None
        self.register_buffer("centre", torch.full((size,), torch.nan) if centred else None)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Float observations ``[B, ...]`` to features ``[B, width]``."""
        if self.centre is not None:
            observations = observations.flatten(1)
            if self.centre[0].isnan():  # it is saved with the weights
                self.centre.copy_(observations.mean(0))
            observations = observations - self.centre
        features: torch.Tensor = self.layer(observations)
        return features


def policy_kwargs(width: int, centred: bool = False) -> dict[str, Any]:
    """Stable-Baselines3's ``policy_kwargs`` for this network."""
    return {
        "features_extractor_class": SharedLayer,
        "features_extractor_kwargs": {"width": width, "centred": centred},
        "net_arch": {"pi": [width], "vf": [width]},
        "activation_fn": nn.ReLU,
    }
