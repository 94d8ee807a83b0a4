"""Residual blocks of 3×3 convolutions on small boards, compiled: the minimal filtering algorithm F(5×5, 3×3).

A board is cut into tiles of 5×5 squares. The 7×7 values that a tile depends on are the coefficients of a polynomial in
two variables, which is evaluated at 7 points of either: as often as its product with a filter's polynomial needs. So a
convolution of a tile takes 49 multiplications, one for each pair of points, in place of 225. The 5×5 sums are
interpolated. A. Lavin and S. Gray, "Fast algorithms for convolutional neural networks", CVPR 2016.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import math
from collections.abc import Sequence
from typing import Any

import llvmlite.binding
import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import float32, int64, types, void
from numba.core import cgutils
from numba.extending import intrinsic

from gridpuzzles_gym.engine.compile.compilation import compiled
from gridpuzzles_gym.engine.compile.rule_marks import when_compiled
from gridpuzzles_gym.engine.kernels import kernel

Floats = npt.NDArray[np.float32]
TILE, POINTS = 5, 7
BOARDS = 16
"""Boards that are computed at once; with more, the numbers between two layers leave the processor's cache."""
LANES = 32 if llvmlite.binding.get_host_cpu_features().get("avx512f") else 16
"""Floats in two of the processor's registers. Numbers of channels are rounded up to multiples of it."""
BLOCK = 4
"""Rows that are multiplied by a matrix at once: with LANES, as many sums as hide the time of an addition."""
_WORD, _VECTOR = ir.IntType(64), ir.VectorType(ir.FloatType(), LANES)


def _powers(count: int) -> npt.NDArray[np.float64]:
    """Return the powers of the points 0, 1, -1, 2, -2, 1/2 and infinity, [7, count]."""
    return np.array([[at**k for k in range(count)] for at in (0, 1, -1, 2, -2, 0.5)] + [[0] * (count - 1) + [1]])


_INTERPOLATION, _EVALUATION = _powers(TILE).T, np.linalg.inv(_powers(POINTS)).T
# Rounding errors are smallest if the numbers at all points have about the same size.
_SCALE = 2.0 ** np.round(np.log2(abs(_EVALUATION).max(axis=1, keepdims=True)))


def _place(builder, array, row, column, kind):
    row = builder.mul(row, builder.sdiv(builder.extract_value(array.strides, 0), _WORD(4)))
    return builder.bitcast(builder.gep(array.data, [builder.add(row, column)]), kind.as_pointer())


def _load(builder, array, row, column):
    return builder.load(_place(builder, array, row, column, _VECTOR), align=4)


def _plus(builder, total, factor, vector):
    flags = ("contract", "nsz")
    return builder.fadd(total, builder.fmul(factor, vector, flags=flags), flags=flags)


def _code(totals):
    """Return a generator of code: vectors, ``totals(builder, lane, *arrays)``, go to the rows of the first array."""

    def generate(context, builder, signature, arguments):
        kinds = zip(signature.args, arguments, strict=True)
        arrays = [context.make_array(kind)(context, builder, argument) for kind, argument in kinds]
        length = builder.extract_value(arrays[0].shape, 1)
        with cgutils.for_range_slice(builder, _WORD(0), length, _WORD(LANES), _WORD) as (lane, _):
            for k, total in enumerate(totals(builder, lane, *arrays)):
                builder.store(total, _place(builder, arrays[0], _WORD(k), lane, _VECTOR), align=4)
        return context.get_dummy_value()

    return generate


def _combination(matrix, added=False, rectified=False):
    """Return a function ``combine(out, rows)`` that multiplies a constant matrix by rows, of a multiple of LANES.

    With ``added``, it adds the product to ``out``; with ``rectified``, the result is at least 0.
    """
    matrix = np.ascontiguousarray(matrix, np.float32)

    def combine(out, rows):
        found = matrix @ rows + out if added else matrix @ rows
        out[:] = np.maximum(found, 0) if rectified else found

    def totals(builder, lane, out, rows):
        zero = _VECTOR(None)
        found = [_load(builder, rows, _WORD(k), lane) for k in range(matrix.shape[1])]
        for k, factors in enumerate(matrix.tolist()):
            total = _load(builder, out, _WORD(k), lane) if added else zero
            for factor, row in zip(factors, found, strict=True):
                total = _plus(builder, total, _VECTOR([factor] * LANES), row) if factor else total
            yield builder.select(builder.fcmp_ordered(">", total, zero), total, zero) if rectified else total

    @intrinsic
    def generated(typing_context, out, rows):
        return types.void(out, rows), _code(totals)

    @when_compiled(combine)
    def _when_compiled(out, rows):
        return lambda out, rows: generated(out, rows)  # type: ignore[call-arg]  # numba adds the context

    return combine


_evaluate, _interpolate = _combination(_EVALUATION / _SCALE), _combination(_INTERPOLATION)
_interpolate_first = _combination(_INTERPOLATION, rectified=True)
_interpolate_second = _combination(_INTERPOLATION, added=True, rectified=True)


def _multiply(out, factors, rows):
    """Multiply BLOCK rows of factors by a matrix, whose rows are a multiple of LANES long."""
    np.matmul(factors, rows, out=out)


def _products(builder, lane, out, factors, rows):
    sums, first = [cgutils.alloca_once_value(builder, _VECTOR(None)) for _ in range(BLOCK)], ir.IntType(32)(0)
    with cgutils.for_range(builder, builder.extract_value(rows.shape, 0), intp=_WORD) as loop:
        row = _load(builder, rows, loop.index, lane)
        for k, each in enumerate(sums):
            factor = builder.load(_place(builder, factors, _WORD(k), loop.index, ir.FloatType()))
            factor = builder.insert_element(_VECTOR(ir.Undefined), factor, first)
            factor = builder.shuffle_vector(factor, factor, ir.VectorType(ir.IntType(32), LANES)(None))
            builder.store(_plus(builder, builder.load(each), factor, row), each)
    return map(builder.load, sums)


