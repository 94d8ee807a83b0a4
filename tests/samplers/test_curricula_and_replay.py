"""Samplers that go by how episodes end: curricula, and prioritised level replay."""

import copy
import pickle

import errands
import numpy as np
import pytest
from errands import CORRIDORS
from helpers import same
from hypothesis import given, settings
from hypothesis import strategies as st
from mutants import refused as rejection

from gridpuzzles_gym import Outcome
from gridpuzzles_gym.agents.samplers import Curriculum, LevelReplay, OnTheFly
from gridpuzzles_gym.agents.samplers.base import mix

LENGTHS = [level.extent[1] for level in CORRIDORS]


def report(sampler, outcomes, score=0.0):
    for number, outcome in enumerate(outcomes):
        sampler.report(sampler.sample(mix(number)), {"+": Outcome.SOLVED, "-": Outcome.DIED}[outcome], score)


def test_a_curriculum_moves_up_and_down():
    sampler = Curriculum(CORRIDORS[::-1], LENGTHS[::-1], width=3, step=2, episodes=4, up=0.7, down=0.3, uniform=0)
    window = {sampler.sample(mix(number)).name for number in range(50)}
    assert window == {"corridor 2", "corridor 3", "corridor 4"}
    positions = []
    for outcomes in ("+++", "+", "++--", "+++", "----", "-", "---", "++++++++++++++++"):
        report(sampler, outcomes)
        positions.append(sampler.position)
    assert positions == [0, 2, 2, 4, 2, 2, 0, 7]
    assert sampler.metrics()["curriculum"] == 1
    assert {sampler.sample(mix(number)).extent[1] for number in range(50)} == {9, 10, 11}


def test_a_curriculum_counts_what_is_in_the_window():
    sampler = Curriculum(CORRIDORS, width=2, step=2, episodes=2, uniform=0.5)
    levels = [sampler.sample(mix(number)) for number in range(300)]
    assert {level.name for level in levels} == {level.name for level in CORRIDORS}
    inside = [level for level in levels if level.tag < 2]
    assert 0.5 < len(inside) / 300 < 0.7
    for level in levels:
        if level.tag >= 2:
            sampler.report(level, Outcome.SOLVED, 1.0)
    assert sampler.position == 0
    sampler.report(CORRIDORS[0], Outcome.SOLVED, 1.0)  # not handed out by it
    sampler.report(copy.deepcopy(inside[0]), Outcome.SOLVED, 1.0)
    assert sampler.position == 0
    sampler.report(inside[1], Outcome.SOLVED, 1.0)
    assert sampler.position == 2


def test_stages_are_samplers_and_hear_of_their_levels():
    easy, hard = LevelReplay(CORRIDORS[:3]), LevelReplay(CORRIDORS[3:])
    sampler = Curriculum([hard, easy], [2, 1], episodes=5, uniform=0)
    report(sampler, "+++++")
    assert sampler.position == 1
    assert len(easy.probabilities()) > 0
    assert not hard.probabilities()
    report(sampler, "--")
    assert len(hard.probabilities()) > 0
    with pytest.raises(ValueError, match="not a state of this curriculum"):
        Curriculum(CORRIDORS).set_state(sampler.get_state())


# -- replay --------------------------------------------------------------------------------------


def scored(sampler, values):
    for level, value in zip(sampler.levels, values, strict=False):
        sampler.score(level, value)


def test_replay_probabilities_by_hand():
    sampler = LevelReplay(CORRIDORS[:4], scores="learner", temperature=0.5, staleness=0.2)
    assert sampler.probabilities() == []
    sampler._samples = 10
    scored(sampler, [0.1, 0.4, 0.3])
    sampler._played[:3] = 9, 7, 4  # samples ago: 1, 3, 6
    # By rank 3, 1, 2: (1/rank)^2 = 1/9, 1, 1/4, in all 49/36. By age: 1/10, 3/10, 6/10.
    wanted = [0.8 * 4 / 49 + 0.02, 0.8 * 36 / 49 + 0.06, 0.8 * 9 / 49 + 0.12]
    levels, chances = zip(*sampler.probabilities(), strict=True)
    assert [level.name for level in levels] == ["corridor 2", "corridor 3", "corridor 4"]
    np.testing.assert_allclose(chances, wanted)
    # Of four levels three have a score: so likely is a replay.
    counts, state = dict.fromkeys((level.name for level in CORRIDORS[:4]), 0), sampler.get_state()
    for number in range(20_000):
        counts[sampler.sample(mix(3, number)).name] += 1
        sampler.set_state(state)
    np.testing.assert_allclose(np.array(list(counts.values())) / 20_000, [*(0.75 * np.array(wanted)), 0.25], atol=0.012)


