"""From rules to modules: a puzzle of one's own, what is out of date, seeds, and the interface of exports."""

import dataclasses
import json

import gymnasium as gym
import numpy as np
import pytest
from toy import PUZZLE as TOY
from web_replay import assert_same, module_files, random_actions, recorded, run_jobs

import gridpuzzles_gym
from gridpuzzles_gym.engine.compile.compilation import rule
from gridpuzzles_gym.engine.random import initial_bits
from gridpuzzles_gym.registration import Environment
from gridpuzzles_gym.web import building, games
from gridpuzzles_gym.web.linking import NoLinkerError, build_module

ID = "Toy-web-v0"


@pytest.fixture
def linker():
    try:
        return build_module([])
    except NoLinkerError as error:
        pytest.skip(str(error))


@pytest.fixture
def toy():
    environment = Environment(ID, "toy", 30, {"prize": 700})
    gridpuzzles_gym.register(environment)
    yield environment
    del gym.registry[ID]


@pytest.mark.extended
def test_a_puzzle_of_ones_own_plays_the_same(linker, toy, tmp_path):
    building.build(building.puzzle_modules([toy]), tmp_path)
    actions = random_actions(ID, 200, seed=1)
    files = module_files(tmp_path, "toy", ID)
    jobs = [
        {"run": "replay", "files": files, "id": ID, "seed": 4, "actions": actions, "observation": name}
        for name in TOY.observations
    ]
    for job, found in zip(jobs, run_jobs(jobs, tmp_path), strict=True):
        assert_same(recorded(ID, job["observation"], 4, actions), found)
    (tmp_path / "toy.wasm").unlink()
    assert building.outdated(building.puzzle_modules([toy]), tmp_path) == ["toy.wasm"]


def test_an_edited_rule_makes_a_module_out_of_date(toy, tmp_path):
    (module,) = building.puzzle_modules([toy])
    for name, content in {**module.files(), "toy.wasm": b""}.items():
        (tmp_path / name).write_bytes(content)
    assert building.outdated([module], tmp_path) == []

    @rule
    def solved_at_once(level, state, action, rng):
        return 1.0, True

    easier = dataclasses.replace(TOY, title="Easy", rules=TOY.rules._replace(step=solved_at_once))
    edited = module._replace(exports=games.exports(easier), description={**module.description, "title": "Easy"})
    assert building.outdated([edited], tmp_path) == ["toy.wasm", "toy.json"]
    (tmp_path / f"{ID}.rows").write_bytes(b"")
    assert building.outdated([module], tmp_path) == [f"{ID}.rows"]


def test_modules_built_by_another_python_are_compared_by_their_descriptions_only(toy, tmp_path):
    (module,) = building.puzzle_modules([toy])
    described = module.described()
    described["built"] = {"python": "3.0", "digests": {}}
    (tmp_path / "toy.json").write_text(json.dumps(described), encoding="utf-8")
    (tmp_path / "toy.wasm").write_bytes(b"")
    (tmp_path / f"{ID}.rows").write_bytes(module.rows[f"{ID}.rows"])
    assert building.outdated([module], tmp_path) == []


def test_seeds_give_the_random_bits_of_numpy(tmp_path):
    seeds = [*range(300), 12345, 2**31, 2**32 - 1, 2**32, 2**53, 2**63 + 5, 2**64 - 1]
    (found,) = run_jobs([{"run": "seeds", "files": {}, "seeds": list(map(str, seeds))}], tmp_path)
    expected = [initial_bits(np.random.default_rng(seed)) for seed in seeds]
    assert [int(bits) for bits in json.loads(found)] == expected


def test_without_a_linker_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ziglang", None)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(NoLinkerError, match=r"gridpuzzles_gym\[web\]"):
        build_module([])
