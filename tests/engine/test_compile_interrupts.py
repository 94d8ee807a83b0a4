"""Ctrl-C waits for a compilation or an import and is never lost; compiling takes no working time."""

import ctypes
import itertools
import os
import signal
import subprocess
import sys
import time
from typing import NamedTuple

import numpy as np
import pytest

from gridpuzzles_gym.engine.compile.compilation import compiled, paused, working_time
from gridpuzzles_gym.engine.compile.kernel_cache import KernelCache
from gridpuzzles_gym.engine.system.process import Interruption, uninterrupted, uninterrupted_imports

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are sent")


def strike():
    os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture(autouse=True)
def _handler_is_restored():
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_waits_for_the_end_of_the_outermost_block():
    done = []
    with pytest.raises(KeyboardInterrupt) as raised, uninterrupted() as interruption:  # noqa: PT012 - where it is raised is the point
        with uninterrupted():
            strike()
            strike()
        done.append(interruption.wanted)
        raise ValueError("an error")
    assert done == [True]
    assert isinstance(raised.value.__context__, ValueError)


def test_a_block_within_a_search_leaves_it_to_the_search():
    with Interruption() as search:
        with uninterrupted():
            strike()
            assert not search.wanted
        assert search.wanted
        with pytest.raises(KeyboardInterrupt):  # the second one
            strike()


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


# -- while a kernel is compiled ---------------------------------------------------------------------

STRUCK = """
import os, signal, sys
from gridpuzzles_gym.engine.compile.compilation import compiled

made = compiled(lambda x: x + 1, "struck")
compile_now = made._compiler.compile

def struck(*arguments):
    for _ in range(int(sys.argv[1])):
        os.kill(os.getpid(), signal.SIGINT)
    return compile_now(*arguments)

made._compiler.compile = struck
try:
    made(1)
except KeyboardInterrupt:
    print("raised", len(made.overloads), made(1))
"""


@pytest.mark.extended
def test_the_first_ctrl_c_waits_for_the_compiler_and_the_second_ends_the_process(tmp_path):
    (tmp_path / "struck.py").write_text(STRUCK)
    command, environment = [sys.executable, tmp_path / "struck.py"], {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    ended = subprocess.run([*command, "2"], env=environment, capture_output=True, timeout=100, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (-signal.SIGINT, b"", b"")
    assert not list(tmp_path.rglob("*.kernel"))
    ended = subprocess.run([*command, "1"], env=environment, capture_output=True, timeout=100, check=False)
    assert (ended.returncode, ended.stdout) == (0, b"raised 1 2\n")
    assert len(list(tmp_path.rglob("*.kernel"))) == 1


class Pair(NamedTuple):
    one: np.ndarray
    other: float


@pytest.mark.extended
@pytest.mark.compiled
def test_ctrl_c_within_a_kernel_that_returns_arrays_comes_after_it(tmp_path, monkeypatch):
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
    for result in (lambda x: np.zeros(x), lambda x: (x, np.zeros(1)), lambda x: Pair(np.zeros(1), x)):
        with pytest.raises(TypeError, match="returns arrays: it needs returns_arrays=True"):
            compiled(result, "arrays")(1)


# -- compiling takes no working time --------------------------------------------------------------


def test_the_clock_of_work_is_stopped_in_pauses(monkeypatch):
    clock = itertools.count()
    monkeypatch.setattr(time, "perf_counter", lambda: next(clock))
    begun = working_time()  # looks at the clock once outside pauses, as a pause does at its ends
    with paused():
        within = working_time()
        with paused():
            time.perf_counter()
        assert working_time() == within
    assert working_time() - begun == 2


@pytest.mark.extended
@pytest.mark.compiled
def test_compiling_takes_no_working_time(tmp_path, monkeypatch):
    """By a clock that goes on with each step of it."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    steps = []
    for name in ("load_overload", "save_overload"):
        step = getattr(KernelCache, name)
        monkeypatch.setattr(KernelCache, name, lambda *given, step=step: steps.append(step) or step(*given))
    monkeypatch.setattr(time, "perf_counter", lambda: float(len(steps)))
    begun = working_time()
    assert compiled(lambda x: x * x, "timed")(3) == 9
    assert len(steps) == 2
    assert working_time() == begun
