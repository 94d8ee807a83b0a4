"""``map``: a map of what was perceived around the agent, as a memory without weights.

After E. Parisotto and R. Salakhutdinov, "Neural Map: Structured Memory for Deep Reinforcement Learning" (ICLR 2018),
with a fixed rule of what is written, so that nothing has to be learned through time: given its map, a state can be
learned from alone.
"""

import dataclasses
from typing import ClassVar

from .network import Network, Output, Shape, Weights, head_shapes, heads, shared_layers, shared_shapes
from .operations import Array, Operations


@dataclasses.dataclass(frozen=True)
class NeuralMap(Network):
    """A map of the squares around the agent through ``depth`` layers shared by policy and value, then one layer each.

    The agent is in the middle and faces up; the map follows it by dead reckoning, from its actions and from the percept
    that says that a wall was in the way. What leaves the map is forgotten. The memory consists of 0 and 1, in this
    order:

    ===========  ==========  ====================================================================================
    marks        [2 + A, S]  the square of the first step, walls, and where each action was taken; they stay
    latest       [1 + P, S]  1 on each visited square, and the percepts there when it was last visited
    ever         [P + A]     was each percept perceived, and each action taken, in this episode?
    last action  [A]         see :attr:`.Network.memory`; it is not read
    ===========  ==========  ====================================================================================

    with A actions, P percepts and S squares. All but the last action is what the first layer reads.

    Raises:
        ValueError: Observations are not the percepts of one square, or an action or percept below is not one of them.
    """

    depth: int = 1
    """Number of shared layers."""
    radius: int = 3
    """The number of squares that the map extends in each direction."""
    ahead: int = -1
    """The action that moves one square ahead."""
    turn_left: int = -1
    """The action that turns left by 90°."""
    turn_right: int = -1
    """The action that turns right by 90°."""
    blocked: int = -1
    """The percept that a wall was in the way of the last step."""

    name: ClassVar[str] = "map"

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.shape) != 1:
            raise ValueError(f"network='map' needs the percepts of one square, not observations of shape {self.shape}")
        if self.radius < 1:
            raise ValueError(f"network='map': radius={self.radius} must be a positive integer")
        motions = [self.ahead, self.turn_left, self.turn_right]
        if len(set(motions)) < len(motions) or not all(0 <= action < self.actions for action in motions):
            raise ValueError(
                f"network='map': ahead, turn_left and turn_right must be three of the {self.actions} actions, "
                f"not {', '.join(map(str, motions))}"
            )
        if not 0 <= self.blocked < self.shape[0]:
            raise ValueError(f"network='map': blocked={self.blocked} must be one of the {self.shape[0]} percepts")

    @property
    def memory(self) -> int:
        """The map, what ever happened, then the last action."""
        return self._inputs + self.actions

    @property
    def _side(self) -> int:
        return 2 * self.radius + 1

    @property
    def _channels(self) -> int:
        """Marks, then the latest percepts."""
        return (2 + self.actions) + (1 + self.shape[0])

    @property
    def _inputs(self) -> int:
        return self._channels * self._side**2 + self.shape[0] + self.actions

    def shapes(self) -> dict[str, Shape]:
        """Return the shapes of all weights by name."""
        return {
            **shared_shapes(self._inputs, self.width, self.depth),
            **head_shapes(self.width, self.width, self.actions),
        }

    def remember(self, ops: Operations, view: Array, memory: Array) -> Array:
        """Return the memory without its last action, [B, M - A] of the memory's dtype, after percepts [B, P]."""
        percepts, side = ops.cast(view, memory), self._side
        count, squares, marked = percepts.shape[0], side**2, 2 + self.actions
        maps = memory[:, : self._channels * squares].reshape(count, self._channels, squares)
        ever, last = memory[:, self._channels * squares : -self.actions], memory[:, -self.actions :]
        blocked, begun = percepts[:, self.blocked : self.blocked + 1], ops.maximum(last)[:, None]

        # The last action was taken where the agent still is on the map, and a wall in its way is ahead of it there.
        middle = squares // 2
        of_mark, square = ops.range(marked)[:, None], ops.range(squares)
        place = ops.cast(square == middle - side * (of_mark == 1), memory)
        here = ops.cast(square == middle, memory)
        new = ops.concatenate([1 - begun, blocked, last])[:, :, None] * place
        marks, latest = _either(maps[:, :marked], new), maps[:, marked:]

        boards = ops.concatenate([marks, latest]).reshape(count, self._channels, side, side)
        padded = ops.pad(boards, 1, 0).reshape(count, self._channels, -1)  # a step ahead shows squares off the map
        moved = ops.gather(padded, self._sources(ops, ops.place_of_maximum(last), (begun > 0)[:, 0], blocked[:, 0] > 0))

        marks, latest = moved[:, :marked], moved[:, marked:]
        seen = ops.concatenate([0 * begun + 1, percepts])[:, :, None]
        latest = latest * (1 - here) + seen * here
        maps = ops.concatenate([marks, latest]).reshape(count, -1)
        return ops.concatenate([maps, _either(ever, ops.concatenate([percepts, last]))])

    def _sources(self, ops: Operations, action: Array, begun: Array, blocked: Array) -> Array:
        """Return where on the padded map each square was before the last action, int64[B, S].

        Args:
            ops: The operations.
            action: int64[B]: the last action.
            begun: bool[B]: was there one?
            blocked: bool[B]: was a wall in its way?
        """
        side = self._side
        row, column = ops.range(side**2) // side, ops.range(side**2) % side
        stayed = (row + 1) * side + column
        in_front = row * side + column
        from_left = (side - column) * side + row
        from_right = (column + 1) * side + (side - 1 - row)
        sources = stayed
        for number, source, happens in (
            (self.ahead, in_front, begun & ~blocked),
            (self.turn_left, from_left, begun),
            (self.turn_right, from_right, begun),
        ):
            sources = sources + ((action == number) & happens)[:, None] * (source - stayed)
        return sources

    def read(self, ops: Operations, weights: Weights, view: Array, memory: Array | None = None) -> Output:
        """Compute the output for what :meth:`remember` returns; a memory is not needed."""
        return heads(ops, weights, shared_layers(ops, weights, ops.floats(view), self.depth))


def _either(one: Array, other: Array) -> Array:
    """Return 1 where either is 1, of arrays of 0 and 1."""
    return one + other - one * other
