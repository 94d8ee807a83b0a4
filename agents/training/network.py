"""The networks PPO trains: one shared layer, then one each for the policy and the value."""

from typing import Any

import numpy as np
import torch
from gymnasium import Space
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn


class SharedLayer(BaseFeaturesExtractor):
    """The flattened observation through one layer shared by policy and value.

    Sharing the widest layer halves the cost of a gradient step, which dominates training time.

    Args:
        observation_space: Any ``Box`` or ``MultiBinary``.
        width: Units of the layer.
        centred: Subtract the mean of the first batch from every observation. Constant inputs, such as the walls of a
            given maze, then become 0; otherwise they all push a unit in the same direction at every step of Adam and
            outweigh the few inputs that change.
    """

    def __init__(self, observation_space: Space[Any], width: int, centred: bool = False) -> None:
        super().__init__(observation_space, width)
        assert observation_space.shape is not None
        size = int(np.prod(observation_space.shape))
        self.layer = nn.Sequential(nn.Flatten(), nn.Linear(size, width), nn.ReLU())
        self.centre: torch.Tensor | None
        self.register_buffer("centre", torch.full((size,), torch.nan) if centred else None)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Map float observations ``[B, ...]`` to features ``[B, width]``."""
        if self.centre is not None:
            observations = observations.flatten(1)
            if self.centre[0].isnan():  # not set yet; saved with the weights
                self.centre.copy_(observations.mean(0))
            observations = observations - self.centre
        features: torch.Tensor = self.layer(observations)
        return features


class Egocentric(BaseFeaturesExtractor):
    """The board, shifted to put the player in the middle, through one layer shared by policy and value.

    What is learned about the player's surroundings in one place then applies everywhere; :class:`SharedLayer` has to
    learn it again for each square. The layer sees all planes but the first (walls), which are where nothing else is,
    and the last (the player). It does not see the board's edge, which is always wall.

    Args:
        observation_space: A ``Box`` of planes ``[C, H, W]``.
        width: Units of the layer.

    Raises:
        ValueError: Observations are not such planes.
    """

    def __init__(self, observation_space: Space[Any], width: int) -> None:
        super().__init__(observation_space, width)
        shape = observation_space.shape or ()
        if len(shape) != 3 or min(shape) < 3:
            raise ValueError(f"network='egocentric' needs planes, at least 3 of 3×3 squares, not observations {shape}")
        height, across = shape[1] - 2, shape[2] - 2
        self._shifts = height - 1, across - 1
        """Maximum distance of the player from the opposite side of the board: rows, columns."""
        window = torch.arange(2 * height - 1)[:, None] * (3 * across - 2) + torch.arange(2 * across - 1)
        self.window: torch.Tensor
        self.register_buffer("window", window.flatten(), persistent=False)
        self.layer = nn.Sequential(nn.Flatten(), nn.Linear((shape[0] - 2) * window.numel(), width), nn.ReLU())

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Map float planes ``[B, C, H, W]`` to features ``[B, width]``."""
        features: torch.Tensor = self.layer(self.centred(observations))
        return features

    def centred(self, observations: torch.Tensor) -> torch.Tensor:
        """The planes that the layer sees, ``[B, C - 2, N]``: centred on the player, 0 off the board."""
        inside = observations[:, :, 1:-1, 1:-1]
        rows, columns = self._shifts
        padded = nn.functional.pad(inside[:, 1:-1], (columns, columns, rows, rows))
        at = inside[:, -1].flatten(1).argmax(1)
        corner = at // (columns + 1) * padded.shape[3] + at % (columns + 1)
        squares = (corner[:, None] + self.window)[:, None].expand(-1, padded.shape[1], -1)
        return padded.flatten(2).gather(2, squares)


def policy_kwargs(network: str, width: int, centred: bool = False) -> dict[str, Any]:
    """Stable-Baselines3's ``policy_kwargs`` for ``"mlp"`` (:class:`SharedLayer`) or ``"egocentric"``."""
    egocentric = network == "egocentric"
    return {
        "features_extractor_class": Egocentric if egocentric else SharedLayer,
        "features_extractor_kwargs": {"width": width} if egocentric else {"width": width, "centred": centred},
        "net_arch": {"pi": [width], "vf": [width]},
        "activation_fn": nn.ReLU,
    }
