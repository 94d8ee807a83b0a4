"""Every keyword argument of every id with values that it does not take: one line that names it, and nothing is made."""

import dataclasses
import math

import gymnasium as gym
import numpy as np
import pytest
from helpers import ROWS, puzzle_of

from gridpuzzles_gym.engine.env import PuzzleEnv
from gridpuzzles_gym.engine.vector import PuzzleVectorEnv

HUGE = 10**9
NO_BOOLEAN = [0, 1, 0.0, 1.0, "no", "False", "", None, math.nan, [], [True], {}, np.int64(1), np.ones(2, bool)]
NO_INTEGER = [
    True, False, np.True_, -1, 2.0, np.float64(3), math.nan, math.inf, "4", "", [], {}, set(), b"44", object(),
    np.array([4, 4]), HUGE, 10**30, 10**5000,
]  # fmt: skip
NO_WORD = [True, False, 0, 1, 1.0, math.nan, "", "no such word", [], {}, set(), b"peas", np.array(["peas"]), HUGE]
NO_PAIR = [[4], [4, 4, 4], [4.0, 4], [True, 4], ["4", "4"], [4, math.nan], [4, HUGE], [[4], [4]], (4, None)]
NO_NUMBER = [
    True,
    np.False_,
    "0.2",
    "",
    math.nan,
    math.inf,
    -0.1,
    1.1,
    HUGE,
    10**5000,
    0.2j,
    [],
    {},
    np.array([0.5, 1]),
]

INVALID = {
    "size": [*NO_INTEGER, *NO_PAIR, None],
    "pits": [*NO_INTEGER, None],
    "pit_probability": NO_NUMBER,
    "climb": NO_BOOLEAN,
    "reward": [*NO_WORD, None],
    "show": [*NO_WORD, None],
    "maze": [*NO_WORD, None],
    "loops": [*NO_INTEGER, None],
    "cats": NO_INTEGER,
    "cat_blocked": NO_BOOLEAN,
    "width": [*NO_INTEGER, 1, 11, None],
    "height": [*NO_INTEGER, 1, 11, None],
    "goal": [value for value in NO_INTEGER if not isinstance(value, str)] + ["", "no such goal", "00", [0, 1, 2, 2.0]],
    "scramble": [*NO_INTEGER, 0, [4], [5, 4], [1.0, 4], [True, 4], [0, 3], ["1", "2"], [1, HUGE], b"\x01\x04"],
    "noop": NO_BOOLEAN,
    "deadlocks": NO_BOOLEAN,
    "warn": NO_BOOLEAN,
    "arrows": [*NO_WORD, None],
    "style": [True, 0, 1.5, "", "no such style", "x" * 5000, "~nobody/x", "a\0b", [], {}, b"paper", None],
    "prize": [*NO_INTEGER, None],
    "observation": [False, True, 0, 1, "", "no such observation", [], {}, set(), b"planes", math.nan, np.array(["x"])],
    "tile_size": [*NO_INTEGER, 7, 513, None],
    "render_mode": [True, 0, "", "oil", [], {}, np.array(["ansi"])],
}
BAD_OF_VECTORS = {
    "num_envs": [*NO_INTEGER, 0, None],
    "max_episode_steps": [*(each for each in NO_INTEGER[:-3] if each is not NO_INTEGER[3]), -2, -1.0, 0, "x", 2**31],
    "copy": NO_BOOLEAN,
    "autoreset_mode": [True, 0, "", "Later", [], {}, None, math.nan],
}
COMMON = ("observation", "tile_size", "render_mode")


def options_of(id):
    return [*(field.name for field in dataclasses.fields(puzzle_of(id).options)), *COMMON]


EACH = [(row.id, name) for row in ROWS for name in options_of(row.id)]


def single(id, **kwargs):
    return PuzzleEnv(**{**gym.spec(id).kwargs, **kwargs})


def vector(id, **kwargs):
    return PuzzleVectorEnv(num_envs=2, **{**gym.spec(id).kwargs, **kwargs})


@pytest.mark.parametrize(("id", "name"), EACH)
def test_a_bad_value_is_a_value_error_that_names_the_option(id, name):
    others = {"maze": "random"} if name in ("size", "loops") and id == "CatMouse-v0" else {}
    for value in INVALID[name]:
        for make in (single, vector):
            with pytest.raises(ValueError, match=rf"^{name}=") as caught:
                make(id, **others, **{name: value})
            assert len(str(caught.value)) < 500
            assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", BAD_OF_VECTORS)
@pytest.mark.parametrize("id", [row.id for row in ROWS])
def test_a_bad_value_of_a_vectors_own_is_a_value_error_that_names_it(id, name):
    for value in BAD_OF_VECTORS[name]:
        with pytest.raises(ValueError, match=rf"^{name}="):
            gym.make_vec(id, **{"num_envs": 2, name: value})
