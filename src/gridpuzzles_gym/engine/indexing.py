"""Arrays in kernels whose indices count from the front, as in C; what Cython calls ``wraparound=False``.

For an index that could be negative, numba compiles a comparison and an addition, a tenth of the time of a step. The rules
of a step never use one, and the arrays of its kernel have a type of their own: a computed index into one of these, or into
a slice of it, must not be negative. A constant one may be, as in ``row[-1]``.
"""

import operator
from typing import Any, TypeVar

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel.models import ArrayModel
from numba.core.datamodel.registry import register_default
from numba.core.typing import signature
from numba.extending import intrinsic, lower_builtin, overload_classmethod
from numba.np.arrayobj import (
    _ol_array_allocate,
    getitem_array_tuple,
    getitem_arraynd_intp,
    populate_array,
    setitem_array,
)

from .rule_marks import when_compiled

Rows = TypeVar("Rows")


class FrontArray(types.Array):
    """The type of such an array."""

    def __init__(self, dtype: Any, ndim: int, layout: str, readonly: bool = False, aligned: bool = True) -> None:
        plain = types.Array(dtype, ndim, layout, readonly, aligned=aligned)
        super().__init__(dtype, ndim, layout, readonly, name=f"front {plain.name}", aligned=aligned)

    def copy(self, dtype: Any = None, ndim: Any = None, layout: Any = None, readonly: Any = None) -> "FrontArray":
        """Return the type of a slice or of a copy."""
        plain = super().copy(dtype, ndim, layout, readonly)
        return FrontArray(plain.dtype, plain.ndim, plain.layout, not plain.mutable, plain.aligned)


register_default(FrontArray)(ArrayModel)
overload_classmethod(FrontArray, "_allocate")(_ol_array_allocate)  # for copies


def _from_front(context: Any, builder: Any, kind: Any, value: Any) -> tuple[Any, Any]:
    """Return the type and the value of an index as a number without a sign."""
    if isinstance(kind, types.BaseTuple):
        values = [builder.extract_value(value, place) for place in range(len(kind))]
        parts = [_from_front(context, builder, *part) for part in zip(kind, values, strict=True)]
        found = types.Tuple([part for part, _ in parts])
        return found, context.make_tuple(builder, found, [part for _, part in parts])
    if isinstance(kind, types.Integer) and kind.signed:
        value, kind = context.cast(builder, value, kind, types.intp), types.intp
        if not (isinstance(value, ir.Constant) and value.constant < 0):
            kind = types.uintp
    return kind, value


@lower_builtin(operator.getitem, FrontArray, types.Integer)
@lower_builtin(operator.getitem, FrontArray, types.BaseTuple)
def _get(context: Any, builder: Any, given: Any, arguments: Any) -> Any:
    kind, index = _from_front(context, builder, given.args[1], arguments[1])
    get = getitem_array_tuple if isinstance(kind, types.BaseTuple) else getitem_arraynd_intp
    return get(context, builder, signature(given.return_type, given.args[0], kind), (arguments[0], index))


@lower_builtin(operator.setitem, FrontArray, types.Integer, types.Any)
@lower_builtin(operator.setitem, FrontArray, types.BaseTuple, types.Any)
def _set(context: Any, builder: Any, given: Any, arguments: Any) -> Any:
    array, kind, value = given.args
    kind, index = _from_front(context, builder, kind, arguments[1])
    return setitem_array(
        context, builder, signature(given.return_type, array, kind, value), (arguments[0], index, arguments[2])
    )


def from_front(array: Rows) -> Rows:
    """Return the array as one of this type, without reference counting, as :func:`.borrowed` does."""
    return array


@intrinsic
def _as_front(typing_context, array):  # type: ignore[no-untyped-def]
    def codegen(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        given = context.make_array(array)(context, builder, arguments[0])
        found = context.make_array(signature.return_type)(context, builder)
        shape, strides = (cgutils.unpack_tuple(builder, part) for part in (given.shape, given.strides))
        populate_array(found, given.data, shape, strides, given.itemsize, meminfo=None)
        return found._getvalue()

    return FrontArray(array.dtype, array.ndim, array.layout, not array.mutable, array.aligned)(array), codegen


@when_compiled(from_front)
def _from_front_when_compiled(array):  # type: ignore[no-untyped-def]
    return lambda array: _as_front(array)  # type: ignore[call-arg]  # numba adds the context
