"""The source files that a module depends on, and digests of them that ignore comments and docstrings."""

import ast
import hashlib
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

# Modules whose changes never affect machine code, or come with another version of Python, numpy or numba.
_FOREIGN = sys.stdlib_module_names | {"numpy", "numba", "llvmlite", "gymnasium", "rich", "typing_extensions"}


def is_foreign(module: str) -> bool:
    """Whether a module belongs to the standard library, numpy, numba or a similar package."""
    return module.partition(".")[0] in _FOREIGN


def sources(module: str) -> list[Path] | None:
    """Return the files of a module and of what it imports, sorted; None if one has no file (e.g. in a notebook)."""
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
        if path.suffix == ".py":  # the imports of a compiled extension are unknown
            waiting.extend(_imports(name, path))
    return sorted(found.values())


def source_digest(file: Path) -> bytes:
    """Return a digest of a source file that only an edit of its code changes; of other files, a digest of the bytes."""
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
    """Yield the modules that module ``name`` imports when it is itself imported, so that all of them are loaded.

    What it imports later, within functions, may be loaded or not; digests must not depend on that.
    """
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    waiting: list[ast.AST] = [ast.parse(path.read_bytes())]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            base = importlib.util.resolve_name(base, package) if node.level else base
            targets = [base, *(f"{base}.{alias.name}" for alias in node.names)]
        else:
            later = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            for_types = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
            if not later and not for_types:
                waiting.extend(ast.iter_child_nodes(node))
            continue
        # A name that is not a loaded module is a function or a constant, whose module is in the list already.
        yield from (target for target in targets if target in sys.modules)
