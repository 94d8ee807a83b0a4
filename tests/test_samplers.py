"""Level samplers: reproducible, saved and restored with their environments, and each does what it says."""

import copy
import gc
import itertools
import os
import pickle
import signal
import subprocess
import sys

import errands
import gymnasium as gym
import numpy as np
import pytest
from gridpuzzles_gym.agents.generator.bait import BaitSampler
from gridpuzzles_gym.agents.generator.samplers import Curriculum, Drawn, LevelReplay, OnTheFly, Pack, Tagged
from gridpuzzles_gym.agents.generator.samplers.words import below, mix, share
from gridpuzzles_gym.agents.generator.workers import WorkError
from helpers import REPOSITORY, TOY, play, play_vector, puzzle_of, same
from hypothesis import given, settings
from hypothesis import strategies as st
from test_workers import children, gone

from gridpuzzles_gym.engine.levels import Sampler
from gridpuzzles_gym.engine.puzzle import Level

CORRIDORS = [Level((1, length), ["S" + "." * (length - 2) + "G"], f"corridor {length}") for length in range(2, 12)]
LENGTHS = [level.extent[1] for level in CORRIDORS]

SAMPLERS = {
    "pack": lambda: Pack(CORRIDORS),
    "weights": lambda: Pack(CORRIDORS, weights=LENGTHS),
    "curriculum": lambda: Curriculum(CORRIDORS, LENGTHS, width=3, episodes=4, up=0.5, down=0.2),
    "stages": lambda: Curriculum([Pack(CORRIDORS[:4]), LevelReplay(CORRIDORS[4:]), Pack(CORRIDORS[7:])], episodes=3),
    "replay": lambda: LevelReplay(CORRIDORS),
    "endless replay": lambda: LevelReplay(OnTheFly(errands.corridor, 0, extent=(1, 7)), buffer=5),
    "in this process": lambda: OnTheFly(errands.corridor, 0, extent=(1, 7)),
    "on the fly": lambda: OnTheFly(errands.corridor, 1, wait=True, buffer=8, extent=(1, 7)),
}


@pytest.fixture(params=SAMPLERS)
def sampler(request):
    made = SAMPLERS[request.param]()
    made.again = SAMPLERS[request.param]
    yield made
    if hasattr(made, "close"):
        made.close()


def make(kind, sampler):
    if kind == "single":
        return gym.make(
            TOY.id, levels=sampler, disable_env_checker=True
        ).unwrapped  # a TimeLimit has a state of its own
    return gym.make_vec(TOY.id, num_envs=3, levels=sampler, autoreset_mode=kind, max_episode_steps=7)


KINDS = ["single", "NextStep", "SameStep"]


def played(env, kind, steps, seed=0):
    return play(env, steps, seed) if kind == "single" else play_vector(env, steps, seed)


# -- what all of them promise --------------------------------------------------------------------


def test_they_are_samplers(sampler):
    assert isinstance(sampler, Sampler)
    assert len(sampler.extent) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_equal_seeds_give_equal_episodes(sampler, kind):
    seen = []
    for source in (sampler, sampler.again()):
        env = make(kind, source)
        env.reset(seed=5)
        seen.append(played(env, kind, 120))
        env.close()
    assert same(*seen)
    other = make(kind, sampler.again())
    other.reset(seed=6)
    assert not same(played(other, kind, 120), seen[0])
    other.close()


@pytest.mark.parametrize("kind", KINDS)
def test_the_state_of_the_environment_holds_the_samplers(sampler, kind):
    env = make(kind, sampler)
    env.reset(seed=1)
    played(env, kind, 70)
    saved = pickle.loads(pickle.dumps(env.unwrapped.get_state()))
    first = played(env, kind, 90, seed=1)
    twin = make(kind, sampler.again())
    twin.reset(seed=9)
    for again in (env, twin):
        again.unwrapped.set_state(saved)
        assert same(played(again, kind, 90, seed=1), first)
        again.close()


