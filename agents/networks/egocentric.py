"""``egocentric``: the board, shifted to put the player in the middle, through fully connected layers."""

import dataclasses
from typing import ClassVar

from .network import Network, Output, Shape, Weights, flag_values, head_shapes, heads, shared_layers, shared_shapes
from .operations import Array, Operations


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

    def read(self, ops: Operations, weights: Weights, view: Array, memory: Array | None = None) -> Output:
        """Compute the output for surroundings [B, N]."""
        return heads(ops, weights, shared_layers(ops, weights, ops.floats(view), self.depth))
