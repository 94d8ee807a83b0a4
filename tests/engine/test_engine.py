"""The engine beneath the environments: frames, randomness, samplers, expand, level sources."""

import gc

import gymnasium as gym
import numpy as np
import pytest
from helpers import LIVELY, ROWS, TOY, play_vector, puzzle_of, same
from numba import njit

from gridpuzzles_gym import Outcome
from gridpuzzles_gym.engine import kernels
from gridpuzzles_gym.engine.compile import compilation
from gridpuzzles_gym.engine.compile.indexing import from_front
from gridpuzzles_gym.engine.compile.memory import copy_row, copy_to, frame_of, frame_reader
from gridpuzzles_gym.engine.kernels import GOAL, LEGAL, TERMINAL
from gridpuzzles_gym.engine.puzzle import Level, load_puzzle
from gridpuzzles_gym.engine.random import below, chance, next_bits

# -- arrays behind one argument ------------------------------------------------------------------


def test_a_frame_leads_to_its_arrays():
    """Interpreted and compiled alike, and empty ones too."""
    arrays_of = frame_reader([(np.int64, 1), (np.int16, 2), (np.int8, 2)])

    def kernel(frame):
        line, table, empty = arrays_of(frame)
        line[0] += table[1, 2]
        copy_row(table[1], table[0])
        return line.shape[0] + 10 * table.shape[1] + 100 * empty.shape[0] + 1000 * empty.shape[1]

    line, table, empty = np.arange(5), np.arange(6, dtype=np.int16).reshape(2, 3), np.zeros((0, 4), np.int8)
    frame = frame_of((line, table, empty))
    for count, call in enumerate((kernel, njit(kernel), compilation.entry(njit(kernel), frame)), start=1):
        table[0] = 0
        assert call(frame) == 4035
        assert line.tolist() == [5 * count, 1, 2, 3, 4]
        assert table.tolist() == [[3, 4, 5], [3, 4, 5]]


def test_rows_are_copied_to_an_address():
    def kernel(table, address):
        copy_to(table[1], address)

    table, target = np.arange(6, dtype=np.int16).reshape(2, 3), np.zeros(4, np.int16)
    for call in (kernel, njit(kernel)):
        target[:] = 9
        call(table, target.ctypes.data)
        assert target.tolist() == [3, 4, 5, 9]


def test_indices_from_the_front_reach_what_numbas_own_do():
    """Rows, slices, tuples, copies, and constant indices from the end."""

    def kernel(table, place):
        rows = from_front(table)
        row = rows[place]
        row[place + 1] += rows[place, 0] * 10
        rows[place - 1, place] = row[-1] + rows[1:, place][0]
        copy = row.copy()
        copy[place] = 99
        return row[place] + copy[place] + rows[-1, -2]

    tables = [np.arange(12, dtype=np.int16).reshape(3, 4) for _ in range(2)]
    assert kernel(tables[0], 1) == njit(kernel)(tables[1], 1)
    assert same(*tables)
    assert tables[0].tolist() == [[0, 12, 2, 3], [4, 5, 46, 7], [8, 9, 10, 11]]


# -- randomness ----------------------------------------------------------------------------------


def test_the_generator_is_marsaglias():
    """xorshift64 with shifts 13, 7, 17, in Python's integers."""
    rng, word = np.array([88172645463325252], np.uint64), 88172645463325252
    for _ in range(100):
        word = (word ^ (word << 13)) & (2**64 - 1)
        word ^= word >> 7
        word = (word ^ (word << 17)) & (2**64 - 1)
        assert next_bits(rng) == word >> 32
        assert rng[0] == word


def test_the_compiled_generator_is_the_same():
    @njit
    def several(rng):
        return [next_bits(rng), below(rng, 10), below(rng, 3), chance(rng, 2**31)]

    for seed in (1, 2**40, 2**64 - 1):
        one, other = np.array([seed], np.uint64), np.array([seed], np.uint64)
        expected = [next_bits(one), below(one, 10), below(one, 3), chance(one, 2**31)]
        assert list(several(other)) == [int(number) for number in expected]
        assert one[0] == other[0]


# -- samplers ------------------------------------------------------------------------------------


class Growing:
    """Corridors, one square longer after each success; it remembers all reports."""

    extent = (1, 40)

    def __init__(self):
        self.length = 2
        self.reports = []

    def sample(self, word):
        assert 0 <= word < 2**64
        length = self.length + word % 2
        ends = "SG" if word >> 63 else "GS"
        return Level((1, length), [ends[0] + "." * (length - 2) + ends[1]], f"corridor {length}")

    def report(self, level, outcome, score):
        self.reports.append((level.name, outcome, score))
        self.length = min(30, self.length + (outcome == Outcome.SOLVED))

    def get_state(self):
        return self.length, list(self.reports)

    def set_state(self, state):
        self.length, self.reports = state[0], list(state[1])


def corridor(kind, sampler, **kwargs):
    if kind == "single":
        return gym.make(TOY.id, levels=sampler, disable_env_checker=True, **kwargs).unwrapped
    return gym.make_vec(TOY.id, num_envs=1, levels=sampler, autoreset_mode=kind, **kwargs).unwrapped


def walk(env, episodes, vector):
    """Go for the goal, episode after episode; the (title, steps) of each."""
    played = []
    env.reset(seed=3)
    while len(played) < episodes:
        scene = env.batch.scene(0)
        towards = 3 if scene.state[0] < scene.level[2] else 2
        ended = bool(env.step(np.array([towards]))[2][0]) if vector else env.step(towards)[2]
        if ended:
            played.append((scene.title, scene.steps + 1))
            if not vector:
                env.reset()
            elif env.metadata["autoreset_mode"].value == "NextStep":
                env.step(np.array([0]))
    return played


