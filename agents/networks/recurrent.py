"""``recurrent``: a gated recurrent unit, for observations that do not show everything that happened."""

import dataclasses
import math
from typing import ClassVar

from .network import Network, Output, Shape, Weights, head_shapes, heads, linear, linear_shapes
from .operations import Array, Operations


@dataclasses.dataclass(frozen=True)
class Recurrent(Network):
    """One layer over the observation and the last action, then a gated recurrent unit, then one layer each.

    The unit is that of K. Cho et al. (2014), as in PyTorch's ``GRUCell``.
    """

    name: ClassVar[str] = "recurrent"
    learns_memory: ClassVar[bool] = True

    @property
    def memory(self) -> int:
        """The unit's state, then the last action."""
        return self.width + self.actions

    def shapes(self) -> dict[str, Shape]:
        """Return the shapes of all weights by name."""
        width = self.width
        return {
            **linear_shapes("input", math.prod(self.shape) + self.actions, width),
            **linear_shapes("unit.input", width, 3 * width, 1.0),
            **linear_shapes("unit.state", width, 3 * width, 1.0),
            **head_shapes(width, width, self.actions),
        }

    def read(self, ops: Operations, weights: Weights, view: Array, memory: Array | None = None) -> Output:
        """Compute the output for flattened observations [B, N] and a memory [B, M]."""
        if memory is None:
            raise ValueError("a recurrent network needs a memory: zeros at the start of an episode")
        width = self.width
        before, last = memory[:, :width], memory[:, width:]
        x = ops.relu(linear(ops, weights, "input", ops.concatenate([ops.floats(view), last])))
        new, old = linear(ops, weights, "unit.input", x), linear(ops, weights, "unit.state", before)
        reset = ops.sigmoid(new[:, :width] + old[:, :width])
        keep = ops.sigmoid(new[:, width : 2 * width] + old[:, width : 2 * width])
        candidate = ops.tanh(new[:, 2 * width :] + reset * old[:, 2 * width :])
        state = candidate + keep * (before - candidate)
        return heads(ops, weights, state, ops.concatenate([state, 0 * last]))
