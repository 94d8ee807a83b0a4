"""What every registered id promises, for all puzzles."""

import copy
import json
import math
import pickle
import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from helpers import (
    CASES,
    LIVELY,
    ROWS,
    SHORT,
    case_name,
    each_case,
    each_id,
    each_of,
    enlarged,
    every_id,
    play,
    play_vector,
    puzzle_of,
    same,
    state_bytes,
)

from gridpuzzles_gym import Outcome
from gridpuzzles_gym.engine import kernels
from gridpuzzles_gym.engine.batch import Batch
from gridpuzzles_gym.engine.config import config_of
from gridpuzzles_gym.engine.levels.sources import level_source
from gridpuzzles_gym.engine.puzzle import LevelError

BEFORE_1_4 = tuple(map(int, gym.__version__.split(".")[:2])) < (1, 4)
"""Whether this Gymnasium asserts what later ones raise as errors."""

MODES = [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED]

each_mode = pytest.mark.parametrize("mode", MODES, ids=[mode.name for mode in MODES])


def make(id, **kwargs):
    return gym.make(id, disable_env_checker=True, **kwargs)


@every_id
def test_every_id_plays_alike_alone_and_in_a_vector(id):
    env, vector = gym.make(id), gym.make_vec(id, num_envs=2)
    check_env(env.unwrapped, skip_render_check=True)
    assert vector.single_observation_space == env.observation_space
    assert vector.single_action_space == env.action_space
    seen = vector.reset(seed=3)[0][0]
    assert same(env.reset(seed=3)[0], seen)
    for action in np.random.default_rng(3).integers(0, env.action_space.n, 20).tolist():
        result, results = env.step(action), vector.step(np.full(2, action))
        assert same(result[0], results[0][0])
        assert result[1:4] == (results[1][0], results[2][0], results[3][0])
        if any(result[2:4]):
            break


# -- the checkers of others ----------------------------------------------------------------------


@each_case
def test_gymnasiums_checker_finds_nothing(id, kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gym.make(id, **kwargs).unwrapped, skip_render_check=True)


@each_case
@pytest.mark.xdist_group("torch")
def test_stable_baselines3s_checker_finds_nothing(id, kwargs):
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # It takes every uint8 box of three axes for a photograph; ours are planes of 0 and 1 for an MLP.
        warnings.filterwarnings(
            "ignore", message=".*(observation space +is an image|image space|resolution for an image)"
        )
        checker.check_env(gym.make(id, **kwargs).unwrapped, skip_render_check=True)


# -- registration --------------------------------------------------------------------------------


@pytest.mark.parametrize("row", ROWS, ids=[row.id for row in ROWS])
def test_the_spec_is_json_and_names_its_step_limit(row):
    spec = gym.spec(row.id)
    assert json.loads(json.dumps(spec.kwargs)) == spec.kwargs
    assert spec.max_episode_steps == row.max_episode_steps
    assert isinstance(spec.entry_point, str)
    assert isinstance(spec.vector_entry_point, str)
    again = gym.make(gym.envs.registration.EnvSpec.from_json(gym.make(row.id).spec.to_json()))
    assert again.spec.id == row.id


@each_id
def test_ansi_is_text_for_one_and_a_tuple_for_many(id):
    env = gym.make(id, render_mode="ansi")
    env.reset(seed=0)
    vector = gym.make_vec(id, num_envs=2, render_mode="ansi")
    vector.reset(seed=0)
    frames = vector.render()
    assert isinstance(frames, tuple)
    assert len(frames) == 2
    assert frames[0] == env.render()
    assert len(frames[0].splitlines()) > 1


@each_case
def test_results_have_the_types_that_gymnasium_requires(id, kwargs):
    env = make(id, **kwargs)
    env.reset(seed=1)
    for result in play(env, 40):
        if len(result) == 5:
            assert [type(part) for part in result[1:4]] == [float, bool, bool]
        info = result[-1]
        assert type(info["is_success"]) is bool
        assert type(info["outcome"]) is int
        assert info["outcome"] in list(Outcome)
        assert info["is_success"] == (info["outcome"] == Outcome.SOLVED)


