"""Functions that kernels are made from are compiled to LLVM's language only, and to machine code with their kernel.

Numba takes every function that a kernel calls for one that may be called by itself: it links all that this calls
into it, optimizes the whole and makes machine code of it; then it does the same once more for its caller, and for
the caller's caller. Nobody calls the rules of a kernel by themselves, so all but the last is wasted; where rules
call rules that call rules it is most of the time that a kernel takes to compile.

What is linked into a kernel is here each function as numba has translated it, before those steps. The kernel itself
is linked, optimized and made machine code of by numba as ever, so it does the same as before.
"""

from collections.abc import Callable
from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler


class _Linked(JITCodeLibrary):
    """Code that is only linked into that of others: of numba's steps to machine code, the linking alone."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True


class _LinkedCompiler(Compiler):
    """Numba's compiler, but for the machine code."""

    def compile_extra(self, function: Callable[..., Any]) -> Any:
        """Compile a function for the types of arguments that the compiler was made for."""
        state = self.state
        state.library = _Linked(state.targetctx.codegen(), function.__qualname__)
        state.flags.no_compile = True
        result = super().compile_extra(function)
        # Numba knows what it compiled by a builtin function that calls it. This one is never called.
        entry_point = [function].copy
        state.targetctx.insert_user_function(entry_point, result.fndesc, [state.library])
        return result._replace(entry_point=entry_point)


def connect(result: Any) -> None:
    """Give the functions linked into a kernel what they need to print, and to raise errors with values.

    Args:
        result: What numba made of the kernel. From disk it comes connected; that is left as it is.
    """
    for environment in result._find_referenced_environments():
        result.library.codegen.set_env(environment.env_name, environment)


LINKED: dict[str, Any] = {"pipeline_class": _LinkedCompiler, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Options of ``overload`` and ``register_jitable``, for functions that only kernels call."""
