"""Machine code on disk: never stale, never trusted unseen, never in the way."""

import errno
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path

import numba
import numpy as np
import pytest
from folders import REPOSITORY
from helpers import python

from gridpuzzles_gym.engine.compile import cache_folder, compilation, kernel_cache
from gridpuzzles_gym.engine.compile.compilation import compiled, rule
from gridpuzzles_gym.engine.system import file_lock

pytestmark = [pytest.mark.extended, pytest.mark.compiled]

TOY_FOLDER = REPOSITORY / "examples" / "toy"
KERNEL = """
import sys
sys.path.insert(0, sys.argv[1])
import maker

kernel = maker.make()
print(kernel(1), sum(kernel.stats.cache_hits.values()))
"""
SOURCES = {
    "maker.py": """
from parts import answer
from gridpuzzles_gym.engine.compile.compilation import compiled


def make():
    def kernel(x):
        return answer(x)

    return compiled(kernel, "example")
""",
    "parts.py": '''
from constants import ONE
from gridpuzzles_gym.engine.compile.compilation import rule


@rule
def answer(x):
    """A docstring."""
    return ONE * x + 1
''',
    "constants.py": "ONE = 10\n",
}


@pytest.fixture
def workshop(tmp_path):
    """A kernel's sources in one folder, machine code in another."""
    folder, cache = tmp_path / "sources", tmp_path / "cache"
    folder.mkdir()
    for name, text in SOURCES.items():
        (folder / name).write_text(text)

    def run(**environment):
        answer, hits = python(
            KERNEL, folder, **{"NUMBA_CACHE_DIR": str(cache), "PYTHONDONTWRITEBYTECODE": "1", **environment}
        ).split()
        return int(answer), int(hits)

    return folder, cache, run


def machine_code(cache):
    return {path: path.stat().st_mtime_ns for path in cache.rglob("*.kernel")}


