"""Ctrl-C leaves a compilation behind, waits for an import, and is never lost."""

import ctypes
import itertools
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from gridpuzzles_gym.engine.compile.compilation import compiled
from gridpuzzles_gym.engine.compile.compile_thread import is_left_behind
from gridpuzzles_gym.engine.compile.kernel_cache import KernelCache
from gridpuzzles_gym.engine.compile.working_time import paused, working_time
from gridpuzzles_gym.engine.system.interrupts import Interruption, uninterrupted, uninterrupted_imports

pytestmark = [
    pytest.mark.extended,
    pytest.mark.compiled,
    pytest.mark.skipif(os.name != "posix", reason="signals are sent"),
]


def strike():
    os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture(autouse=True)
def _handler_is_restored():
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_waits_for_the_end_of_a_block():
    done = []
    with pytest.raises(KeyboardInterrupt), uninterrupted() as interruption:  # noqa: PT012 - where it is raised is the point
        strike()
        strike()
        done.append(interruption.wanted)
    assert done == [True]


def test_ctrl_c_waits_for_the_outermost_block():
    done = []
    with pytest.raises(KeyboardInterrupt), uninterrupted():  # noqa: PT012 - where it is raised is the point
        with uninterrupted():
            strike()
        done.append(1)
    assert done == [1]


def test_ctrl_c_is_not_lost_in_an_error():
    with pytest.raises(KeyboardInterrupt) as raised, uninterrupted():  # noqa: PT012 - where it is raised is the point
        strike()
        raise ValueError("an error")
    assert isinstance(raised.value.__context__, ValueError)


def test_a_block_within_a_search_leaves_it_to_the_search():
    with Interruption() as search:
        with uninterrupted():
            strike()
            assert not search.wanted
        assert search.wanted
        with pytest.raises(KeyboardInterrupt):  # the second one
            strike()


def test_a_handler_of_somebody_else_is_left_alone():
    heard = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append(1))
    try:
        with uninterrupted():
            strike()
            assert heard == [1]
    finally:
        signal.signal(signal.SIGINT, before)


def test_off_the_main_thread_nothing_is_changed():
    found = []

    def work():
        with uninterrupted():
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [signal.default_int_handler]


# -- nobody waits for the compiler ------------------------------------------------------------------


@pytest.fixture
def slow(tmp_path, monkeypatch):
    """A kernel whose compilation strikes, then waits to be released; how often that was begun."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))

    def kernel(x):
        return x + 1

    made, begun, release = compiled(kernel, "struck"), [], threading.Event()
    compile_now = made._compiler.compile

    def struck(*arguments):
        begun.append(threading.current_thread())
        strike()
        assert release.wait(60)
        return compile_now(*arguments)

    made._compiler.compile = struck
    yield made, begun, release
    release.set()
    for thread in set(begun) - {threading.main_thread()}:
        thread.join()
    assert not is_left_behind()


def test_ctrl_c_leaves_a_compilation_behind_that_the_next_call_uses(slow, tmp_path):
    made, begun, release = slow
    with pytest.raises(KeyboardInterrupt):
        made(1)
    assert is_left_behind()
    assert not made.overloads
    release.set()
    assert made(1) == 2
    assert len(begun) == 1
    assert list(tmp_path.rglob("*.kernel"))


def test_ctrl_c_leaves_it_behind_within_a_search_too(slow):
    made, *_ = slow
    with Interruption() as search, pytest.raises(KeyboardInterrupt):
        made(1)
    assert search.wanted


def test_a_handler_of_somebody_else_may_leave_it_behind(slow):
    made, *_ = slow

    def handler(*_):
        raise LookupError

    before = signal.signal(signal.SIGINT, handler)
    try:
        with pytest.raises(LookupError):
            made(1)
        assert is_left_behind()
    finally:
        signal.signal(signal.SIGINT, before)


def test_where_ctrl_c_is_deferred_it_waits_for_the_compiler(slow):
    made, _, release = slow
    release.set()
    with pytest.raises(KeyboardInterrupt), uninterrupted():
        assert made(1) == 2
    assert len(made.overloads) == 1


class Pair(NamedTuple):
    one: np.ndarray
    other: float


def test_ctrl_c_within_a_kernel_comes_after_it(tmp_path, monkeypatch):
    """Numba would crash while it makes the pair."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    strike_now = ctypes.CDLL(None)["raise"]
    strike_now.argtypes, strike_now.restype = [ctypes.c_int], ctypes.c_int

    def kernel(struck):
        if struck:
            strike_now(signal.SIGINT.value)
        return Pair(np.zeros(2), 4.0), np.zeros(3)

    made = compiled(kernel, "struck-within", returns_arrays=True)
    assert made(False)[0].other == 4.0
    with pytest.raises(KeyboardInterrupt):
        made(True)


@pytest.mark.parametrize("result", [lambda x: np.zeros(x), lambda x: (x, np.zeros(1)), lambda x: Pair(np.zeros(1), x)])
def test_a_kernel_that_returns_arrays_must_say_so(tmp_path, monkeypatch, result):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    with pytest.raises(TypeError, match="returns arrays: it needs returns_arrays=True"):
        compiled(result, "arrays")(1)
    assert len(compiled(result, "arrays", returns_arrays=True)(1)) > 0


def test_ctrl_c_while_a_module_is_imported_comes_after_it(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "struck_module.py").write_text(
        "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nfor _ in range(1000): pass\nDONE = True\n"
    )
    original = __import__
    with pytest.raises(KeyboardInterrupt), uninterrupted_imports():
        import struck_module  # noqa: F401  (interrupted while it is imported)
    assert sys.modules["struck_module"].DONE
    assert __import__ is original


# -- compiling takes no working time --------------------------------------------------------------


def test_the_clock_of_work_is_stopped_in_pauses(monkeypatch):
    clock = itertools.count()
    monkeypatch.setattr(time, "perf_counter", lambda: next(clock))
    begun = working_time()  # looks at the clock once outside pauses, as a pause does at its ends
    with paused():
        within = working_time()
        with paused():
            time.perf_counter()
        time.perf_counter()
        assert working_time() == within
    assert working_time() - begun == 2


def test_compiling_takes_no_working_time(tmp_path, monkeypatch):
    """By a clock that goes on with each step of it."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))

    def kernel(x):
        total = 0
        for k in range(x):
            total += k * k
        return total

    steps = []
    for name in ("load_overload", "save_overload"):
        step = getattr(KernelCache, name)
        monkeypatch.setattr(KernelCache, name, lambda *given, step=step: steps.append(step) or step(*given))
    monkeypatch.setattr(time, "perf_counter", lambda: float(len(steps)))
    begun = working_time()
    assert compiled(kernel, "timed")(3) == 5
    assert len(steps) == 2
    assert working_time() == begun


def test_files_of_a_film_in_the_making_are_removed(tmp_path):
    from gridpuzzles_gym.engine.system.files import replacing

    with pytest.raises(KeyboardInterrupt), replacing(tmp_path / "f.gif") as part:  # noqa: PT012 - where it is raised is the point
        assert isinstance(part, Path)
        part.write_bytes(b"half a film")
        strike()
        time.sleep(1)
    assert not list(tmp_path.iterdir())
