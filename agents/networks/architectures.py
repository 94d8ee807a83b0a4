"""The architectures of networks, and the table of all by name.

- ``mlp``: the flattened observation through fully connected layers.
- ``egocentric``: the board, shifted to put the player in the middle, through fully connected layers.
- ``residual``: a small residual convolutional network that plays boards of any size.
"""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, ClassVar

from gridpuzzles_gym.engine.messages import did_you_mean, quote

from .convolutions import Convolutions
from .network import (
    Array,
    Layers,
    Network,
    Operations,
    Output,
    Shape,
    Weights,
    flag_values,
    head_shapes,
    heads,
    linear,
    linear_shapes,
    shared_layers,
    shared_shapes,
)


@dataclasses.dataclass(frozen=True)
class Flat(Network):
    """The flattened observation through ``depth`` layers shared by policy and value, then one layer each.

    Sharing the widest layer halves the cost of a gradient step, which dominates training time.
    """

    depth: int = 1
    """Number of shared layers."""
    centred: bool = False
    """Whether to subtract the mean of the first rollout from every observation. Constant inputs, such as the walls of a
    given maze, then become 0; otherwise they all push a unit in the same direction at every step of Adam and outweigh
    the few inputs that change."""
    flags: int = 0
    """Number of planes, the last ones, that are the same on all squares: it reads one square of each."""

    name: ClassVar[str] = "mlp"

    @property
    def fixed(self) -> tuple[str, ...]:
        """The mean of the first observations."""
        return ("centre",) if self.centred else ()

    def shapes(self) -> dict[str, Shape]:
        """Return the shapes of all weights by name."""
        inputs = (self.shape[0] - self.flags) * math.prod(self.shape[1:]) + self.flags
        shapes = {"centre": Shape((inputs,), 0)} if self.centred else {}
        shapes |= shared_shapes(inputs, self.width, self.depth)
        return shapes | head_shapes(self.width, self.width, self.actions)

    def view(self, ops: Operations, observation: Array) -> Array:
        """Return the flattened planes, then the flags, [B, N]."""
        if not self.flags:
            return super().view(ops, observation)
        planes = observation[:, : self.shape[0] - self.flags]
        return ops.concatenate([planes.reshape(planes.shape[0], -1), flag_values(observation, self.flags)])

    def read(self, ops: Operations, weights: Weights, view: Array) -> Output:
        """Compute the output for flattened observations [B, N]."""
        x = ops.floats(view)
        if self.centred:
            x = x - weights["centre"]
        return heads(ops, weights, shared_layers(ops, weights, x, self.depth))


