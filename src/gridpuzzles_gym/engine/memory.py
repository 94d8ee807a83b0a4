"""Below the language of the rules: rows copied at once, and many arrays handed to a kernel as one.

Each argument of a compiled function costs every call some 50 ns. So a kernel of many arrays takes a *frame* of them,
int64[n, 3]: for each its address, then the lengths of its one or two axes. Whoever makes a frame keeps the arrays
alive, and in place, for as long as it is used.
"""

import ctypes
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import carray, types  # type: ignore[attr-defined]
from numba.core import cgutils
from numba.extending import intrinsic

from .rule_marks import rule, when_compiled

Array = npt.NDArray[Any]


def frame_of(arrays: Iterable[Array]) -> npt.NDArray[np.int64]:
    """The frame of some C-contiguous arrays of one or two axes."""
    rows = [[array.ctypes.data, *array.shape, 0][:3] for array in arrays]
    return np.array(rows, np.int64)


@rule
def line_at(frame: Array, index: int, dtype: Any) -> Array:
    """The array of one axis that entry ``index`` of a frame tells of."""
    line: Array = carray(pointer(frame[index, 0]), frame[index, 1], dtype)
    return line


@rule
def table_at(frame: Array, index: int, dtype: Any) -> Array:
    """The array of two axes that entry ``index`` of a frame tells of."""
    table: Array = carray(pointer(frame[index, 0]), (frame[index, 1], frame[index, 2]), dtype)
    return table


def pointer(address: int) -> ctypes.c_void_p:
    """An address as ``carray`` wants it."""
    return ctypes.c_void_p(int(address))


@intrinsic  # type: ignore[untyped-decorator]
def _void_pointer(typing_context, address):  # type: ignore[no-untyped-def]
    def codegen(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(address), codegen


@when_compiled(pointer)
def _pointer_when_compiled(address):  # type: ignore[no-untyped-def]
    return lambda address: _void_pointer(address)  # type: ignore[call-arg]


def copy_row(source: Array, target: Array) -> None:
    """``target[:] = source`` for contiguous rows of one length and type that share no memory.

    Numba takes seconds longer to compile the slices, for their error message.
    """
    target[:] = source


@intrinsic  # type: ignore[untyped-decorator]
def _copy_bytes(typing_context, source, target):  # type: ignore[no-untyped-def]
    def codegen(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        one, other = (
            context.make_array(kind)(context, builder, value)
            for kind, value in zip(signature.args, arguments, strict=True)
        )
        cgutils.raw_memcpy(builder, other.data, one.data, one.nitems, one.itemsize)
        return context.get_dummy_value()

    return types.void(source, target), codegen


@when_compiled(copy_row)
def _copy_row_when_compiled(source, target):  # type: ignore[no-untyped-def]
    return lambda source, target: _copy_bytes(source, target)  # type: ignore[call-arg]
