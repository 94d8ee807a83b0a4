"""Compile the functions that kernels call to LLVM code only; machine code is generated once, with the kernel.

By default numba prepares every function that a kernel calls to be called on its own as well: it links in everything
the function calls, optimizes the result and generates machine code, and repeats this for the caller and the caller's
caller. Rules are never called on their own from compiled code, so only the last of these steps is needed. Where rules
call rules, the others take most of a kernel's compile time.

Here a kernel is linked from the LLVM code of its functions before those steps. Numba still links, optimizes and
compiles the kernel itself in the usual way, so the result behaves the same.

This uses internals of numba. If a future version does not have them, functions are compiled in numba's usual way.
"""

from collections.abc import Callable
from typing import Any

try:
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import Compiler, DefaultPassBuilder
    from numba.core.typed_passes import NativeLowering

    from .references import UncountedLowering
except ImportError:  # numba has moved its internals: without them the usual way is taken
    JITCodeLibrary, Compiler = object, object  # type: ignore[misc,assignment]  # nothing is made of these

_SUPPORTED = all(
    hasattr(owner, name)
    for owner, name in (
        (JITCodeLibrary, "_optimize_final_module"),
        (JITCodeLibrary, "_finalize_final_module"),
        (Compiler, "compile_extra"),
    )
)
"""Whether this version of numba has these internals."""


class _Linked(JITCodeLibrary):
    """Code that is only linked into other code: it is neither optimized nor turned into machine code on its own."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True


class _LinkedCompiler(Compiler):
    """Numba's compiler without the generation of machine code, and without reference counts that change nothing."""

    def define_pipelines(self) -> list[Any]:
        """Return the passes: numba's, but one."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(UncountedLowering if each is NativeLowering else each, text) for each, text in passes.passes]
        passes.finalize()
        return [passes]

    def compile_extra(self, function: Callable[..., Any]) -> Any:
        """Compile a function for the argument types that the compiler was created for."""
        state = self.state
        state.library = _Linked(state.targetctx.codegen(), function.__qualname__)
        state.flags.no_compile = True
        result = super().compile_extra(function)
        # Numba identifies what it compiled by a built-in function that calls it. This one is never called.
        entry_point = [function].copy
        state.targetctx.insert_user_function(entry_point, result.fndesc, [state.library])
        return result._replace(entry_point=entry_point)


def connect(result: Any) -> None:
    """Connect the environments of a kernel's linked functions, which these need to print and to raise errors.

    Args:
        result: Numba's compile result of the kernel. One that was loaded from disk is connected already.
    """
    for environment in result._find_referenced_environments() if _SUPPORTED else ():
        result.library.codegen.set_env(environment.env_name, environment)


LINKED: dict[str, Any] = (
    {"pipeline_class": _LinkedCompiler, "no_cpython_wrapper": True, "no_cfunc_wrapper": True} if _SUPPORTED else {}
)
"""Options of ``overload`` and ``register_jitable`` for functions that only kernels call."""
