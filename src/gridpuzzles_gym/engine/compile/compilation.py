"""Compilation of kernels: plain functions compiled once, with a disk cache that follows every edit of their code.

Numba's own disk cache is invalidated by any edit of the file that defines a kernel, but by no edit of the files that
define its rules. Kernels therefore have their own cache (:mod:`.kernel_cache`), whose key is a digest of all the code
that a kernel is made from.

Compiling takes seconds, which a short script would spend on a few steps. Callers that may call a kernel only a few
times use :func:`tiered`: the kernel is interpreted first and compiled once that has taken a while.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numba
import numpy as np
from numba import types

from ..system.process import uninterrupted
from .kernel_cache import KernelCache
from .numba_internals import CPUDispatcher, connect, global_compiler_lock
from .rule_marks import borrowed, routine, rule, when_compiled

__all__ = ["borrowed", "compiled", "compiling_at_once", "entry", "interpreting", "is_worth_compiling"]
__all__ += ["routine", "rule", "tiered", "when_compiled"]

Function = TypeVar("Function", bound=Callable[..., Any])

# Division as in C: rules never divide by zero, and Python's check for it costs more than the division.
_OPTIONS = {"nopython": True, "error_model": "numpy"}

_patience = 0.5
"""How long a kernel is interpreted before it is worth compiling, in seconds."""

_interpreting = False
"""Whether all kernels are interpreted; see :func:`interpreting`."""


class _Kernel(CPUDispatcher):
    """A numba dispatcher whose machine code is cached by a :class:`KernelCache`.

    One thread at a time loads or compiles, one process at a time compiles a given kernel. Ctrl-C is deferred until the
    kernel is ready and saved, since it would leave numba in disorder; a second one ends the process.
    """

    def __init__(self, function: Callable[..., Any], name: str, title: str, options: dict[str, Any]) -> None:
        super().__init__(py_func=function, targetoptions=dict(options))
        self._cache = KernelCache(function, options, name, title)
        self._interpreted_seconds = 0.0
        self._ready: set[tuple[Any, ...]] = set()

    def interpret(self, *arguments: Any) -> Any:
        """Call the Python function, and record how long that takes."""
        begun = time.perf_counter()
        try:
            with np.errstate(over="ignore"):  # as in machine code
                return self.py_func(*arguments)
        finally:
            self._interpreted_seconds += time.perf_counter() - begun

    def is_worth_compiling(self, *arguments: Any) -> bool:
        """Whether to use machine code; see :func:`is_worth_compiling`."""
        if self._interpreted_seconds >= _patience:
            return True
        if self._interpreted_seconds:
            return False
        kinds = tuple(map(_kind, arguments))
        if kinds not in self._ready:  # numba's types take a hundred times as long to find
            signature = tuple(map(numba.typeof, arguments))
            if signature not in self.overloads and not self._cache.has(signature, self.targetctx.codegen()):  # type: ignore[attr-defined]  # of CPUs
                return False
            self._ready.add(kinds)
        return True

    def compile(self, signature: Any) -> Any:
        """Return the machine code for a signature, from memory, from disk or compiled now."""
        # Numba's lock is always taken first; one order everywhere prevents deadlocks.
        with paused(), uninterrupted() as ctrl_c, global_compiler_lock, self._cache.compiling(ctrl_c):
            return super().compile(signature)

    def add_overload(self, cres: Any) -> None:
        """Use what was compiled, or loaded, for the types it was compiled for.

        Raises:
            TypeError: It returns arrays, and is no :class:`_ArrayKernel`.
        """
        if not isinstance(self, _ArrayKernel) and _has_arrays(cres.signature.return_type):
            raise TypeError(f"{self.py_func.__name__} returns arrays: it needs returns_arrays=True")
        connect(cres)
        super().add_overload(cres)


class _ArrayKernel(_Kernel):
    """A kernel that returns arrays or named tuples.

    Ctrl-C is deferred while it runs, since numba crashes on an exception while it makes such a result.
    """

    def __call__(self, *arguments: Any) -> Any:
        with uninterrupted():
            return super().__call__(*arguments)


def _has_arrays(returned: Any) -> bool:
    """Whether numba's type of a result is that of an array or a named tuple, or of a tuple with any of these."""
    if isinstance(returned, types.Array | types.BaseNamedTuple):
        return True
    return isinstance(returned, types.BaseTuple) and any(map(_has_arrays, returned))  # type: ignore[call-overload]


