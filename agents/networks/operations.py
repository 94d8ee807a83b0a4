"""The array operations that networks are written in, and NumPy's version of them.

A network is a plain function of its weights (:mod:`.network`). It calls these operations and the methods that arrays of
NumPy and tensors of PyTorch have in common (arithmetic, ``reshape``, ``mean``), so the same code trains with PyTorch
(:mod:`~gridpuzzles_gym.agents.training.torch_networks.operations`) and plays with NumPy alone.
"""

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Array = Any
"""An array of NumPy or a tensor of PyTorch."""


class Operations(Protocol):
    """What networks need beyond the common methods of arrays; shapes are those of the arguments."""

    def array(self, x: npt.NDArray[Any]) -> Array:
        """Return an array of NumPy as an array or tensor of these operations."""

    def floats(self, x: Array) -> Array:
        """Return x as float32."""

    def cast(self, x: Array, like: Array) -> Array:
        """Return x as numbers of the type of another array."""

    def linear(self, x: Array, weight: Array, bias: Array) -> Array:
        """Return ``x @ weight.T + bias``: [B, in], [out, in] and [out] give [B, out]."""

    def convolve(self, x: Array, weight: Array, bias: Array) -> Array:
        """Return a 3×3 convolution, with zeros around the board: [B, in, H, W] gives [B, out, H, W]."""

    def relu(self, x: Array) -> Array:
        """Return the larger of x and 0."""

    def sigmoid(self, x: Array) -> Array:
        """Return ``1 / (1 + exp(-x))``."""

    def tanh(self, x: Array) -> Array:
        """Return the hyperbolic tangent."""

    def maximum(self, x: Array) -> Array:
        """Return the maximum along the last axis."""

    def place_of_maximum(self, x: Array) -> Array:
        """Return the index of the first maximum along the last axis, int64."""

    def pad(self, x: Array, rows: int, columns: int) -> Array:
        """Return boards [B, C, H, W] with zeros around them: ``rows`` above and below, ``columns`` on both sides."""

    def gather(self, x: Array, indices: Array) -> Array:
        """Return [B, C, M], the entries of x [B, C, N] at ``indices`` [B, M]."""

    def concatenate(self, arrays: list[Array]) -> Array:
        """Return arrays [B, ...] side by side along axis 1."""

    def range(self, count: int) -> Array:
        """Return 0, 1, …, count - 1, int64."""


class NumpyOperations:
    """The operations in NumPy: see :class:`Operations`."""

    def array(self, x: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return x."""
        return x

    def floats(self, x: Array) -> npt.NDArray[np.float32]:
        """Return x as float32."""
        return np.asarray(x, np.float32)

    def cast(self, x: Array, like: Array) -> Array:
        """Return x as numbers of the type of another array."""
        return np.asarray(x, like.dtype)

    def linear(self, x: Array, weight: Array, bias: Array) -> Array:
        """Return ``x @ weight.T + bias``."""
        return x @ weight.T + bias

    def convolve(self, x: Array, weight: Array, bias: Array) -> Array:
        """Return a 3×3 convolution: one matrix product of every square's surroundings with the weights."""
        height, width = x.shape[2:]
        padded = self.pad(x, 1, 1).transpose(0, 2, 3, 1)  # channels last: rows of the matrices are contiguous
        shifted = [padded[:, i : i + height, j : j + width] for i in range(3) for j in range(3)]
        around = np.concatenate(shifted, axis=3)
        matrix = weight.transpose(2, 3, 1, 0).reshape(-1, len(weight))
        return (around @ matrix + bias).transpose(0, 3, 1, 2)

    def relu(self, x: Array) -> Array:
        """Return the larger of x and 0."""
        return np.maximum(x, 0)

    def sigmoid(self, x: Array) -> Array:
        """Return ``1 / (1 + exp(-x))``, without an overflow."""
        return 0.5 * (np.tanh(0.5 * x) + 1)

    def tanh(self, x: Array) -> Array:
        """Return the hyperbolic tangent."""
        return np.tanh(x)

    def maximum(self, x: Array) -> Array:
        """Return the maximum along the last axis."""
        return x.max(-1)

    def place_of_maximum(self, x: Array) -> Array:
        """Return the index of the first maximum along the last axis."""
        return x.argmax(-1)

    def pad(self, x: Array, rows: int, columns: int) -> Array:
        """Return boards [B, C, H, W] with zeros around them."""
        return np.pad(x, ((0, 0), (0, 0), (rows, rows), (columns, columns)))

    def gather(self, x: Array, indices: Array) -> Array:
        """Return the entries of x at ``indices``."""
        count, channels, entries = x.shape
        first = np.arange(0, count * channels * entries, entries).reshape(count, channels, 1)
        return x.reshape(-1).take(first + indices[:, None])  # a third of the time of take_along_axis

    def concatenate(self, arrays: list[Array]) -> Array:
        """Return arrays side by side along axis 1."""
        return np.concatenate(arrays, axis=1)

    def range(self, count: int) -> Array:
        """Return 0, 1, …, count - 1."""
        return np.arange(count)


NUMPY = NumpyOperations()
"""NumPy's operations."""
