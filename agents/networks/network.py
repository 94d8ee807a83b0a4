"""What a network is: a frozen record of its sizes, the shapes of its weights, and a function of weights and inputs.

The function calls :class:`Operations` and the methods that arrays of NumPy and tensors of PyTorch have in common
(arithmetic, ``reshape``, ``mean``), so the same code trains with PyTorch
(:mod:`~gridpuzzles_gym.agents.training.sb3_policy`) and plays with NumPy alone.
"""

import abc
import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gridpuzzles_gym.engine.messages import quote

from ..orientations import DIRECTIONS, played_actions, reorient, ways
from .convolutions import Convolutions

Array = Any
"""An array of NumPy or a tensor of PyTorch."""
Layers = Sequence[tuple[Array, Array]]
"""Weights [out, in, 3, 3] and biases [out] of convolutions."""


class Operations:
    """What networks need beyond the common methods of arrays, in NumPy; shapes are those of the arguments.

    Args:
        convolutions: Those of the layers that :meth:`convolve` is called with, prepared; None prepares them each time.
    """

    def __init__(self, convolutions: Convolutions | None = None) -> None:
        self._convolutions = convolutions

    def floats(self, x: Array) -> Array:
        """Return x as float32."""
        return np.asarray(x, np.float32)

    def linear(self, x: Array, weight: Array, bias: Array) -> Array:
        """Return ``x @ weight.T + bias``: [B, in], [out, in] and [out] give [B, out]."""
        return x @ weight.T + bias

    def convolve(self, x: Array, layers: Layers) -> Array:
        """Return the features [B, C, H, W] of planes: a stem, then residual blocks of two 3×3 convolutions.

        There are zeros around the board, and a ReLU after each convolution; that of a block's second one is applied
        to the sum with what the block began with.
        """
        return (self._convolutions or Convolutions(layers))(x)

    def relu(self, x: Array) -> Array:
        """Return the larger of x and 0."""
        return np.maximum(x, 0)

    def maximum(self, x: Array) -> Array:
        """Return the maximum along the last axis."""
        return x.max(-1)

    def place_of_maximum(self, x: Array) -> Array:
        """Return the index of the first maximum along the last axis, int64."""
        return x.argmax(-1)

    def pad(self, x: Array, rows: int, columns: int) -> Array:
        """Return boards [B, C, H, W] with zeros around them: ``rows`` above and below, ``columns`` on both sides."""
        return np.pad(x, ((0, 0), (0, 0), (rows, rows), (columns, columns)))

    def gather(self, x: Array, indices: Array) -> Array:
        """Return [B, C, M], the entries of x [B, C, N] at ``indices`` [B, M]."""
        count, channels, entries = x.shape
        first = np.arange(0, count * channels * entries, entries).reshape(count, channels, 1)
        return x.reshape(-1).take(first + indices[:, None])  # a third of the time of take_along_axis

    def concatenate(self, arrays: list[Array]) -> Array:
        """Return arrays [B, ...] side by side along axis 1."""
        return np.concatenate(arrays, axis=1)

    def range(self, count: int) -> Array:
        """Return 0, 1, …, count - 1, int64."""
        return np.arange(count)


NUMPY = Operations()
"""NumPy's operations."""


Weights = Mapping[str, Array]
"""Weights by name, with the shapes that :meth:`Network.shapes` lists."""


class Shape(NamedTuple):
    """The shape of one array of weights, and how large its first values are."""

    sizes: tuple[int, ...]
    gain: float = 2**0.5
    """Factor on the initial values; the default keeps the variance through a ReLU, 0 starts with zeros."""


class Output(NamedTuple):
    """What a network computes for a batch."""

    logits: Array
    """[B, A]: the logarithms of the actions' probabilities, up to a constant."""
    values: Array
    """[B]: the expected discounted return, in the units of training (scaled rewards)."""


