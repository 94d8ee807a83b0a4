"""Machine code on disk: never stale, never trusted unseen, never in the way."""

import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
from pathlib import Path

import pytest
from folders import REPOSITORY
from helpers import python

from gridpuzzles_gym.engine.compile import kernel_cache
from gridpuzzles_gym.engine.compile.compilation import compiled, rule
from gridpuzzles_gym.engine.system.files import cache_root, locked

pytestmark = [pytest.mark.extended, pytest.mark.compiled]

USE = """
import sys
sys.path.insert(0, sys.argv[1])
import parts

kernel = parts.make()
print(kernel(1), sum(kernel.stats.cache_hits.values()))
"""
PARTS = """
from constants import ONE
from gridpuzzles_gym.engine.compile.compilation import compiled, rule


@rule
def answer(x):
    return ONE * x + 1


def make():
    return compiled(lambda x: answer(x), "example")
"""


@pytest.fixture
def workshop(tmp_path):
    """A kernel's sources in one folder, machine code in another; a function that calls the kernel in a process."""
    folder, cache = tmp_path / "sources", tmp_path / "cache"
    folder.mkdir()
    (folder / "parts.py").write_text(PARTS)
    (folder / "constants.py").write_text("ONE = 10\n")

    def run(code=USE):
        return tuple(map(int, python(code, folder, NUMBA_CACHE_DIR=str(cache), PYTHONDONTWRITEBYTECODE="1").split()))

    return folder, cache, run


def machine_code(cache):
    return {path: path.stat().st_mtime_ns for path in cache.rglob("*.kernel")}


def test_an_edited_rule_never_runs_stale_machine_code(workshop):
    folder, cache, run = workshop
    assert run() == (11, 0)
    first = machine_code(cache)
    assert run() == (11, 1)  # the second process uses what the first has compiled
    assert machine_code(cache) == first
    parts = folder / "parts.py"
    parts.write_text(parts.read_text().replace("+ 1", "+ 2"))
    assert run() == (12, 0)
    (folder / "constants.py").write_text("ONE = 20\n")  # not a part itself, only used by one
    assert run() == (22, 0)
    (folder / "constants.py").write_text("ONE = 10\n")
    assert run() == (12, 1)  # the versions used last are kept


OF_KERNELS = """
import warnings
from gridpuzzles_gym.engine.compile.compilation import compiled

def adder(number):
    return compiled(lambda x: x + number, "adder")

warnings.simplefilter("error", UserWarning)
both = compiled(lambda one, other, x: 1000 * one(x) + other(x), "both")
one, other = adder(1), adder(20)
print(both(one, other, 100), both(other, one, 100), sum(both.stats.cache_hits.values()))
"""


def test_kernels_whose_arguments_are_kernels_are_loaded_too(workshop):
    assert [workshop[2](OF_KERNELS) for _ in range(2)] == [(101120, 120101, 0), (101120, 120101, 2)]


@rule
def double(x):
    return 2 * x


def make(more=0):
    """A kernel that is quickly compiled."""

    def kernel(x):
        return double(x) + more

    return compiled(kernel, "small")


def hits_after(kernel, *arguments):
    kernel(*arguments)
    return sum(kernel.stats.cache_hits.values())


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache of the test's own."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "own"))
    return tmp_path / "own" / "gridpuzzles_gym"


def test_of_old_versions_only_the_last_used_are_kept(cache, monkeypatch):
    monkeypatch.setattr(kernel_cache, "MOST_VERSIONS", 2)
    for number in range(4):
        make(number)(1)
        for age, folder in enumerate(sorted(cache.glob("*/*/"), key=lambda path: -path.stat().st_mtime_ns)):
            os.utime(folder, (1000 - age, 1000 - age))
    assert len(machine_code(cache)) == 2
    assert [hits_after(make(number), 1) for number in (3, 2, 0)] == [1, 1, 0]


class Trap:
    """Unpickling it runs it."""

    def __reduce__(self):
        return os.mkdir, ("trapped",)


def flipped(content, place):
    changed = bytearray(content)
    changed[place] ^= 1
    return bytes(changed)