# -- seeds ---------------------------------------------------------------------------------------


@each_case
def test_equal_seeds_give_equal_episodes(id, kwargs):
    one, other, third = make(id, **kwargs), make(id, **kwargs), make(id, **kwargs)
    starts = one.reset(seed=5), other.reset(seed=5)
    third.reset(seed=6)
    assert same(*starts)
    assert same(play(one, 150), play(other, 150))
    assert not same(one.unwrapped.get_state()["random_bits"], third.unwrapped.get_state()["random_bits"])


@each_id
def test_reset_without_a_seed_continues(id):
    env, twin = make(id), make(id)
    env.reset(seed=5)
    words = [env.unwrapped.batch.random_bits.copy()]
    starts = []
    for _ in range(20):
        starts.append(env.reset()[0])
        words.append(env.unwrapped.batch.random_bits.copy())
    assert len({word.tobytes() for word in words}) == len(words)
    assert len({start.tobytes() + world.tobytes() for start, world in zip(starts, words[1:], strict=True)}) == 20
    twin.reset(seed=5)
    assert all(same(twin.reset()[0], start) for start in starts)


# -- one = many ----------------------------------------------------------------------------------


def ends_of(infos, ended, mode):
    """The infos of the environments that ended now, as Gymnasium lays them out."""
    if mode is AutoresetMode.SAME_STEP:
        if not ended.any():
            assert "final_info" not in infos
            return None
        assert np.array_equal(infos["_final_obs"], ended)
        assert np.array_equal(infos["_final_info"], ended)
        finals = infos["final_obs"]
        assert [final is not None for final in finals] == ended.tolist()
        details = infos["final_info"]
    else:
        finals, details = [], infos
    if not ended.any():
        return None
    assert details["_is_success"][ended].all()
    assert details["is_success"].dtype == bool
    return (
        [final for final in finals if final is not None],
        details["is_success"][ended].tolist(),
        details["outcome"][ended].tolist(),
    )


@pytest.mark.parametrize(
    ("mode", "limit"),
    [
        (AutoresetMode.NEXT_STEP, None),
        (AutoresetMode.NEXT_STEP, 7),
        (AutoresetMode.SAME_STEP, 7),
        (AutoresetMode.DISABLED, 7),
    ],
)
@each_case
def test_native_vector_equals_sync_vector(id, kwargs, limit, mode):
    size, steps = 4, 160 if limit is None else 80
    more = {} if limit is None else {"max_episode_steps": limit}
    native = gym.make_vec(id, num_envs=size, autoreset_mode=mode, masks=True, **kwargs, **more)
    twin = SyncVectorEnv([lambda: make(id, **kwargs, **more)] * size, autoreset_mode=mode)
    assert native.metadata["autoreset_mode"] is twin.metadata["autoreset_mode"] is native.autoreset_mode is mode
    assert native.observation_space == twin.observation_space
    assert native.action_space == twin.action_space
    seeds = [7, 7, 11, 2**40]
    names = [word for name in ("action_mask", *native.batch.metric_kinds) for word in (name, "_" + name)]

    def shown(infos):
        return {name: infos[name] for name in names}

    first, expected = native.reset(seed=seeds), twin.reset(seed=seeds)
    assert same(first[0], expected[0])
    assert same(shown(first[1]), shown(expected[1]))
    numbers = np.random.default_rng(3)
    kinds = set()
    for _ in range(steps):
        masks = native.action_masks()
        assert masks.dtype == bool
        assert np.array_equal(masks, np.stack(twin.call("action_masks")))
        wild = numbers.random(size) < 0.3
        actions = np.where(wild[:, None], 1.0, masks + 1e-9) * numbers.random(masks.shape)
        seen, expected = native.step(actions.argmax(1)), twin.step(actions.argmax(1))
        assert same(seen[:4], expected[:4])
        assert same(shown(seen[4]), shown(expected[4]))
        ended = seen[2] | seen[3]
        kinds |= {kind for kind, here in zip(("terminated", "truncated"), seen[2:4], strict=True) if here.any()}
        assert same(ends_of(seen[4], ended, mode), ends_of(expected[4], ended, mode))
        if "final_info" in seen[4]:
            finals = (infos[4]["final_info"] for infos in (seen, expected))
            assert same(*({name: final[name] for name in names[2:]} for final in finals))
        if mode is AutoresetMode.DISABLED and ended.any():
            resets = [env.reset(options={"reset_mask": ended.copy()}) for env in (native, twin)]
            assert same(resets[0][0], resets[1][0])
            assert same(*(shown(reset[1]) for reset in resets))
    if limit:
        assert "truncated" in kinds
    assert kinds or steps < gym.spec(id).max_episode_steps  # random play seldom solves a large puzzle


