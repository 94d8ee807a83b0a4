"""The rules of Cat and Mouse as films, against a slow twin, and their chances against sampled frequencies."""

import functools
from collections import Counter

import films
import gymnasium as gym
import helpers
import naive_cat_mouse
import numpy as np
import pytest
from films import Views
from helpers import same
from hypothesis import given
from hypothesis import strategies as st
from level_texts import mazes

from gridpuzzles_gym import Outcome
from gridpuzzles_gym.engine.random import initial_bits
from gridpuzzles_gym.puzzles.cat_mouse import PUZZLE, rules, text

ROOMY = 4**rules.MOST_CATS
rows_of = functools.partial(helpers.rows_of, PUZZLE)
film = functools.partial(films.film, "CatMouse-v0")


# -- films ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("board", "moves", "then", "reward"),
    [
        ("M.E", "r", ".ME", -1),
        ("M.E", "l", "M.E", -1),  # the edge is wall
        ("M#E/...", "r", "M#E/...", -1),
        ("ME", "r", ".m", 999),  # the exit
        ("M.E/##./##C", "r", ".ME/##C/##.", -1),  # the cat has one way to go
        ("M.E#C#", "r", ".ME#C#", -1),  # and here none
        ("MCE", "r", ".xE", -1001),  # who walks into a cat is dead
        ("MC.E", "r", ".x.E", -1001),  # whether or not the cat would have gone to where the mouse was
        ("M.C/E##", "r", ".x./E##", -1001),  # the cat comes: it can only go there
        ("Mc", "r", ".X", -1001),  # a cat at the exit
        ("ME/#C", "r", ".m/#C", 999),  # the exit wins before the cat moves
        ("C/M/E", "u", "x/./E", -1001),
    ],
)
def test_one_move(board, moves, then, reward):
    after, rewards, info = film(board, moves)
    assert (after, rewards[-1]) == (then, reward)
    assert info["outcome"] == {-1: Outcome.UNFINISHED, 999: Outcome.SOLVED, -1001: Outcome.DIED}[reward]


@pytest.mark.parametrize(
    ("board", "moves", "then", "rewards"),
    [
        ("MC.E", "", "M.CE", []),  # the cat has moved once when the episode begins
        ("MC.E", "r", ".M.c", [-1]),  # then the mouse goes first
        ("MC#/E##", "r", "MC#/E##", [-1]),  # the mouse is a wall to the cat, and the cat to the mouse
        ("M.C/E##", "", "MC./E##", []),  # it has come nearer
        ("M.C/E##", "r", "M.C/E##", [-1]),  # and was a wall there when the mouse moved
        ("M.C/E##", "d", ".C./m##", [999]),  # at the exit it is over before the cat moves
        ("CM/#E", "d", "C./#m", [999]),
        ("Mc", "r", "Mc", [-1]),
    ],
)
def test_where_each_is_a_wall_to_the_other(board, moves, then, rewards):
    assert film(board, moves, cat_blocked=True)[:2] == (then, rewards)


def test_a_mouse_that_is_shut_in_has_a_legal_action():
    """Only walls are masked out, not a cat that is a wall: an empty mask could not be sampled from."""
    _, info = gym.make("CatMouse-v0", levels="Mc\n", cat_blocked=True).reset(seed=0)
    assert info["action_mask"].tolist() == [0, 0, 0, 1]


def test_cats_are_walls_to_each_other():
    assert film("M.E#/##C#/##C#", "r")[0] in (".Mc#/##.#/##C#", ".Mc#/##C#/##.#")
    assert film("M.##/#.CC/#E#.", "l")[0] in ("M.##/#C.C/#E#.", "M.##/#CC./#E#.", "M.##/#C.#/#E#C", "M.##/#C../#E#C")


def test_nobody_dies_where_each_is_a_wall_to_the_other():
    env = gym.make_vec("CatMouse-v0", num_envs=64, cat_blocked=True, cats=4)
    env.reset(seed=0)
    numbers = np.random.default_rng(0)
    for _ in range(400):
        outcome = env.step(numbers.integers(0, 4, 64))[4].get("outcome", [])
        assert Outcome.DIED not in list(outcome)


# -- the slow twin -------------------------------------------------------------------------------


plays = st.lists(st.integers(0, 3), min_size=1, max_size=12)


