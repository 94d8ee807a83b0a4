"""Functions linked into kernels can do in there what they can do by themselves."""

import numpy as np
import pytest
from helpers import python
from numba.core.runtime import _nrt_python, rtsys

from gridpuzzles_gym.engine.compile import references
from gridpuzzles_gym.engine.compile.compilation import compiled, routine, rule

pytestmark = [pytest.mark.extended, pytest.mark.compiled]


@routine
def checked(x):
    if x > 2:
        raise ValueError("too large:", x)
    print("x is", x)
    return x + 1


@rule
def doubled(x):
    return checked(x) * 2


@pytest.mark.parametrize("turn", ["compiled", "loaded"])
def test_what_a_rule_calls_can_print_and_raise(turn, capfd):
    def kernel(x):
        return doubled(x)

    kernel = compiled(kernel, "linking-trial")
    assert kernel(1) == 4
    with pytest.raises(ValueError, match=r"too large:.*5"):
        kernel(5)
    assert "x is 1" in capfd.readouterr().out


def test_without_the_internals_of_numba_functions_are_compiled_in_its_usual_way(tmp_path):
    code = """
from numba.core import codegen
internals = codegen.__dict__.pop("JITCodeLibrary")
from gridpuzzles_gym.engine.compile import linking
codegen.JITCodeLibrary = internals
from gridpuzzles_gym.engine.compile.compilation import compiled, routine, rule
more = routine(lambda x: x + 1)
doubled = rule(lambda x: more(x) * 2)
print(linking.LINKED, compiled(lambda x: doubled(x), "unlinked")(1))
"""
    assert python(code, XDG_CACHE_HOME=str(tmp_path)) == "{} 4\n"


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
    return row[row > 1].sum() + (row + 1).sum() + np.sort(row)[0] + len(created(len(row)))


@routine
def created(count):
    return np.zeros(count)


@rule
def larger(one, other):
    """Returns one of two arrays."""
    return one if one.sum() > other.sum() else other


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
    assert after.alloc - before.alloc > 300
    assert (after.free - before.free, after.mi_free - before.mi_free) == (
        after.alloc - before.alloc,
        after.mi_alloc - before.mi_alloc,
    )


def test_only_what_creates_or_returns_arrays_counts_references(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    asked, counts = references._needs_counts, {}

    def noted(state):
        counts[state.func_id.func_name] = asked(state)
        return counts[state.func_id.func_name]

    monkeypatch.setattr(references, "_needs_counts", noted)

    @routine
    def filled(count):  # the other ones may have been compiled for these types before
        return np.ones(count, np.int32)

    def kernel(rows):
        return total(rows, 0) + shifted(rows[0]) + selected(rows[1]) + larger(rows, rows)[0, 0] + len(filled(3))

    assert compiled(kernel, "references-trial")(np.ones((3, 5), np.int32)) > 0
    assert not counts["total"]
    assert all(counts[name] for name in ("shifted", "selected", "filled", "larger"))


def test_what_turns_out_to_create_arrays_counts_references(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(references, "_needs_counts", lambda state: False)
    made = routine(lambda count: np.full(count, 7).sum())
    assert compiled(lambda count: made(count), "references-trial")(3) == 21
