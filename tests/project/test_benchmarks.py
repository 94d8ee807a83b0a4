"""The benchmarks are not run here, but everything that they import exists under that name."""

import ast
import importlib
from pathlib import Path

import pytest

BENCHMARKS = sorted((Path(__file__).parents[2] / "benchmarks").rglob("*.py"))


@pytest.mark.parametrize("path", BENCHMARKS, ids=lambda path: path.stem)
def test_what_it_imports_exists(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    ours = [node for node in imports if (node.module or "").startswith("gridpuzzles_gym")]
    for node in ours:
        try:
            module = importlib.import_module(node.module)
        except ModuleNotFoundError as error:
            if error.name.startswith("gridpuzzles_gym"):
                raise
            pytest.skip(f"{error.name} is not installed")
        for name in (alias.name for alias in node.names):
            assert hasattr(module, name) or importlib.import_module(f"{node.module}.{name}"), name
