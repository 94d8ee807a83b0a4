"""The rules of the Wumpus World as films: a cave, what is done, what comes of it."""

import collections
import itertools

import gymnasium as gym
import naive
import numpy as np
import pytest

from gridpuzzles_gym import Outcome
from gridpuzzles_gym.puzzles.wumpus import PUZZLE, rules

LETTERS = {"l": 0, "r": 1, "f": 2, "g": 3, "u": 4, "s": 5, "c": 6}  # u: release, put it down
WORDS = ("stench", "breeze", "glitter", "bump", "scream")


def film(cave, moves, **kwargs):
    """Play the letters in a cave: one (reward, percepts, ended) a move."""
    env = gym.make("Wumpus-v0", levels=cave, observation="percepts", disable_env_checker=True, **kwargs).unwrapped
    seen, _ = env.reset(seed=0)
    frames = [(0.0, felt(seen), False)]
    for letter in moves:
        seen, reward, ended, truncated, info = env.step(LETTERS[letter])
        assert not truncated
        frames.append((reward, felt(seen), ended))
    return frames, info if moves else None, env


def felt(percepts):
    return " ".join(word for word, here in zip(WORDS, percepts, strict=True) if here)


def rewards(cave, moves, **kwargs):
    frames, _, _ = film(cave, moves, **kwargs)
    return [reward for reward, _, _ in frames[1:]]


# -- the textbook's cave -------------------------------------------------------------------------


def test_the_textbooks_cave_is_as_printed():
    env = gym.make("Wumpus-v0", levels="textbook").unwrapped
    env.reset(seed=0)
    scene = env.batch.scene(0)
    assert PUZZLE.format(scene.level, scene.state) == "...P\nWGP.\n....\n>.P.\n"
    stench, breeze = naive.percept_maps(scene.level)
    # figure 7.2, row by row from the top
    assert np.argwhere(stench).tolist() == [[0, 0], [1, 0], [1, 1], [2, 0]]
    assert breeze.astype(int).tolist() == [[0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 1, 0], [0, 1, 1, 1]]


ENDINGS = [
    ("textbook", "lff", (-1001, "stench", True), Outcome.DIED),  # the wumpus eats who walks in
    ("textbook", "f", (-1, "breeze", False), Outcome.UNFINISHED),
    ("textbook", "ff", (-1001, "breeze", True), Outcome.DIED),  # a pit
    ("GA .\n. .\n", "", (0, "glitter", False), Outcome.UNFINISHED),
    ("GA .\n. .\n", "g", (999, "", True), Outcome.SOLVED),  # gold on the start square is home at once
    ("A.G\n...\n", "frrf", (-1, "", False), Outcome.UNFINISHED),  # home without gold is not the end
    ("APGW\n....\n", "s", (-11, "breeze scream", False), Outcome.UNFINISHED),  # the arrow flies over pits and gold
    ("A PW .\nG . .\n", "sf", (-1001, "stench breeze", True), Outcome.DIED),  # a pit under a dead wumpus still kills
    ("A.G\n...\n", "c", (-1, "", True), Outcome.LEFT),  # climbing out without gold
]


@pytest.mark.parametrize(("cave", "moves", "last", "outcome"), ENDINGS)
def test_how_it_ends(cave, moves, last, outcome):
    frames, info, _ = film(cave, moves, climb="c" in moves)
    assert frames[-1] == last
    if moves:
        assert (info["outcome"], info["is_success"]) == (outcome, outcome == Outcome.SOLVED)


# -- turning and walking -------------------------------------------------------------------------


@pytest.mark.parametrize(("agent", "square"), [("^", 1), (">", 5), ("v", 7), ("<", 3)])
def test_forward_goes_where_the_agent_faces(agent, square):
    _, _, env = film(f"...\n.{agent}.\n..G\n", "f")
    assert env.batch.states[0, rules.SQUARE] == square


def test_a_bump_is_felt_once():
    frames, _, _ = film("A.\n.G\n", "lfflr")
    assert [percepts for _, percepts, _ in frames] == ["", "", "bump", "bump", "", ""]