@each_mode
@each_id
def test_without_copies_infos_are_the_same(id, mode):
    kwargs = {**SHORT.get(id, {}), "num_envs": 5, "max_episode_steps": 3, "autoreset_mode": mode}
    shared, copied = gym.make_vec(id, copy=False, **kwargs), gym.make_vec(id, **kwargs)
    assert same(shared.reset(seed=1), copied.reset(seed=1))
    finals = 0
    for actions in np.random.default_rng(1).integers(0, shared.single_action_space.n, (40, 5)):
        results = [env.step(actions) for env in (shared, copied)]
        assert same(*results)
        finals += "final_info" in results[0][4] or "outcome" in results[0][4]
        if mode is AutoresetMode.DISABLED and (ended := results[1][2] | results[1][3]).any():
            assert same(*(env.reset(options={"reset_mask": ended.copy()}) for env in (shared, copied)))
    assert 5 < finals < 40 or id in SHORT


FIRST = dict(reversed(CASES))
COMPILED = [
    pytest.param(*case, id=case_name(case), marks=() if case[1] is FIRST[case[0]] else pytest.mark.extended)
    for case in CASES
]
STILL = [case for case in CASES if case[0] not in LIVELY]


@pytest.mark.compiled
@pytest.mark.parametrize(("id", "kwargs"), COMPILED)
def test_interpreted_rules_equal_compiled_ones(id, kwargs):
    puzzle = puzzle_of(id)
    kwargs = dict(kwargs)
    observation, levels = kwargs.pop("observation"), kwargs.pop("levels", None)
    options = puzzle.read_options(**kwargs)
    batches = []
    for _ in range(2):
        source = level_source(puzzle, levels, options)
        batch = Batch(puzzle, options, observation, source, 3, limit=25, autoreset=kernels.SAME_STEP, masks=True)
        for i in range(3):
            batch.seed(i, np.random.default_rng(i))
        batches.append(batch)
    compiled, interpreted = batches
    interpreted._step_batch = kernels.kernel(kernels.make_step_batch, puzzle, observation).py_func
    numbers = np.random.default_rng(1)
    names = ("states", "random_bits", "counters", "metrics", "scores", "ends", "views", "masks", "levels")
    with np.errstate(all="raise"):
        for batch in batches:
            batch.reset()
        for _ in range(60):
            assert all(same(getattr(compiled, name), getattr(interpreted, name)) for name in names)
            actions = numbers.integers(0, len(compiled.action_names), 3)
            for batch in batches:
                batch.actions[:] = actions
                batch.step()
    assert compiled.counters[kernels.FINAL_LENGTH].any()


# -- saving --------------------------------------------------------------------------------------


def through_pickle(env):
    return pickle.loads(pickle.dumps(env))


