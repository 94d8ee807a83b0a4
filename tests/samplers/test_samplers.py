"""Level samplers: reproducible, saved and restored with their environments, and each does what it says."""

import copy
import pickle

import errands
import gymnasium as gym
import numpy as np
import pytest
from errands import CORRIDORS
from helpers import TOY, play, play_vector, puzzle_of, same
from hypothesis import given
from hypothesis import strategies as st

from gridpuzzles_gym.agents.samplers import Avoiding, Curriculum, GeneratedLevels, LevelReplay, OnTheFly, Pack
from gridpuzzles_gym.agents.samplers.base import mix

LENGTHS = [level.extent[1] for level in CORRIDORS]

SAMPLERS = {
    "pack": lambda: Pack(CORRIDORS),
    "weights": lambda: Pack(CORRIDORS, weights=LENGTHS),
    "curriculum": lambda: Curriculum(CORRIDORS, LENGTHS, width=3, episodes=4, up=0.5, down=0.2),
    "avoiding": lambda: Avoiding(Pack(CORRIDORS), CORRIDORS[:3], TOY.puzzle),
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


@pytest.mark.extended
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


@pytest.mark.extended
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


@pytest.mark.extended
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


# -- packs ---------------------------------------------------------------------------------------


@given(st.integers(0, 2**64 - 1))
def test_a_pack_has_a_level_for_all_random_bits(bits):
    assert Pack(CORRIDORS).sample(bits) in CORRIDORS
    assert Pack(CORRIDORS, weights=[0, 1] + [0] * 8).sample(bits) is CORRIDORS[1]


def test_a_pack_is_uniform_or_as_its_weights_are():
    random_bits = [mix(7, number) for number in range(20_000)]
    for weights in (None, [0, 1, 2, 3, 4, 0, 1, 0.5, 0, 3.5]):
        pack = Pack(CORRIDORS, weights=weights)
        counts = {id(level): 0 for level in CORRIDORS}
        for bits in random_bits:
            counts[id(pack.sample(bits))] += 1
        wanted = np.array(weights or [1] * 10) / sum(weights or [1] * 10)
        np.testing.assert_allclose(np.array(list(counts.values())) / len(random_bits), wanted, atol=0.012)


# -- generated levels ----------------------------------------------------------------------------

GENERATED = [
    ("Wumpus-v0", {"size": (5, 4), "pits": 4}, {}),
    ("Wumpus-v0", {"pit_probability": 0.2, "climb": True}, {"climb": True}),
    ("CatMouse-v0", {"maze": "random", "size": (9, 7), "cats": 3, "loops": 2}, {}),
    ("CatMouse-v0", {"maze": "random", "cats": 0}, {}),
    ("EightPuzzle-v0", {"scramble": (1, 9)}, {}),
    ("EightPuzzle-v0", {"goal": "spiral"}, {"goal": "spiral"}),
    ("FifteenPuzzle-v0", {"width": 4, "height": 4, "scramble": 50}, {}),
]


@pytest.mark.parametrize(("id", "options", "needed"), GENERATED)
def test_generated_levels_come_back_from_their_text(id, options, needed):
    sampler = GeneratedLevels(id, **options)
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


def test_only_puzzles_that_generate_are_generated():
    with pytest.raises(ValueError, match="Sokoban generates no levels of its own"):
        GeneratedLevels("Sokoban-v0")
    with pytest.raises(ValueError, match="generates no levels with these options"):
        GeneratedLevels("CatMouse-v0")
    with pytest.raises(ValueError, match="must be an environment id"):
        GeneratedLevels("Chess-v0")


# -- bad arguments -------------------------------------------------------------------------------

BAD = [
    (lambda: Pack([]), "must contain at least one level"),
    (lambda: Pack("first"), "give puzzle="),
    (lambda: Pack("nowhere", "Sokoban-v0"), "no levels 'nowhere'"),
    (lambda: Pack(CORRIDORS, weights=[1]), "1 weights for 10 levels"),
    (lambda: Pack(CORRIDORS, weights=[0] * 10), "not all of them 0"),
    (lambda: Pack(CORRIDORS, weights=[-1] + [1] * 9), "must be non-negative numbers"),
    (lambda: Curriculum(CORRIDORS, [1, 2]), "2 difficulties for 10 levels"),
    (lambda: Curriculum(CORRIDORS, [float("nan")] * 10), r"difficulties\[0\] is not a number"),
    (lambda: Curriculum(CORRIDORS, width=11), "width=11: must be an integer from 1 to 10"),
    (lambda: Curriculum(CORRIDORS, step=0), "step=0"),
    (lambda: Curriculum(CORRIDORS, up=0.3, down=0.5), "down=0.5, up=0.3"),
    (lambda: Curriculum(CORRIDORS, up=2), "up=2: must be a number from 0 to 1$"),
    (lambda: Curriculum(CORRIDORS, episodes=0), "episodes=0"),
    (lambda: Curriculum([Pack(CORRIDORS), CORRIDORS[0]]), "must be all samplers or none"),
    (lambda: LevelReplay(CORRIDORS, scores="regret"), "scores='regret' is not known; allowed are 'learner'"),
    (lambda: LevelReplay(CORRIDORS, temperature=0), "temperature=0: must be a number from 0.01 to 1000"),
    (lambda: LevelReplay(CORRIDORS, staleness=1.5), "staleness=1.5"),
    (lambda: LevelReplay(Pack(CORRIDORS), buffer=0), "buffer=0"),
    (lambda: OnTheFly(errands.corridor), "give extent="),
    (lambda: OnTheFly("corridor", extent=(1, 7)), "must be a callable or a sampler"),
    (lambda: OnTheFly(errands.corridor, workers=-1, extent=(1, 7)), "workers=-1"),
    (lambda: OnTheFly(errands.corridor, buffer=0, extent=(1, 7)), "buffer=0"),
    (lambda: OnTheFly(lambda bits: None, extent=(1, 7)), "cannot be sent to other processes"),
]


@pytest.mark.parametrize("number", range(len(BAD)))
def test_bad_arguments_are_refused(number):
    attempt, message = BAD[number]
    with pytest.raises(ValueError, match=message):
        attempt()