@given(mazes(), plays, st.booleans(), st.integers(0, 99))
def test_steps_are_among_the_slow_twins(board, actions, blocked, seed):
    level, state = rows_of(board, cat_blocked=blocked)
    width = int(level[rules.STRIDE])
    twin = naive_cat_mouse.Maze(board, blocked)
    rng = np.array([initial_bits(np.random.default_rng(seed))], np.uint64)

    def told(state):
        cats = [divmod(int(square), width) for square in state[rules.CAT :] if square >= 0]
        return divmod(int(state[rules.MOUSE]), width), tuple(cats)

    def agree(found, expected):
        told_of = Counter()
        for row, chance in found.items():
            told_of[told(np.frombuffer(row, np.int16))] += chance
        assert told_of.keys() == expected.keys()
        assert all(abs(told_of[key] - float(expected[key])) < 1e-12 for key in told_of)

    expected = twin.beginning()
    agree(enumerated(rules.beginnings, level, state), expected)
    rules.begin(level, state, rng)
    assert told(state) in expected
    for action in actions:
        expected = twin.turn(*told(state), text.ACTIONS[action])
        agree(enumerated(rules.outcomes, level, state, action), expected)
        reward, ended = rules.step(level, state, action, rng)
        assert told(state) in expected
        outcome = twin.outcome(*told(state))
        assert str(Outcome(rules.outcome(level, state))) == outcome
        assert (reward, ended) == ({"solved": 999, "died": -1001, "unfinished": -1}[outcome], outcome != "unfinished")
        if ended:
            break


def enumerated(rule, *arguments):
    """What one of the rules that enumerate fills in: the bytes of a state row → its probability."""
    successors, chances = np.zeros((ROOMY, 1 + rules.MOST_CATS), np.int16), np.zeros(ROOMY)
    found = Counter()
    for k in range(rule(*arguments, successors, chances)):
        found[successors[k].tobytes()] += chances[k]
    assert abs(sum(found.values()) - 1) < 1e-12
    return found


def assert_sampled_from(states, expected):
    """Pearson's chi squared of sampled state rows stays below its 1 - 1e-6 quantile.

    Returns:
        Whether there was anything to test: more than one state, and none too seldom.
    """
    dof_limit = {1: 24, 2: 28, 3: 31, 5: 36, 8: 44, 11: 51, 17: 64, 23: 76, 35: 97, 47: 117}
    size, found = len(states), Counter(row.tobytes() for row in states)
    assert found.keys() <= expected.keys()
    if min(expected.values()) * size <= 5 or len(expected) == 1:
        return False
    chi = sum((found[key] - size * chance) ** 2 / (size * chance) for key, chance in expected.items())
    assert chi < next(limit for dof, limit in dof_limit.items() if dof >= len(expected) - 1)
    return True


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize("kwargs", [{}, {"cats": 3}, {"cats": 4, "cat_blocked": True}], ids=str)
def test_outcomes_are_what_is_sampled(kwargs):
    """10,000 steps from each of some states."""
    size = 10_000
    env = gym.make_vec("CatMouse-v0", num_envs=size, **kwargs).unwrapped
    env.reset(seed=0)
    batch = env.batch
    level = batch.levels[0]
    walk = np.random.default_rng(1)
    tried = 0
    for number in range(30):
        state, action = batch.states[0].copy(), int(walk.integers(4))
        batch.states[:] = state
        batch.counters[1:3] = 0
        env.step(np.full(size, action))
        tried += assert_sampled_from(batch.states, enumerated(rules.outcomes, level, state, action))
        if batch.ends[:2, 0].any():
            env.reset(seed=number)
    assert tried > 10


GARDEN = "M...#\n.C..#\n..#.C\nE....\n"


@pytest.mark.parametrize("options", [{}, {"level": GARDEN}], ids=["from the pool", "handed in"])
def test_an_episode_begins_after_the_cats_have_moved(options):
    """However its level comes into play, and at resets inside the kernel too."""
    level, state = rows_of(GARDEN, cat_blocked=True)
    expected = enumerated(rules.beginnings, level, state)
    assert len(expected) == 8
    assert state.tobytes() not in expected
    size, again = 6_000, {"max_episode_steps": 1, "autoreset_mode": "SameStep"}
    env = gym.make_vec("CatMouse-v0", num_envs=size, levels=GARDEN, cat_blocked=True, **again).unwrapped
    env.reset(seed=0, options=options)
    assert assert_sampled_from(env.batch.states, expected)
    for _ in range(2):
        env.step(np.full(size, rules.UP))
        assert assert_sampled_from(env.batch.states, expected)


# -- what is seen --------------------------------------------------------------------------------


@given(mazes(), plays, st.booleans(), st.integers(0, 99))
def test_every_observation_refreshed_equals_observed_and_decodes(board, actions, blocked, seed):
    level, state = rows_of(board, cat_blocked=blocked)
    size, options = (len(board.splitlines()), int(level[rules.STRIDE])), PUZZLE.read_options(cat_blocked=blocked)
    views = Views(PUZZLE, level, state, size, options)
    rng = np.array([initial_bits(np.random.default_rng(seed))], np.uint64)
    for action in actions:
        before = state.copy()
        _, ended = rules.step(level, state, action, rng)
        views.follow(before, state)
        if ended:
            break


