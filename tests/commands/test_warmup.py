"""`gridpuzzles warmup`: afterwards nothing is compiled any more."""

import tempfile

import gymnasium as gym
import pytest
from folders import PYTHONPATH
from helpers import TOY, puzzle_of, python, run

from gridpuzzles_gym.agents.registry import agents_of
from gridpuzzles_gym.agents.search_tables import searches_of
from gridpuzzles_gym.commands import warmup
from gridpuzzles_gym.engine.pictures.pixels import observations_of

NOTED = """
import sys
from gridpuzzles_gym.engine.compile.kernel_cache import KernelCache
load = KernelCache.load_overload

def noted(self, signature, target):
    print(self._path(signature, target.codegen()))
    return load(self, signature, target)

KernelCache.load_overload = noted
exec(sys.argv[1])
"""
"""Work that prints the file of each kernel that it needs."""
WARM_UP = """
import gridpuzzles_gym.commands.warmup as warmup
full = warmup.searches_of
warmup.searches_of = lambda puzzle: {"astar": full(puzzle)["astar"]}
warmup.warm_up(["EightPuzzle-v0"])
"""
LATER = """
from gridpuzzles_gym.commands.solve import solve
from gridpuzzles_gym.agents.search.problem import Limits
from gridpuzzles_gym.play.session import Watched
from gridpuzzles_gym.play.session import WatchOptions
import gymnasium as gym, numpy as np, gridpuzzles_gym
gym.make("EightPuzzle-v0").reset(seed=0)
envs = gym.make_vec("EightPuzzle-v0", num_envs=3)
envs.reset(seed=0)
envs.step(np.zeros(3, int))
for solution in solve("EightPuzzle-v0", seed=3, limits=Limits(nodes=5000), progress=False):
    assert solution.result.solved
watched = Watched("EightPuzzle-v0", "astar", WatchOptions(seed=0))
watched.begin()
watched.advance()
"""


@pytest.mark.extended
def test_after_it_nothing_is_compiled():
    """A process that was warmed up has compiled or loaded every kernel that a later one asks for."""
    warm, later = (set(python(NOTED, work).splitlines()) for work in (WARM_UP, LATER))
    assert len(later) >= 5
    assert later <= warm


COLD = """
import sys
import helpers
import gridpuzzles_gym.commands.warmup as warmup
import gymnasium as gym
if sys.argv[1] == "warmup":
    steps = warmup.steps_of
    warmup.steps_of = lambda env_id: list(steps(env_id))[:2]
    warmup.warm_up(["Toy-v0"])
env = gym.make("Toy-v0")
env.reset(seed=0)
env.step(0)
"""
"""The rules and the first observation of a small puzzle, warmed up or not, and a step."""


@pytest.mark.extended
def test_it_fills_an_empty_cache(tmp_path):
    kept = []
    for how in ("warmup", "play"):
        python(COLD, how, PYTHONPATH=PYTHONPATH, NUMBA_CACHE_DIR=str(tmp_path))
        kept.append({path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.kernel")})
    assert kept[0]
    assert kept[1] == kept[0]


@pytest.mark.parametrize("env_id", ["EightPuzzle-v0", "Wumpus-v0", TOY.id])
def test_its_steps_are_all_that_people_may_ask_for(env_id):
    puzzle = puzzle_of(env_id)
    named = [name.split(": ", 1)[1] for name, _ in warmup.steps_of(env_id)]
    assert named[0] == "rules"
    assert {f"observation {name}" for name in observations_of(puzzle)} <= set(named)
    assert {f"search {name}" for name in searches_of(puzzle)} <= set(named)
    assert {f"agent {name}" for name in agents_of(puzzle, featured=True) if name not in searches_of(puzzle)} <= set(
        named
    )
    assert len(set(named)) == len(named)


def test_ctrl_c_says_how_much_is_ready(capsys, monkeypatch):
    def stopped():
        raise KeyboardInterrupt

    monkeypatch.setattr(warmup, "steps_of", lambda env_id: [("one", int), ("two", stopped), ("three", int)])
    assert run(capsys, "warmup", TOY.id) == (130, "", "gridpuzzles: stopped: compiled 1 of 3 parts\n")


def test_it_says_where_machine_code_is(capsys, monkeypatch, tmp_path):
    done = []
    monkeypatch.setattr(warmup, "steps_of", lambda env_id: [("one", lambda: done.append(env_id))])
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    code, out, err = run(capsys, "warmup")
    assert (code, out.replace("\n", ""), err) == (0, f"done; compiled code is in {tmp_path / 'gridpuzzles_gym'}", "")
    assert set(done) >= {id for id, spec in gym.registry.items() if spec.namespace is None and id == TOY.id}


def test_what_it_cannot_do_is_said_in_a_line(capsys, monkeypatch, tmp_path):
    code, _, err = run(capsys, "warmup", "Nope-v0")
    assert (code, err.count("\n")) == (2, 1)
    (tmp_path / "file").touch()
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "file"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "file"))
    code, _, err = run(capsys, "warmup", TOY.id)
    assert (code, err.count("\n")) == (1, 1)
    assert "no folder for compiled code: it must be writable" in err