each_way_to_copy = pytest.mark.parametrize("copied", [copy.deepcopy, through_pickle], ids=["deepcopy", "pickle"])


@each_way_to_copy
@each_case
def test_a_copied_environment_continues_equally(id, kwargs, copied):
    env = make(id, **kwargs)
    copied(env).reset(seed=0)
    env.reset(seed=2)
    play(env, 10)
    twin = copied(env)
    before = state_bytes(twin)
    first = play(env, 120, seed=1)
    assert state_bytes(twin) == before
    assert same(first, play(twin, 120, seed=1))


@each_case
def test_a_state_comes_back_whole(id, kwargs):
    env, other = make(id, **kwargs).unwrapped, make(id, **kwargs).unwrapped
    env.reset(seed=2)
    play(env, 5)
    saved = env.get_state()
    kept = pickle.loads(pickle.dumps(saved))
    first = play(env, 120, seed=1)
    assert same(saved, kept), "it is a copy"
    env.set_state(saved)
    assert same(play(env, 120, seed=1), first)
    other.set_state(kept)
    assert same(play(other, 120, seed=1), first)


@pytest.mark.parametrize("mode", MODES[:2], ids=["NEXT_STEP", "SAME_STEP"])
@each_case
def test_a_vector_state_comes_back_whole(id, kwargs, mode):
    env, other = (gym.make_vec(id, num_envs=3, max_episode_steps=7, autoreset_mode=mode, **kwargs) for _ in range(2))
    env.reset(seed=2)
    for steps in (3, 4, 1):  # in the middle of an episode, at its end, after it
        play_vector(env, steps)
        saved = pickle.loads(pickle.dumps(env.get_state()))
        first = play_vector(env, 40, seed=1)
        env.set_state(saved)
        assert same(play_vector(env, 40, seed=1), first)
        other.set_state(saved)
        assert same(play_vector(other, 40, seed=1), first)
        env.set_state(saved)


@each_id
def test_a_foreign_state_is_refused_and_changes_nothing(id):
    env = make(id).unwrapped
    env.reset(seed=2)
    before = state_bytes(env)
    vector = gym.make_vec(id, num_envs=3)
    vector.reset(seed=0)
    for foreign in (vector.get_state(), {}, None, 3, {**env.get_state(), "states": None}):
        with pytest.raises(ValueError, match="not a state of this environment"):
            env.set_state(foreign)
    assert state_bytes(env) == before


@each_id
def test_the_step_count_is_part_of_the_state(id):
    env = gym.make_vec(id, num_envs=1, max_episode_steps=3)
    env.reset(seed=0, options={"level": 0})
    # What changes nothing, where there is such a thing: so nothing but the clock ends the episode.
    idle = np.append(np.flatnonzero(~env.action_masks()[0]), 0)[:1]
    env.step(idle)
    saved = env.get_state()
    for _ in range(2):
        env.set_state(saved)
        assert [bool(env.step(idle)[3][0]) for _ in range(2)] == [False, True]


# -- masks ---------------------------------------------------------------------------------------


@each_case
def test_masks_serve_gymnasium_and_maskable_ppo(id, kwargs):
    env = make(id, **kwargs).unwrapped
    _, info = env.reset(seed=3)
    env.action_space.seed(0)
    for _ in range(60):
        mask = info["action_mask"]
        assert mask.dtype == np.int8
        assert mask.shape == (env.action_space.n,)
        assert env.action_masks().dtype == bool
        assert np.array_equal(env.action_masks(), mask == 1)
        action = int(env.action_space.sample(mask=mask))
        assert mask[action]
        _, _, terminated, _, info = env.step(action)
        if terminated:
            _, info = env.reset()


