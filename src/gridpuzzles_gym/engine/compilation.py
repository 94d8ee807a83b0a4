"""Compilation of kernels: plain functions compiled once, with a disk cache that follows every edit of their code.

Numba's own disk cache is invalidated by any edit of the file that defines a kernel, but by no edit of the files that
define its rules. Kernels therefore have their own cache (:mod:`.kernel_cache`), whose key is a digest of all the code
that a kernel uses (:mod:`.kernel_digest`).
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher

from .interrupts import uninterrupted
from .kernel_cache import KernelCache
from .linking import connect
from .rule_marks import borrowed, routine, rule, when_compiled
from .working_time import paused

__all__ = ["borrowed", "compiled", "entry", "routine", "rule", "when_compiled"]

Function = TypeVar("Function", bound=Callable[..., Any])

# Division as in C: rules never divide by zero, and Python's check for it costs more than the division.
_OPTIONS = {"nopython": True, "error_model": "numpy"}


class _Kernel(CPUDispatcher):
    """A numba dispatcher whose machine code is cached by a :class:`KernelCache`.

    One thread at a time loads or compiles, one process at a time compiles a given kernel, and Ctrl-C is deferred
    until that is done.
    """

    def __init__(self, function: Callable[..., Any], name: str, title: str) -> None:
        super().__init__(py_func=function, targetoptions=dict(_OPTIONS))
        self._cache = KernelCache(function, _OPTIONS, name, title)

    def compile(self, signature: Any) -> Any:
        """Return the machine code for a signature, from memory, from disk or compiled now."""
        # Numba's lock is always taken first; one order everywhere prevents deadlocks.
        with uninterrupted() as interruption, paused(), global_compiler_lock, self._cache.compiling(interruption):
            return super().compile(signature)

    def add_overload(self, cres: Any) -> None:
        """Use what was compiled, or loaded, for the types it was compiled for."""
        connect(cres)
        super().add_overload(cres)


def compiled(function: Function, name: str, signature: Any = None, title: str = "") -> Function:
    """Compile ``function``, a kernel, with a disk cache that is never stale.

    Args:
        function: The kernel; it uses functions marked by :func:`rule` or :func:`routine`.
        name: The name of its cache folder, e.g. ``"pong-planes-step"``.
        signature: A numba signature to compile for at once; None compiles at the first call.
        title: The name shown to users while it is compiled; the default is ``name``.

    Returns:
        The numba dispatcher. Its ``py_func`` is ``function``, interpreted.
    """
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]  # set when numba is imported
        return function
    kernel = _Kernel(function, name, title or name)
    if signature is not None:
        kernel.compile(signature)
        kernel.disable_compile()
    return kernel  # type: ignore[return-value]  # called as the function is


def entry(kernel: Any, *arguments: Any) -> Callable[..., Any]:
    """Return the machine code of a compiled kernel for arguments of exactly these types.

    Calling it skips numba's dispatch on the argument types, which takes as long as a step of a single environment.
    """
    found: Callable[..., Any] = kernel.compile(tuple(map(numba.typeof, arguments)))
    return found
