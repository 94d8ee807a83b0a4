"""The operations of networks in PyTorch: :class:`~gridpuzzles_gym.agents.networks.operations.Operations`."""

from typing import Any

import numpy.typing as npt
import torch
from torch.nn import functional


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
