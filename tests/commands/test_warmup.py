"""`gridpuzzles warmup`: afterwards nothing is compiled any more."""

import gymnasium as gym
import pytest
from folders import PYTHONPATH
from helpers import TOY, not_refused, puzzle_of, python, run

from gridpuzzles_gym.agents.registry import agents_of
from gridpuzzles_gym.agents.search_tables import searches_of
from gridpuzzles_gym.cli import warmup
from gridpuzzles_gym.engine.pictures.pixels import observations_of

COLD = """
import sys
import helpers
from gridpuzzles_gym.cli import warmup
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
def test_it_fills_an_empty_cache_and_nothing_is_compiled_after_it(tmp_path):
    kept = []
    for how in ("warmup", "play"):
        python(COLD, how, PYTHONPATH=PYTHONPATH, NUMBA_CACHE_DIR=str(tmp_path))
        files = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "lock"]
        kept.append({path: path.stat().st_mtime_ns for path in files})
    assert kept[0]
    assert kept[1] == kept[0]


def test_its_steps_are_all_that_people_may_ask_for():
    for env_id in ("EightPuzzle-v0", "Wumpus-v0", TOY.id):
        puzzle = puzzle_of(env_id)
        named = [name.split(": ", 1)[1] for name, _ in warmup.steps_of(env_id)]
        assert named[0] == "rules"
        agents = [name for name in agents_of(puzzle, featured=True) if name not in searches_of(puzzle)]
        wanted = {f"observation {name}" for name in observations_of(puzzle)}
        wanted |= {f"search {name}" for name in searches_of(puzzle)} | {f"agent {name}" for name in agents}
        assert wanted <= set(named)
        assert len(set(named)) == len(named)


def test_what_it_says(capsys, monkeypatch, tmp_path):
    def stopped():
        raise KeyboardInterrupt

    done = []
    monkeypatch.setattr(warmup, "cache_root", lambda: tmp_path)
    monkeypatch.setattr(warmup, "steps_of", lambda env_id: [("one", lambda: done.append(env_id))])
    code, out, err = run(capsys, "warmup")
    assert (code, out.replace("\n", ""), err) == (0, f"done; compiled code is in {tmp_path}", "")
    assert set(done) >= {id for id, spec in gym.registry.items() if spec.namespace is None and id == TOY.id}
    monkeypatch.setattr(warmup, "steps_of", lambda env_id: [("one", int), ("two", stopped), ("three", int)])
    assert run(capsys, "warmup", TOY.id) == (130, "", "gridpuzzles: stopped: compiled 1 of 3 parts\n")
    cases = [
        (["Nope-v0"], "Nope-v0"),
        (["--heuristic", "manhattan"], "--heuristic needs the ID of an environment"),
        (["15-puzzle", "--heuristic", "manhattan"], "keeps no tables on disk"),
        (["--workers", "2"], "--workers is for tables: it needs --heuristic NAME"),
    ]
    assert not_refused(capsys, cases, "warmup") == []
    monkeypatch.setattr(warmup, "cache_root", lambda: None)
    code, _, err = run(capsys, "warmup", TOY.id)
    assert (code, err.count("\n"), "no folder for compiled code: it must be writable" in err) == (1, 1, True)