def test_walls_inside_the_cave_stop_the_agent():
    frames, _, env = film("A#G\n...\n", "f")
    assert frames[-1] == (-1, "bump", False)
    assert not env.batch.states[0, rules.SEEN + 1]


# -- grabbing and releasing ----------------------------------------------------------------------


def test_a_grab_elsewhere_does_nothing_but_cost():
    frames, _, env = film("A.G\n...\n", "gfg")
    assert [reward for reward, _, _ in frames[1:]] == [-1, -1, -1]
    assert env.batch.states[0, rules.GOLD] == 2


# -- the arrow -----------------------------------------------------------------------------------


def test_the_arrow_flies_any_distance():
    frames, _, env = film("A.......W\nG........\n", "sr")
    assert frames[1:] == [(-11, "scream", False), (-1, "", False)]
    assert not env.batch.states[0, rules.ALIVE]


@pytest.mark.parametrize("cave", ["A.#W\nG...\n", "W.A.\nG...\n", ".W..\nA..G\n"], ids=["rock", "behind", "side"])
def test_an_arrow_that_misses_is_gone(cave):
    frames, _, env = film(cave, "ss")
    assert [reward for reward, _, _ in frames[1:]] == [-11, -1]  # the second shot: no arrow, no price
    assert not any("scream" in percepts for _, percepts, _ in frames)
    assert env.batch.states[0, rules.ALIVE]
    assert not env.batch.states[0, rules.ARROW]


def test_a_dead_wumpus_smells_and_does_no_harm():
    frames, _, _ = film("A.W.\nG...\n", "sfff")
    assert frames[1:] == [
        (-11, "scream", False),
        (-1, "stench", False),
        (-1, "stench", False),
        (-1, "stench", False),
    ]


# -- climbing ------------------------------------------------------------------------------------


def test_without_climb_there_are_six_actions():
    assert gym.make("Wumpus-v0").action_space.n == 6
    env = gym.make("Wumpus-v0", climb=True).unwrapped
    assert env.action_space.n == 7
    assert env.batch.action_names == (
        *("turn left", "turn right", "forward", "grab", "release", "shoot"),
        "climb",
    )


def test_the_textbooks_reward_pays_at_the_exit():
    frames, info, _ = film("A.G\n...\n", "ffgrrffc", climb=True, reward="textbook")
    assert [reward for reward, _, _ in frames[1:]] == [-1] * 7 + [999]
    assert [ended for _, _, ended in frames] == [False] * 8 + [True]
    assert (info["outcome"], info["is_success"]) == (Outcome.SOLVED, True)


def test_the_textbooks_reward_pays_no_release_and_nothing_without_gold():
    textbook = {"climb": True, "reward": "textbook"}
    assert rewards("A.G\n...\n", "ffgu", **textbook) == [-1, -1, -1, -1]
    frames, info, _ = film("A.G\n...\n", "c", **textbook)
    assert frames[-1] == (-1, "", True)
    assert info["outcome"] == Outcome.LEFT
    assert rewards("AW\nG.\n", "sfrr", **textbook) == [-11, -1, -1, -1]
    assert rewards("AW\nG.\n", "f", **textbook) == [-1001]


# -- masks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cave", "moves", "allowed"),
    [
        ("A.G\n...\n", "", "lrfsc"),
        ("A.G\n...\n", "l", "lrsc"),
        ("A.G\n...\n", "f", "lrfs"),
        ("A.G\n...\n", "ff", "lrgs"),
        ("A.G\n...\n", "ffg", "lrus"),
        ("A.G\n...\n", "s", "lrfc"),
    ],
)
def test_masks_allow_what_changes_anything(cave, moves, allowed):
    _, _, env = film(cave, moves, climb=True, reward="textbook")
    assert {letter for letter, number in LETTERS.items() if env.action_masks()[number]} == set(allowed)


# -- sampled caves ---------------------------------------------------------------------------------


