"""The source files behind a module, and a digest of what they mean: comments and docstrings left out."""

import ast
import hashlib
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

# Modules whose change never needs new machine code, or comes with another version of Python, numpy or numba.
_FOREIGN = sys.stdlib_module_names | {"numpy", "numba", "llvmlite", "gymnasium", "rich", "typing_extensions"}


def is_foreign(module: str) -> bool:
    """Is a module of the standard library, numpy, numba or the like?"""
    return module.partition(".")[0] in _FOREIGN


def sources(module: str) -> list[Path] | None:
    """The files of a module and of all that it imports, sorted; None where one has no file (a notebook, say)."""
    found: dict[str, Path] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in found or is_foreign(name):
            continue
        path = _file_of(name)
        if path is None:
            return None
        found[name] = path
        if path.suffix == ".py":  # a compiled extension counts by its bytes alone
            waiting.extend(_imports(name, path))
    return sorted(found.values())


def source_digest(file: Path) -> bytes:
    """A digest of a source file that only an edit of its code changes; of any other file, of its bytes."""
    content = file.read_bytes()
    if file.suffix == ".py":
        tree = ast.parse(content)
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                _drop_docstring(node)
        content = ast.dump(tree).encode()
    return hashlib.sha256(content).digest()


def _drop_docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    if ast.get_docstring(node, clean=False) is not None:
        del node.body[0]


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
