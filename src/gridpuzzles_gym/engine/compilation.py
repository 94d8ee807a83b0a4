"""Kernels: plain functions compiled once, whose machine code is kept on disk, never past an edit of their code.

Numba's disk cache notices an edit of the file a kernel stands in, but not of the files its rules come
from; and any edit of that one. So kernels have a cache of their own (:mod:`.kernel_cache`), that goes by
a digest of the code a kernel really comes from (:mod:`.kernel_digest`).
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

# C's division: rules never divide by zero, and Python's check for it costs more than the division.
_OPTIONS = {"nopython": True, "error_model": "numpy"}


class _Kernel(CPUDispatcher):  # type: ignore[misc]
    """A numba dispatcher whose machine code is kept by a :class:`KernelCache`, and compiled undisturbed.

    One thread at a time loads or compiles, one process at a time compiles a kernel, and Ctrl-C waits
    until that is done.
    """

    def __init__(self, function: Callable[..., Any], name: str, title: str) -> None:
        super().__init__(py_func=function, targetoptions=dict(_OPTIONS))
        self._cache = KernelCache(function, _OPTIONS, name, title)

    def compile(self, signature: Any) -> Any:
        """The machine code for a signature, from memory, from disk or compiled now."""
        # Numba's lock comes first: in one order everywhere, threads and processes never wait for each other.
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
        name: What the kernel is, e.g. ``"pong-planes-step"``: the name of its cache folder.
        signature: A numba signature to compile for at once; None compiles at the first call.
        title: What people are told is compiled, where it takes a while; by default the name.

    Returns:
        The numba dispatcher. Its ``py_func`` is ``function``, interpreted.
    """
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    kernel = _Kernel(function, name, title or name)
    if signature is not None:
        kernel.compile(signature)
        kernel.disable_compile()
    return kernel  # type: ignore[return-value]


def entry(kernel: Any, *arguments: Any) -> Callable[..., Any]:
    """The machine code of a compiled kernel for arguments of these types, and no others.

    Calls save numba's look at the types of all arguments: as long as a step of one environment's rules takes.
    """
    found: Callable[..., Any] = kernel.compile(tuple(map(numba.typeof, arguments)))
    return found
