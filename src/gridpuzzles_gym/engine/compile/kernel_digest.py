"""A digest of everything that determines a kernel's machine code, computed from the loaded code.

Starting from the kernel's byte code, it includes all names that are actually used: rules, constants, types, and the
names that those use. An edit of a rule therefore always changes the digest; an edit of a comment, a docstring or an
unrelated function never does, and neither does the location of the files or an edit after their import. For anything
that cannot be read this way (a function that is not marked as a rule, an object of some class), the source files of
the module that uses it, and of its imports, are included instead.
"""

import dis
import enum
import functools
import hashlib
import inspect
import sys
import types as python
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic

from .rule_marks import MARKS, REPLACEMENTS
from .source_files import is_foreign, source_digest, sources

_VERSIONS = f"{sys.version} numba {numba.__version__} numpy {np.__version__} unique names, few reference counts"
PYTHON = "{}.{}".format(*sys.version_info)
"""``versions`` for digests that are stored with the sources: byte code differs between minor versions of Python."""
_HAS_DOCSTRING = 0x4000000  # a flag of code objects since Python 3.13
_OPTIMIZED = inspect.CO_OPTIMIZED  # every function's, but numba removes it from a kernel that runs under a profiler
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...))


class UnknownCodeError(Exception):
    """The code that a kernel uses cannot be determined, so its machine code cannot be cached."""


def kernel_digest(function: Callable[..., Any], options: Any, versions: str = _VERSIONS) -> str:
    """Return the digest of a kernel.

    Args:
        function: The kernel, a plain function.
        options: The compiler's options, which are included as text.
        versions: What else the machine code depends on.

    Raises:
        UnknownCodeError: It uses something whose source is not available.
    """
    reader = _Reader()
    reader.note(versions, str(options))
    reader.function(function)
    return reader.digest()


def signature_digest(signature: Any) -> str:
    """Return the digest of the types that a kernel is compiled for.

    Raises:
        UnknownCodeError: One of the types is not identified by its name.
    """
    reader = _Reader()
    for part in signature if isinstance(signature, tuple) else (*signature.args, signature.return_type):
        reader.type(part)
    return reader.digest()


