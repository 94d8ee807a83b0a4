"""The rules of Bait as films, against GVGAI's own games, and against a slow twin."""

import functools
import gzip
import json

import films
import gymnasium as gym
import helpers
import naive_bait
import numpy as np
import pytest
from films import Views
from helpers import REPOSITORY, same
from hypothesis import given
from hypothesis import strategies as st
from level_texts import bait_boards

from gridpuzzles_gym import Outcome
from gridpuzzles_gym.puzzles.bait import PUZZLE, observing, rules, text

SHARED = REPOSITORY.parent / "shared" / "data"
RNG = np.ones(1, np.uint64)
GVGAI = PUZZLE.read_options(reward="gvgai", noop=True)
rows_of = functools.partial(helpers.rows_of, PUZZLE, reward="gvgai", noop=True)
film = functools.partial(films.film, "Bait-v0")


# -- films ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("board", "moves", "then"),
    [
        ("A.kg", "r", ".Akg"),
        ("k.Ag", "l", "kA.g"),
        ("A/./k/g", "d", "./A/k/g"),
        ("k/./A/g", "u", "k/A/./g"),
        ("Awkg", "r", "Awkg"),  # against a wall
        ("Akg", "l", "Akg"),  # the edge of the board is wall
        ("Akg", "u", "Akg"),
        ("A1.kg", "r", ".A1kg"),
        ("A1wkg", "r", "A1wkg"),
        ("kgA1", "r", "kgA1"),
        ("A11.kg", "r", "A11.kg"),
        ("A1m.kg", "r", "A1m.kg"),
        ("A1kg", "r", ".A%g"),  # a box shares its square with a key
        ("A%.g", "r", ".K1g"),  # and what it lay on is taken
        ("A1g.k", "r", ".A*.k"),  # or with a goal
        ("A10kg", "r", ".A.kg"),  # a box fills a hole
        ("A%0g", "r", ".K.g"),
        ("A0kg", "r", ".xkg"),  # death
        ("K0g", "r", ".Xg"),
        ("Ak.g", "r", ".K.g"),
        ("Kkg", "r", ".Kg"),  # every further key is taken too
        ("Akkkg", "rrr", "...Kg"),
        ("K%.g", "r", ".K1g"),
        ("A%g.", "r", ".K*."),
        ("Agk", "r", "Agk"),  # without the key the avatar steps back
        ("Kg", "r", ".K"),
        ("Kgg", "r", ".Kg"),
        ("A*.k", "r", "Ag1k"),  # but the box that lay there has gone
        ("A*0k", "r", "Ag.k"),
        ("A*wk", "r", "A*wk"),
        ("A*gk", "r", "Ag*k"),
        ("A*kg", "r", "Ag%g"),
        ("K*.", "r", ".K1"),
        ("K*w", "r", "K*w"),
        ("Amkg", "r", ".Akg"),  # a mushroom is eaten
        ("k1A.g", "l", "%A..g"),
        ("A.kg", "w", "A.kg"),
        ("A1g0k", "rr", ".Ag.k"),
    ],
)
def test_one_move(board, moves, then):
    assert film(board, moves, noop=True)[0] == then


@pytest.mark.parametrize(
    ("board", "moves", "score", "rewards"),
    [
        ("A.kg", "r", 0, [-1]),
        ("A10kg", "r", 1, [-1]),
        ("Amkg", "r", 1, [-1]),
        ("A0kg", "r", 0, [-1001]),
        ("Akg", "rr", 5, [-1, 999]),
        ("A1gkg", "lrrrrr", 0, [-1] * 6),
        ("Akgg", "rrr", 10, [-1, -1, 999]),
        ("A*0k", "r", 1, [-1]),
        ("K*0g", "r", 6, [-1]),
        ("K*0", "r", 6, [999]),
        ("A1.0m/kg...", "rrrr", 2, [-1] * 4),
    ],
)
def test_scores_and_rewards(board, moves, score, rewards):
    assert film(board, moves)[1] == rewards
    _, changes, info = film(board, moves, reward="gvgai")
    assert sum(changes) == info["score"] == score


