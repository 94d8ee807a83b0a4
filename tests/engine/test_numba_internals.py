"""The private parts of numba, and that functions linked into kernels can do what they can do by themselves."""

import inspect

import numba
import numpy as np
import pytest
from helpers import python
from numba.core.runtime import _nrt_python, rtsys

from gridpuzzles_gym.engine.compile import numba_internals
from gridpuzzles_gym.engine.compile.compilation import compiled, routine, rule

SIGNATURES = {
    "JITCodeLibrary._optimize_final_module": "(self)",
    "JITCodeLibrary._finalize_final_module": "(self)",
    "Compiler.compile_extra": "(self, func)",
    "DefaultPassBuilder.define_nopython_pipeline": "(state, name='nopython')",
    "NativeLowering.run_pass": "(self, state)",
    "CompileResult._reduce": "(self)",
    "CompileResult._find_referenced_environments": "(self)",
    "CPUDispatcher.compile": "(self, sig)",
    "CPUDispatcher.add_overload": "(self, cres)",
}


def abs_of(x):
    return abs(x)


@pytest.mark.parametrize("name", SIGNATURES)
def test_numba_still_has_a_private_method(name):
    owner, method = name.split(".")
    assert str(inspect.signature(getattr(getattr(numba_internals, owner), method))) == SIGNATURES[name]


def test_numba_still_has_the_other_private_parts():
    assert next(numba.core.bytecode.FunctionIdentity._unique_ids) > 2**32  # a random number
    assert numba_internals.JITCodeLibrary.has_dynamic_globals is not None
    assert "target_context" in inspect.signature(numba_internals.CompileResult._rebuild).parameters
    assert {"load_overload", "save_overload", "cache_path"} <= {*dir(numba.njit(abs_of)._cache)}
    assert {"_cache", "_compiler"} <= {*dir(numba.njit(abs_of))}
    assert numba.extending.intrinsic(abs_of)._defn is abs_of


@routine
def checked(x):
    if x > 2:
        raise ValueError("too large:", x)
    print("x is", x)
    return x + 1


@rule
def doubled(x):
    return checked(x) * 2


@pytest.mark.extended
@pytest.mark.compiled
@pytest.mark.parametrize("turn", ["compiled", "loaded"])
def test_what_a_rule_calls_can_print_and_raise(turn, capfd):
    def kernel(x):
        return doubled(x)

    kernel = compiled(kernel, "linking-trial")
    assert kernel(1) == 4
    with pytest.raises(ValueError, match=r"too large:.*5"):
        kernel(5)
    assert "x is 1" in capfd.readouterr().out


ADDERS = """
import sys
from numba import int64, njit
from gridpuzzles_gym.engine.compile.compilation import compiled

def make(number):
    def adder(x):
        return x + number

    return compiled(adder, f"adder-{number}", int64(int64))

@njit
def both(first, second):
    return first(0), second(0)

adders = [make(int(number)) for number in sys.argv[1:]]
found = both(*adders) if len(adders) == 2 else [adders[0](0)]
print(*found, sum(sum(adder.stats.cache_hits.values()) for adder in adders))
"""


@pytest.mark.extended
def test_kernels_of_one_name_from_two_processes_are_not_taken_for_each_other(tmp_path):
    """Compiled as the first of their processes, they have equal names but for what is added to make them unique."""
    (tmp_path / "adders.py").write_text(ADDERS)
    code = "import sys\nsys.path.insert(0, sys.argv.pop(1))\nimport adders"
    runs = [python(code, tmp_path, *numbers, NUMBA_CACHE_DIR=str(tmp_path)) for numbers in ("1", "2", "12", "21")]
    assert [run.split() for run in runs] == [["1", "0"], ["2", "0"], ["1", "2", "2"], ["2", "1", "2"]]


# -- reference counts ------------------------------------------------------------------------------


@rule
def total(rows, k):
    """Reads parts of an array, in ways that create none."""
    sum, (first, rest) = 0, (rows[0], rows[1:])
    for value in first:
        sum += value
    for row in range(rest.shape[0]):
        sum += rest[row, k]
    rows[0, k] = sum
    return sum


@rule
def shifted(row):
    """Copies a part of an array to one that overlaps it."""
    row[1:] = row[:-1]
    return row[0]


@rule
def selected(row):
    """Creates arrays, and one by way of a function."""
    return row[row > 1].sum() + (row + 1).sum() + len(created(len(row)))


@routine
def created(count):
    return np.zeros(count)


@rule
def larger(one, other):
    """Returns one of two arrays."""
    return one if one.sum() > other.sum() else other


@pytest.mark.extended
@pytest.mark.compiled
def test_arrays_are_freed_once_whether_references_are_counted_or_not():
    def kernel(rows, k):
        own = np.ones_like(rows)
        own[0, 0] = total(rows, k) + shifted(rows[1]) + selected(rows[2])
        best = larger(rows, own)
        pair = (larger(own, best), best)
        zeros = larger(created(3).reshape(1, 3), created(3).reshape(1, 3))
        return total(pair[0], k) + total(pair[1], k) + total(zeros, 0)

    rows = np.arange(15.0).reshape(3, 5)
    kernel_of_rows, expected = compiled(kernel, "reference-trial"), kernel(rows.copy(), 2)
    assert kernel_of_rows(rows.copy(), 2) == expected
    _nrt_python.memsys_enable_stats()
    before = rtsys.get_allocation_stats()
    for _ in range(100):
        assert kernel_of_rows(rows.copy(), 2) == expected
    after = rtsys.get_allocation_stats()
    _nrt_python.memsys_disable_stats()
    made = after.alloc - before.alloc, after.mi_alloc - before.mi_alloc
    assert made[0] > 300
    assert (after.free - before.free, after.mi_free - before.mi_free) == made


@pytest.mark.extended
@pytest.mark.compiled
def test_only_what_creates_or_returns_arrays_counts_references(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    asked, counts = numba_internals._needs_counts, {}

    def noted(state):
        counts[state.func_id.func_name] = asked(state)
        return counts[state.func_id.func_name]

    monkeypatch.setattr(numba_internals, "_needs_counts", noted)

    @routine
    def filled(count):  # the other ones may have been compiled for these types before
        return np.ones(count, np.int32)

    def kernel(rows):
        return total(rows, 0) + shifted(rows[0]) + selected(rows[1]) + larger(rows, rows)[0, 0] + len(filled(3))

    assert compiled(kernel, "references-trial")(np.ones((3, 5), np.int32)) > 0
    assert not counts["total"]
    assert all(counts[name] for name in ("selected", "filled", "larger"))
    monkeypatch.setattr(numba_internals, "_needs_counts", lambda state: False)
    made = routine(lambda count: np.full(count, 7).sum())
    assert compiled(lambda count: made(count), "references-trial-2")(3) == 21  # which turns out to create arrays