def test_a_sampler_drives_single_and_vector_environments_alike():
    found = {}
    for kind in ("single", "NextStep", "SameStep"):
        sampler = Growing()
        env = corridor(kind, sampler)
        found[kind] = (walk(env, 12, kind != "single"), sampler.reports)
    assert same(found["single"], found["NextStep"])
    assert same(found["single"], found["SameStep"])
    played, reports = found["single"]
    assert [name for name, _, _ in reports] == [name for name, _ in played]
    assert [score for _, _, score in reports] == [1000.0 - steps for _, steps in played]
    assert {outcome for _, outcome, _ in reports} == {Outcome.SOLVED}
    lengths = [int(name.split()[1]) for name, _ in played]
    assert lengths[0] in (2, 3)
    assert lengths[-1] > 8  # it has grown with the reports


def test_a_sampler_hears_of_truncation():
    sampler = Growing()
    env = gym.make_vec(TOY.id, num_envs=2, levels=sampler, max_episode_steps=3)
    env.reset(seed=0)
    for _ in range(8):
        env.step(np.zeros(2, int))
    assert [report[1:] for report in sampler.reports] == [(Outcome.UNFINISHED, -3.0)] * 4


def test_the_rows_of_a_level_are_kept_as_long_as_the_level():
    env = corridor("NextStep", Growing())
    walk(env, 12, vector=True)
    gc.collect()
    assert len(env.batch.encode._known) <= 2, "the level that is played and the next one"
    level = Level((1, 5), ["S...G"], "kept")
    assert env.batch.encode(level) is env.batch.encode(level)


def test_next_step_ignores_the_action_of_an_environment_it_resets():
    env = gym.make_vec(TOY.id, num_envs=2, max_episode_steps=1)
    env.reset(seed=0)
    env.step(np.array([0, 0]))
    _, rewards, terminated, truncated, _ = env.step(np.array([99, -99]))
    assert not np.stack([rewards, terminated, truncated]).any()
    with pytest.raises(ValueError, match="action 99 in environment 1 is out of range"):
        env.step(np.array([0, 99]))


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_the_sampler_is_part_of_the_state(mode):
    sampler, other = Growing(), Growing()
    env, twin = (
        gym.make_vec(TOY.id, num_envs=3, levels=source, autoreset_mode=mode, max_episode_steps=9)
        for source in (sampler, other)
    )
    env.reset(seed=1)
    play_vector(env, 25)
    saved = env.get_state()
    first = play_vector(env, 60, seed=1)
    reports = list(sampler.reports)
    assert len(reports) > len(saved["sampler"][1])
    for again, source in ((env, sampler), (twin, other)):
        again.set_state(saved)
        assert same(play_vector(again, 60, seed=1), first)
        assert source.reports == reports


# -- expand, the successor function of every search ----------------------------------------------


@pytest.mark.parametrize("id", [row.id for row in ROWS if row.id not in LIVELY])
def test_expand_is_step_for_every_action(id):
    """Where something moves by chance, each action would have to draw alike."""
    puzzle = puzzle_of(id)
    env = gym.make(id).unwrapped
    expand = kernels.kernel(kernels.make_expand, puzzle)
    actions = int(env.action_space.n)
    numbers = np.random.default_rng(0)
    env.reset(seed=0)
    for _ in range(60):
        scene = env.batch.scene(0)
        children = np.full((actions, len(scene.state)), -7, np.int16)
        rewards, flags = np.full(actions, -7.0), np.full(actions, 7, np.uint8)
        words = env.batch.random_bits.copy()
        count = expand(scene.level, scene.state, words, children, rewards, flags)
        twin = children.copy(), rewards.copy(), flags.copy()
        assert expand.py_func(scene.level, scene.state, words, *twin) == count
        assert same(twin, (children, rewards, flags))
        mask, saved = env.action_masks(), env.get_state()
        assert count == mask.sum()
        assert np.array_equal(flags & LEGAL, mask)
        for action in np.flatnonzero(mask).tolist():
            _, reward, terminated, _, info = env.step(action)
            assert np.array_equal(env.batch.states[0], children[action])
            assert reward == rewards[action]
            assert terminated == bool(flags[action] & TERMINAL)
            assert info["is_success"] == bool(flags[action] & GOAL)
            env.set_state(saved)
        assert (rewards[~mask] == -7).all()
        if env.step(int(numbers.integers(actions)))[2]:
            env.reset()


DECODED = [
    (row.id, name)
    for row in ROWS
    for name, observation in load_puzzle(row.puzzle).observations.items()
    if observation.decode is not None
]


@pytest.mark.parametrize(("id", "name"), DECODED)
def test_decode_is_the_inverse_of_observe(id, name):
    puzzle = puzzle_of(id)
    env = gym.make(id, observation=name).unwrapped
    observation, _ = env.reset(seed=0)
    numbers = np.random.default_rng(0)
    for _ in range(40):
        level, state = puzzle.decode(name, observation, env.batch.extent, env.options)
        scene = env.batch.scene(0)
        assert same((level, state), (scene.level, scene.state))
        observation, _, ended, _, _ = env.step(int(numbers.integers(env.action_space.n)))
        if ended:
            observation, _ = env.reset()
