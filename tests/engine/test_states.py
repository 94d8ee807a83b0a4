"""Saved states, pickles, problems and observations from outside: what play comes to is taken, all else refused."""

import pickle

import gymnasium as gym
import numpy as np
import pytest
from helpers import each_case, each_id, puzzle_of, same, state_bytes
from mutants import fuzz

from gridpuzzles_gym.engine.kernels import ELAPSED, ENDED, FINAL_LENGTH, OUTCOME, PLACE, QUEUED, SEEDED
from gridpuzzles_gym.engine.puzzle import Level, LevelError


def begun(id, **kwargs):
    env = gym.make(id, disable_env_checker=True, **kwargs).unwrapped
    env.reset(seed=1)
    return env


@each_case
def test_every_state_that_play_comes_to_is_taken(id, kwargs):
    env, twin = begun(id, **kwargs), begun(id, **kwargs)
    luck = np.random.default_rng(0)
    for number in range(200):
        _, _, ended, _, _ = env.step(int(luck.integers(env.action_space.n)))
        if number % 3 == 0 or ended:
            saved = env.get_state()
            twin.set_state(saved)
            saved["counters"][PLACE] = -1  # where in the pool the level comes from is not restored
            assert same(twin.get_state(), saved)
        if ended:
            env.reset()


@each_case
def test_mutants_of_saved_states_do_no_harm(id, kwargs):
    fuzz(begun(id, **kwargs), (id, kwargs), count=150, seed=3)


def entry(name, change):
    return lambda saved: {**saved, name: change(saved[name])}


def put(name, place, value):
    def change(array):
        array = array.copy()
        array[place] = value
        return array

    return entry(name, change)


WRONG = {
    "state": (put("states", (0, 0), 32000), "state"),
    "level": (put("levels", (0, 0), 32000), "state"),
    "state before": (put("befores", (0, 0), 32000), "the state before is invalid"),
    "ELAPSED": (put("counters", (ELAPSED, 0), -1), "ELAPSED is negative"),
    "FINAL_LENGTH": (put("counters", (FINAL_LENGTH, 0), -1), "FINAL_LENGTH is negative"),
    "ENDED": (put("counters", (ENDED, 0), 2), "ENDED is neither 0 nor 1"),
    "SEEDED": (put("counters", (SEEDED, 0), 0), "the counter SEEDED is 0"),
    "QUEUED": (put("counters", (QUEUED, 0), 1), "QUEUED disagrees with the levels in waiting"),
    "random_bits": (put("random_bits", 0, 0), ": random_bits is 0; the generator needs a non-zero value"),
    "level_random_bits": (put("level_random_bits", 0, 0), ": level_random_bits is 0; the generator needs"),
    "scores": (put("scores", (1, 0), np.nan), "not a finite number"),
    "ends": (put("ends", (0, 0), 3), "EITHER or SUCCESS is neither 0 nor 1"),
    "outcome": (put("ends", (OUTCOME, 0), 9), "OUTCOME"),
    "playing": (entry("playing", lambda playing: [3]), "must be a Level"),
    "more playing": (entry("playing", lambda playing: []), "playing must be a list of length 1"),
    "another playing": (entry("playing", lambda playing: [Level((1, 2), 3)]), "is not a level of"),
    "waiting": (entry("waiting", lambda waiting: {5: None}), "environment numbers"),
    "no waiting": (entry("waiting", lambda waiting: None), "waiting must be a dict"),
    "action": (entry("action", lambda action: 99), "invalid action 99"),
    "type": (entry("states", lambda states: states.astype(np.int64)), "states is int64"),
    "missing": (lambda saved: {name: saved[name] for name in saved if name != "random_bits"}, "no entry 'random_bits'"),
    "no dict": (lambda saved: [saved], "a list"),
}


@pytest.mark.parametrize("name", WRONG)
@each_id
def test_a_wrong_entry_is_refused_and_nothing_changes(id, name):
    change, message = WRONG[name]
    env = begun(id)
    env.step(0)
    before, saved = state_bytes(env), env.get_state()
    with pytest.raises(ValueError, match=f"^not a state of this environment.*{message}"):
        env.set_state(change(saved))
    assert state_bytes(env) == before
    assert same(env.get_state(), saved)


LAST_STEPS = {
    "Sokoban-v0": {"levels": "#####\n#@$.#\n#####\n"},
    "EightPuzzle-v0": {"width": 2, "height": 2},
    "FifteenPuzzle-v0": {"width": 2, "height": 2},
}
"""Options with which random play comes to an end soon."""


@each_id
def test_a_state_that_ends_an_episode_is_refused_as_one_that_goes_on(id):
    env, luck = begun(id, **LAST_STEPS.get(id, {})), np.random.default_rng(0)
    for _ in range(20_000):
        if env.step(int(luck.integers(env.action_space.n)))[2]:
            break
    saved = env.get_state()
    assert saved["counters"][ENDED, 0] == 1
    env.set_state(saved)
    with pytest.raises(ValueError, match="the state ends an episode, but the counter ENDED is 0"):
        env.set_state(put("counters", (ENDED, 0), 0)(saved))


@each_id
def test_a_wrong_row_of_a_pickle_is_refused(id):
    env = begun(id)
    env.batch.states[0, 0] = 32000
    with pytest.raises(ValueError, match="not a state of this environment: the state is invalid"):
        pickle.loads(pickle.dumps(env))


def test_a_level_with_rows_that_no_board_has_is_refused():
    class Rows(Level):
        def rows_for(self, puzzle, extent, options):
            return env.batch.levels[0], np.full(len(env.batch.states[0]), 32000, np.int16)

    env = begun("Sokoban-v0")
    with pytest.raises(LevelError, match="the player's square is 32000; it must be from 0 to 99"):
        env.reset(options={"level": Rows((10, 10), None, "wrong")})


def test_what_no_board_looks_like_is_not_decoded():
    puzzle = puzzle_of("Sokoban-v0")
    env = begun("Sokoban-v0")
    seen = env.batch.observations[0].copy()
    seen[0], seen[1] = 0, 1  # no walls at all
    with pytest.raises(ValueError, match="the walls are open here"):
        puzzle.decode("planes", seen, env.batch.extent, env.options)