@intrinsic
def _generated(typing_context, out, factors, rows):
    return types.void(out, factors, rows), _code(_products)


@when_compiled(_multiply)
def _multiply_when_compiled(out, factors, rows):
    return lambda out, factors, rows: _generated(out, factors, rows)  # type: ignore[call-arg]  # numba adds the context


def _convolve(filters, biases, height, width, boards, between, points, rows):
    """Compute a stem and residual blocks of some boards, in place.

    Args:
        filters: float32[layers, 49, C, C], at the points.
        biases: float32[layers, C].
        height: That of the boards.
        width: That of the boards.
        boards: float32[5·down + 2, 5·across + 2, boards·C], 0 around the boards.
        between: The same, for what is between the two layers of a block.
        points: Scratch memory, float32[49·down·across·boards + BLOCK, C]. What is interpolated begins BLOCK rows before
            what is evaluated, so that a product never overwrites what is still needed.
        rows: Scratch memory, float32[7, (5·across + 2)·boards·C].
    """
    across, lanes = (boards.shape[1] - 2) // TILE, boards.shape[2]
    before, after = points[BLOCK:].reshape(POINTS, POINTS, -1), points[:-BLOCK].reshape(POINTS, POINTS, -1)
    count = points[BLOCK:].shape[0] // POINTS**2
    for layer in range(filters.shape[0]):
        ends = layer > 0 and layer % 2 == 0
        source, target = between if ends else boards, boards if ends or layer == 0 else between
        for i in range(0, height, TILE):
            _evaluate(rows, source[i : i + POINTS].reshape(POINTS, -1))
            for k in range(POINTS):
                for j in range(across):
                    tile = (i // TILE * across + j) * lanes
                    _evaluate(before[k, :, tile : tile + lanes], rows[k].reshape(-1, lanes)[TILE * j :][:POINTS])
        for n in range(0, POINTS**2 * count, BLOCK):
            _multiply(points[n : n + BLOCK], points[n + BLOCK : n + 2 * BLOCK], filters[layer, n // count])
        constant = after[1, 1].reshape(count, -1)  # what is added at the point (1, 1) is interpolated as a constant
        constant += biases[layer]
        _interpolate(after[:TILE].reshape(TILE, -1), after.reshape(POINTS, -1))
        for i in range(height):
            for j in range(across):
                tile = (i // TILE * across + j) * lanes
                here, seen = target[i + 1, TILE * j + 1 :][:TILE], after[i % TILE, :, tile : tile + lanes]
                if ends:
                    _interpolate_second(here, seen)
                else:
                    _interpolate_first(here, seen)
            target[i + 1, width + 1 :] = 0


def make_convolve() -> Any:
    """Return the kernel of :class:`Convolutions`."""
    two, three, four = (types.Array(float32, axes, "C") for axes in (2, 3, 4))
    return compiled(_convolve, "convolutions", void(four, two, int64, int64, three, three, two, two))


class Convolutions:
    """A stem and residual blocks of two convolutions, with zeros around the board and a ReLU after each.

    Args:
        layers: The weights float32[C, inputs, 3, 3] and biases float32[C] of the stem, then of the blocks, with C
            inputs each.
    """

    def __init__(self, layers: Sequence[tuple[Floats, Floats]]) -> None:
        self.channels, inputs = layers[0][0].shape[:2]
        width = -(-max(self.channels, inputs) // LANES) * LANES
        self._filters = np.zeros((len(layers), POINTS**2, width, width), np.float32)
        self._biases = np.zeros((len(layers), width), np.float32)
        evaluation = _powers(3) * _SCALE
        for filters, biases, (weight, bias) in zip(self._filters, self._biases, layers, strict=True):
            at_points = np.einsum("pi,qj,cdij->pqdc", evaluation, evaluation, weight, optimize=True)
            filters[:, : weight.shape[1], : self.channels] = at_points.reshape(len(filters), -1, self.channels)
            biases[: self.channels] = bias

    def __call__(self, planes: npt.NDArray[Any]) -> Floats:
        """Return the features float32[B, C, H, W] of planes [B, inputs, H, W]."""
        count, inputs, height, width = planes.shape
        convolve, channels = kernel(make_convolve), self._biases.shape[1]
        down, across = -(-height // TILE), -(-width // TILE)
        unit = BLOCK // math.gcd(BLOCK, down * across)
        parts = -(-count // BOARDS) or 1
        together = -(-count // (parts * unit)) * unit or unit
        boards = np.empty((TILE * down + 2, TILE * across + 2, together, channels), np.float32)
        flat = boards.reshape(*boards.shape[:2], -1)
        between, rows = np.zeros_like(flat), np.empty((POINTS, flat[0].size), np.float32)
        points = np.empty((POINTS**2 * down * across * together + BLOCK, channels), np.float32)
        features = np.empty((height, width, count, self.channels), np.float32)
        for first in range(0, count, together):
            some = slice(first, first + together)
            boards[:] = 0
            inside, seen = boards[1 : height + 1, 1 : width + 1], planes[some].transpose(2, 3, 0, 1)
            inside[:, :, : seen.shape[2], :inputs] = seen
            convolve(self._filters, self._biases, height, width, flat, between, points, rows)
            features[:, :, some] = inside[:, :, : seen.shape[2], : self.channels]
        return features.transpose(2, 3, 0, 1)
