"""What a kernel's machine code goes by: every edit of its code, and no other."""

import sys
from types import ModuleType

import numba
import numpy as np
import pytest
from helpers import LIVELY, TOY, puzzle_of

import gridpuzzles_gym
from gridpuzzles_gym.engine import kernels, rule_kernels
from gridpuzzles_gym.engine.batch_of_one import make_step_one
from gridpuzzles_gym.engine.compile.indexing import FrontArray
from gridpuzzles_gym.engine.compile.kernel_digest import UnknownCodeError, kernel_digest, signature_digest
from gridpuzzles_gym.engine.compile.source_files import source_digest, sources

SOURCE = '''"""A module."""
import enum
from typing import NamedTuple

import numba
from gridpuzzles_gym.engine.compile.compilation import routine, rule, when_compiled
from numba import njit

ONE = 1
TABLE = (1, 2, (3, 4))


class Pair(NamedTuple):
    left: int
    right: int


class Colour(enum.IntEnum):
    RED = 1
    BLUE = 2


@rule
def deep(x):
    """What is called by what is called."""
    # A comment.
    return x + 10


@rule
def shallow(x):
    return deep(x) * ONE + TABLE[0] + Colour.RED


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


def make(more):
    def kernel(x):
        """A kernel."""
        inner = lambda y: y + 3
        pair = Pair(x, 2)
        return shallow(x) + jitted(pair.left) + swapped(x) + inner(x) + more

    return kernel


kernel = make(5)
'''

EDITS = {
    "a rule that a rule calls": ("x + 10", "x + 11"),
    "a constant": ("ONE = 1", "ONE = 2"),
    "a constant in a tuple": ("(3, 4)", "(3, 5)"),
    "the order of a tuple's fields": ("left: int\n    right: int", "right: int\n    left: int"),
    "a member of an enumeration": ("RED = 1", "RED = 3"),
    "a jitted function": ("x - 7", "x - 8"),
    "what stands for a function when compiled": ("lambda x: x * 100", "lambda x: x * 101"),
    "a function within the kernel": ("y + 3", "y + 4"),
    "the kernel": ("pair.left", "pair.right"),
    "what the kernel closes over": ("make(5)", "make(6)"),
    "how a rule is inlined": ("@rule\ndef shallow", "@routine\ndef shallow"),
}
IDLE = {
    "the module's docstring": ('"""A module."""\n', '"""Another text,\n\nlonger."""\n'),
    "a rule's docstring": ('"""What is called by what is called."""', '"""Deep."""'),
    "a kernel's docstring": ('        """A kernel."""\n', ""),
    "a comment": ("    # A comment.\n", "    # Another.\n    # And one more.\n"),
    "a rule that the kernel does not use": ("x * 1000", "x * 2000"),
    "empty lines": ("\n\n\ndef swapped", "\n\n\n\n\n\ndef swapped"),
}


@pytest.fixture
def digest(tmp_path, monkeypatch):
    """``digest(source)`` of the function ``kernel`` in a module of that source."""

    def read(source):
        file = tmp_path / "written.py"
        file.write_text(source)
        module = ModuleType("written")
        module.__file__ = str(file)
        monkeypatch.setitem(sys.modules, "written", module)
        exec(compile(source, file, "exec"), module.__dict__)
        return kernel_digest(module.kernel, {})

    return read


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_of_its_code_changes_it(digest, name):
    old, new = EDITS[name]
    assert SOURCE.count(old) == 1
    assert digest(SOURCE.replace(old, new)) != digest(SOURCE)


@pytest.mark.parametrize("name", IDLE)
def test_any_other_edit_does_not(digest, name):
    old, new = IDLE[name]
    assert SOURCE.count(old) == 1
    assert digest(SOURCE.replace(old, new)) == digest(SOURCE)


UNREADABLE = SOURCE.replace("@rule\ndef deep", "@numba.extending.register_jitable\ndef deep")


def test_where_code_cannot_be_read_its_source_counts(digest):
    """A function that is marked in another way: all of its module, yet neither comments nor docstrings."""
    before = digest(UNREADABLE)
    assert digest(UNREADABLE.replace(*EDITS["a rule that a rule calls"])) != before
    assert digest(UNREADABLE.replace(*IDLE["a rule that the kernel does not use"])) != before
    for name in ("the module's docstring", "a rule's docstring", "a comment", "empty lines"):
        assert digest(UNREADABLE.replace(*IDLE[name])) == before