@pytest.mark.parametrize("twin_of", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_environments_with_samplers_are_copied_and_pickled(sampler, twin_of):
    del sampler.again
    env = make("SameStep", sampler)
    env.reset(seed=2)
    played(env, "SameStep", 40)
    twin = twin_of(env)
    assert same(played(env, "SameStep", 60), played(twin, "SameStep", 60))
    env.close()
    twin.close()


def test_levels_of_all_sizes_are_padded(sampler):
    env = make("SameStep", sampler)
    env.reset(seed=3)
    assert env.observation_space.shape == (3, 3, *sampler.extent)
    for _ in range(40):
        seen = env.step(env.action_space.sample())[0]
    assert seen.shape == env.observation_space.shape
    env.close()


def test_a_level_that_was_asked_for_does_not_disturb_them(sampler):
    env = make("single", sampler)
    for _ in range(3):
        env.reset(seed=0, options={"level": "; mine\nS.G\n"})
        env.step(3)
    env.reset()
    env.close()


# -- words ---------------------------------------------------------------------------------------


def test_words_are_spread():
    # The first outputs of SplitMix64 from 1234567, as published with the generators at prng.di.unimi.it.
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert [mix(1234567, number) for number in range(4)] == published
    assert [below(word, 10) for word in (0, 2**63, 2**64 - 1)] == [0, 5, 9]
    assert share(0) == 0
    assert 0.999 < share(2**64 - 1) < 1


# -- packs ---------------------------------------------------------------------------------------


@given(st.integers(0, 2**64 - 1))
def test_a_pack_answers_every_word(word):
    assert Pack(CORRIDORS).sample(word) in CORRIDORS
    assert Pack(CORRIDORS, weights=[0, 1] + [0] * 8).sample(word) is CORRIDORS[1]


def test_a_pack_is_uniform_or_as_its_weights_are():
    words = [mix(7, number) for number in range(20_000)]
    for weights in (None, [0, 1, 2, 3, 4, 0, 1, 0.5, 0, 3.5]):
        pack = Pack(CORRIDORS, weights=weights)
        counts = {id(level): 0 for level in CORRIDORS}
        for word in words:
            counts[id(pack.sample(word))] += 1
        wanted = np.array(weights or [1] * 10) / sum(weights or [1] * 10)
        np.testing.assert_allclose(np.array(list(counts.values())) / len(words), wanted, atol=0.012)


@pytest.mark.parametrize("kind", [Pack, Curriculum, LevelReplay])
def test_levels_that_state_their_goal_state_it_through_samplers_too(kind):
    env = gym.make("EightPuzzle-v0", levels=kind("classic", puzzle="EightPuzzle-v0"))
    env.reset(seed=0)
    assert env.unwrapped.options == gym.make("EightPuzzle-v0", levels="classic").unwrapped.options


def test_a_pack_is_found_as_environments_find_theirs():
    env = gym.make("Sokoban-v0", levels=Pack("first", "Sokoban-v0"))
    env.reset(seed=0)
    assert len(Pack([CORRIDORS[0], "S.G\n"], puzzle_of(TOY.id)).levels) == 2


# -- drawn levels --------------------------------------------------------------------------------

DRAWN = [
    ("Wumpus-v0", {"size": (5, 4), "pits": 4}, {}),
    ("Wumpus-v0", {"pit_probability": 0.2, "climb": True}, {"climb": True}),
    ("CatMouse-v0", {"maze": "random", "size": (9, 7), "cats": 3, "loops": 2}, {}),
    ("CatMouse-v0", {"maze": "random", "cats": 0}, {}),
    ("EightPuzzle-v0", {"scramble": (1, 9)}, {}),
    ("EightPuzzle-v0", {"goal": "spiral"}, {"goal": "spiral"}),
    ("FifteenPuzzle-v0", {"width": 4, "height": 4, "scramble": 50}, {}),
]


@pytest.mark.parametrize(("id", "options", "needed"), DRAWN)
def test_drawn_levels_come_back_from_their_text(id, options, needed):
    sampler = Drawn(id, **options)
    puzzle, names = puzzle_of(id), set()
    for number in range(25):
        level = sampler.sample(number)
        rows = level.rows_for(puzzle, sampler.extent, sampler.options)
        assert same(rows, puzzle.encode(level, sampler.extent, sampler.options))
        assert same(rows, sampler.sample(number).rows_for(puzzle, sampler.extent, sampler.options))
        names.add(puzzle.format(*rows))
    assert len(names) > 8
    env = gym.make_vec(id, num_envs=4, levels=sampler, max_episode_steps=5, **needed)
    env.reset(seed=0)
    play_vector(env, 30)


@pytest.mark.parametrize(
    ("id", "drawn", "playing", "alike"),
    [
        ("Wumpus-v0", {"pits": 2}, {"size": 8, "show": "knowledge"}, True),
        ("Wumpus-v0", {"pits": 2}, {"climb": True}, False),
        ("Wumpus-v0", {"climb": True}, {"climb": True, "reward": "textbook"}, False),
        ("CatMouse-v0", {"maze": "random", "cats": 2}, {}, True),
        ("CatMouse-v0", {"maze": "random"}, {"cats": 1}, True),
        ("CatMouse-v0", {"maze": "random", "cats": 2}, {"cats": 1}, False),
        ("CatMouse-v0", {"maze": "random", "cats": 2}, {"cat_blocked": True}, False),
        ("EightPuzzle-v0", {"scramble": 3, "goal": "spiral"}, {"goal": "spiral"}, True),
        ("EightPuzzle-v0", {"scramble": 3}, {"goal": "rows"}, True),
    ],
)
def test_drawn_rows_are_used_only_where_the_options_would_give_the_same(id, drawn, playing, alike):
    sampler = Drawn(id, **drawn)
    options = gym.make(id, levels=sampler, **playing).unwrapped.options
    puzzle, level = puzzle_of(id), sampler.sample(5)
    rows, encoded = level.rows_for(puzzle, sampler.extent, options), puzzle.encode(level, sampler.extent, options)
    assert (rows is not None) == alike
    assert not alike or same(rows, encoded)
    assert level.rows_for(puzzle, tuple(side + 2 for side in sampler.extent), options) is None
    again = pickle.loads(pickle.dumps(copy.deepcopy(level)))
    assert same(
        again.rows_for(puzzle, sampler.extent, sampler.options), level.rows_for(puzzle, sampler.extent, sampler.options)
    )


def test_drawn_levels_are_the_rules_own():
    """The same word through the environment's own kernel gives the same cave."""
    from gridpuzzles_gym.engine.kernels import make_generate

    sampler = Drawn("Wumpus-v0")
    puzzle = puzzle_of("Wumpus-v0")
    rows = [np.zeros(size, np.int16) for size in puzzle.sizes(sampler.extent)]
    make_generate(puzzle).py_func(puzzle.settings(sampler.options), np.array([mix(11)], np.uint64), *rows)
    assert same(puzzle.encode(sampler.sample(11), sampler.extent, sampler.options), tuple(rows))


def test_only_puzzles_that_draw_are_drawn():
    with pytest.raises(ValueError, match="Sokoban draws no levels of its own"):
        Drawn("Sokoban-v0")
    with pytest.raises(ValueError, match="draws no levels with these options"):
        Drawn("CatMouse-v0")
    with pytest.raises(ValueError, match="an environment's id is needed"):
        Drawn("Chess-v0")


# -- curricula -----------------------------------------------------------------------------------


def report(sampler, outcomes, score=0.0):
    for number, outcome in enumerate(outcomes):
        sampler.report(sampler.sample(mix(number)), {"+": "solved", "-": "died"}[outcome], score)


def test_a_curriculum_moves_up_and_down():
    sampler = Curriculum(CORRIDORS[::-1], LENGTHS[::-1], width=3, step=2, episodes=4, up=0.7, down=0.3, uniform=0)
    window = {sampler.sample(mix(number)).name for number in range(50)}
    assert window == {"corridor 2", "corridor 3", "corridor 4"}
    positions = []
    for outcomes in ("+++", "+", "++--", "+++", "----", "-", "---", "++++++++++++++++"):
        report(sampler, outcomes)
        positions.append(sampler.position)
    assert positions == [0, 2, 2, 4, 2, 2, 0, 7]
    assert sampler.figures()["curriculum"] == 1
    assert {sampler.sample(mix(number)).extent[1] for number in range(50)} == {9, 10, 11}


def test_a_curriculum_counts_what_is_in_the_window():
    sampler = Curriculum(CORRIDORS, width=2, step=2, episodes=2, uniform=0.5)
    levels = [sampler.sample(mix(number)) for number in range(300)]
    assert {level.name for level in levels} == {level.name for level in CORRIDORS}
    inside = [level for level in levels if level.tag < 2]
    assert 0.5 < len(inside) / 300 < 0.7
    for level in levels:
        if level.tag >= 2:
            sampler.report(level, "solved", 1.0)
    assert sampler.position == 0
    sampler.report(CORRIDORS[0], "solved", 1.0)  # not handed out by it
    sampler.report(copy.deepcopy(inside[0]), "solved", 1.0)
    assert sampler.position == 0
    sampler.report(inside[1], "solved", 1.0)
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


def test_stages_of_scrambles_and_of_bait():
    tiles = [Drawn("EightPuzzle-v0", scramble=moves) for moves in (1, 2, (3, 40))]
    levels = Curriculum(tiles, episodes=50, up=0.3, down=0.1)
    env = gym.make_vec("EightPuzzle-v0", num_envs=64, levels=levels, max_episode_steps=9)
    env.reset(seed=0)
    play_vector(env, 200)
    assert levels.position > 0
    rooms = [BaitSampler(7, 7, 1), BaitSampler(9, 9, 1)]
    env = gym.make("Bait-v0", levels=Curriculum(rooms))
    env.reset(seed=0)
    assert env.observation_space.shape[1:] == (9, 9)


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


def test_the_papers_temperature_is_sharp():
    sampler = LevelReplay(CORRIDORS, scores="learner", temperature=0.1, staleness=0)
    scored(sampler, range(10))
    chances = [chance for _, chance in sampler.probabilities()]
    assert chances[9] == pytest.approx(0.999, abs=1e-3)
    assert {sampler.sample(mix(number)).name for number in range(100)} <= {"corridor 11", "corridor 10"}


def test_replay_scores_by_learnability():
    sampler = LevelReplay(CORRIDORS[:2])
    level = sampler.levels[0]
    for outcome, rate in (("solved", 0.625), ("solved", 0.71875), ("died", 0.5390625)):
        sampler.report(level, outcome, 0.0)
        assert sampler.figures() == {"scored_levels": 1, "mean_score": pytest.approx(rate * (1 - rate))}
    sampler.score(level, 9.0)  # a learner that reports is not asked
    assert sampler.figures()["mean_score"] < 1
    silent = LevelReplay(CORRIDORS[:2], scores="learner")
    report(silent, "+++")
    assert silent.probabilities() == []


def test_the_replay_buffer_keeps_the_highest_scores():
    sampler = LevelReplay(OnTheFly(errands.corridor, 0, extent=(1, 7)), scores="learner", buffer=3, replay=0)
    levels = [sampler.sample(mix(number)) for number in range(6)]
    for level, value in zip(levels, (5, 1, 3, 4, 0.5, 2), strict=True):
        sampler.score(level, value)
    assert {level.tag for level, _ in sampler.probabilities()} == {levels[i].tag for i in (0, 2, 3)}
    sampler.score(levels[0], 0.1)
    sampler.score(levels[5], 2)
    assert {level.tag for level, _ in sampler.probabilities()} == {levels[i].tag for i in (2, 3, 5)}
    with pytest.raises(ValueError, match="not a state of this level replay"):
        LevelReplay(CORRIDORS).set_state(sampler.get_state())


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 8), st.booleans()), max_size=60), st.booleans())
def test_replay_keeps_its_books(steps, endless):
    """Whatever is sampled and scored: ranks, slots and chances agree, and the state says it all."""
    source = OnTheFly(errands.corridor, 0, extent=(1, 7)) if endless else CORRIDORS
    sampler, twin = (LevelReplay(copy.copy(source), scores="learner", buffer=6) for _ in range(2))
    for word, value, restore in steps:
        level = sampler.sample(word)
        sampler.score(level, value)
        if restore:
            twin.set_state(pickle.loads(pickle.dumps(sampler.get_state())))
            assert same(twin.get_state(), sampler.get_state())
            assert same(twin.sample(word), sampler.sample(word))
        found = sampler.probabilities()
        assert len({level.tag for level, _ in found}) == len(found) <= (6 if endless else 10)
        assert sum(chance for _, chance in found) == pytest.approx(1)
        assert sorted(slot for _, slot in sampler._ranked) == list(range(len(found)))