def test_replay_scores_by_learnability():
    sampler = LevelReplay(CORRIDORS[:2])
    level = sampler.levels[0]
    for outcome, rate in ((Outcome.SOLVED, 0.625), (Outcome.SOLVED, 0.71875), (Outcome.DIED, 0.5390625)):
        sampler.report(level, outcome, 0.0)
        assert sampler.metrics() == {"scored_levels": 1, "mean_score": pytest.approx(rate * (1 - rate))}
    sampler.score(level, 9.0)  # a learner that reports is not asked
    assert sampler.metrics()["mean_score"] < 1
    silent = LevelReplay(CORRIDORS[:2], scores="learner")
    report(silent, "+++")
    assert silent.probabilities() == []


MAKERS = {
    "curriculum": lambda: Curriculum(CORRIDORS, episodes=50),
    "stages": lambda: Curriculum([LevelReplay(CORRIDORS[:3]), LevelReplay(CORRIDORS[3:])]),
    "replay": lambda: LevelReplay(CORRIDORS),
    "endless replay": lambda: LevelReplay(OnTheFly(errands.corridor, 0, extent=(1, 7)), buffer=3),
    "on the fly": lambda: OnTheFly(errands.corridor, 0, extent=(1, 7)),
}
WRONG = (None, -1, 2**64, 0.5, "x", [], [None], [3, 3], {}, {99: 0.5}, {0: 2.0}, np.zeros(2), np.full(3, np.nan), [1.5])


@pytest.mark.parametrize("name", MAKERS)
def test_a_wrong_state_is_refused_and_nothing_changes(name):
    sampler, twin = MAKERS[name](), MAKERS[name]()
    report(sampler, "+-+-+-+-")
    saved, refused = sampler.get_state(), 0
    for state in (*WRONG, *({**saved, entry: value} for entry in saved for value in WRONG)):
        before = twin.get_state()
        reason = rejection(twin, copy.deepcopy(state))
        if reason is not None:
            assert "not a state of this" in reason
            assert same(twin.get_state(), before)
            refused += 1
        twin.sample(mix(0))
        report(twin, "+-+-")
        twin.set_state(copy.deepcopy(saved))
        assert same(twin.get_state(), saved)
    assert refused > len(WRONG)
    for state in (*WRONG[:2], {}):
        with pytest.raises(ValueError, match="not a state of this"):
            sampler.set_state(state)
        assert same(sampler.get_state(), saved)


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 8), st.booleans()), max_size=60), st.booleans())
def test_the_state_of_replay_is_consistent(steps, endless):
    """Whatever is sampled and scored: ranks, indices and chances agree, and the state says it all."""
    source = OnTheFly(errands.corridor, 0, extent=(1, 7)) if endless else CORRIDORS
    sampler, twin = (LevelReplay(copy.copy(source), scores="learner", buffer=6) for _ in range(2))
    for bits, value, restore in steps:
        level = sampler.sample(bits)
        sampler.score(level, value)
        if restore:
            twin.set_state(pickle.loads(pickle.dumps(sampler.get_state())))
            assert same(twin.get_state(), sampler.get_state())
            assert same(twin.sample(bits), sampler.sample(bits))
        found = sampler.probabilities()
        assert len({level.tag for level, _ in found}) == len(found) <= (6 if endless else 10)
        assert sum(chance for _, chance in found) == pytest.approx(1)
        assert sorted(index for _, index in sampler._ranked) == list(range(len(found)))
