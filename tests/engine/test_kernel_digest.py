"""What a kernel's machine code is cached under: every edit of code that it is made from changes it."""

import importlib
import sys

import numba
import pytest
from helpers import python

from gridpuzzles_gym.engine.compile import kernel_cache
from gridpuzzles_gym.engine.compile.indexing import FrontArray
from gridpuzzles_gym.engine.compile.kernel_cache import kernel_digest, signature_digest

SOURCES = {
    "digested_kernels.py": '''"""A module."""
import os
from typing import NamedTuple

from numba import njit

import digested_rules as rules
from digested_rules import (  # (of two)
    Pair, deep,
)
from gridpuzzles_gym.engine.compile.compilation import routine, rule, when_compiled

if os.name:
    from digested_numbers import GRID, ONE
SEEN = int(os.environ.get("DIGESTED", "1"))
first, second = rule(lambda x: x + 1), rule(lambda x: x + 2)


@rule
def shallow(x):
    """What calls a rule."""
    # A comment.
    return deep(x) * ONE + SEEN + GRID[0, 1]


@njit
def jitted(x):
    return x - 7


def swapped(x):
    return x


@when_compiled(swapped)
def _swapped(x):
    return lambda x: x * 100


@rule
def unused(x):
    return x * 1000


def make(more, inner):
    def kernel(x):
        pair = Pair(x, 2)
        return shallow(x) + jitted(pair.left) + swapped(x) + inner(x) + more + rules.TABLE[0] + (lambda y: y + 3)(x)

    return kernel


kernel = make(5, first)
''',
    "digested_rules.py": """from typing import NamedTuple

from digested_deeper import DEEPEST
from gridpuzzles_gym.engine.compile.compilation import rule

TABLE = (1, 2, (3, 4))


class Pair(NamedTuple):
    left: int
    right: int


@rule
def deep(x):
    return x + DEEPEST
""",
    "digested_numbers.py": "import numpy as np\n\nONE = 1\nGRID = np.ones((2, 2), order='C')\n",
    "digested_deeper.py": "DEEPEST = 10\n",
}
RULES, KERNELS = "digested_rules.py", "digested_kernels.py"
CODE = {
    "a rule that a rule calls": (RULES, "x + DEEPEST", "x - DEEPEST"),
    "the order of a tuple's fields": (RULES, "left: int\n    right: int", "right: int\n    left: int"),
    "a constant of a module": (RULES, "TABLE = (1", "TABLE = (2"),
    "a constant two imports away": ("digested_deeper.py", "10", "11"),
    "a constant imported under a condition": ("digested_numbers.py", "ONE = 1", "ONE = 2"),
    "the layout of an array": ("digested_numbers.py", "'C'", "'F'"),
    "a jitted function": (KERNELS, "x - 7", "x - 8"),
    "what replaces a function when compiled": (KERNELS, "x * 100\n", "x * 101\n"),
    "a function within the kernel": (KERNELS, "y + 3", "y + 4"),
    "the kernel": (KERNELS, "pair.left", "pair.right"),
    "a number that the kernel closes over": (KERNELS, "make(5", "make(6"),
    "which function of a line the kernel closes over": (KERNELS, "make(5, first)", "make(5, second)"),
    "how a rule is inlined": (KERNELS, "@rule\ndef shallow", "@routine\ndef shallow"),
}
"""Edits of the code that the kernel uses."""
OTHER = {
    "a comment": (KERNELS, "# A comment.", "# Another one, much\n    # longer."),
    "a docstring": (KERNELS, "What calls a rule.", "Calls a rule."),
    "a rule that the kernel does not use": (KERNELS, "x * 1000", "x * 2000"),
}
"""Edits that change no code of the kernel."""


@pytest.fixture
def digested(tmp_path, monkeypatch):
    """``digested(edit, …)``: the module of the kernel, imported again with these edits."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def read(*edits):
        for name, text in SOURCES.items():
            for file, old, new in edits:
                if file == name:
                    assert text.count(old) == 1, (old, text.count(old))
                    text = text.replace(old, new)
            (tmp_path / name).write_text(text)
            sys.modules.pop(name.removesuffix(".py"), None)
        importlib.invalidate_caches()
        return importlib.import_module("digested_kernels")

    yield read
    for name in SOURCES:
        sys.modules.pop(name.removesuffix(".py"), None)


def test_an_edit_of_its_code_changes_it_and_no_other_edit_does(digested):
    before = kernel_digest(digested().kernel, {})
    assert [name for name, edit in CODE.items() if kernel_digest(digested(edit).kernel, {}) == before] == []
    assert [name for name, edit in OTHER.items() if kernel_digest(digested(edit).kernel, {}) != before] == []


def test_options_versions_and_values_of_the_moment_count(digested, monkeypatch):
    kernel = digested().kernel
    found = {kernel_digest(kernel, {}), kernel_digest(kernel, {"fastmath": True})}
    monkeypatch.setattr(kernel_cache, "_VERSIONS", "another version")
    found.add(kernel_digest(kernel, {}))
    monkeypatch.setenv("DIGESTED", "2")
    assert len(found | {kernel_digest(digested().kernel, {})}) == 4


def test_the_types_of_arguments_count(digested):
    kinds = [kind(numba.int16, 1, "C") for kind in (numba.types.Array, FrontArray)]
    pairs = [digested().Pair, digested(CODE["the order of a tuple's fields"]).Pair]
    named = [numba.types.NamedTuple((numba.int64, numba.int64), pair) for pair in pairs]
    assert str(named[0]) == str(named[1])  # numba does not tell the order of the fields
    for one, other in (kinds, named):
        assert signature_digest((one,)) == signature_digest((one,))
        assert signature_digest((one,)) != signature_digest((other,))
    within = [signature_digest((numba.types.Tuple((kind, numba.int8)),)) for kind in named]
    assert within[0] != within[1]


IN_ANOTHER_PROCESS = """
import sys
import gridpuzzles_gym
from gridpuzzles_gym.engine import kernels
from gridpuzzles_gym.engine.compile.kernel_cache import code_digest, kernel_digest
from gridpuzzles_gym.engine.puzzle import load_puzzle
for name in sys.argv[1:]:
    __import__(name)
kernel = kernels.make_step_batch(load_puzzle("gridpuzzles_gym.puzzles.sokoban"), "planes").py_func
print(kernel_digest(kernel, {}), code_digest(kernel))
"""


@pytest.mark.extended
def test_all_processes_have_the_same():
    more = "gridpuzzles_gym.cli", "gridpuzzles_gym.agents.registry", "gridpuzzles_gym.web.building"
    first = python(IN_ANOTHER_PROCESS, PYTHONHASHSEED="1")
    assert python(IN_ANOTHER_PROCESS, *more, PYTHONHASHSEED="2") == first
