"""Learning from a teacher: phases, kept states, and that a clone plays as its teacher does."""

import csv
import dataclasses
import math
import re

import pytest

import gridpuzzles_gym  # noqa: F401  (registers the environments)
from gridpuzzles_gym.agents.training.phases import CLONE, DAGGER, PPO, read_phases

pytest.importorskip("torch")

import torch

from gridpuzzles_gym.agents.evaluation import compare
from gridpuzzles_gym.agents.networks.flat import Flat
from gridpuzzles_gym.agents.training.cloning import LabelledStates, imitate
from gridpuzzles_gym.agents.training.learner import Experience, Learner
from gridpuzzles_gym.agents.training.own_run import OwnRun
from gridpuzzles_gym.agents.training.settings import Settings
from gridpuzzles_gym.agents.training.torch_networks.weights import first_weights
from gridpuzzles_gym.agents.training.trainer import train

CPU = torch.device("cpu")
TILES = {"width": 3, "height": 2, "max_episode_steps": 30}
"""A puzzle of 360 states, at most 21 moves from the goal."""
TINY = Settings(
    "EightPuzzle-v0", TILES, teacher="auto", num_envs=32, n_steps=16, hidden=64, minutes=None, threads=1,
    cloning_batch=128, cloning_rate=3e-3,
)  # fmt: skip


def changed(**changes):
    return dataclasses.replace(TINY, **changes)


def test_phases_are_parsed_in_order_with_shares_that_sum_to_1():
    assert read_phases("auto", taught=False) == ((PPO, 1.0),)
    assert [name for name, _ in read_phases("auto", taught=True)] == [CLONE, DAGGER, PPO]
    assert read_phases(" clone = 1, ppo=3", taught=True) == ((CLONE, 0.25), (PPO, 0.75))
    assert read_phases("ppo=0.1", taught=False) == ((PPO, 1.0),)