def sampled(count, seed=0, **kwargs):
    """Return level rows of many sampled caves."""
    env = gym.make_vec("Wumpus-v0", num_envs=count, observation="percepts", **kwargs).unwrapped
    env.reset(seed=seed)
    return env.batch.levels[:count], env.batch.states


def layouts(levels):
    """(wumpus [N], gold [N], pits bool[N, squares]) of level rows."""
    cells = levels[:, rules.CELLS :]
    wumpus = cells & rules.WUMPUS != 0
    assert (wumpus.sum(1) == 1).all()
    return wumpus.argmax(1), levels[:, rules.GOLD_AT], cells & rules.PIT != 0


@pytest.mark.parametrize(
    ("size", "pits"), [(4, 3), (2, 0), (2, 1), (3, 6), (20, 50), ([5, 3], 2), ([2, 9], 15)], ids=str
)
def test_things_are_on_distinct_squares(size, pits):
    width, height = (size, size) if isinstance(size, int) else size
    levels, states = sampled(500, size=size, pits=pits)
    wumpus, gold, holes = layouts(levels)
    start = (height - 1) * width
    everyone = np.arange(len(levels))
    assert holes.shape[1] == width * height
    assert (holes.sum(1) == pits).all()
    assert (wumpus != gold).all()
    assert not holes[everyone, wumpus].any()
    assert not holes[everyone, gold].any()
    assert not holes[:, start].any()
    assert (wumpus != start).all()
    assert (gold != start).all()
    assert (levels[:, rules.START] == start).all()
    assert (states[:, rules.SQUARE] == start).all()
    assert (states[:, rules.FACING] == rules.EAST).all()
    assert (levels[:, rules.CELLS :] & rules.WALL == 0).all()
    for level in levels[:20]:
        stench, breeze = naive.percept_maps(level)
        assert np.array_equal(level[rules.CELLS :] & rules.STENCH != 0, stench.ravel())
        assert np.array_equal(level[rules.CELLS :] & rules.BREEZE != 0, breeze.ravel())


@pytest.mark.extended
def test_every_layout_is_equally_likely():
    """3×2 squares, one pit: 5·4·3 layouts; chi-square over all of them, as independent starts and as one stream."""
    count = 60_000
    every = set(itertools.permutations([0, 1, 2, 4, 5], 3))
    by_seeds, _ = sampled(count, size=[3, 2], pits=1)
    env = gym.make("Wumpus-v0", size=[3, 2], pits=1, observation="percepts").unwrapped
    env.reset(seed=1)
    one_after_the_other = np.empty((count // 4, env.batch.levels.shape[1]), np.int16)
    for row in one_after_the_other:
        env.batch.reset()
        row[:] = env.batch.levels[0]
    for levels in (by_seeds, one_after_the_other):
        wumpus, gold, holes = layouts(levels)
        triples = zip(wumpus.tolist(), gold.tolist(), holes.argmax(1).tolist(), strict=True)
        counts = collections.Counter(triples)
        assert set(counts) == every
        expected = len(levels) / len(every)
        square = sum((found - expected) ** 2 / expected for found in counts.values())
        assert square < 109  # 59 degrees of freedom: exceeded once in ten thousand samples


# -- invalid arguments ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"pits": 14}, "pits=14: the maximum in a cave of 4x4 squares is 13"),
        ({"size": (5, 2), "pits": 8}, "pits=8: the maximum in a cave of 5x2 squares is 7"),
        ({"reward": "textbook"}, "needs climb=True"),
        (
            {"colour": "red"},
            "unexpected keyword argument 'colour'; allowed are climb, pit_probability, pits, reward, show, size",
        ),
        ({"levels": "no such file"}, "no levels 'no such file': .* are 'textbook'"),
    ],
)
def test_bad_settings_say_what_is_allowed(kwargs, message):
    with pytest.raises(ValueError, match=message):
        gym.make("Wumpus-v0", **kwargs)
    with pytest.raises(ValueError, match=message):
        gym.make_vec("Wumpus-v0", num_envs=2, **kwargs)