# -- on the fly ----------------------------------------------------------------------------------


def stream(seed, count):
    return [f"word {mix(seed, number)}" for number in range(count)]


def test_the_stream_depends_on_the_seed_only():
    for workers, words in ((0, [4] * 20), (2, [4] * 20), (2, [4, *range(19)])):
        sampler = OnTheFly(errands.corridor, workers, wait=True, extent=(1, 7))
        assert [sampler.sample(word).name for word in words] == stream(4, 20)
        sampler.close()
    sampler = OnTheFly(errands.corridor, 1, wait=True, extent=(1, 7), seed=4)
    assert [sampler.sample(word).name for word in range(20)] == stream(4, 20)
    sampler.close()
    assert sampler.sample(0).name == f"word {mix(4, 20)}"  # it begins anew where it was
    sampler.close()


def test_nobody_waits_for_a_level():
    sampler = OnTheFly(errands.slow_corridor, 1, warm_up=2, buffer=4, extent=(1, 7))
    names = [sampler.sample(mix(number)).name for number in range(500)]
    wanted = stream(mix(0), 3)
    assert names[:2] == wanted[:2]
    assert set(names) <= set(wanted)
    assert sampler.figures()["repeated"] > 0.9
    sampler.close()


def test_levels_enter_in_order_also_when_they_are_repeated():
    sampler = OnTheFly(errands.slow_corridor, 2, warm_up=1, buffer=3, extent=(1, 7))
    names = []
    while sampler.figures()["levels"] < 4:
        names.append(sampler.sample(mix(len(names))).name)
    first_times = list(dict.fromkeys(names))
    assert first_times == stream(mix(0), 4)
    sampler.close()