@each_of(STILL)
def test_a_masked_out_action_leaves_what_is_seen_as_it_was(id, kwargs):
    """Only the percepts of the moment (a bump, a scream just heard) may change."""
    env = make(id, **kwargs).unwrapped
    env.reset(seed=3)
    channels = env.channels
    lasting = [i for i, channel in enumerate(channels) if channel not in ("bump", "scream")]
    tried = 0
    for seed in range(40):
        mask = env.action_masks()
        saved, before = env.get_state(), env.batch.observations[0].copy()
        for action in np.flatnonzero(~mask).tolist():
            observation, _, terminated, _, info = env.step(action)
            assert not terminated
            assert np.array_equal(observation[lasting], before[lasting])
            assert np.array_equal(info["action_mask"] == 1, mask)
            env.set_state(saved)
            tried += 1
        play(env, 1, seed=seed)
    assert tried


# -- what is not allowed -------------------------------------------------------------------------

NO_ACTIONS = [
    -1,
    10**6,
    2**63,
    2**70,
    -(2**70),
    1.0,
    np.float64(1),
    math.nan,
    "1",
    "up",
    None,
    [1],
    np.array([1, 2]),
    {},
]


@each_id
def test_an_illegal_action_is_a_value_error_and_changes_nothing(id):
    env, batch = make(id).unwrapped, gym.make_vec(id, num_envs=2)
    for played, illegal in ((env, NO_ACTIONS), (batch, NO_BATCH_OF_ACTIONS)):
        played.reset(seed=0)
        before = state_bytes(played)
        for action in illegal:
            with pytest.raises(ValueError, match="action"):
                played.step(action)
            assert state_bytes(played) == before, action


NO_BATCH_OF_ACTIONS = [
    [0, -1],
    [0, 10**6],
    [0],
    [0, 0, 0],
    [[0, 0]],
    [0.0, 0.0],
    [0, None],
    ["0", "0"],
    None,
    [True, False],
    [0, 2**70],
    0,
]


@each_id
def test_nothing_works_before_the_first_reset(id):
    for env, action in ((make(id).unwrapped, 0), (gym.make_vec(id, num_envs=2), np.zeros(2, int))):
        for call in (lambda env=env, action=action: env.step(action), env.action_masks, env.get_state):
            with pytest.raises(ResetNeeded):
                call()


@each_id
def test_an_episode_that_has_ended_wants_a_reset(id):
    vector = gym.make_vec(id, num_envs=2, max_episode_steps=1, autoreset_mode="Disabled")
    vector.reset(seed=0)
    vector.step(np.zeros(2, int))
    before = state_bytes(vector)
    with pytest.raises(ResetNeeded, match="environment 0"):
        vector.step(np.zeros(2, int))
    assert state_bytes(vector) == before
    vector.reset(options={"reset_mask": np.array([True, False])})
    with pytest.raises(ResetNeeded, match="environment 1"):
        vector.step(np.zeros(2, int))

    env = make(id, **SHORT.get(id, {})).unwrapped
    env.reset(seed=0)
    numbers = np.random.default_rng(0)
    for _ in range(100_000):
        if env.step(int(numbers.integers(env.action_space.n)))[2]:
            break
    else:
        pytest.fail("no episode has ended")
    before = state_bytes(env)
    with pytest.raises(ResetNeeded):
        env.step(0)
    assert state_bytes(env) == before
    env.reset()
    env.step(0)


@each_id
def test_bad_keyword_arguments_are_value_errors(id):
    for kwargs in (
        {"no_such_argument": 1},
        {"levels": "no such levels"},
        {"levels": []},
        {"levels": 3},
        {"levels": "x" * 5000},
        {"levels": ""},
        {"levels": "\n"},
    ):
        named = "no such|no level|no_such|levels"
        with pytest.raises(ValueError, match=named):
            gym.make(id, **kwargs)
        with pytest.raises(ValueError, match=named):
            gym.make_vec(id, num_envs=2, **kwargs)