def _kind(argument: Any) -> Any:
    """Return what determines numba's type of an argument of a kernel, quickly."""
    if isinstance(argument, np.ndarray):
        flags = argument.flags
        return argument.dtype, argument.ndim, flags.c_contiguous, flags.f_contiguous, flags.writeable, flags.aligned
    return (type(argument), *map(_kind, argument)) if isinstance(argument, tuple) else type(argument)


def compiled(
    function: Function,
    name: str,
    signature: Any = None,
    title: str = "",
    nogil: bool = False,
    returns_arrays: bool = False,
) -> Function:
    """Compile ``function``, a kernel, with a disk cache that is never stale.

    Args:
        function: The kernel; it uses functions marked by :func:`rule` or :func:`routine`.
        name: The name of its cache folder, e.g. ``"pong-planes-step"``.
        signature: A numba signature to compile for at once; None compiles at the first call.
        title: The name shown to users while it is compiled; the default is ``name``.
        nogil: Whether other Python threads run while the kernel runs, for kernels called in several threads at once.
        returns_arrays: Whether it returns arrays or named tuples.

    Returns:
        The numba dispatcher. Its ``py_func`` is ``function``, interpreted.
    """
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]  # set when numba is imported
        return function
    kind = _ArrayKernel if returns_arrays else _Kernel
    kernel = kind(function, name, title or name, _OPTIONS | {"nogil": True} if nogil else _OPTIONS)
    if signature is not None and not _interpreting:
        kernel.compile(signature)
        kernel.disable_compile()
    return kernel  # type: ignore[return-value]  # called as the function is


def plain(kernel: Any) -> Callable[..., Any]:
    """Return the function that a kernel is compiled from; a plain function itself."""
    return getattr(kernel, "py_func", kernel)  # type: ignore[no-any-return]  # it is not typed


def entry(kernel: Any, *arguments: Any) -> Callable[..., Any]:
    """Return the machine code of a compiled kernel for arguments of exactly these types.

    Calling it skips numba's dispatch on the argument types, which takes as long as a step of a single environment.
    """
    if not isinstance(kernel, _Kernel):
        return kernel  # type: ignore[no-any-return]  # numba is switched off
    if _interpreting:
        return kernel.interpret
    found: Callable[..., Any] = kernel.compile(tuple(map(numba.typeof, arguments)))
    return found


def is_worth_compiling(kernel: Any, *arguments: Any) -> bool:
    """Whether a kernel should be compiled for these arguments, or ``kernel.interpret`` be called instead.

    It should if its machine code is loaded or on disk, or if interpreting it has taken half a second so far.
    """
    return not isinstance(kernel, _Kernel) or (not _interpreting and kernel.is_worth_compiling(*arguments))


@contextlib.contextmanager
def interpreting() -> Iterator[None]:
    """During the block all kernels are interpreted, a thousand times slower: to debug rules, and for tests.

    It applies to all threads. What has chosen its machine code before, such as an environment that has stepped, keeps
    it.
    """
    global _interpreting
    if _interpreting:
        yield
        return
    call = _ArrayKernel.__call__
    _interpreting = True
    # Methods are replaced, so that outside the block a call costs nothing more.
    _Kernel.__call__ = _ArrayKernel.__call__ = _Kernel.interpret  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        _interpreting = False
        _ArrayKernel.__call__ = call  # type: ignore[method-assign]
        del _Kernel.__call__  # numba's is inherited


@contextlib.contextmanager
def compiling_at_once() -> Iterator[None]:
    """During the block every kernel is worth compiling: to compile ahead of time, and for tests."""
    global _patience
    before, _patience = _patience, 0.0
    try:
        yield
    finally:
        _patience = before


def tiered(kernel: Any, *arguments: Any) -> Any:
    """Call a kernel: interpreted at first, compiled once that is worth it; both compute the same."""
    return (kernel if is_worth_compiling(kernel, *arguments) else kernel.interpret)(*arguments)


# -- time without compilation ----------------------------------------------------------------------


class _Pauses(threading.local):
    """The total duration of this thread's pauses in seconds, and the start of the current one."""

    total = 0.0
    since: float | None = None


_pauses = _Pauses()


def working_time() -> float:
    """Return wall-clock seconds without pauses; only differences within one thread are meaningful."""
    now = time.perf_counter() if _pauses.since is None else _pauses.since
    return now - _pauses.total


@contextlib.contextmanager
def paused() -> Iterator[None]:
    """Pause :func:`working_time` for this thread during the block."""
    if _pauses.since is not None:
        yield
        return
    _pauses.since = time.perf_counter()
    try:
        yield
    finally:
        _pauses.total += time.perf_counter() - _pauses.since
        _pauses.since = None
