"""Arrays in kernels whose indices count from the front, as in C; what Cython calls ``wraparound=False``.

For an index that could be negative, numba compiles a comparison and an addition, which take a tenth of the time of a
step. No rule of a step uses one, so the arrays of its kernel have a type of their own: a computed index into one of
these, or into a slice of it, must not be negative. One that the compiler knows may be, as in ``row[-1]``.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import operator
from typing import Any, TypeVar

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel.models import ArrayModel
from numba.core.datamodel.registry import register_default
from numba.core.typing.templates import signature
from numba.extending import intrinsic, lower_builtin, overload_classmethod
from numba.np.arrayobj import intrin_alloc, populate_array

from .rule_marks import when_compiled

Rows = TypeVar("Rows")


class FrontArray(types.Array):
    """The type of such an array; numba compiles everything but indexing as for any array."""

    def __init__(self, dtype, ndim, layout, readonly=False, aligned=True) -> None:
        name = types.Array(dtype, ndim, layout, readonly, aligned=aligned).name
        super().__init__(dtype, ndim, layout, readonly, f"front {name}", aligned)

    def copy(self, dtype=None, ndim=None, layout=None, readonly=None):
        """Return the type of a slice or a copy."""
        kind: Any = super().copy(dtype, ndim, layout, readonly)
        return FrontArray(kind.dtype, kind.ndim, kind.layout, not kind.mutable, kind.aligned)


def _plain(kind: Any) -> Any:
    """Return numba's own type of an array; any other type as it is."""
    return types.Array.copy(kind) if isinstance(kind, FrontArray) else kind


register_default(FrontArray)(ArrayModel)


@overload_classmethod(FrontArray, "_allocate")
def _allocate(cls, size, align):
    return lambda cls, size, align: intrin_alloc(size, align)  # type: ignore[call-arg]  # numba adds the context


def from_front(array: Rows) -> Rows:
    """Return an array as one of this type, without reference counting, as :func:`.borrowed` does."""
    return array


@intrinsic
def _from_front(typing_context, array):
    def codegen(context, builder, signature, arguments):
        given = context.make_array(array)(context, builder, arguments[0])
        found = context.make_array(signature.return_type)(context, builder)
        shape, strides = (cgutils.unpack_tuple(builder, lengths) for lengths in (given.shape, given.strides))
        populate_array(found, given.data, shape, strides, given.itemsize, meminfo=None)
        return found._getvalue()

    return FrontArray(array.dtype, array.ndim, array.layout, not array.mutable, array.aligned)(array), codegen


@when_compiled(from_front)
def _from_front_when_compiled(array):
    return lambda array: _from_front(array)  # type: ignore[call-arg]  # numba adds the context


def _unsigned(context, builder, kind, value, sizes):
    """Return the type and the value of an index without its sign, for which numba compiles only the access."""
    if isinstance(kind, types.Tuple | types.UniTuple):
        if not all(isinstance(part, types.Integer | types.SliceType) for part in kind.types):
            return kind, value
        parts = zip(kind.types, cgutils.unpack_tuple(builder, value), sizes[: len(kind)], strict=True)
        kinds, values = zip(*[_unsigned(context, builder, part, at, [size]) for part, at, size in parts], strict=True)
        return types.Tuple(kinds), context.make_tuple(builder, types.Tuple(kinds), values)
    if not isinstance(kind, types.Integer) or not kind.signed:  # type: ignore[attr-defined]  # all integers have it
        return kind, value
    place = context.cast(builder, value, kind, types.intp)
    test = ir.FunctionType(ir.IntType(1), [place.type])
    is_constant = builder.call(builder.module.declare_intrinsic("llvm.is.constant", [place.type], test), [place])
    from_end = builder.and_(is_constant, builder.icmp_signed("<", place, place.type(0)))
    return types.uintp, builder.select(from_end, builder.add(place, sizes[0]), place)


def _lower(function, *kinds):
    """Compile an access to these arrays as numba's own with an unsigned index."""

    def access(context, builder, found, arguments):
        (array, index, *kinds), (data, place, *values) = found.args, arguments
        sizes = cgutils.unpack_tuple(builder, context.make_array(array)(context, builder, data).shape)
        index, place = _unsigned(context, builder, index, place, sizes)
        plain = signature(_plain(found.return_type), _plain(array), index, *kinds)
        return context.get_function(function, plain)(builder, (data, place, *values))

    lower_builtin(function, FrontArray, *kinds)(access)


for _index in (types.Integer, types.BaseTuple):
    _lower(operator.getitem, _index)
    _lower(operator.setitem, _index, types.Any)