@each_id
def test_bad_keyword_arguments_of_the_vector_environment(id):
    with pytest.raises(ValueError, match="num_envs=0: must be an integer from 1 to 1,048,576"):
        gym.make_vec(id, num_envs=0)
    with pytest.raises(ValueError, match="max_episode_steps=0: must be an integer from 1 to"):
        gym.make_vec(id, num_envs=2, max_episode_steps=0)
    with pytest.raises(ValueError, match="'Later' is not known; allowed are 'NextStep', 'SameStep', 'Disabled'"):
        gym.make_vec(id, num_envs=2, autoreset_mode="Later")
    with pytest.raises(ValueError, match="needs a single environment"):
        gym.make_vec(id, num_envs=2, render_mode="human")


@each_id
def test_there_can_be_no_step_limit(id):
    """Gymnasium's -1, in every kind of environment; None is the limit of the id for a single one only."""
    made = {
        "single": gym.make(id, max_episode_steps=-1),
        "native": gym.make_vec(id, num_envs=2, max_episode_steps=-1),
        "native None": gym.make_vec(id, num_envs=2, max_episode_steps=None),
        "one": gym.make_vec(id, num_envs=1, max_episode_steps=np.int64(-1)),
        "sync": gym.make_vec(id, num_envs=2, max_episode_steps=-1, vectorization_mode="sync"),
        "from its spec": gym.make_vec(gym.make_vec(id, num_envs=2, max_episode_steps=-1).spec),
    }
    assert {name: config_of(env).limit for name, env in made.items()} == dict.fromkeys(made)
    given = gym.make_vec(id, num_envs=2, max_episode_steps=7, vectorization_mode="sync")
    assert config_of(given).limit == 7
    env, limit = made["native"], gym.spec(id).max_episode_steps
    env.reset(seed=0)
    free = np.array([limit + 1, limit + 1], np.int32)
    env.unwrapped.batch.counters[kernels.ELAPSED] = free  # as after many steps
    assert not env.step(np.zeros(2, np.int64))[3].any()


@each_id
def test_bad_seeds_and_reset_masks_are_errors(id):
    env = gym.make_vec(id, num_envs=2, autoreset_mode="Disabled")
    with pytest.raises(ValueError, match="3 seeds for 2 environments"):
        env.reset(seed=[1, 2, 3])
    env.reset(seed=0)
    before = state_bytes(env)
    twin = gym.make_vec(id, num_envs=2, vectorization_mode="sync", vector_kwargs={"autoreset_mode": "Disabled"})
    twin.reset(seed=0)
    for mask in ([True, False], np.ones(3, bool), np.zeros(2, bool), np.ones(2, int), np.ones(3, int), None):
        with pytest.raises((TypeError, ValueError), match="reset_mask") as error:
            env.reset(options={"reset_mask": mask})
        of_gymnasium = (TypeError, ValueError) if mask is not None and np.shape(mask) == (3,) else TypeError
        wrong_kind = not isinstance(mask, np.ndarray) or mask.dtype != bool
        assert isinstance(error.value, TypeError) == wrong_kind
        expected = of_gymnasium if wrong_kind else ValueError
        with pytest.raises(AssertionError if BEFORE_1_4 else expected, match="reset_mask"):
            twin.reset(options={"reset_mask": mask})
    assert state_bytes(env) == before


# -- reset options -------------------------------------------------------------------------------


@each_id
def test_reset_options(id):
    env = make(id).unwrapped
    env.reset(seed=0)
    assert same(make(id).reset(seed=0, options={}), make(id).reset(seed=0))
    before = state_bytes(env)
    with pytest.raises(ValueError, match="unknown reset option 'lvl'; allowed are 'level'"):
        env.reset(options={"lvl": 1})
    for level in ("no such level", 10**6, -1, 2.5, True, "?\n?\n"):
        with pytest.raises(LevelError):
            env.reset(options={"level": level})
    assert state_bytes(env) == before