def test_how_it_ends():
    assert film("Akg", "rr")[2]["outcome"] == Outcome.SOLVED
    info = film("A0kg", "r")[2]
    assert (info["outcome"], info["is_success"], info["score"]) == (Outcome.DIED, False, 0)
    # The score of what was won before stays.
    assert film("Am0kg", "rr")[2]["score"] == 1


def test_the_step_limit_is_gvgais():
    env = gym.make("Bait-v0", levels="Akg\n")
    env.reset(seed=0)
    ends = [env.step(0)[2:4] for _ in range(2000)]
    assert ends[-2:] == [(False, False), (False, True)]


def test_wait_is_there_where_it_is_asked_for():
    assert gym.make("Bait-v0").action_space.n == 4
    env = gym.make("Bait-v0", noop=True)
    _, info = env.reset(seed=0)
    assert env.action_space.n == 5
    assert info["action_mask"][4] == 0


# -- equal positions -----------------------------------------------------------------------------


def test_equal_positions_are_equal_states():
    """However one got there: the score is what is missing from the board."""
    level, one = rows_of("m.A.kg\n")
    other = one.copy()
    for state, moves in ((one, "llrrrr"), (other, "rrllllrrrr")):
        for letter in moves:
            rules.step(level, state, "udlr".index(letter), RNG)
    assert PUZZLE.format(level, one) == "....Kg\n"
    assert same(one, other)
    assert same(one, rows_of("....Kg\n")[1])


# -- GVGAI's own games ---------------------------------------------------------------------------


@functools.cache
def recorded():
    """250 games of the original Java framework."""
    file = SHARED / "bait_traces.jsonl.gz"
    if not file.exists():
        pytest.skip(f"the recorded games are not there: {file}")
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def check(step, game, planes, score, outcome):
    """Compare one recorded step with what ``planes`` show."""
    seen = dict(zip(observing.PLANES, planes, strict=True))
    kinds = {"boxes": "box", "holes": "hole", "mushrooms": "mushroom", "keys": "key", "goals": "goal"}
    for kind, plane in kinds.items():
        assert np.argwhere(seen[plane]).tolist() == sorted(step[kind]), (kind, game["level"])
    (avatar,) = np.argwhere(seen["avatar"]).tolist()
    if step["avatar"] is None:  # the dead may be gone
        assert avatar in step["holes"]
    else:
        assert avatar == step["avatar"]
    assert seen["key in hand"].all() == seen["key in hand"].any() == step["has_key"]
    assert score == step["score"]
    winners = {Outcome.UNFINISHED: "NO_WINNER", Outcome.SOLVED: "PLAYER_WINS", Outcome.DIED: "PLAYER_LOSES"}
    assert (winners[outcome], outcome != Outcome.UNFINISHED) == (step["winner"], step["over"])


def text_of(game):
    return "\n".join(game["level"]) + "\n"


@pytest.mark.extended
def test_recorded_games_in_the_single_environment():
    for game in recorded():
        env = gym.make("Bait-v0", levels=text_of(game), noop=True, disable_env_checker=True).unwrapped
        seen, info = env.reset(seed=0)
        check(game["steps"][0], game, seen, info["score"], info["outcome"])
        for letter, step in zip(game["actions"], game["steps"][1:], strict=True):
            seen, _, ended, _, info = env.step("UDLRN".index(letter))
            check(step, game, seen, info["score"], info["outcome"])
            assert ended == step["over"]


# -- the slow twin -------------------------------------------------------------------------------


plays = st.lists(st.integers(0, 4), max_size=25)


