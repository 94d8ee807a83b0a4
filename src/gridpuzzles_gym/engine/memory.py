"""Below the language of the rules: rows copied at once, and many arrays handed to a kernel as one.

Each argument of a compiled function costs every call some 50 ns. So a kernel of many arrays takes a *frame* of them,
int64[n, 3]: for each its address, then the lengths of its one or two axes. Whoever makes a frame keeps the arrays
alive, and in place, for as long as it is used.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import ctypes
from collections.abc import Callable, Collection, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import carray, types  # type: ignore[attr-defined]  # exported without saying so
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array
from numba.np.numpy_support import from_dtype

from .rule_marks import when_compiled

Array = npt.NDArray[Any]


def frame_of(arrays: Iterable[Array]) -> npt.NDArray[np.int64]:
    """The frame of some C-contiguous arrays of one or two axes."""
    rows = [[array.ctypes.data, *array.shape, 0][:3] for array in arrays]
    return np.array(rows, np.int64)


def frame_reader(fields: Collection[tuple[Any, int]]) -> Callable[[Array], tuple[Array, ...]]:
    """The function that turns a frame back into its arrays, in kernels and in Python.

    Args:
        fields: For each array its dtype and the number of its axes, 1 or 2.
    """
    kinds = [types.Array(from_dtype(np.dtype(dtype)), axes, "C") for dtype, axes in fields]
    dtypes = [np.dtype(dtype) for dtype, _ in fields]

    def arrays_of(frame: Array) -> tuple[Array, ...]:
        """The arrays of a frame."""
        rows = zip(kinds, dtypes, frame.tolist(), strict=True)
        return tuple(carray(ctypes.c_void_p(at), tuple(axes[: kind.ndim]), dtype) for kind, dtype, (at, *axes) in rows)

    # One piece of machine code for all arrays: numba's `carray` takes 0.2 s to compile for each of them.
    @intrinsic
    def read(typing_context, frame):
        def codegen(context, builder, signature, arguments):
            entries = context.make_array(frame)(context, builder, arguments[0]).data

            def entry(place):
                return builder.load(cgutils.gep(builder, entries, place))

            arrays = []
            for row, kind in enumerate(kinds):
                array = context.make_array(kind)(context, builder)
                size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
                shape = [entry(3 * row + 1 + axis) for axis in range(kind.ndim)]
                strides = [size] if kind.ndim == 1 else [builder.mul(shape[1], size), size]
                data = builder.inttoptr(entry(3 * row), array.data.type)
                populate_array(array, data, shape, strides, size, meminfo=None)
                arrays.append(array._getvalue())
            return context.make_tuple(builder, signature.return_type, arrays)

        return types.Tuple(kinds)(frame), codegen

    @when_compiled(arrays_of, forceinline=True)
    def read_when_compiled(frame):
        return lambda frame: read(frame)  # type: ignore[call-arg]  # numba adds the context

    return arrays_of


def copy_row(source: Array, target: Array) -> None:
    """``target[:] = source`` for contiguous arrays of one shape and type that share no memory.

    Numba takes seconds longer to compile the slices, for their error message.
    """
    target[:] = source


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