@pytest.mark.parametrize(
    ("text", "taught", "message"),
    [
        ("", True, "expected phases with positive numbers, such as clone=1,dagger=2,ppo=1"),
        ("clone", True, "expected phases with positive numbers"),
        ("clone=nan", True, "expected phases with positive numbers"),
        ("clone=0,ppo=1", True, "expected phases with positive numbers"),
        ("rest=1", True, "expected phases with positive numbers"),
        ("ppo=1,clone=1", True, "each phase at most once, in the order clone, dagger, ppo"),
        ("clone=1,clone=1", True, "each phase at most once"),
        ("dagger=1,ppo=1", False, "dagger needs a teacher"),
    ],
)
def test_phases_that_cannot_be_are_refused(text, taught, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        read_phases(text, taught)
    with pytest.raises(ValueError, match=re.escape(message)):
        changed(phases=text, teacher="auto" if taught else None)


def states(numbers, known):
    """An experience of one step: each state's return is its number."""
    count = len(numbers)
    values = torch.tensor([numbers], dtype=torch.float32)
    none = torch.zeros(1, count)
    return Experience(
        views=torch.zeros(1, count, 2, dtype=torch.uint8),
        masks=torch.ones(1, count, 0, dtype=torch.bool),
        actions=none.long(),
        log_probabilities=none,
        values=none,
        advantages=none,
        returns=values,
        labels=torch.tensor([[[1.0, 0.0, 0.0]]]).expand(1, count, 3),
        known=torch.tensor([known]),
        starts=none.bool(),
        memory=torch.zeros(count, 0),
    )


def test_the_latest_known_states_are_kept():
    network = Flat((2,), 3, 4)
    learner = Learner(network, first_weights(network, 0), CPU)
    kept = LabelledStates(5)
    assert list(kept.sample(learner, 4, 3)) == []

    def kept_numbers():
        batches = list(kept.sample(learner, 50, 2))
        assert [len(batch.returns) for batch in batches] == [50, 50]
        assert all(batch.known.all() for batch in batches)
        return set(torch.cat([batch.returns for batch in batches]).tolist())

    kept.add(states([1, 2, 3], [True, False, True]))
    assert (kept.count, kept_numbers()) == (2, {1, 3})
    kept.add(states([4, 5], [True, True]))
    assert (kept.count, kept_numbers()) == (4, {1, 3, 4, 5})
    kept.add(states([6, 7], [True, True]))
    assert (kept.count, kept_numbers()) == (5, {3, 4, 5, 6, 7})
    kept.add(states([8], [False]))
    assert kept_numbers() == {3, 4, 5, 6, 7}
    kept.add(states(list(range(10, 17)), [True] * 7))
    assert kept_numbers() == {12, 13, 14, 15, 16}


@pytest.mark.parametrize("kept", [None, 100])
def test_imitation_learns_the_labels_and_the_returns(kept):
    network = Flat((2,), 3, 8)
    learner = Learner(network, first_weights(network, 0), CPU)
    memory = None if kept is None else LabelledStates(kept)
    losses = [imitate(learner, states([2.0] * 6, [True] * 6), memory, 6, 4, 0.02) for _ in range(60)]
    assert losses[-1] < 0.05 < 1 < losses[0]
    nothing = imitate(learner, states([2.0] * 6, [False] * 6), LabelledStates(3), 6, 4, 0.01)
    assert math.isnan(nothing), "no states, no loss"
    with torch.no_grad():
        output = network.read(learner.ops, learner.weights, torch.zeros(1, 2))
    assert output.logits.softmax(1)[0, 0] > 0.95
    assert float(output.values) == pytest.approx(2, abs=0.2)


@pytest.mark.compiled
@pytest.mark.extended
def test_a_clone_plays_as_its_teacher_does(tmp_path):
    more = {"num_envs": 64, "kept_states": 3000, "cloning_epochs": 2}
    path = train(changed(total_steps=25_000, phases="clone=1,dagger=1", **more), tmp_path)
    kwargs = {"env_kwargs": TILES, "progress": False, "num_envs": 100, "deterministic": True}
    clone, teacher = compare("EightPuzzle-v0", [str(path), "astar"], 100, **kwargs).scores
    assert teacher.success == 1
    assert clone.success > 0.97
    assert clone.steps < 1.05 * teacher.steps
    with (tmp_path / "curve.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert float(rows[-1]["success"]) > 0.8, "of the episodes that the learner played"


@pytest.mark.extended
def test_the_phases_of_a_run_are_in_its_curve_and_the_teacher_is_asked_as_long_as_it_is_heard(tmp_path, monkeypatch):
    asked = []
    collect = OwnRun._advance

    def listening(run, now):
        figures = collect(run, now)
        asked.append((now.phase, bool(run.collector._experience.known.any()), figures.get("train/pull")))
        return figures

    monkeypatch.setattr(OwnRun, "_advance", listening)
    train(changed(total_steps=16 * 512, phases="clone=1,dagger=1,ppo=2"), tmp_path)
    assert [phase for phase, _, _ in asked] == [CLONE] * 4 + [DAGGER] * 4 + [PPO] * 8
    assert [heard for _, heard, _ in asked] == [True] * 12 + [False] * 4
    assert [pull for _, _, pull in asked[8:]] == [1, 0.75, 0.5, 0.25, 0, 0, 0, 0]
    with (tmp_path / "curve.csv").open() as file:
        phases = [row["phase"] for row in csv.DictReader(file)]
    assert phases[-9:] == [DAGGER] + [PPO] * 8


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"teacher": "nobody"}, "teacher 'nobody' is not known for Sliding tiles; allowed are auto, distances"),
        ({"teacher": "distances:colour=1"}, "teacher 'distances' has no parameter 'colour'; it has tolerance"),
        ({"teacher": "distances:tolerance=x"}, "tolerance='x': must be a number"),
        ({"teacher": "distances:name=x"}, "has no parameter 'name'"),
        ({"teacher": "astar:nodes=0"}, "nodes=0: must be a positive integer"),
        ({"network": "map"}, "network='map' needs an agent that moves and turns, which EightPuzzle-v0 does not have"),
        ({"network": "recurrent", "kept_states": 9}, "learns from whole episodes: kept_states must be 0"),
    ],
)
def test_teachers_that_cannot_be_are_refused(tmp_path, change, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        train(changed(**change), tmp_path)
    assert not list(tmp_path.iterdir())