@dataclasses.dataclass(frozen=True)
class Egocentric(Network):
    """The surroundings of the player through ``depth`` layers shared by policy and value, then one layer each.

    What is learned about the player's surroundings in one place then applies everywhere; ``mlp`` has to learn it again
    for each square. It sees all planes but the first (walls), which are where nothing else is, and the player's. It
    does not see the board's edge, which is always wall.

    Raises:
        ValueError: Observations are not at least 3 planes of 3×3 squares.
    """

    depth: int = 1
    """Number of shared layers."""
    player: int = -1
    """The plane of the player; negative numbers count from the last one."""
    flags: int = 0
    """Number of planes, the last ones, that are the same on all squares: it reads one square of each."""

    name: ClassVar[str] = "egocentric"

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.shape) != 3 or min(self.shape) < 3:
            raise ValueError(f"network='egocentric' needs at least 3 planes of 3×3 squares, not shape {self.shape}")

    @property
    def _seen(self) -> list[int]:
        """The planes that it sees around the player."""
        planes = range(1, self.shape[0] - self.flags)
        return [plane for plane in planes if plane != self.player % self.shape[0]]

    def shapes(self) -> dict[str, Shape]:
        """Return the shapes of all weights by name."""
        _, height, width = self.shape
        inputs = len(self._seen) * (2 * height - 5) * (2 * width - 5) + self.flags
        return shared_shapes(inputs, self.width, self.depth) | head_shapes(self.width, self.width, self.actions)

    def view(self, ops: Operations, observation: Array) -> Array:
        """Return the planes that it sees, centred on the player and 0 off the board, then the flags: [B, N]."""
        inside = observation[:, :, 1:-1, 1:-1]
        height, width = self.shape[1] - 2, self.shape[2] - 2
        rows, columns = height - 1, width - 1  # the player's maximum distance from the opposite side
        padded = ops.pad(inside[:, self._seen], rows, columns)
        across = width + 2 * columns
        place = ops.place_of_maximum(inside[:, self.player].reshape(inside.shape[0], -1))
        corner = place // width * across + place % width
        window = (ops.range(2 * height - 1)[:, None] * across + ops.range(2 * width - 1)).reshape(-1)
        seen = ops.gather(padded.reshape(padded.shape[0], len(self._seen), -1), corner[:, None] + window)
        around = seen.reshape(seen.shape[0], -1)
        return ops.concatenate([around, flag_values(observation, self.flags)]) if self.flags else around

    def read(self, ops: Operations, weights: Weights, view: Array) -> Output:
        """Compute the output for surroundings [B, N]."""
        return heads(ops, weights, shared_layers(ops, weights, ops.floats(view), self.depth))


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

    def _layers(self, weights: Weights) -> Layers:
        blocks = [f"block.{k}.{part}" for k in range(self.blocks) for part in ("first", "second")]
        return [(weights[f"{name}.weight"], weights[f"{name}.bias"]) for name in ("stem", *blocks)]

    def operations(self, weights: Weights) -> Operations:
        """Return operations with its convolutions prepared."""
        return Operations(Convolutions(self._layers(weights)))

    def view(self, ops: Operations, observation: Array) -> Array:
        """Return the planes, [B, C, H, W]."""
        return observation

    def read(self, ops: Operations, weights: Weights, view: Array) -> Output:
        """Compute the output for planes [B, C, H, W]."""
        x = ops.convolve(view, self._layers(weights))
        player = ops.floats(view)[:, self.player, None]
        largest = ops.maximum(ops.maximum(x))
        pooled = ops.concatenate([x.mean((2, 3)), largest, (x * player).sum((2, 3))])
        return heads(ops, weights, ops.relu(linear(ops, weights, "pooled", pooled)))


def _convolution(name: str, inputs: int, outputs: int, gain: float = 2**0.5) -> dict[str, Shape]:
    return {f"{name}.weight": Shape((outputs, inputs, 3, 3), gain), f"{name}.bias": Shape((outputs,), 0)}


NETWORKS: dict[str, type[Network]] = {kind.name: kind for kind in (Flat, Egocentric, Residual)}
"""The architectures: ``mlp``, ``egocentric`` and ``residual``."""


def network_of(name: str, shape: tuple[int, ...], actions: int, parameters: Mapping[str, Any]) -> Network:
    """Return a network.

    Args:
        name: A key of :data:`NETWORKS`.
        shape: The shape of one observation.
        actions: The number of actions.
        parameters: Further fields of the architecture, by name.

    Raises:
        ValueError: The name or a parameter is unknown, or the architecture cannot read such observations.
    """
    if name not in NETWORKS:
        raise ValueError(f"network={quote(name)} is not known; {did_you_mean(name, NETWORKS)}")
    kind = NETWORKS[name]
    allowed = parameters_of(name)
    for parameter in parameters:
        if parameter not in allowed:
            raise ValueError(f"network={quote(name)} has no parameter {quote(parameter)}; it has {', '.join(allowed)}")
    return kind(tuple(shape), actions, **parameters)


def parameters_of(name: str) -> list[str]:
    """Return the names of the parameters of an architecture."""
    return [field.name for field in dataclasses.fields(NETWORKS[name]) if field.name not in ("shape", "actions")]