@given(bait_boards(), plays)
def test_steps_equal_the_slow_twins(board, actions):
    level, state = rows_of(board)
    peas = helpers.rows_of(PUZZLE, board)
    twin = naive_bait.Game(board)
    for action in actions:
        before, placed = state.copy(), twin.squares()
        moved = rules.legal(level, state, action)
        reward, ended = rules.step(level, state, action, RNG)
        assert reward == twin.turn(text.ACTIONS[action])
        assert naive_bait.Game(PUZZLE.format(level, state)).squares() == twin.squares()
        assert moved == (twin.squares() != placed) == (not same(state, before))
        outcome = str(Outcome(rules.outcome(level, state)))
        assert (outcome, ended) == (twin.outcome, twin.outcome != "unfinished")
        assert rules.solved(level, state) == (twin.outcome == "solved")
        prize = {"unfinished": 0, "solved": 1000, "died": -1000}[outcome]
        assert rules.step(peas[0], before, action, RNG) == (prize - 1, ended)
        metrics = np.zeros(1, np.int32)
        rules.count(level, rows_of(board)[1], state, metrics)
        assert metrics[rules.SCORE] == twin.score
        if ended:
            break


@given(bait_boards(), plays)
def test_every_observation_refreshed_equals_observed_and_decodes(board, actions):
    level, state = rows_of(board)
    views = Views(PUZZLE, level, state, (len(board.splitlines()), int(level[rules.STRIDE])), GVGAI)
    for action in actions:
        before = state.copy()
        _, ended = rules.step(level, state, action, RNG)
        views.follow(before, state)
        if ended:
            break


# -- what is seen --------------------------------------------------------------------------------


def test_what_planes_and_symbols_show():
    env = gym.make("Bait-v0", levels="Ak1g\n0m.w\n").unwrapped
    seen, _ = env.reset(seed=0)
    shown = dict(zip(env.channels, seen.tolist(), strict=True))
    assert shown["wall"] == [[0, 0, 0, 0], [0, 0, 0, 1]]
    assert shown["floor"] == [[1, 1, 1, 1], [1, 1, 1, 0]]
    assert shown["key"] == [[0, 1, 0, 0], [0, 0, 0, 0]]
    assert shown["mushroom"] == [[0, 0, 0, 0], [0, 1, 0, 0]]
    assert shown["key in hand"] == [[0] * 4] * 2
    seen = env.step(3)[0]
    seen = env.step(3)[0]
    shown = dict(zip(env.channels, seen.tolist(), strict=True))
    assert shown["box"] == shown["goal"] == [[0, 0, 0, 1], [0, 0, 0, 0]]
    assert shown["avatar"] == [[0, 0, 1, 0], [0, 0, 0, 0]]
    assert shown["key in hand"] == [[1] * 4] * 2
    env = gym.make("Bait-v0", levels="Ak1g\n0m.w\n", observation="symbols")
    assert env.reset(seed=0)[0].tolist() == [[[9, 2, 5, 3], [4, 8, 1, 0]]]


def test_what_is_no_board_does_not_decode():
    level, state = rows_of("A1kg\n0mw.\n")
    views = Views(PUZZLE, level, state, (2, 4), GVGAI)
    planes, symbols = views["planes"], views["symbols"]
    assert same(PUZZLE.decode("planes", planes, (2, 4), GVGAI), (level, state))
    no_board, shape = r"^not an observation of a board: ", r" of shape \[.*\] are not of 4x2 squares"
    for place in (
        ("avatar", 0, 0), ("avatar", 1, 3), ("avatar", 1, 2), ("wall", 0, 0), ("floor", 0, 0), ("hole", 0, 2),
        ("box", 1, 0), ("box", 1, 1), ("box", 0, 0), ("key", 0, 0), ("goal", 0, 0), ("key in hand", 0, 0),
    ):  # fmt: skip
        views.refuse("planes", no_board, views.flipped(*place))
    inside_a_wall = planes.copy()
    inside_a_wall[:2, 0, 0] = 1, 0
    views.refuse("planes", no_board, inside_a_wall, planes * 2, planes * 0.5)
    views.refuse("symbols", no_board, symbols * 0, symbols + 9, symbols / 2, symbols * 0 + 9)
    views.refuse("planes", f"^planes{shape}", planes[:8], planes[:, :1])
    views.refuse("symbols", f"^symbols{shape}", symbols[0], symbols[:, :1])