def test_what_is_no_maze_does_not_decode():
    level, state = rows_of("M.C\nE#.\n")
    options = PUZZLE.read_options()
    views = Views(PUZZLE, level, state, (2, 3), options)
    planes, symbols = views["planes"], views["symbols"]
    assert same(PUZZLE.decode("planes", planes, (2, 3), options), (level, state))
    no_maze, shape = r"^not an observation of a maze: ", r" of shape \[.*\] are not of 3x2 squares"
    for place in (
        ("mouse", 0, 0), ("mouse", 0, 1), ("mouse", 1, 1), ("wall", 0, 0), ("floor", 1, 1), ("exit", 1, 0),
        ("exit", 0, 0), ("cat", 1, 1),
    ):  # fmt: skip
        views.refuse("planes", no_maze, views.flipped(*place))
    views.refuse("planes", no_maze, planes * 2, planes * 0.5)
    views.refuse("symbols", no_maze, symbols * 0, symbols + 9, symbols / 2, symbols * 0 + 4)
    views.refuse("planes", f"^planes{shape}", planes[:4], planes[:, :1])
    views.refuse("symbols", f"^symbols{shape}", symbols[0], symbols[:, :1])


# -- random mazes --------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "loops", "cats"), [(5, 0, 1), (5, 1, 2), ((21, 7), 4, 7), (11, 16, 3), (15, 0, None)])
def test_random_mazes_are_connected_and_have_their_loops(size, loops, cats):
    env = gym.make_vec("CatMouse-v0", num_envs=40, maze="random", size=size, loops=loops, cats=cats).unwrapped
    env.reset(seed=3)
    batch = env.batch
    height, width = batch.extent
    mazes = set()
    for level, state in zip(batch.levels[: batch.size], batch.states, strict=True):
        (again,) = PUZZLE.parse(PUZZLE.format(level, state), "drawn")
        assert same(PUZZLE.encode(again, again.extent, env.options), (level, state))
        floor = level[rules.CELLS :] & rules.WALL == 0
        ways = sum(rules.COUNTS[cell & rules.SIDES] for cell in level[rules.CELLS :]) // 2
        assert ways == floor.sum() - 1 + loops  # a tree, and so many more
        assert floor.reshape(height, width)[1::2, 1::2].all()
        reached, waiting = set(), [int(state[rules.MOUSE])]
        while waiting:
            square = waiting.pop()
            if square not in reached:
                reached.add(square)
                sides = [side for side in range(4) if level[rules.CELLS + square] >> side & 1]
                waiting += [int(rules.neighbour(level, square, side)) for side in sides]
        assert len(reached) == floor.sum()
        assert (state[rules.MOUSE], level[rules.EXIT]) == (width + 1, (height - 2) * width + width - 2)
        assert level[rules.CATS] == (1 if cats is None else cats)
        mazes.add(level.tobytes())
    assert len(mazes) > 10 or size == 5 or loops == 16


@pytest.mark.extended
def test_every_spanning_tree_is_equally_likely():
    """Two rows of three rooms have fifteen; chi squared with 14 degrees of freedom, its 1 - 1e-6 quantile is 57."""
    env = gym.make_vec("CatMouse-v0", num_envs=15_000, maze="random", size=(7, 5), loops=0, cats=0).unwrapped
    env.reset(seed=0)
    found = Counter(level.tobytes() for level in env.batch.levels[:15_000])
    assert len(found) == 15
    assert sum((count - 1000) ** 2 / 1000 for count in found.values()) < 57


# -- options -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"maze": "random", "size": 10}, r"size=10: must be an odd integer from 5 to 63 per side"),
        ({"maze": "random", "size": (7, 3)}, r"size=\(7, 3\): must be an odd integer from 5 to 63 per side"),
        ({"maze": "random", "loops": 17}, r"loops=17: must be an integer from 0 to 16"),
        ({"maze": "random", "size": 5, "loops": 0, "cats": 3}, r"cats=3: must be an integer from 0 to 2, or None"),
        ({"maze": "random", "levels": "classic"}, r"maze='random' generates mazes, so levels= must not be given"),
        ({"levels": "M.E\n", "cats": 2}, r"cats=2: the maximum in level .* is 1"),
    ],
)
def test_a_bad_option_is_a_value_error(kwargs, message):
    with pytest.raises(ValueError, match=message):
        gym.make("CatMouse-v0", **kwargs)


@pytest.mark.parametrize(
    ("board", "cats", "then"),
    [
        ("M.c", 0, "M.E"),
        ("MCc", 1, "MCE"),
        ("M..E....", 1, "M..E...C"),
        ("M...C...E", 2, "M...C..CE"),
        ("M.c", None, "M.c"),
    ],
)
def test_more_and_fewer_cats(board, cats, then):
    env = gym.make("CatMouse-v0", levels=board + "\n", cats=cats).unwrapped
    env.reset(seed=0)
    scene = env.scene()
    assert text.grid(scene.level, scene.state) == [then]
