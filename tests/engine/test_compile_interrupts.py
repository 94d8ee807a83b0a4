"""Ctrl-C leaves a compilation behind, waits for an import, and is never lost."""

import itertools
import os
import pty
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from gridpuzzles_gym.engine.compile.compilation import compiled
from gridpuzzles_gym.engine.compile.compile_thread import is_left_behind
from gridpuzzles_gym.engine.compile.kernel_cache import KernelCache
from gridpuzzles_gym.engine.compile.working_time import paused, working_time
from gridpuzzles_gym.engine.system.interrupts import Interruption, uninterrupted, uninterrupted_imports

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


ENDLESS = """
import sys, time
from numba.core.dispatcher import _FunctionCompiler

def compile(self, *arguments):
    print("begun", flush=True)
    time.sleep(10**6)

_FunctionCompiler.compile = compile
import gridpuzzles_gym.engine.compile.compile_notice as compile_notice
compile_notice.MOMENT = 0.0
import gridpuzzles_command
sys.argv = ["gridpuzzles", *sys.argv[1:]]
gridpuzzles_command.main()
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ["solve", "EightPuzzle-v0"],
        ["watch", "Sokoban-v0", "--agent", "astar", "--record", "f.gif"],
        ["warmup", "CatMouse-v0"],
        ["generate", "Sokoban-v0", "--count", "1", "--out", "levels.txt"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_command_ends_by_ctrl_c_though_its_compilation_never_does(tmp_path, arguments):
    cache, place = tmp_path / "cache", tmp_path / "place"
    place.mkdir()
    child = subprocess.Popen(
        [sys.executable, "-c", ENDLESS, *arguments], cwd=place, env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert child.stdout.readline() == "begun\n"
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=120)
    finally:
        child.kill()
    assert child.returncode == 130
    assert "Traceback" not in out
    assert "Traceback" not in err
    assert err.count("\n") <= 1
    assert not list(place.iterdir())
    assert {path.name for path in cache.rglob("*") if path.is_file()} == {"lock"}


SAVING = """
import os, time
fsync = os.fsync

def slow_fsync(file):
    print("begun", flush=True)
    time.sleep(1)
    fsync(file)

os.fsync = slow_fsync
import gridpuzzles_command
gridpuzzles_command.main()
"""


def test_ctrl_c_leaves_no_half_written_file(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    child = subprocess.Popen(
        [sys.executable, "-c", SAVING, "solve", "EightPuzzle-v0"], env=environment, stdout=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout.readline() == "begun\n"
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=120)
    finally:
        child.kill()
    assert child.returncode == 130
    assert len(list(tmp_path.rglob("*.kernel"))) == 1
    assert not list(tmp_path.rglob(".*"))


def test_a_terminal_is_left_as_it_was(tmp_path):
    """The line about the compilation is gone, and the cursor is shown."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-c", ENDLESS, "solve", "EightPuzzle-v0"], stdin=subprocess.DEVNULL, stderr=theirs,
        stdout=subprocess.DEVNULL, env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "TERM": "xterm"},
    )  # fmt: skip
    os.close(theirs)
    said = b""
    try:
        while chunk := os.read(ours, 4096):
            if b"once" in said + chunk and b"once" not in said:
                child.send_signal(signal.SIGINT)
            said += chunk
    except OSError:  # the other end is closed
        pass
    finally:
        assert child.wait(120) == 130
        os.close(ours)
    assert b"compiling " in said
    assert said.rfind(b"\x1b[?25h") > said.rfind(b"\x1b[?25l") > -1


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


MOMENTS = [0.15, 0.6, 1.6, 3.6]


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
def test_a_terminal_shows_what_takes_so_long(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "TERM": "xterm", "COLUMNS": "100"}
    said, out = on_a_terminal([sys.executable, "-c", STEP], environment)
    assert "compiling the rules of " in said
    assert ", once" in said
    assert out == "done\n"
    said, out = on_a_terminal([sys.executable, "-c", STEP], environment)
    assert (said, out) == ("", "done\n")


SMALL = """
from gridpuzzles_gym.engine.compile import compile_notice
from gridpuzzles_gym.engine.compile.compilation import compiled
from gridpuzzles_gym.engine.compile.compile_thread import is_left_behind

def plus_one(x):
    return x + 1

compile_notice.MOMENT = 0.0
compiled(plus_one, "plus-one")(1)
print("done")
"""


def test_nothing_is_written_to_a_pipe(tmp_path):
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
    from gridpuzzles_gym.engine.system.files import replacing

    with pytest.raises(KeyboardInterrupt), replacing(tmp_path / "f.gif") as part:  # noqa: PT012 - where it is raised is the point
        assert isinstance(part, Path)
        part.write_bytes(b"half a film")
        strike()
        time.sleep(1)
    assert not list(tmp_path.iterdir())
