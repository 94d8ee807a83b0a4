"""`gridpuzzles warmup`: afterwards nothing is compiled any more."""

import os
import subprocess
import sys

import gymnasium as gym
import pytest
from helpers import TOY, puzzle_of, run

from gridpuzzles_gym.agents.registry import agents_of
from gridpuzzles_gym.agents.search_tables import searches_of
from gridpuzzles_gym.app import warmup

LATER = """
from gridpuzzles_gym.app.solving import solve
from gridpuzzles_gym.agents.search.problem import Limits
from gridpuzzles_gym.app.sessions import Watched
import gymnasium as gym, numpy as np, gridpuzzles_gym
gym.make("EightPuzzle-v0").reset(seed=0)
envs = gym.make_vec("EightPuzzle-v0", num_envs=3)
envs.reset(seed=0)
envs.step(np.zeros(3, int))
for solution in solve("EightPuzzle-v0", seed=3, limits=Limits(nodes=5000), progress=False):
    assert solution.result.solved
watched = Watched("EightPuzzle-v0", "astar", seed=0)
watched.begin()
watched.advance()
"""


@pytest.mark.slow
def test_after_it_nothing_is_compiled(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(warmup, "searches_of", lambda puzzle: {"astar": searches_of(puzzle)["astar"]})
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = "import gridpuzzles_gym.app.warmup as w\nfull = w.searches_of\n"
    command += "w.searches_of = lambda puzzle: {'astar': full(puzzle)['astar']}\nw.warm_up(['EightPuzzle-v0'])"
    done = subprocess.run([sys.executable, "-c", command], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == done.stderr == ""
    before = set(tmp_path.rglob("*.kernel"))
    assert len(before) > 5
    subprocess.run([sys.executable, "-c", LATER], env=environment, check=True)
    assert set(tmp_path.rglob("*.kernel")) == before


@pytest.mark.parametrize("env_id", ["EightPuzzle-v0", "Wumpus-v0", TOY.id])
def test_its_steps_are_all_that_people_may_ask_for(env_id):
    puzzle = puzzle_of(env_id)
    named = [name.split(": ", 1)[1] for name, _ in warmup.steps_of(env_id)]
    assert named[0] == "the rules"
    assert {f"observation {name}" for name in puzzle.observations} <= set(named)
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


def test_what_it_cannot_do_is_said_in_a_line(capsys, monkeypatch):
    code, _, err = run(capsys, "warmup", "Nope-v0")
    assert (code, err.count("\n")) == (2, 1)
    monkeypatch.setattr(warmup, "cache_root", lambda: None)
    code, _, err = run(capsys, "warmup", TOY.id)
    assert (code, err.count("\n")) == (1, 1)
    assert "no folder to keep machine code in" in err
