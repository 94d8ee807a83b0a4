"""The disk cache of machine code, in place of numba's, whose files do not follow edits of rules.

    ROOT/name/digest/signature.kernel    32 bytes: SHA-256 of the kernel's digests and of the rest; then a pickle
    ROOT/name/lock                       held by the process that compiles

The digest is that of the byte code of every function that a kernel uses, as this process has loaded it, of the numbers,
tuples and arrays that these functions use, of all versions, and of the files of this folder. So an edited rule never
runs with old machine code, an edited comment compiles nothing again, and no file has another format than is expected.
"""

import contextlib
import enum
import functools
import hashlib
import os
import re
import shutil
import sys
import types as python
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba import types

from ..system.files import cache_root, locked, write_bytes
from ..system.process import Interruption
from ..system.progress_bar import notice
from .numba_internals import CPUDispatcher, Intrinsic, packed, processor_of, unpacked
from .rule_marks import MARKS, REPLACEMENTS

PYTHON = "{}.{}".format(*sys.version_info)
"""The version of Python, whose byte code differs between minor versions."""
MOST_VERSIONS = 8
"""The maximum number of cached versions of each kernel, for other checkouts, other options and recent edits."""
_VERSIONS = f"{sys.version} numba {numba.__version__} llvmlite {llvmlite.__version__} numpy {np.__version__}"
_VERSIONED = sys.stdlib_module_names | {"llvmlite", "numba", "numpy"}
"""Packages whose code only changes with their version."""


class KernelCache:
    """The disk cache of one kernel, which numba's dispatcher uses within :meth:`compiling`.

    A file that cannot be used is deleted. If nothing can be written, kernels are compiled without being cached.

    Args:
        function: The kernel.
        options: The compiler's options.
        name: The name of the kernel's folder.
        title: The name shown to users while it is compiled.
    """

    cache_path = None
    """Numba reads it for its statistics."""

    def __init__(self, function: Any, options: Any, name: str, title: str) -> None:
        self._function, self._options, self._title = function, options, title
        self._name = re.sub(r"[^\w.-]", "_", name)

    @contextlib.contextmanager
    def compiling(self, ctrl_c: Interruption) -> Any:
        """Enclose the dispatcher's loading, or compiling and saving; locks and notices are released at its end.

        Args:
            ctrl_c: Records Ctrl-C during the block, and lets a second one end the process while it compiles.
        """
        self._ctrl_c = ctrl_c
        with contextlib.ExitStack() as self._held:
            yield

    def has(self, signature: Any, codegen: Any) -> bool:
        """Whether there is a file for this signature; it may still turn out to be unusable."""
        path = self._path(signature, codegen)
        return path is not None and path.exists()

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Load the compiled kernel from disk; None, with the kernel's lock held, if it must be compiled."""
        target.refresh()
        path = self._path(signature, target.codegen())
        found = path and _load(path, signature, target)
        if path is not None and found is None:
            with contextlib.suppress(OSError):
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with notice(f"another process is compiling {self._title}"):
                self._held.enter_context(locked(path.parent.parent / "lock", self._stop_if_wanted))
            found = _load(path, signature, target)
        if found is None:
            self._stop_if_wanted()
            self._ctrl_c.second = "end"
            self._held.enter_context(notice(f"compiling {self._title}, once"))
        return found

    def save_overload(self, signature: Any, result: Any) -> None:
        """Save a compiled kernel, if possible."""
        path = self._path(signature, result.codegen)
        content = path and packed(result, signature)
        if path and content:
            with contextlib.suppress(OSError):
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                write_bytes(path, _checksum(path, content) + content, mode=0o600)
                versions = sorted(filter(Path.is_dir, path.parents[1].iterdir()), key=lambda each: each.stat().st_mtime)
                for version in versions[:-MOST_VERSIONS]:
                    shutil.rmtree(version, ignore_errors=True)

    def _path(self, signature: Any, codegen: Any) -> Path | None:
        root = cache_root()
        if root is None:
            return None
        digest = kernel_digest(self._function, self._options)
        key = hashlib.sha256(f"{signature_digest(signature)} {processor_of(codegen)}".encode()).hexdigest()[:32]
        return root / self._name / digest / f"{key}.kernel"

    def _stop_if_wanted(self) -> None:
        if self._ctrl_c.wanted:
            raise KeyboardInterrupt


def _load(path: Path, signature: Any, target: Any) -> Any:
    """Load the compiled kernel from a file; None if it does not exist or cannot be used."""
    try:
        content = path.read_bytes()
        if content[:32] != _checksum(path, content[32:]):
            raise ValueError("its checksum is wrong")
        found = unpacked(content[32:], target, signature)
    except OSError:
        return None
    except Exception as error:  # numba and pickle may raise anything on an unusable file
        warnings.warn(f"machine code {path} cannot be used ({error}); it is compiled again", stacklevel=2)
        with contextlib.suppress(OSError):
            path.unlink()
        return None
    with contextlib.suppress(OSError):
        os.utime(path.parent)
    return found


def _checksum(path: Path, payload: bytes) -> bytes:
    """Return the checksum of a payload and of the digests in its path, so that no file can be taken for another."""
    return hashlib.sha256("/".join(path.parts[-2:]).encode() + b"\0" + payload).digest()


