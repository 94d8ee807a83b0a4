"""Ctrl-C while a command compiles: it ends at once, without a traceback, and leaves nothing behind."""

import os
import pty
import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are sent")

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


@pytest.mark.extended
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


@pytest.mark.extended
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