def test_an_edited_rule_never_runs_stale_machine_code(workshop):
    folder, cache, run = workshop
    assert run() == (11, 0)
    first = machine_code(cache)
    assert len(first) == 1

    assert run() == (11, 1)  # the second process reuses what the first has compiled
    parts = folder / "parts.py"
    parts.write_text("# A comment above.\n" + parts.read_text().replace("A docstring", "Another one,\n    longer"))
    assert run() == (11, 1)
    assert machine_code(cache) == first

    parts.write_text(parts.read_text().replace("+ 1", "+ 2"))
    assert run() == (12, 0)
    (folder / "constants.py").write_text("ONE = 20\n")  # not a part itself, only used by one
    assert run() == (22, 0)
    (folder / "constants.py").write_text("ONE = 10\n")
    assert run() == (12, 1)  # the versions used last are kept


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
print(*(both(*adders) if len(adders) == 2 else [adders[0](0)]))
"""


def test_kernels_of_one_name_from_two_processes_are_not_taken_for_each_other(tmp_path):
    """Compiled as the first of their processes, they have equal names but for what numba adds to make them unique."""
    runs = [python(ADDERS, *numbers, NUMBA_CACHE_DIR=str(tmp_path)) for numbers in ("1", "2", "12", "21")]
    assert [run.split() for run in runs] == [["1"], ["2"], ["1", "2"], ["2", "1"]]


def test_of_old_versions_only_the_last_used_are_kept(cache, monkeypatch):
    monkeypatch.setattr(kernel_cache, "MOST_VERSIONS", 2)
    for number in range(4):
        make(number)(1)
        for age, folder in enumerate(sorted(cache.glob("*/*/"), key=lambda path: -path.stat().st_mtime_ns)):
            os.utime(folder, (1000 - age, 1000 - age))
    assert len(machine_code(cache)) == 2
    for number, hit in ((3, 1), (2, 1), (0, 0)):
        kernel = make(number)
        kernel(1)
        assert hits(kernel) == hit


@rule
def double(x):
    return 2 * x


def make(more=0):
    """A kernel that is quickly compiled."""

    def kernel(x):
        return double(x) + more

    return compiled(kernel, "small")


def hits(kernel):
    return sum(kernel.stats.cache_hits.values())


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache of the test's own."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "own"))
    return tmp_path / "own" / "gridpuzzles_gym"


# -- files that cannot be used -------------------------------------------------------------------


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
    "shorter than a checksum": lambda content: content[:20],
    "truncated": lambda content: content[:-100],
    "a bit of the checksum": lambda content: flipped(content, 3),
    "a bit of the payload's first byte": lambda content: flipped(content, 32),
    "a bit of the machine code": lambda content: flipped(content, len(content) // 2),
    "zeros": lambda content: bytes(len(content)),
    "numba's own": lambda content: pickle.dumps(numba.__version__) + pickle.dumps((None, {})),
    "a pickle that runs code": lambda content: pickle.dumps(Trap()),
    "a pickle behind the checksum": lambda content: content[:32] + pickle.dumps(Trap()),
}


@pytest.mark.parametrize("name", RUINED)
def test_a_file_that_cannot_be_used_is_made_again(cache, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert make()(4) == 8
    (file,) = machine_code(cache)
    good = file.read_bytes()
    file.write_bytes(RUINED[name](good))
    ruined = make()
    with pytest.warns(UserWarning, match="cannot be used .its checksum is wrong.; it is compiled again") as said:
        assert ruined(4) == 8
    assert len(said) == 1
    assert hits(ruined) == 0
    assert not Path("trapped").exists()
    again = make()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert again(4) == 8
    assert hits(again) == 1
    assert len(machine_code(cache)) == 1


def test_a_file_of_another_kernel_is_not_taken_for_this_one(cache):
    make(1)(4)
    (other,) = machine_code(cache)
    make(2)(4)
    (file,) = set(machine_code(cache)) - {other}
    file.write_bytes(other.read_bytes())
    with pytest.warns(UserWarning, match="its checksum is wrong"):
        assert make(2)(4) == 10


def test_a_payload_that_numba_cannot_load_is_made_again(cache):
    """Rightly written, by a version whose machine code looks otherwise, say."""
    make()(4)
    (file,) = machine_code(cache)
    kernel_cache._save(file, pickle.dumps((1, 2, 3)))
    with pytest.warns(UserWarning, match="it is compiled again"):
        assert make()(4) == 8
    assert hits_after(make(), 4) == 1


def hits_after(kernel, *arguments):
    kernel(*arguments)
    return hits(kernel)


# -- folders that cannot be used -----------------------------------------------------------------


def test_an_unwritable_cache_costs_time_and_nothing_else(workshop, tmp_path):
    folder, _, _ = workshop
    wall = tmp_path / "a file"
    wall.write_text("no folder can be made beneath a file")
    nowhere = str(wall / "below")
    code = f"import tempfile; tempfile.tempdir = {nowhere!r}\n" + KERNEL
    unwritable = {"NUMBA_CACHE_DIR": nowhere, "XDG_CACHE_HOME": nowhere, "HOME": nowhere}
    assert python(code, folder, **unwritable).split() == ["11", "0"]
    assert not list(folder.rglob("*.kernel"))


def test_an_environment_plays_without_any_cache(tmp_path):
    wall = tmp_path / "a file"
    wall.write_text("")
    nowhere = str(wall / "below")
    code = f"""
import sys, tempfile
tempfile.tempdir = {nowhere!r}
sys.path.insert(0, sys.argv[1])
import gymnasium as gym, gridpuzzles_gym
from gridpuzzles_gym.engine.env import PuzzleEnv
env = PuzzleEnv("toy", observation="place")
env.reset(seed=0, options={{"level": "S.G\\n"}})
env.step(3)
print(env.step(3)[1])
"""
    unwritable = {"NUMBA_CACHE_DIR": nowhere, "XDG_CACHE_HOME": nowhere, "HOME": nowhere}
    assert python(code, TOY_FOLDER.parent, **unwritable).strip() == "999.0"


def test_a_full_disk_costs_time_and_nothing_else(cache):
    """No file may grow beyond 1,000 bytes: the same error at the same place."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        assert make()(4) == 8
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert [path.name for path in cache.rglob("*") if path.is_file()] == ["lock"]
    assert make()(4) == 8
    assert hits_after(make(), 4) == 1