# -- digests ---------------------------------------------------------------------------------------


def kernel_digest(function: Callable[..., Any], options: Any) -> str:
    """Return the digest of a kernel: of its code, compiler options, versions, and what this package adds to numba."""
    reader = _Reader(modules=True)  # machine code names them
    reader.note(_VERSIONS, str(options), _compiler())
    reader.function(function)
    return reader.digest()


def code_digest(function: Callable[..., Any]) -> str:
    """Return a digest of a kernel that only an edit of the code that it uses changes, in one version of Python."""
    reader = _Reader()
    reader.function(function)
    return reader.digest()


def signature_digest(signature: Any) -> str:
    """Return the digest of the types that a kernel is compiled for."""
    reader = _Reader()
    for part in signature if isinstance(signature, tuple) else (*signature.args, signature.return_type):
        reader.type(part)
    return reader.digest()


@functools.cache
def _compiler() -> bytes:
    """Return the digest of the files of this folder: no kernel refers to how they change the compiler."""
    return hashlib.sha256(b"".join(file.read_bytes() for file in sorted(Path(__file__).parent.glob("*.py")))).digest()


class _Reader:
    """Collects what a kernel uses; each function once."""

    def __init__(self, modules: bool = False) -> None:
        self._hash, self._modules = hashlib.sha256(), modules
        self._seen: dict[Any, int] = {}  # functions, and pairs of a module's name and a name within it

    def digest(self) -> str:
        return self._hash.hexdigest()[:32]

    def note(self, *texts: str | bytes) -> None:
        for text in texts:
            data = text if isinstance(text, bytes) else text.encode()
            self._hash.update(b"%d:" % len(data) + data)

    def _is_new(self, what: Any) -> bool:
        """Note which function or name this is; returns whether it is the first time."""
        count = len(self._seen)
        number = self._seen.setdefault(what, count)
        self.note(str(number))
        return number == count

    def function(self, function: Any) -> None:
        self.note("function", MARKS.get(function, ""))
        if not self._is_new(function):
            return
        world, names = function.__globals__, dict[str, None]()
        if self._modules:
            self.note(world["__name__"])
        self._code(function.__code__, names)
        for name in names:
            if name in world:
                self.note(name)
                self.value(world[name], names)
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        self.value((*cells, function.__defaults__, *sorted((function.__kwdefaults__ or {}).items())), names)
        if function in REPLACEMENTS:
            self.function(REPLACEMENTS[function])

    def _code(self, code: python.CodeType, names: dict[str, None]) -> None:
        names.update(dict.fromkeys(code.co_names))
        self.note(code.co_code, repr((code.co_argcount, code.co_names, code.co_varnames, code.co_freevars)))
        for constant in code.co_consts:
            if isinstance(constant, python.CodeType):
                self._code(constant, names)
            elif not isinstance(constant, str):  # docstrings
                self.value(constant, names)

    def value(self, value: Any, names: Iterable[str]) -> None:
        """Add a value that code with these names uses."""
        self._class(type(value))
        if isinstance(value, CPUDispatcher):
            self.note(str(value.targetoptions))
            self.function(value.py_func)
        elif isinstance(value, Intrinsic):
            self.function(value._defn)
        elif isinstance(value, python.FunctionType) and not _is_versioned(value.__globals__["__name__"]):
            self.function(value)
        elif isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject:
            self.note(value.dtype.str, str(value.shape), str(value.strides), value.tobytes())
        elif isinstance(value, bool | int | float | complex | str | bytes | None | enum.Enum | np.dtype):
            self.note(repr(value))
        elif isinstance(value, tuple | list):
            self.note(str(len(value)))
            for part in value:
                self.value(part, names)
        elif isinstance(value, set | frozenset):
            self.note(*sorted(map(repr, value)))
        elif isinstance(value, types.Type):
            self.type(value)
        elif isinstance(value, python.ModuleType):
            self.note(value.__name__)
            for name in () if _is_versioned(value.__name__) else names:
                if name in vars(value) and self._is_new((value.__name__, name)):
                    self.note(name)
                    self.value(vars(value)[name], names)
        elif isinstance(value, type):
            self._class(value)
        else:  # perhaps a function of another package
            self.note(str(getattr(value, "__module__", "")), str(getattr(value, "__qualname__", "")))

    def _class(self, kind: type) -> None:
        self.note(kind.__module__, kind.__qualname__)
        if not _is_versioned(kind.__module__):
            self.note(repr(list(kind)) if issubclass(kind, enum.Enum) else "", *getattr(kind, "_fields", ()))

    def type(self, kind: Any) -> None:
        """Add one of numba's types."""
        self._class(type(kind))
        if hasattr(kind, "instance_class"):  # a named tuple's name does not include the order of its fields
            self._class(kind.instance_class)
        if isinstance(kind, types.BaseTuple):
            for part in kind:  # type: ignore[attr-defined]  # numba's tuples are iterable
                self.type(part)
        elif isinstance(kind, types.Dispatcher):
            self.value(kind.dispatcher, ())
        else:
            self.note(str(kind))


def _is_versioned(module: str) -> bool:
    return module.partition(".")[0] in _VERSIONED
