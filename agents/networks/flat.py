"""``mlp``: the flattened observation through fully connected layers."""

import dataclasses
import math
from typing import ClassVar

from .network import Network, Output, Shape, Weights, flag_values, head_shapes, heads, shared_layers, shared_shapes
from .operations import Array, Operations


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

    def read(self, ops: Operations, weights: Weights, view: Array, memory: Array | None = None) -> Output:
        """Compute the output for flattened observations [B, N]."""
        x = ops.floats(view)
        if self.centred:
            x = x - weights["centre"]
        return heads(ops, weights, shared_layers(ops, weights, x, self.depth))
