"""Ctrl-C while kernels are compiled or libraries imported waits for their end, and is never lost."""

import os
import pty
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from gridpuzzles_gym.engine.compilation import compiled
from gridpuzzles_gym.engine.interrupts import Interruption, uninterrupted, uninterrupted_imports
from gridpuzzles_gym.engine.working_time import paused, working_time

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are sent")


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


def test_ctrl_c_while_a_kernel_is_compiled_comes_after_it(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))

    def kernel(x):
        return x + 1

    made = compiled(kernel, "struck")
    compile_now = made._compiler.compile

    def struck(*arguments):
        strike()
        return compile_now(*arguments)

    made._compiler.compile = struck
    with pytest.raises(KeyboardInterrupt):
        made(1)
    assert len(made.overloads) == 1  # it is ready,
    assert list(tmp_path.rglob("*.kernel"))  # kept,
    assert made(1) == 2


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


def test_the_clock_of_work_stands_still_in_pauses():
    begun = working_time()
    with paused():
        within = working_time()
        with paused():
            time.sleep(0.05)
        time.sleep(0.05)
        assert working_time() == within
    assert working_time() - begun < 0.05
    time.sleep(0.05)
    assert working_time() - begun > 0.05


def test_compiling_takes_no_working_time(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))

    def kernel(x):
        total = 0
        for k in range(x):
            total += k * k
        return total

    made = compiled(kernel, "timed")
    begun, clock = time.perf_counter(), working_time()
    made(3)
    spent, worked = time.perf_counter() - begun, working_time() - clock
    assert worked < spent / 5


# -- the command line ------------------------------------------------------------------------------

COMMAND = [sys.executable, "-m", "gridpuzzles_command"]
RECORD = ["watch", "EightPuzzle-v0", "--agent", "astar", "--seed", "1", "--record"]


def ended(arguments, seconds, cwd, environment):
    """Press Ctrl-C so many seconds after a command began, unless it has ended: exit code and standard error."""
    child = subprocess.Popen(
        [*COMMAND, *map(str, arguments)], cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    try:
        _, err = child.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=120)
    finally:
        child.kill()
    return child.returncode, err


MOMENTS = [0.15, 0.3, 0.6, 1.0, 1.6, 2.4, 3.6, 6.0]


@pytest.fixture(scope="module")
def cold(tmp_path_factory):
    """A cache that is empty at first. Each start stops at the kernel that the one before it did not come to."""
    return tmp_path_factory.mktemp("cold")


@pytest.mark.slow
@pytest.mark.xdist_group("cold starts")
@pytest.mark.parametrize("seconds", MOMENTS)
def test_ctrl_c_at_any_moment_of_a_cold_start(tmp_path, cold, seconds):
    """No traceback, no crash, no hanging, nothing left behind."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cold)}
    before = set(cold.rglob(".*"))
    code, err = ended([*RECORD, "f.gif"], seconds, tmp_path, environment)
    if "site module" in err:
        pytest.skip("Ctrl-C came while Python itself was starting, before any code of ours")
    assert code in (130, -signal.SIGINT) or (code == 0 and (tmp_path / "f.gif").exists())
    assert "Traceback" not in err
    assert err.count("\n") <= 1
    assert {path.name for path in tmp_path.iterdir()} <= {"f.gif"}
    assert set(cold.rglob(".*")) == before or code == -signal.SIGINT


def on_a_terminal(arguments, environment):
    """What a command writes on a terminal's standard error."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        arguments, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs
    )
    os.close(theirs)
    said = b""
    try:
        while chunk := os.read(ours, 4096):
            said += chunk
    except OSError:  # the other end is closed
        pass
    out = child.stdout.read()
    child.wait()
    os.close(ours)
    return said.decode(), out.decode()


STEP = "import gymnasium as gym, gridpuzzles_gym; gym.make_vec('EightPuzzle-v0', num_envs=2).reset(); print('done')"


@pytest.mark.slow
def test_a_terminal_is_told_what_takes_so_long(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "TERM": "xterm", "COLUMNS": "100"}
    said, out = on_a_terminal([sys.executable, "-c", STEP], environment)
    assert "compiling the rules of " in said
    assert ", once" in said
    assert out == "done\n"
    said, out = on_a_terminal([sys.executable, "-c", STEP], environment)
    assert (said, out) == ("", "done\n")


SMALL = """
from gridpuzzles_gym.engine import compile_notice
from gridpuzzles_gym.engine.compilation import compiled

def plus_one(x):
    return x + 1

compile_notice.MOMENT = 0.0
compiled(plus_one, "plus-one")(1)
print("done")
"""


def test_a_pipe_is_told_nothing(tmp_path):
    """Of what a terminal is told."""
    script = tmp_path / "small.py"
    script.write_text(SMALL)
    command, caches = [sys.executable, str(script)], [tmp_path / "one", tmp_path / "other"]
    environments = [{**os.environ, "NUMBA_CACHE_DIR": str(cache), "TERM": "xterm"} for cache in caches]
    done = subprocess.run(command, env=environments[0], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("done\n", "")
    said, out = on_a_terminal(command, environments[1])
    assert "compiling plus-one, once" in said
    assert out == "done\n"
    assert all(list(cache.rglob("*.kernel")) for cache in caches)


def test_files_of_a_film_in_the_making_are_removed(tmp_path):
    from gridpuzzles_gym.engine.files import replacing

    with pytest.raises(KeyboardInterrupt), replacing(tmp_path / "f.gif") as part:  # noqa: PT012 - where it is raised is the point
        assert isinstance(part, Path)
        part.write_bytes(b"half a film")
        strike()
        time.sleep(1)
    assert not list(tmp_path.iterdir())