@dataclasses.dataclass(frozen=True)
class Network(abc.ABC):
    """A network with a policy and a value; subclasses are its architectures.

    A call has two parts: :meth:`view` rearranges observations, and :meth:`read`, which has the weights, is the rest.

    Raises:
        ValueError: A size is invalid, or the architecture cannot read such observations.
    """

    shape: tuple[int, ...]
    """The shape of one observation."""
    actions: int
    """A, the number of actions."""
    width: int = 256
    """Units of each layer."""
    averaged: bool = False
    """Whether :meth:`forward` averages over the orientations of the board, eight if it is square: eight times the work,
    for better play. Requires planes, rules that are the same in all directions, and actions that begin with up, down,
    left and right."""

    name: ClassVar[str]
    """Its name in settings and model files."""
    any_size: ClassVar[bool] = False
    """Whether it plays boards of any size, with the same number of planes."""

    def __post_init__(self) -> None:
        if self.averaged and (len(self.shape) != 3 or self.actions < len(DIRECTIONS)):
            raise ValueError(f"network={quote(self.name)}: averaged=True needs planes and four directions")

    @property
    def fixed(self) -> tuple[str, ...]:
        """The names of weights that are not trained."""
        return ()

    @abc.abstractmethod
    def shapes(self) -> dict[str, Shape]:
        """Return the shapes of all weights by name."""

    def view(self, ops: Operations, observation: Array) -> Array:
        """Return what the first layer reads, of the observations' dtype; float observations are not needed."""
        return observation.reshape(observation.shape[0], -1)

    @abc.abstractmethod
    def read(self, ops: Operations, weights: Weights, view: Array) -> Output:
        """Compute the output for what :meth:`view` returns."""

    def operations(self, weights: Weights) -> Operations:
        """Return the operations in NumPy that :meth:`forward` is the fastest with, for these weights."""
        return NUMPY

    def forward(self, ops: Operations, weights: Weights, observation: Array) -> Output:
        """Compute the output for observations ``[B, *shape]``."""
        if self.averaged:
            return self._average(ops, weights, observation)
        return self.read(ops, weights, self.view(ops, observation))

    def _average(self, ops: Operations, weights: Weights, planes: Array) -> Output:
        """Return the mean output over the orientations of planes [B, C, H, W]."""
        count, channels, height, width = planes.shape
        squares, orientations = np.arange(height * width).reshape(height, width), ways(height, width)
        seen = np.stack([reorient(squares, way) for way in orientations]).reshape(-1)
        turned = planes.reshape(count, channels, -1)[:, :, seen].reshape(count, channels, -1, height, width)
        view = self.view(ops, turned.swapaxes(1, 2).reshape(-1, channels, height, width))
        logits, values = self.read(ops, weights, view)
        actions = np.stack([np.argsort(played_actions(way, self.actions)) for way in orientations])
        played = logits.reshape(count, len(actions), -1)[:, np.arange(len(actions))[:, None], actions]
        return Output(played.mean(1), values.reshape(count, -1).mean(1))

    def parameters(self) -> dict[str, Any]:
        """Return the fields that are settings of this architecture: all but ``shape`` and ``actions``."""
        fields = (field.name for field in dataclasses.fields(self))
        return {name: getattr(self, name) for name in fields if name not in ("shape", "actions")}


def flag_values(observation: Array, count: int) -> Array:
    """Return one square of each of the last ``count`` planes of observations [B, C, H, W]: [B, count]."""
    return observation[:, observation.shape[1] - count :, 0, 0]


def linear_shapes(name: str, inputs: int, outputs: int, gain: float = 2**0.5) -> dict[str, Shape]:
    """Return the shapes of a linear layer: ``name.weight`` and ``name.bias``."""
    return {f"{name}.weight": Shape((outputs, inputs), gain), f"{name}.bias": Shape((outputs,), 0)}


def linear(ops: Operations, weights: Weights, name: str, x: Array) -> Array:
    """Apply the linear layer of that name."""
    return ops.linear(x, weights[f"{name}.weight"], weights[f"{name}.bias"])


def shared_shapes(inputs: int, width: int, depth: int) -> dict[str, Shape]:
    """Return the shapes of :func:`shared_layers`."""
    shapes: dict[str, Shape] = {}
    for k in range(depth):
        shapes |= linear_shapes(f"shared.{k}", inputs if k == 0 else width, width)
    return shapes


def shared_layers(ops: Operations, weights: Weights, x: Array, depth: int) -> Array:
    """Apply ``depth`` layers, which policy and value share, to inputs [B, N]."""
    for k in range(depth):
        x = ops.relu(linear(ops, weights, f"shared.{k}", x))
    return x


def head_shapes(inputs: int, width: int, actions: int) -> dict[str, Shape]:
    """Return the shapes of :func:`heads`; the first policy is nearly uniform."""
    return {
        **linear_shapes("policy.hidden", inputs, width),
        **linear_shapes("policy.out", width, actions, 0.01),
        **linear_shapes("value.hidden", inputs, width),
        **linear_shapes("value.out", width, 1, 1.0),
    }


def heads(ops: Operations, weights: Weights, features: Array) -> Output:
    """One hidden layer each for the policy and the value, over the same features [B, N]."""
    policy = ops.relu(linear(ops, weights, "policy.hidden", features))
    value = ops.relu(linear(ops, weights, "value.hidden", features))
    logits, values = linear(ops, weights, "policy.out", policy), linear(ops, weights, "value.out", value)
    return Output(logits, values[:, 0])
