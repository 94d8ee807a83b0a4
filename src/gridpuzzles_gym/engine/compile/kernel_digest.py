"""The digest under which a kernel's machine code is cached: of the code and the values that it is made from.

It is that of the byte code of every function that a kernel uses, as this process has loaded it, and of the numbers,
tuples and arrays that these functions use. So an edited rule never runs with old machine code, wherever it is written,
and an edited comment compiles nothing again.
"""

import enum
import functools
import hashlib
import sys
import types as python
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba import types
from numba.core.dispatcher import Dispatcher

from .numba_internals import Intrinsic
from .rule_marks import MARKS, REPLACEMENTS

_VERSIONS = f"{sys.version} numba {numba.__version__} llvmlite {llvmlite.__version__} numpy {np.__version__}"
PYTHON = "{}.{}".format(*sys.version_info)
"""The version of Python, whose byte code differs between minor versions."""
_VERSIONED = sys.stdlib_module_names | {"llvmlite", "numba", "numpy"}
"""Packages whose code only changes with their version."""
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...))


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
        self._seen: dict[int, tuple[int, object]] = {}  # holds the functions too, so that no id is used again
        self._read = set[tuple[str, str]]()  # module, name

    def digest(self) -> str:
        return self._hash.hexdigest()[:32]

    def note(self, *texts: str | bytes) -> None:
        for text in texts:
            data = text if isinstance(text, bytes) else text.encode()
            self._hash.update(b"%d:" % len(data) + data)

    def function(self, function: Any) -> None:
        known = self._seen.setdefault(id(function), (len(self._seen), function))
        self.note(f"function {known[0]}", MARKS.get(function, ""))
        if known[0] < len(self._seen) - 1:
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
        kind = type(value)
        self.note(kind.__qualname__)
        if isinstance(value, Dispatcher):
            self.note(str(value.targetoptions))
            self.function(value.py_func)
        elif isinstance(value, Intrinsic):
            self.function(value._defn)
        elif isinstance(value, python.FunctionType) and not _is_versioned(value.__globals__["__name__"]):
            self.function(value)
        elif isinstance(value, enum.Enum):
            self._class(kind)
            self.note(value.name)
        elif isinstance(value, np.generic):
            self.note(value.dtype.str, value.tobytes())
        elif isinstance(value, np.ndarray) and not value.dtype.hasobject:
            self.note(value.dtype.str, str(value.shape), value.tobytes())
        elif isinstance(value, (*_PLAIN, np.dtype)):
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
            self._module(value, names)
        elif isinstance(value, type):
            self._class(value)
        else:  # perhaps a function of another package
            self._class(kind)
            self.note(str(getattr(value, "__module__", "")), str(getattr(value, "__qualname__", "")))

    def _module(self, module: python.ModuleType, names: Iterable[str]) -> None:
        """Add what code with these names may use of a module, each value once."""
        self.note(module.__name__)
        for name in () if _is_versioned(module.__name__) else names:
            if name in vars(module) and (module.__name__, name) not in self._read:
                self._read.add((module.__name__, name))
                self.note(name)
                self.value(vars(module)[name], names)

    def _class(self, kind: type) -> None:
        self.note(kind.__module__, kind.__qualname__)
        if not _is_versioned(kind.__module__):
            for name, member in kind.__members__.items() if issubclass(kind, enum.Enum) else ():
                self.note(name, repr(member.value))
            self.note(*getattr(kind, "_fields", ()))

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