def test_a_killed_worker_does_not_stop_the_stream():
    before = children()
    sampler = OnTheFly(errands.corridor, 2, wait=True, buffer=4, extent=(1, 7))
    names = []
    for number in range(40):
        names.append(sampler.sample(4).name)
        if number in (10, 25):
            for pid in children() - before:
                os.kill(pid, signal.SIGKILL)
    assert names == stream(4, 40)
    sampler.close()
    assert children() == before


@pytest.mark.parametrize("how", ["close", "collect", "interrupt"])
def test_no_process_outlives_the_environment(how):
    gc.collect()
    before = children()
    sampler = OnTheFly(errands.corridor, 2, extent=(1, 7), warm_up=2)
    assert children() == before  # they start when they are needed
    env = make("SameStep", sampler)
    del sampler
    env.reset(seed=0)
    pids = children() - before
    assert pids
    if how == "close":
        env.close()
    elif how == "collect":
        del env
        gc.collect()
    else:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:
            env = None
        gc.collect()
    assert all(map(gone, pids))
    assert children() == before


def test_ctrl_c_in_a_training_script_leaves_no_process(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("""
import errands, sys
import gymnasium as gym
import helpers
from gridpuzzles_gym.agents.generator.samplers import OnTheFly
env = gym.make_vec(helpers.TOY.id, num_envs=2, levels=OnTheFly(errands.slow_corridor, 2, warm_up=2, extent=(1, 7)))
env.reset(seed=0)
print("go", flush=True)
while True:
    env.step(env.action_space.sample())
""")
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY / "tests")}
    parent = subprocess.Popen(
        [sys.executable, script], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    assert parent.stdout.readline() == "go\n"
    listing = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(parent.pid)], capture_output=True, text=True, check=True
    )
    pids = [int(pid) for pid in listing.stdout.split()]
    assert len(pids) == 2
    os.killpg(parent.pid, signal.SIGINT)
    _, said = parent.communicate(timeout=20)
    assert "KeyboardInterrupt" in said
    assert all(map(gone, pids))