def test_a_folder_that_vanishes_costs_time_and_nothing_else(cache, monkeypatch):
    """Between the look at it and the use of it."""
    root = compilation.KernelCache(double, {}, "small", "small").cache_path
    gone = Path(root).parent / "gone" / "below"
    monkeypatch.setattr(kernel_cache, "cache_root", lambda: gone)
    blocked = gone.parent
    blocked.write_text("")
    assert make()(4) == 8
    assert not machine_code(cache)


# -- whose folder it is --------------------------------------------------------------------------


def test_where_machine_code_is_kept(monkeypatch, tmp_path):
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    cache_root = cache_folder.cache_root
    assert cache_root() == tmp_path / "home" / ".cache" / "gridpuzzles_gym"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_root() == tmp_path / "xdg" / "gridpuzzles_gym"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "numba"))
    assert cache_root() == tmp_path / "numba" / "gridpuzzles_gym"
    (tmp_path / "file").write_text("")
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "file" / "below"))

    def no_home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    root = cache_root()
    assert root is not None
    assert root.parent == tmp_path / "temporary"
    assert cache_root() == root  # the next process finds it again
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "file" / "below"))
    assert cache_root() is None


needs_users = pytest.mark.skipif(not hasattr(os, "getuid"), reason="users have no numbers here")
STRANGER = 12345


@pytest.fixture
def homeless(monkeypatch, tmp_path):
    """No home; a folder for temporary files."""
    wall = tmp_path / "wall"
    wall.write_text("")
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(name, str(wall / "below"))
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    return temporary


def strange(monkeypatch, folder):
    """Give a folder another owner: really as root, otherwise pretended."""
    if os.getuid() == 0:
        os.chown(folder, STRANGER, STRANGER)
        return
    stat, number = os.stat, folder.stat().st_ino

    def pretended(self, *, follow_symlinks=True):
        found = stat(self, follow_symlinks=follow_symlinks)
        return os.stat_result((*found[:4], STRANGER, *found[5:])) if found.st_ino == number else found

    monkeypatch.setattr(Path, "stat", pretended)


@needs_users
@pytest.mark.parametrize("name", ["", "-{uid}", "-{uid}-", "-{uid}-abcdefgh"])
def test_a_folder_of_another_user_is_not_used(homeless, monkeypatch, name):
    planted = homeless / f"gridpuzzles_gym{name.format(uid=os.getuid())}"
    planted.mkdir(mode=0o777)
    strange(monkeypatch, planted)
    root = cache_folder.cache_root()
    assert root is not None
    assert root != planted
    assert root.parent == homeless
    assert root.stat().st_uid == os.getuid()
    assert root.stat().st_mode & 0o777 == 0o700
    assert cache_folder.cache_root() == root


@needs_users
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o707, 0o722])
def test_a_folder_that_others_may_write_to_is_not_used(homeless, monkeypatch, mode):
    home = homeless.parent / "home"
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    open_to_all = home / "gridpuzzles_gym"
    open_to_all.mkdir(parents=True)
    open_to_all.chmod(mode)
    assert cache_folder.cache_root().parent == homeless
    open_to_all.chmod(0o755)  # others may read it
    assert cache_folder.cache_root() == open_to_all


@needs_users
def test_a_link_of_another_user_is_not_followed(homeless, tmp_path):
    if os.getuid() != 0:
        pytest.skip("only root can give a link away")
    ours = tmp_path / "ours"
    ours.mkdir(mode=0o700)
    link = homeless / f"gridpuzzles_gym-{os.getuid()}-link"
    link.symlink_to(ours)
    assert cache_folder.cache_root() == link
    os.lchown(link, STRANGER, STRANGER)
    assert cache_folder.cache_root() not in (link, ours)