RUINED = {
    "empty": lambda content: b"",
    "truncated": lambda content: content[:-100],
    "a bit of the checksum": lambda content: flipped(content, 3),
    "a bit of the machine code": lambda content: flipped(content, len(content) // 2),
    "a pickle that runs code": lambda content: content[:32] + pickle.dumps(Trap()),
}


def test_a_file_that_cannot_be_used_is_made_again(cache, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert make()(4) == 8
    (file,) = machine_code(cache)
    make(1)(4)
    (other,) = set(machine_code(cache)) - {file}
    payload = pickle.dumps((1, 2, 3))
    contents = {name: ruin(file.read_bytes()) for name, ruin in RUINED.items()}
    contents["another kernel's"] = other.read_bytes()
    contents["rightly written, but nothing that numba can load"] = kernel_cache._checksum(file, payload) + payload
    for name, content in contents.items():
        file.write_bytes(content)
        with pytest.warns(UserWarning, match="cannot be used .*; it is compiled again") as said:
            assert (hits_after(make(), 4), len(said), Path("trapped").exists()) == (0, 1, False), name
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert hits_after(make(), 4) == 1, name


def test_an_environment_plays_without_any_cache(tmp_path):
    (tmp_path / "a file").write_text("")
    nowhere = str(tmp_path / "a file" / "below")
    code = f"""
import sys, tempfile
tempfile.tempdir = {nowhere!r}
sys.path.insert(0, sys.argv[1])
from gridpuzzles_gym.engine.compile.compilation import compiling_at_once
from gridpuzzles_gym.engine.env import PuzzleEnv
env = PuzzleEnv("toy", observation="place")
with compiling_at_once():
    env.reset(seed=0, options={{"level": "S.G\\n"}})
    env.step(3)
    print(env.step(3)[1])
"""
    unwritable = {"NUMBA_CACHE_DIR": nowhere, "XDG_CACHE_HOME": nowhere, "HOME": nowhere}
    assert python(code, REPOSITORY / "examples", **unwritable).strip() == "999.0"


def test_where_machine_code_is_kept(monkeypatch, tmp_path):
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    assert cache_root() == tmp_path / "home" / ".cache" / "gridpuzzles_gym"
    for name in ("XDG_CACHE_HOME", "NUMBA_CACHE_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
        assert cache_root() == tmp_path / name / "gridpuzzles_gym"
        assert cache_root().stat().st_mode & 0o777 == 0o700
    (tmp_path / "file").write_text("")
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "file" / "below"))
    root = cache_root()
    assert root.parent == tmp_path / "temporary"
    assert cache_root() == root  # the next process finds it again
    if hasattr(os, "getuid"):
        for mode in (0o770, 0o707):  # others may write to it
            root.chmod(mode)
            assert cache_root() != root
        root.chmod(0o755)
        if os.getuid() == 0:
            os.chown(root, 12345, 12345)  # it is another user's
            assert cache_root() != root
            (tmp_path / "ours").mkdir(mode=0o700)
            root.rmdir()
            root.symlink_to(tmp_path / "ours")
            os.lchown(root, 12345, 12345)
            assert cache_root() not in (root, tmp_path / "ours")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "file" / "below"))
    assert cache_root() is None


# -- several at once -----------------------------------------------------------------------------

TOGETHER = """
from gridpuzzles_gym.engine.compile.compilation import compiled

def kernel(x):
    return x + 1

made = compiled(kernel, "together")
print("ready", flush=True)
input()
made(1)
print(sum(made.stats.cache_hits.values()))
"""


def test_two_processes_never_compile_one_kernel_twice(cache, tmp_path):
    (tmp_path / "together.py").write_text(TOGETHER)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    children = [subprocess.Popen([sys.executable, tmp_path / "together.py"], **pipes) for _ in range(3)]
    assert [child.stdout.readline() for child in children] == ["ready\n"] * 3
    for child in children:
        child.stdin.write("\n")
        child.stdin.flush()
    assert sorted(int(child.communicate(timeout=100)[0]) for child in children) == [0, 1, 1]
    assert len(machine_code(cache)) == 1


def test_ctrl_c_while_another_process_compiles(cache):
    pytest.importorskip("fcntl")
    with locked(cache / "small" / "lock", lambda: pytest.fail("nobody holds it")):
        kernel = make()
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            kernel(4)
        assert kernel.overloads == {}
    assert kernel(4) == 8