class _Reader:
    """Reads code and adds it to a digest, each function once."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._seen: dict[int, tuple[int, object]] = {}  # holds the functions too, so that no id is reused
        self._read: set[tuple[str, str]] = set()  # module, name

    def digest(self) -> str:
        return self._hash.hexdigest()[:32]

    def note(self, *texts: str | bytes) -> None:
        for text in texts:
            data = text if isinstance(text, bytes) else text.encode()
            self._hash.update(b"%d:" % len(data) + data)

    def function(self, function: Any) -> None:
        """Add a function that is compiled from its own code, and everything that it uses."""
        if id(function) in self._seen:
            self.note("again", str(self._seen[id(function)][0]))
            return
        self._seen[id(function)] = len(self._seen), function
        self.note("function", function.__module__, function.__qualname__, MARKS.get(function, ""))
        names: dict[str, None] = {}
        self._code(function.__code__, names)
        world, owner = function.__globals__, function.__module__
        for name in names:
            if name in world:
                self.note("global", name)
                self.value(world[name], names, owner)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self.note("closure", name)
            self.value(cell.cell_contents, names, owner)
        self.value(function.__defaults__, names, owner)
        self.value(tuple(sorted((function.__kwdefaults__ or {}).items())), names, owner)

    def _code(self, code: python.CodeType, names: dict[str, None]) -> None:
        """Add byte code, without line numbers and docstring; the names it uses are added to ``names``."""
        names.update(dict.fromkeys(code.co_names))
        self.note(*code.co_names, "|", *code.co_varnames, "|", *code.co_freevars, "|", *code.co_cellvars)
        flags = (code.co_flags | _OPTIMIZED) & ~_HAS_DOCSTRING
        counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, flags
        self.note(str(counts), code.co_exceptiontable)
        # Constants are numbered in the order of use, so that a docstring, which is never used, has no number.
        instructions, order, high = bytearray(code.co_code), dict[int, int](), 0
        for place in range(0, len(instructions), 2):
            operation, argument = instructions[place], instructions[place + 1] | high << 8
            high = argument if operation == dis.EXTENDED_ARG else 0
            if operation in dis.hasconst:
                instructions[place + 1] = order.setdefault(argument, len(order)) & 255
        self.note(bytes(instructions))
        for number in order:
            constant = code.co_consts[number]
            if isinstance(constant, python.CodeType):
                self._code(constant, names)
            else:
                self.value(constant, names, "")

    def value(self, value: Any, names: Iterable[str], owner: str) -> None:
        """Add the value of a name in code of the module ``owner`` that uses ``names``."""
        kind = type(value)
        self.note(kind.__qualname__)
        if isinstance(value, enum.Enum):
            self._class(kind, owner)
            self.note(value.name)
        elif isinstance(value, np.generic):
            self.note(value.dtype.str, value.tobytes())
        elif isinstance(value, _PLAIN):
            self.note(repr(value))
        elif isinstance(value, tuple | list):
            self.note(str(len(value)))
            for part in value:
                self.value(part, names, owner)
        elif isinstance(value, set | frozenset):
            self.note(*sorted(map(repr, value)))
        elif isinstance(value, np.ndarray) and not value.dtype.hasobject:
            self.note(value.dtype.str, str(value.shape), value.tobytes())
        elif isinstance(value, np.dtype):
            self.note(repr(value))
        elif isinstance(value, types.Type):
            self.type(value)
        elif isinstance(value, python.ModuleType):
            self._module(value, names)
        elif is_foreign(getattr(value, "__module__", None) or "") and hasattr(value, "__qualname__"):
            self.note(value.__module__, value.__qualname__)
        elif isinstance(value, python.BuiltinFunctionType):
            self.note(str(value.__module__), value.__qualname__)
        elif isinstance(value, Dispatcher):
            self.note(str(value.targetoptions))
            self.function(value.py_func)
        elif isinstance(value, _Intrinsic):
            self.function(value._defn)
        elif isinstance(value, python.FunctionType):
            self._called(value)
        elif isinstance(value, type):
            self._class(value, owner)
        else:
            self._sources(owner)

    def _called(self, function: python.FunctionType) -> None:
        """Add a function that a kernel may call."""
        if function in REPLACEMENTS:
            self.note("replacement", function.__module__, function.__qualname__)
            self.function(REPLACEMENTS[function])
        elif function in MARKS:
            self.function(function)
        else:
            self._sources(function.__module__)

    def _module(self, module: python.ModuleType, names: Iterable[str]) -> None:
        """Add the contents of a module that have one of the names that the code uses, for ``module.name``."""
        self.note(module.__name__)
        if is_foreign(module.__name__):
            return
        for name in names:
            if name in vars(module) and (module.__name__, name) not in self._read:
                self._read.add((module.__name__, name))
                self.note(name)
                self.value(vars(module)[name], names, module.__name__)

    def _class(self, kind: type, owner: str) -> None:
        self.note(kind.__module__, kind.__qualname__)
        if is_foreign(kind.__module__) or kind.__module__ == "builtins":
            return
        if issubclass(kind, tuple) and hasattr(kind, "_fields"):
            self.note(*kind._fields)
        elif issubclass(kind, enum.Enum):
            for name, member in kind.__members__.items():
                self.note(name)
                self.value(member.value, (), owner)
        elif issubclass(kind, types.Type):  # its module says what code is made for it
            self.note(_digest_of_type(kind))
        else:
            self._sources(kind.__module__)

    def type(self, kind: Any) -> None:
        """Add one of numba's types."""
        if isinstance(kind, types.BaseNamedTuple):  # its name does not include the order of its fields
            self._class(kind.instance_class, "")  # type: ignore[attr-defined]  # numba sets it
        self._class(type(kind), "")
        for part in _parts(kind):
            self.type(part)
        if isinstance(kind, types.Dispatcher):
            self.value(kind.dispatcher, (), "")
        elif not isinstance(kind, types.BaseTuple | types.FunctionType):
            if not isinstance(kind, _NAMED):
                raise UnknownCodeError(f"type {kind}")
            self.note(str(kind))

    def _sources(self, module: str) -> None:
        """Add the source files of a module, for values that cannot be read."""
        files = sources(module) if module else None
        if files is None:
            raise UnknownCodeError(f"module {module or '?'}")
        self.note("sources", *map(source_digest, files))


@functools.cache  # a kernel has the same type dozens of times
def _digest_of_type(kind: type) -> bytes:
    """Return the digest of the source file of one of numba's types."""
    return source_digest(Path(inspect.getfile(kind)))


_NAMED = (types.Array, types.Number, types.Boolean, types.NoneType, types.Literal, types.UnicodeType, types.Record)
"""Types that are fully identified by their names."""


def _parts(kind: Any) -> Iterator[Any]:
    """Yield the component types of a tuple or function type."""
    if isinstance(kind, types.BaseTuple):
        yield from kind  # type: ignore[misc]  # numba's tuples are iterable
    elif isinstance(kind, types.FunctionType):
        yield from (*kind.signature.args, kind.signature.return_type)
