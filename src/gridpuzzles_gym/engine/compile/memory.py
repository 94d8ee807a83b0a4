"""Low-level memory operations for kernels: copying rows, prefetching, and passing many arrays as one argument.

Every argument of a compiled function adds about 50 ns to each call. A kernel with many arrays therefore takes a
*frame*, int64[n, 3]: for each array its address, then the lengths of its one or two axes (int64[n, 4] if an array has
three), or the address of a frame, which costs a fifth of that. The creator of a frame must keep the arrays alive, and
must not reallocate them, as long as the frame is used.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import ctypes
import math
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array
from numba.np.numpy_support import from_dtype

from .rule_marks import rule, when_compiled

Array = npt.NDArray[Any]


def frame_of(arrays: Iterable[Array]) -> npt.NDArray[np.int64]:
    """Return the frame of C-contiguous arrays with one to three axes."""
    return frame_at((array.ctypes.data, array.shape) for array in arrays)


def frame_at(places: Iterable[tuple[int, Sequence[int]]]) -> npt.NDArray[np.int64]:
    """Return the frame of arrays at these addresses with these shapes."""
    rows = [[address, *shape] for address, shape in places]
    width = _width(len(row) - 1 for row in rows)
    return np.array([row + [0] * (width - len(row)) for row in rows], np.int64)


def _width(axes: Iterable[int]) -> int:
    """The entries in each row of a frame of arrays with so many axes."""
    return 1 + max(2, *axes)


def frame_reader(
    fields: Collection[tuple[Any, int]], kind: type[types.Array] = types.Array
) -> Callable[[Array | int], tuple[Array, ...]]:
    """Make the function that returns the arrays of a frame, or of one at an address, for kernels and for Python.

    Args:
        fields: The dtype and the number of axes, 1 to 3, of each array.
        kind: Numba's class of their types.
    """
    kinds = [kind(from_dtype(np.dtype(dtype)), axes, "C") for dtype, axes in fields]
    dtypes = [np.dtype(dtype) for dtype, _ in fields]
    width = _width(axes for _, axes in fields)

    def arrays_of(frame: Array | int) -> tuple[Array, ...]:
        """The arrays of a frame."""
        if isinstance(frame, int):
            frame = _array_at(frame, [len(kinds), width], np.dtype(np.int64))
        rows = zip(kinds, dtypes, frame.tolist(), strict=True)
        return tuple(_array_at(at, axes[: kind.ndim], dtype) for kind, dtype, (at, *axes) in rows)

    # One intrinsic for all arrays, because numba's `carray` takes 0.2 s to compile for each of them.
    @intrinsic
    def read(typing_context, frame):
        def codegen(context, builder, signature, arguments):
            if isinstance(frame, types.Integer):
                entries = builder.inttoptr(arguments[0], cgutils.intp_t.as_pointer())
            else:
                entries = context.make_array(frame)(context, builder, arguments[0]).data

            def entry(place):
                return builder.load(cgutils.gep(builder, entries, place))

            arrays = []
            for row, kind in enumerate(kinds):
                array = context.make_array(kind)(context, builder)
                size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
                shape, strides = [entry(width * row + 1 + axis) for axis in range(kind.ndim)], [size]
                for length in reversed(shape[1:]):
                    strides.insert(0, builder.mul(length, strides[0]))
                data = builder.inttoptr(entry(width * row), array.data.type)
                populate_array(array, data, shape, strides, size, meminfo=None)
                arrays.append(array._getvalue())
            return context.make_tuple(builder, signature.return_type, arrays)

        return types.Tuple(kinds)(frame), codegen

    @when_compiled(arrays_of, forceinline=True)
    def read_when_compiled(frame):
        return lambda frame: read(frame)  # type: ignore[call-arg]  # numba adds the context

    return arrays_of


def numbers_reader(kinds: Sequence[type]) -> Callable[[Array], tuple[Any, ...]]:
    """Make the rule that returns the first entries of a row as a tuple of Python's numbers.

    Args:
        kinds: The type of each, int or bool.
    """
    if not kinds:
        return rule(lambda row: ())
    *before, kind = kinds
    place, first = len(before), numbers_reader(before)

    @rule
    def numbers_of(row):
        return (*first(row), kind(row[place]))

    return numbers_of


def _array_at(address: int, shape: list[int], dtype: np.dtype[Any]) -> Array:
    """The array at an address; numba's `carray` takes ten times as long, because it imports at every call."""
    memory: Any = (ctypes.c_byte * (dtype.itemsize * math.prod(shape))).from_address(address)
    found: Array = np.frombuffer(memory, dtype)
    return found.reshape(shape)


