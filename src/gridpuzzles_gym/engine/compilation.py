"""Compile kernels once and keep the machine code, never past an edit of its sources.

Numba's disk cache notices an edit of the file a kernel stands in, but not of the files its rules
come from. So every kernel gets a cache folder named by a digest of *all* the source files it is
made from: those of the functions handed in and whatever these import, except the standard
library, numpy and numba.
"""

import ast
import contextlib
import functools
import hashlib
import importlib.util
import inspect
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload, register_jitable

Function = TypeVar("Function", bound=Callable[..., Any])
Array = TypeVar("Array")

# A change of one of these never needs new machine code, or changes the version stamp below.
_FOREIGN = sys.stdlib_module_names | {"numpy", "numba", "llvmlite", "gymnasium", "rich", "typing_extensions"}


def rule(function: Function) -> Function:
    """Mark a plain function as usable inside compiled kernels; called from Python it stays Python."""
    # Inlined always: a call that hands over four arrays costs as much as a small rule.
    marked: Function = register_jitable(forceinline=True)(function)
    return marked


def routine(function: Function) -> Function:
    """Mark a longer function as usable inside compiled kernels; the compiler decides whether to inline it.

    For what takes its time anyway and is called from several places: a kernel then compiles faster.
    """
    marked: Function = register_jitable(function)
    return marked


def borrowed(array: Array) -> Array:
    """The same array, or tuple of arrays, not counted: rows cut from it cost no atomic increments and decrements.

    Only for a kernel's own arguments, which its caller keeps alive.
    """
    return array


@intrinsic  # type: ignore[untyped-decorator]
def _without_owner(typing_context, array):  # type: ignore[no-untyped-def]
    def codegen(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        def stripped(kind, value):  # type: ignore[no-untyped-def]
            if isinstance(kind, types.BaseTuple):
                parts: Iterable[Any] = kind  # type: ignore[assignment]
                stripped_parts = [stripped(part, builder.extract_value(value, k)) for k, part in enumerate(parts)]
                return context.make_tuple(builder, kind, stripped_parts)
            if not isinstance(kind, types.Array):
                return value
            copy = context.make_array(kind)(context, builder, value)
            copy.meminfo = cgutils.get_null_value(copy.meminfo.type)
            copy.parent = cgutils.get_null_value(copy.parent.type)
            return copy._getvalue()

        return stripped(signature.args[0], arguments[0])

    return array(array), codegen


@overload(borrowed)  # type: ignore[untyped-decorator]
def _borrowed_when_compiled(array):  # type: ignore[no-untyped-def]
    return lambda array: _without_owner(array)  # type: ignore[call-arg]


def cache_root() -> Path | None:
    """The first writable folder for machine code, or None (then kernels compile in every process).

    In order: ``NUMBA_CACHE_DIR``, ``XDG_CACHE_HOME/gridpuzzles_gym``, ``~/.cache/gridpuzzles_gym``,
    the system's folder for temporary files.
    """
    candidates = []
    if os.environ.get("NUMBA_CACHE_DIR"):
        candidates.append(Path(os.environ["NUMBA_CACHE_DIR"]) / "gridpuzzles_gym")
    if os.environ.get("XDG_CACHE_HOME"):
        candidates.append(Path(os.environ["XDG_CACHE_HOME"]) / "gridpuzzles_gym")
    with contextlib.suppress(RuntimeError):  # no HOME, and a user without a password entry
        candidates.append(Path.home() / ".cache" / "gridpuzzles_gym")
    user = os.getuid() if hasattr(os, "getuid") else "user"
    candidates.append(Path(tempfile.gettempdir()) / f"gridpuzzles_gym-{user}")
    for folder in candidates:
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError:
            continue
        return folder
    return None


def compiled(function: Function, parts: Iterable[Callable[..., Any]], name: str, signature: Any = None) -> Function:
    """Compile ``function``, a kernel that closes over ``parts``, with a disk cache that is never stale.

    Args:
        function: The kernel; a closure over functions marked by :func:`rule`.
        parts: The functions it closes over.
        name: What the kernel is, e.g. ``"pong-planes-step"``: the name of its cache folder.
        signature: A numba signature to compile for at once; None compiles at the first call.

    Returns:
        The numba dispatcher. Its ``py_func`` is ``function``, interpreted.
    """
    files = sources([function, *parts])
    root = cache_root() if files else None
    # C's division: rules never divide by zero, and Python's check for it costs more than the division.
    decorate = functools.partial(numba.njit, signature, error_model="numpy")
    if root is None or files is None:
        return decorate()(function)  # type: ignore[return-value]
    folder = _folder(root, name, files)
    with _numba_cache_dir(folder):
        return decorate(cache=True)(function)  # type: ignore[return-value]


def entry(kernel: Any, *arguments: Any) -> Callable[..., Any]:
    """The machine code of a compiled kernel for arguments of these types, and no others.

    Calls save numba's look at the types of all arguments: as long as a step of one environment's rules takes.
    """
    found: Callable[..., Any] = kernel.compile(tuple(map(numba.typeof, arguments)))
    return found


def sources(functions: Iterable[Callable[..., Any]]) -> list[Path] | None:
    """Every source file the functions are made from, sorted; None where one has no file (a notebook, say)."""
    found: dict[str, Path] = {}
    waiting = [inspect.unwrap(function).__module__ for function in functions]
    while waiting:
        name = waiting.pop()
        if name in found or name.partition(".")[0] in _FOREIGN:
            continue
        path = _file_of(name)
        if path is None:
            return None
        found[name] = path
        if path.suffix == ".py":  # a compiled extension counts by its bytes alone
            waiting.extend(_imports(name, path))
    return sorted(found.values())


def _file_of(module: str) -> Path | None:
    loaded = sys.modules.get(module)
    file = getattr(loaded, "__file__", None)
    return Path(file) if file and Path(file).is_file() else None


def _imports(name: str, path: Path) -> Iterator[str]:
    """The loaded modules that the source of module ``name`` imports."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            base = importlib.util.resolve_name(base, package) if node.level else base
            targets = [base, *(f"{base}.{alias.name}" for alias in node.names)]
        else:
            continue
        # A name that is not a loaded module is a function or a constant: its module is listed already.
        yield from (target for target in targets if target in sys.modules)


def _folder(root: Path, name: str, files: list[Path]) -> Path:
    """The kernel's folder for these sources; folders of the same kernel's older sources are removed."""
    versions = f"{sys.version} numba {numba.__version__} numpy {np.__version__}"
    home = _digest([versions.encode(), str(files[0].parent).encode()])
    digest = _digest(file.read_bytes() for file in files)
    shelf = root / f"{name}-{home[:8]}"
    folder = shelf / digest
    if not folder.exists():
        folder.mkdir(parents=True, exist_ok=True)
        for older in shelf.iterdir():  # and not the whole shelf: another process may just have made this folder
            if older != folder:
                shutil.rmtree(older, ignore_errors=True)
    return folder


def _digest(parts: Iterable[bytes]) -> str:
    whole = hashlib.sha256()
    for part in parts:
        whole.update(hashlib.sha256(part).digest())
    return whole.hexdigest()[:32]


@contextlib.contextmanager
def _numba_cache_dir(folder: Path) -> Iterator[None]:
    """Numba picks a function's cache folder when it is decorated: point it to ours for that moment."""
    config: Any = numba.config
    before, config.CACHE_DIR = config.CACHE_DIR, str(folder)
    try:
        yield
    finally:
        config.CACHE_DIR = before
