"""Leave out reference counts where they change nothing.

Numba counts the references to the memory of every array: a variable that holds one adds to the count when it is
assigned, and subtracts when it is no longer used; a tuple of arrays does so for each of them. A function that neither
creates nor returns arrays needs none of it, since its caller keeps them alive. Without it, most rules are less code.
"""

from typing import Any

from numba.core import ir, types
from numba.core.compiler_machinery import register_pass
from numba.core.errors import NumbaError
from numba.core.typed_passes import NativeLowering

_VIEWS = {"build_tuple", "cast", "exhaust_iter", "getattr", "getitem", "getiter", "phi", "static_getitem"}
"""The expressions whose arrays are others' arrays, or parts of them."""


@register_pass(mutates_CFG=True, analysis_only=False)
class UncountedLowering(NativeLowering):
    """Generates a function's code without reference counts if it needs none."""

    _name = "uncounted_lowering"

    def run_pass(self, state: Any) -> bool:
        """Generate the code."""
        counted = state.targetctx
        if not _needs_counts(state):
            state.targetctx = counted.subtarget(enable_nrt=False)
            try:
                return bool(super().run_pass(state))
            except (NumbaError, RuntimeError):  # something else that it calls creates arrays
                state.targetctx = counted
        return bool(super().run_pass(state))


def _needs_counts(state: Any) -> bool:
    """Whether a function may create or return arrays, or uses other objects that are counted."""
    models, kinds = state.targetctx.data_model_manager, state.typemap

    def counted(kind: Any) -> bool:
        return bool(models[kind].contains_nrt_meminfo())

    if counted(state.return_type) or any(counted(kind) and not _of_arrays(kind) for kind in kinds.values()):
        return True
    for block in state.func_ir.blocks.values():
        for statement in block.body:
            if isinstance(statement, ir.SetItem | ir.StaticSetItem):
                if counted(kinds[statement.value.name]):  # which is copied first if it overlaps
                    return True
            elif isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Expr):
                expression = statement.value
                if counted(kinds[statement.target.name]) and expression.op not in _VIEWS:
                    return True
                if expression.op == "getitem" and counted(kinds[expression.index.name]):  # selects a copy
                    return True
    return False


def _of_arrays(kind: Any) -> bool:
    """Whether values of a type are arrays, loops over arrays, or tuples of arrays and what is not counted."""
    if isinstance(kind, types.BaseTuple):
        return all(map(_of_arrays, kind.types))  # type: ignore[attr-defined]  # all of them have it
    return isinstance(
        kind, types.Array | types.ArrayIterator | types.Number | types.Boolean | types.NoneType | types.Literal
    )