@each_id
def test_a_level_by_index_by_name_by_text_is_the_same(id):
    env, puzzle = make(id).unwrapped, puzzle_of(id)
    first = env.reset(seed=0, options={"level": 0})
    name = env.batch.level_played(0).name
    assert same(env.reset(seed=0, options={"level": name}), first)
    scene = env.batch.scene(0)
    text = puzzle.format(scene.level, scene.state)
    assert same(env.reset(seed=0, options={"level": text}), first)
    vector = gym.make_vec(id, num_envs=2)
    assert same(vector.reset(options={"level": text})[0], np.stack([first[0]] * 2))


@each_id
def test_a_level_too_large_says_how_large(id):
    puzzle = puzzle_of(id)
    env = make(id).unwrapped
    env.reset(seed=0, options={"level": 0})
    scene = env.batch.scene(0)
    text = enlarged(puzzle, puzzle.format(scene.level, scene.state))
    before = state_bytes(env)
    with pytest.raises(LevelError, match=r"needs \d+x\d+ squares.* the maximum in this environment is \d+x\d+"):
        env.reset(options={"level": text})
    assert state_bytes(env) == before


# -- whose arrays --------------------------------------------------------------------------------


@each_case
def test_returned_arrays_are_the_callers_own(id, kwargs):
    env, twin = make(id, **kwargs).unwrapped, make(id, **kwargs).unwrapped
    result, expected = env.reset(seed=0), twin.reset(seed=0)
    for action in [0, 1, 2, 3, 0, 2] * 3:
        kept = copy.deepcopy(result)
        result[0][...] = 1
        result[-1]["action_mask"][:] = 9
        assert same(kept, expected)
        env.action_masks()[:] = False
        if len(result) == 5 and result[2]:
            result, expected = env.reset(), twin.reset()
        else:
            result, expected = env.step(action), twin.step(action)


# -- other forms of observations -----------------------------------------------------------------


@each_case
def test_observations_in_another_form_are_the_same_numbers(id, kwargs):
    forms = ({"flat": True}, {"dtype": "float32"}, {"flat": True, "dtype": np.float64})
    plain, *others = (make(id, **kwargs, **form) for form in ({}, *forms))
    vectors = [gym.make_vec(id, num_envs=2, **kwargs, **form) for form in ({}, *forms)]
    for form, env in zip(forms, others, strict=True):
        space, own = env.observation_space, plain.observation_space
        assert space.shape == ((math.prod(own.shape),) if "flat" in form else own.shape)
        assert space.dtype == np.dtype(form.get("dtype", own.dtype))
    seen = [[env.reset(seed=5)[0], *(result[0] for result in play(env, 9, seed=5))] for env in (plain, *others)]
    for env, observations in zip(others, seen[1:], strict=True):
        for observation, expected in zip(observations, seen[0], strict=True):
            assert observation in env.observation_space
            assert np.array_equal(observation.reshape(-1), expected.reshape(-1))
    played = [[env.reset(seed=5)[0], *(result[0] for result in play_vector(env, 9, 5))] for env in vectors]
    for env, observations in zip(vectors[1:], played[1:], strict=True):
        assert all(observation in env.observation_space for observation in observations)
        assert same(
            [observation.reshape(2, -1).astype(np.uint8) for observation in observations],
            [expected.reshape(2, -1).astype(np.uint8) for expected in played[0]],
        )


@each_id
def test_invalid_formats_are_reported(id):
    for make_any in (gym.make, gym.make_vec):
        with pytest.raises(ValueError, match="flat='yes': must be True or False"):
            make_any(id, flat="yes")
        assert make_any(id, dtype=np.dtype("float32")).observation_space.dtype == np.float32
        for dtype in ("float", "int8", 3, np.complex64):
            with pytest.raises(ValueError, match=r"dtype=.* is not known; .*allowed are 'uint8', .*'float64' and None"):
                make_any(id, dtype=dtype)