# -- several at once -----------------------------------------------------------------------------

TOGETHER = """
import sys, threading, time
from pathlib import Path
from gridpuzzles_gym.engine.compile.compilation import compiled, rule

@rule
def slow(x):
    return x + 1

def kernel(x):
    return slow(x)

made = compiled(kernel, sys.argv[1])
Path(sys.argv[2]).touch()
while not Path(sys.argv[3]).exists():
    time.sleep(0.01)
made(1)
print(sum(made.stats.cache_hits.values()))
"""


def test_two_processes_never_compile_one_kernel_twice(cache, tmp_path):
    begin = tmp_path / "begin"
    (tmp_path / "together.py").write_text(TOGETHER)
    started = [tmp_path / f"started {number}" for number in range(3)]
    children = [
        subprocess.Popen(
            [sys.executable, tmp_path / "together.py", "together", file, begin], stdout=subprocess.PIPE, text=True
        )
        for file in started
    ]
    while not all(file.exists() for file in started):
        assert not [child for child in children if child.poll()]
        time.sleep(0.05)
    begin.touch()
    found = sorted(int(child.communicate(timeout=100)[0]) for child in children)
    assert found == [0, 1, 1]
    assert len(machine_code(cache)) == 1


HOLD = """
import sys, time
from pathlib import Path
from gridpuzzles_gym.engine.system.file_lock import locked
with locked(Path(sys.argv[1]), lambda: None):
    print("held", flush=True)
    time.sleep(100)
"""


def test_a_dead_owners_lock_is_taken_over(cache):
    pytest.importorskip("fcntl")
    make()(4)
    (file,) = machine_code(cache)
    file.unlink()
    lock = file.parent.parent / "lock"
    assert lock.exists()
    holder = subprocess.Popen([sys.executable, "-c", HOLD, lock], stdout=subprocess.PIPE, text=True)
    assert holder.stdout.readline() == "held\n"
    kernel, waited = make(), []
    threading.Timer(0.5, lambda: (waited.append(kernel.overloads == {}), holder.kill())).start()
    assert kernel(4) == 8
    assert waited == [True]
    assert hits(kernel) == 0
    assert holder.wait() == -signal.SIGKILL
    assert len(machine_code(cache)) == 1


def test_ctrl_c_while_another_process_compiles(cache):
    pytest.importorskip("fcntl")
    make()(4)
    (file,) = machine_code(cache)
    file.unlink()
    with file_lock.locked(file.parent.parent / "lock", lambda: pytest.fail("nobody holds it")):
        kernel = make()
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            kernel(4)
        assert kernel.overloads == {}
    assert kernel(4) == 8


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOSYS])
def test_without_locks_it_compiles_all_the_same(cache, monkeypatch, number):
    def flock(handle, how):
        raise OSError(number, "no locks")

    monkeypatch.setattr(pytest.importorskip("fcntl"), "flock", flock)
    assert make()(4) == 8
    assert hits_after(make(), 4) == 1


def test_threads_share_an_empty_cache(cache):
    """Each kernel is compiled once, into its own folder."""
    numbers = [np.float32(1), 1.5, 2, (1, 2)]
    shared = compiled(lambda x: x, "shared")

    def kernel_of(number):
        def kernel(x):
            return x, number

        return compiled(kernel, f"thread-{number}")

    made = [kernel_of(number) for number in range(4)]
    ready, results = threading.Barrier(4), [None] * 4

    def work(number):
        ready.wait()
        results[number] = made[number](numbers[number]), shared(7)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [((value, number), 7) for number, value in enumerate(numbers)]
    kept = sorted(path.relative_to(cache).parts[0] for path in machine_code(cache))
    assert kept == ["shared", *(f"thread-{number}" for number in range(4))]
    assert sum(shared.stats.cache_misses.values()) == 1
