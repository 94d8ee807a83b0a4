"""``residual``: a small residual convolutional network that plays boards of any size."""

import dataclasses
from typing import ClassVar

from .network import Network, Output, Shape, Weights, head_shapes, heads, linear, linear_shapes
from .operations import Array, Operations


@dataclasses.dataclass(frozen=True)
class Residual(Network):
    """Residual blocks of two 3×3 convolutions; then the mean, the maximum, and the features at the player's square.

    None of the weights depends on the size of the board: a network trained on 7×7 squares plays 10×10. After K. He, X.
    Zhang, S. Ren and J. Sun (2016), without normalization: the second convolution of each block starts at 0.

    Raises:
        ValueError: Observations are not planes.
    """

    channels: int = 32
    """Channels of each convolution."""
    blocks: int = 4
    """Number of residual blocks; each lets a square see two squares further."""
    player: int = -1
    """The plane of the player; negative numbers count from the last one."""

    name: ClassVar[str] = "residual"
    any_size: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.shape) != 3:
            raise ValueError(f"network='residual' needs planes [C, H, W], not observations of shape {self.shape}")

    def shapes(self) -> dict[str, Shape]:
        """Return the shapes of all weights by name."""
        shapes = _convolution("stem", self.shape[0], self.channels)
        for k in range(self.blocks):
            shapes |= _convolution(f"block.{k}.first", self.channels, self.channels)
            shapes |= _convolution(f"block.{k}.second", self.channels, self.channels, 0)
        shapes |= linear_shapes("pooled", 3 * self.channels, self.width)
        return shapes | head_shapes(self.width, self.width, self.actions)

    def view(self, ops: Operations, observation: Array) -> Array:
        """Return the planes, [B, C, H, W]."""
        return observation

    def read(self, ops: Operations, weights: Weights, view: Array, memory: Array | None = None) -> Output:
        """Compute the output for planes [B, C, H, W]."""

        def convolve(name: str, x: Array) -> Array:
            return ops.convolve(x, weights[f"{name}.weight"], weights[f"{name}.bias"])

        planes = ops.floats(view)
        x = ops.relu(convolve("stem", planes))
        for k in range(self.blocks):
            x = ops.relu(x + convolve(f"block.{k}.second", ops.relu(convolve(f"block.{k}.first", x))))
        squares = x.reshape(x.shape[0], self.channels, -1)
        player = planes[:, self.player].reshape(x.shape[0], 1, -1)
        pooled = ops.concatenate([squares.mean(2), ops.maximum(squares), (squares * player).sum(2)])
        return heads(ops, weights, ops.relu(linear(ops, weights, "pooled", pooled)))


def _convolution(name: str, inputs: int, outputs: int, gain: float = 2**0.5) -> dict[str, Shape]:
    return {f"{name}.weight": Shape((outputs, inputs, 3, 3), gain), f"{name}.bias": Shape((outputs,), 0)}
