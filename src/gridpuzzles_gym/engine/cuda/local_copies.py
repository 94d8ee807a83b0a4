"""Arrays whose copies lie in the memory of a thread, because numba's kernels for a GPU do not allocate any other."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from numba import types
from numba.core import cgutils
from numba.core.datamodel.models import ArrayModel
from numba.cuda.cudaimpl import lower
from numba.cuda.models import register_model
from numba.np.arrayobj import populate_array


class LocalCopies(types.Array):
    """The type of such an array; numba compiles everything but ``copy()`` as for any array.

    Args:
        room: The most entries that a copy can have.
        dtype: As for numba's own arrays, like the others.
        ndim: The number of axes.
        layout: ``"C"`` or ``"A"``.
        readonly: Whether it cannot be written to.
        aligned: Whether its entries are aligned.
    """

    def __init__(self, room, dtype, ndim, layout, readonly=False, aligned=True) -> None:
        self.room = room
        name = types.Array(dtype, ndim, layout, readonly, aligned=aligned).name
        super().__init__(dtype, ndim, layout, readonly, f"{name} with copies of {room}", aligned)

    def copy(self, dtype=None, ndim=None, layout=None, readonly=None):
        """Return the type of a slice or a copy."""
        kind = super().copy(dtype, ndim, layout, readonly)
        return LocalCopies(self.room, kind.dtype, kind.ndim, kind.layout, not kind.mutable, kind.aligned)


register_model(LocalCopies)(ArrayModel)


@lower("array.copy", LocalCopies)
def _copy(context, builder, signature, arguments):
    (kind,), found = signature.args, context.make_array(signature.return_type)(context, builder)
    given = context.make_array(kind)(context, builder, arguments[0])
    room = cgutils.alloca_once(builder, found.data.type.pointee, context.get_constant(types.intp, kind.room))
    cgutils.raw_memcpy(builder, room, given.data, given.nitems, given.itemsize)
    shape, strides = (cgutils.unpack_tuple(builder, lengths) for lengths in (given.shape, given.strides))
    populate_array(found, room, shape, strides, given.itemsize, meminfo=None)
    return found._getvalue()
