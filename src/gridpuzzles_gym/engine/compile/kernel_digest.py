"""The digest under which a kernel's machine code is cached: of the source files and the values that it is made from.

The files are those of the modules of all functions that a kernel uses, and of what these modules import, so that an
edited rule never runs with old machine code; an edited comment may compile it again. Numbers, tuples and arrays are
included as well, and the byte code of the functions, since one line of a file may define several of them.
"""

import enum
import hashlib
import importlib.util
import os
import re
import sys
import time
import types as python
from collections.abc import Callable, Iterable, Iterator
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
_PACKAGE = __name__.partition(".")[0]
_VERSIONED = sys.stdlib_module_names | {"llvmlite", "numba", "numpy"}
"""Packages whose files only change with their version."""
_BEGUN = time.time() - time.process_time()
"""When this process began, or a moment later. What was edited since may differ from what is loaded."""
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...))
_NAMED = (types.Array, types.Number, types.Boolean, types.NoneType, types.Literal, types.UnicodeType, types.Record)
"""Types that are identified by their names."""
_IMPORT = re.compile(
    rb"^([ \t]*)(?:from[ \t]+([\w.]+)[ \t]+)?import[ \t]*(\([^)]*\)|(?:\\\r?\n|[^\n#])*)", re.MULTILINE
)


class UnknownCodeError(Exception):
    """The code that a kernel is made from cannot be determined, so its machine code cannot be cached."""


def kernel_digest(function: Callable[..., Any], options: Any) -> str:
    """Return the digest of a kernel: of its code, compiler options, and versions.

    Raises:
        UnknownCodeError: It uses code that is in no file (in a notebook), or was edited since the process began.
    """
    reader = _Reader()
    reader.note(_VERSIONS, str(options))
    reader.function(function)
    return reader.digest()


def code_digest(function: Callable[..., Any]) -> str:
    """Return a digest of a kernel that only an edit of the code that it uses changes, in one version of Python."""
    reader = _Reader()
    reader.function(function)
    return reader.digest(files=False)


def signature_digest(signature: Any) -> str:
    """Return the digest of the types that a kernel is compiled for.

    Raises:
        UnknownCodeError: One of the types is not identified by its name, or as :func:`kernel_digest`.
    """
    reader = _Reader()
    for part in signature if isinstance(signature, tuple) else (*signature.args, signature.return_type):
        reader.type(part)
    return reader.digest()


class _Reader:
    """Collects what a kernel uses; each function once."""

    def __init__(self) -> None:
        self._hash, self._modules = hashlib.sha256(), set[str]()
        self._seen: dict[int, tuple[int, object]] = {}  # holds the functions too, so that no id is used again
        self._read = set[tuple[str, str]]()  # module, name

    def digest(self, files: bool = True) -> str:
        """Return the digest, with the source files or without."""
        for name in _with_imports(self._modules) if files else ():
            self.note(name, _sources[name].digest)
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
        self._modules.add("" if function.__code__.co_filename.startswith("<") else world["__name__"])
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
        if not _is_versioned(module.__name__):
            self._modules.add(module.__name__)
            for name in names:
                if name in vars(module) and (module.__name__, name) not in self._read:
                    self._read.add((module.__name__, name))
                    self.note(name)
                    self.value(vars(module)[name], names)

    def _class(self, kind: type) -> None:
        self.note(kind.__module__, kind.__qualname__)
        if not _is_versioned(kind.__module__) and kind.__module__ in sys.modules:
            self._modules.add(kind.__module__)
            for name, member in kind.__members__.items() if issubclass(kind, enum.Enum) else ():
                self.note(name, repr(member.value))
            self.note(*getattr(kind, "_fields", ()))

    def type(self, kind: Any) -> None:
        """Add one of numba's types."""
        self._class(type(kind))
        if isinstance(kind, types.BaseTuple):
            if isinstance(kind, types.BaseNamedTuple):  # its name does not include the order of its fields
                self._class(kind.instance_class)  # type: ignore[attr-defined]  # numba sets it
            for part in kind:  # type: ignore[attr-defined]  # numba's tuples are iterable
                self.type(part)
        elif isinstance(kind, types.FunctionType):
            for part in (*kind.signature.args, kind.signature.return_type):
                self.type(part)
        elif isinstance(kind, types.Dispatcher):
            self.value(kind.dispatcher, ())
        elif isinstance(kind, _NAMED):
            self.note(str(kind))
        else:
            raise UnknownCodeError(f"type {kind}")


class _Source:
    """The source file of a loaded module."""

    def __init__(self, module: python.ModuleType) -> None:
        self._of = module, module.__spec__  # which a reload replaces
        path = getattr(module, "__file__", None) or ""
        try:
            content, status = Path(path).read_bytes(), os.stat(path)
        except OSError:
            raise UnknownCodeError(f"module {module.__name__} has no file") from None
        if _BEGUN < max(status.st_mtime, status.st_ctime) <= time.time():  # not in the future, by a clock that is wrong
            raise UnknownCodeError(f"{path} was edited since the process began")
        self.digest = hashlib.sha256(content).digest()
        self.imports = sorted({*_imports(module, content)} - {module.__name__}) if path.endswith(".py") else []

    def is_of(self, module: python.ModuleType | None) -> bool:
        return module is self._of[0] and module.__spec__ is self._of[1]


_sources: dict[str, _Source] = {}
"""Those read so far, by the names of their modules."""


def _with_imports(modules: Iterable[str]) -> list[str]:
    """Return the names of modules and of all that they import, sorted, and read their files."""
    found, waiting = set[str](), [*modules]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        module = sys.modules.get(name)
        if module is None:
            raise UnknownCodeError(f"no module {name}")
        if name not in _sources or not _sources[name].is_of(module):
            _sources[name] = _Source(module)
        waiting.extend(_sources[name].imports)
    return sorted(found)


def _imports(module: python.ModuleType, content: bytes) -> Iterator[str]:
    """Yield the modules that a module imports when it is itself imported, so that all of them are loaded.

    What it imports later, within functions, may be loaded or not; digests must not depend on that.
    """
    for indentation, base, names in _IMPORT.findall(content):
        words = re.findall(r"[\w.]+", names.decode())
        if indentation and words and not any(word.partition(".")[0] in vars(module) for word in words):
            continue
        if base:
            origin = base.decode()
            if origin.startswith("."):
                origin = importlib.util.resolve_name(origin, module.__package__)
            words = [origin, *(f"{origin}.{word}" for word in words)]
        yield from (word for word in words if _is_followed(word, module.__name__))


def _is_followed(name: str, importer: str) -> bool:
    """Whether a name is that of a loaded module that may be edited: of the importer's package, or not installed."""
    file = getattr(sys.modules.get(name), "__file__", None)
    if not file or _is_versioned(name):
        return False
    package = name.partition(".")[0]
    return package in (_PACKAGE, importer.partition(".")[0]) or not {"site-packages", "dist-packages"} & {
        *Path(file).parts
    }


def _is_versioned(module: str) -> bool:
    return module.partition(".")[0] in _VERSIONED