def test_a_level_that_cannot_be_made_is_an_error():
    sampler = OnTheFly(errands.sour_corridor, 1, extent=(1, 7))
    env = make("single", sampler)
    with pytest.raises(WorkError, match="LookupError: no level in"):
        env.reset(seed=0)
    env.close()


def test_a_sampler_made_in_the_background():
    bait = BaitSampler(7, 7)
    for source in (bait, bait.sample):
        sampler = OnTheFly(source, 1, wait=True, buffer=2)
        assert sampler.extent == (7, 7)
        level = sampler.sample(6)
        assert same(level, bait.sample(mix(6, 0)))
        sampler.close()


# -- bad arguments -------------------------------------------------------------------------------

BAD = [
    (lambda: Pack([]), "at least one level is needed"),
    (lambda: Pack("first"), "puzzle= is needed"),
    (lambda: Pack("nowhere", "Sokoban-v0"), "no levels 'nowhere'"),
    (lambda: Pack(CORRIDORS, weights=[1]), "1 weights for 10 levels"),
    (lambda: Pack(CORRIDORS, weights=[0] * 10), "not all of them 0"),
    (lambda: Pack(CORRIDORS, weights=[-1] + [1] * 9), "non-negative numbers are needed"),
    (lambda: Curriculum(CORRIDORS, [1, 2]), "2 difficulties for 10 levels"),
    (lambda: Curriculum(CORRIDORS, [float("nan")] * 10), r"difficulties\[0\] is not a number"),
    (lambda: Curriculum(CORRIDORS, width=11), "width=11: an integer from 1 to 10"),
    (lambda: Curriculum(CORRIDORS, step=0), "step=0"),
    (lambda: Curriculum(CORRIDORS, up=0.3, down=0.5), "down=0.5, up=0.3"),
    (lambda: Curriculum(CORRIDORS, up=2), "up=2: a number from 0 to 1"),
    (lambda: Curriculum(CORRIDORS, episodes=0), "episodes=0"),
    (lambda: Curriculum([Pack(CORRIDORS), CORRIDORS[0]]), "either all are samplers, or none is"),
    (lambda: LevelReplay(CORRIDORS, scores="regret"), "scores='regret' is not known; allowed are 'learner'"),
    (lambda: LevelReplay(CORRIDORS, temperature=0), "temperature=0: a number from 0.01"),
    (lambda: LevelReplay(CORRIDORS, staleness=1.5), "staleness=1.5"),
    (lambda: LevelReplay(Pack(CORRIDORS), buffer=0), "buffer=0"),
    (lambda: OnTheFly(errands.corridor), "give extent="),
    (lambda: OnTheFly("corridor", extent=(1, 7)), "a callable or a sampler is needed"),
    (lambda: OnTheFly(errands.corridor, workers=-1, extent=(1, 7)), "workers=-1"),
    (lambda: OnTheFly(errands.corridor, buffer=0, extent=(1, 7)), "buffer=0"),
    (lambda: OnTheFly(lambda word: None, extent=(1, 7)), "cannot be sent to other processes"),
]


@pytest.mark.parametrize("number", range(len(BAD)))
def test_bad_arguments_are_refused(number):
    attempt, message = BAD[number]
    with pytest.raises(ValueError, match=message):
        attempt()


def test_tags_survive_pickles():
    tagged = Tagged(CORRIDORS[3], 3)
    again = pickle.loads(pickle.dumps(tagged))
    assert same(again, tagged)
    assert list(itertools.chain(again.extent, [again.tag, again.name])) == [1, 5, 3, "corridor 5"]
