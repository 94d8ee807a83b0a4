"""Indices in kernels: they count from the front, as in C; what Cython calls ``wraparound=False``.

Numba compiles a comparison and an addition for every index that could be negative, a tenth of the time of a step. A
constant negative index, as in ``row[-1]``, still counts from the end.

This uses an internal function of numba. If a future version does not have it, indices are compiled in the usual way.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.np import arrayobj

_WRAPPED = "fix_integer_index"
"""The function of numba that makes the code for an index."""


@contextlib.contextmanager
def indices_from_the_front() -> Iterator[None]:
    """During the block, numba compiles such indices; its caller holds numba's compiler lock."""
    wrapped = getattr(arrayobj, _WRAPPED, None)
    if wrapped is None:
        yield
        return

    def index(context: Any, builder: Any, kind: Any, value: Any, size: Any) -> Any:
        found = context.cast(builder, value, kind, types.intp)
        negative = isinstance(found, ir.Constant) and found.constant < 0
        return wrapped(context, builder, kind, value, size) if negative else found

    setattr(arrayobj, _WRAPPED, index)
    try:
        yield
    finally:
        setattr(arrayobj, _WRAPPED, wrapped)