def test_without_source_either_nothing_is_reported():
    space = {"__name__": "nowhere"}
    exec("def helper(x):\n    return x\ndef kernel(x):\n    return helper(x)\n", space)
    with pytest.raises(UnknownCodeError, match="nowhere"):
        kernel_digest(space["kernel"], {})


def test_a_profiler_changes_nothing():
    def kernel(x):
        return x + 1

    before, compiled = kernel_digest(kernel, {}), numba.njit(kernel)
    sys.setprofile(lambda frame, event, argument: None)
    try:
        assert compiled(1) == 2
    finally:
        sys.setprofile(None)
    assert kernel_digest(kernel, {}) == before


def test_the_compilers_options_count(digest):
    digest(SOURCE)
    kernel = sys.modules["written"].kernel
    assert kernel_digest(kernel, {"fastmath": True}) != kernel_digest(kernel, {})


def test_the_class_of_an_arguments_type_counts():
    kinds = [kind(numba.int16, 1, "C") for kind in (numba.types.Array, FrontArray)]
    assert len({signature_digest((kind,)) for kind in kinds}) == 2


def test_the_order_of_an_arguments_fields_counts(digest):
    """Numba's name of the type does not tell it."""
    digest(SOURCE)
    pair = sys.modules["written"].Pair
    digest(SOURCE.replace(*EDITS["the order of a tuple's fields"]))
    other = sys.modules["written"].Pair
    one, two = (numba.types.NamedTuple((numba.int64, numba.int64), kind) for kind in (pair, other))
    assert str(one) == str(two)
    assert signature_digest((one,)) != signature_digest((two,))
    assert signature_digest((numba.types.Tuple((one, numba.int8)),)) != signature_digest(
        (numba.types.Tuple((two, numba.int8)),)
    )


@pytest.mark.parametrize("id", [row.id for row in (*gridpuzzles_gym.ENVIRONMENTS, TOY)])
def test_the_suites_own_kernels_are_read_to_the_end(monkeypatch, id):
    """No source file is needed, so an edit recompiles only what is made from it."""
    from gridpuzzles_gym.engine.compile import kernel_digest as module

    monkeypatch.setattr(module, "sources", lambda name: pytest.fail(f"the source of {name} is read"))
    puzzle = puzzle_of(id)
    made = [kernels.make_step_batch(puzzle, name) for name in puzzle.observations]
    made += [make_step_one(puzzle, name, (np.dtype(np.uint8), 3), (int, bool)) for name in puzzle.observations]
    made.append(rule_kernels.make_mask_batch(puzzle))
    if id not in LIVELY:
        made.append(kernels.make_expand(puzzle))
    assert len({kernel_digest(kernel.py_func, {}) for kernel in made}) == len(made)


def test_the_sources_of_a_module_are_all_that_it_imports():
    names = {path.name for path in sources(puzzle_of("Wumpus-v0").rules.step.__module__)}
    assert {"rules.py", "random.py", "compilation.py", "puzzle.py"} <= names
    assert sources("__nowhere__") is None


def test_what_a_module_imports_within_functions_is_no_source(tmp_path, monkeypatch):
    """It may be loaded or not, and the same code must have the same digest in every process."""
    module, later = ModuleType("imports_later"), ModuleType("imported_later")
    code = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import imported_later\n"
    for made, content in ((module, code + "def f():\n    import imported_later\n"), (later, "")):
        (tmp_path / f"{made.__name__}.py").write_text(content)
        made.__file__ = str(tmp_path / f"{made.__name__}.py")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    before = sources("imports_later")
    monkeypatch.setitem(sys.modules, later.__name__, later)
    assert sources("imports_later") == before == [tmp_path / "imports_later.py"]


def test_a_compiled_extension_is_among_the_sources(tmp_path, monkeypatch):
    extension, module = ModuleType("extension"), ModuleType("uses_extension")
    for made, name, content in (
        (extension, "extension.so", b"\x7fELF\x00"),
        (module, "uses.py", b"import extension\n"),
    ):
        (tmp_path / name).write_bytes(content)
        made.__file__ = str(tmp_path / name)
        monkeypatch.setitem(sys.modules, made.__name__, made)
    assert sources("uses_extension") == [tmp_path / "extension.so", tmp_path / "uses.py"]
    before = source_digest(tmp_path / "extension.so")
    (tmp_path / "extension.so").write_bytes(b"\x7fELF\x01")
    assert source_digest(tmp_path / "extension.so") != before