def copy_row(source: Array, target: Array) -> None:
    """Assign ``target[:] = source``, for contiguous arrays of equal shape and dtype that share no memory.

    It compiles seconds faster than the slice assignment, for which numba also compiles an error message.
    """
    target[:] = source


def copy_from(address: int, target: Array) -> None:
    """Fill a contiguous array from an address in memory, in the same dtype."""
    target[:] = _array_at(int(address), [*target.shape], target.dtype)


def copy_to(source: Array, address: int) -> None:
    """Copy a contiguous array to an address in memory."""
    _array_at(int(address), [*source.shape], source.dtype)[:] = source


@intrinsic
def _copy_bytes(typing_context, source, target):
    def codegen(context, builder, signature, arguments):
        one, other = (
            context.make_array(kind)(context, builder, value)
            for kind, value in zip(signature.args, arguments, strict=True)
        )
        cgutils.raw_memcpy(builder, other.data, one.data, one.nitems, one.itemsize)
        return context.get_dummy_value()

    return types.void(source, target), codegen


@when_compiled(copy_row)
def _copy_row_when_compiled(source, target):
    return lambda source, target: _copy_bytes(source, target)  # type: ignore[call-arg]  # numba adds the context


@intrinsic
def _copy_bytes_to(typing_context, source, address):
    def codegen(context, builder, signature, arguments):
        given = context.make_array(source)(context, builder, arguments[0])
        target = builder.inttoptr(arguments[1], given.data.type)
        cgutils.raw_memcpy(builder, target, given.data, given.nitems, given.itemsize)
        return context.get_dummy_value()

    return types.void(source, types.int64), codegen


@when_compiled(copy_to)
def _copy_to_when_compiled(source, address):
    return lambda source, address: _copy_bytes_to(source, address)  # type: ignore[call-arg]  # numba adds the context


@intrinsic
def _copy_bytes_from(typing_context, address, target):
    def codegen(context, builder, signature, arguments):
        into = context.make_array(target)(context, builder, arguments[1])
        source = builder.inttoptr(arguments[0], into.data.type)
        cgutils.raw_memcpy(builder, into.data, source, into.nitems, into.itemsize)
        return context.get_dummy_value()

    return types.void(types.int64, target), codegen


@when_compiled(copy_from)
def _copy_from_when_compiled(address, target):
    return lambda address, target: _copy_bytes_from(address, target)  # type: ignore[call-arg]  # numba adds the context


def prefetch(array: Array, index: int) -> None:
    """Start to load an element of a contiguous array into the cache; a hint only."""


@intrinsic
def _prefetch(typing_context, array, index):
    def codegen(context, builder, signature, arguments):
        data = context.make_array(array)(context, builder, arguments[0]).data
        place = builder.bitcast(cgutils.gep(builder, data, arguments[1]), cgutils.voidptr_t)
        kinds = [cgutils.voidptr_t, *[cgutils.int32_t] * 3]
        function = builder.module.declare_intrinsic(
            "llvm.prefetch", [cgutils.voidptr_t], ir.FunctionType(ir.VoidType(), kinds)
        )
        # Arguments of LLVM's prefetch: read (0), into all levels of the cache (3), data (1).
        builder.call(function, [place, *[cgutils.int32_t(number) for number in (0, 3, 1)]])
        return context.get_dummy_value()

    return types.void(array, types.int64), codegen


@when_compiled(prefetch)
def _prefetch_when_compiled(array, index):
    return lambda array, index: _prefetch(array, index)  # type: ignore[call-arg]  # numba adds the context
