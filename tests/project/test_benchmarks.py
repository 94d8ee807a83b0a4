"""The benchmarks are not run here, but everything that they import exists under that name."""

import ast
import importlib
from pathlib import Path

import pytest


@pytest.mark.extended
def test_what_benchmarks_import_exists():
    missing = []
    for path in sorted((Path(__file__).parents[2] / "benchmarks").rglob("*.py")):
        imports = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.ImportFrom)]
        for node in imports:
            if not (node.module or "").startswith("gridpuzzles_gym"):
                continue
            try:
                module = importlib.import_module(node.module)
            except ModuleNotFoundError as error:
                missing += [(path.name, node.module)] if error.name.startswith("gridpuzzles_gym") else []
                continue
            for name in (alias.name for alias in node.names):
                if not hasattr(module, name) and importlib.util.find_spec(f"{node.module}.{name}") is None:
                    missing.append((path.name, node.module, name))
    assert missing == []
