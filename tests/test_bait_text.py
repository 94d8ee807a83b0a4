"""Bait levels as text: both ways, what is said of one that cannot be, and the packs that are shipped."""

import gymnasium as gym
import numpy as np
import pytest
from gridpuzzles_gym.agents.search.heuristic import ZERO
from gridpuzzles_gym.agents.search.problem import Problem
from gridpuzzles_gym.agents.search.searches import SEARCHES
from helpers import REPOSITORY, same
from hypothesis import given, settings
from hypothesis import strategies as st
from test_bait_rules import boards

from gridpuzzles_gym.engine.levels import find_levels
from gridpuzzles_gym.engine.puzzle import LevelError
from gridpuzzles_gym.puzzles.bait import PUZZLE, rules

OPTIONS = PUZZLE.read_options()
RNG = np.ones(1, np.uint64)
GVGAIS_OWN = REPOSITORY.parent / "shared" / "data" / "bait"


def rows_of(text):
    (level,) = PUZZLE.parse(text, "text")
    return PUZZLE.encode(level, level.extent, OPTIONS)


# -- both ways -----------------------------------------------------------------------------------


@settings(max_examples=200, deadline=None)
@given(boards(8), st.lists(st.integers(0, 3), max_size=20))
def test_text_and_rows_go_round(board, actions):
    """At the start, and wherever a game goes on from there."""
    level, state = rows_of(board)
    assert PUZZLE.format(level, state) == board
    for action in actions:
        if rules.step(level, state, action, RNG)[1]:
            break
        assert same(rows_of(PUZZLE.format(level, state)), (level, state))


def test_smaller_levels_are_padded_with_walls():
    env = gym.make("Bait-v0", levels=["Akg\n", "A...\nk..g\n1..0\n"]).unwrapped
    env.reset(seed=0, options={"level": "Akg\n"})
    scene = env.scene()
    assert PUZZLE.format(scene.level, scene.state) == "Akgw\nwwww\nwwww\n"


def test_titles_comments_and_many_levels():
    levels = PUZZLE.parse("; about all\n; one\nAkg\n\n\nA.\nkg\n;three\nK0g\n", "pack.txt")
    assert [level.name for level in levels] == ["one", "pack.txt:6", "three"]
    assert [level.extent for level in levels] == [(1, 3), (2, 2), (1, 3)]


def test_what_a_level_may_be_written_with():
    plain = rows_of("wAw\nk.g\n")
    for text in ("wAw\r\nk.g\r\n", "wAw  \nk.g", "\n\n; a title\nwAw\nk.g\n\n"):
        assert same(rows_of(text), plain)


def test_the_largest_level():
    board = "\n".join(["A" + "1" * 63, *["." * 64] * 62, "m" * 62 + "kg"]) + "\n"
    level, state = rows_of(board)
    assert PUZZLE.format(level, state) == board
    level, state = rows_of("\n".join(["A" + "*" * 62 + "k", *["*" * 64] * 63]) + "\n")
    assert state[rules.WORTH] == 6 * (64 * 64 - 2)


def test_the_ansi_picture():
    env = gym.make("Bait-v0", levels="Am.k\nw..g\n", render_mode="ansi")
    env.reset(seed=0)
    assert env.render() == "Am.k\nw..g\nstep 0  score 0  return 0  ready\n"
    pictures = []
    for action in (0, 3, 3, 3, 1):
        env.step(action)
        pictures.append(env.render().splitlines()[-1])
    assert pictures == [
        "step 1  score 0  return -1  stopped",
        "step 2  score 1  return -2  moving",
        "step 3  score 1  return -3  moving",
        "step 4  score 1  return -4  key in hand",
        "step 5  score 6  return 995  solved",
    ]


# -- what cannot be ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("..kg\n", r"t:1: no avatar in this level; it needs one \(A or K\)"),
        ("A.kg\n.A..\n", r"t:2:2: a second avatar, the first is at t:1:1; a level has one"),
        ("AKkg\n", r"t:1:2: a second avatar, the first is at t:1:1"),
        ("; title\nA.k1\n", r"t:2: no goal in this level; it needs one \(g or \*\)"),
        ("A.g1\n", r"t:1: no key in this level; it needs one \(k or % or K\)"),
        (
            "A.kg\n...\n",
            r"t:2:4: this row has 3 squares, the level's first has 4; all rows of a level",
        ),
        ("A.kg\n.....\n", r"t:2:5: this row has 5 squares, the level's first has 4"),
        ("A.kg\n.W..\n", r"t:2:2: unknown symbol 'W'; allowed are w \. 0 1 k g m % \* and the avatar A or K"),
        ("A kg\n", r"t:1:2: unknown symbol ' '"),
        ("\tA.kg\n", r"t:1:1: unknown symbol '\\t'"),
        ("Akg\n\n.x.kg\n", r"t:3:2: 'x' is the avatar dead in a hole: nothing is left to play"),
        ("X.g\n", r"t:1:1: 'X' is the avatar dead"),
        ("A.kg" + "." * 61 + "\n", r"t:1: a level of 65x1 squares; at most 64 a side are allowed"),
        ("Akg\n" + "...\n" * 64, r"t:1: a level of 3x65 squares; at most 64 a side"),
    ],
)
def test_what_is_wrong_and_where(text, message):
    with pytest.raises(LevelError, match=f"^{message}"):
        PUZZLE.parse(text, "t")


def read(text):
    """The levels in a text and no fault, or None and the fault; nothing else may be raised."""
    try:
        return PUZZLE.parse(text, "fuzz"), ""
    except LevelError as error:
        return None, str(error)


@settings(max_examples=400, deadline=None)
@given(st.text(st.sampled_from("w.A01kgm%*KxX; \n\n\rZé\t"), max_size=60) | st.text(max_size=40))
def test_any_text_is_levels_or_a_level_error(text):
    levels, fault = read(text)
    assert levels is not None or fault.startswith("fuzz:")
    for level in levels or ():
        rows = PUZZLE.encode(level, level.extent, OPTIONS)
        assert same(rows_of(PUZZLE.format(*rows)), rows)


@settings(max_examples=200, deadline=None)
@given(boards(), st.data())
def test_a_level_with_one_letter_changed_is_a_level_or_a_level_error(board, data):
    place = data.draw(st.integers(0, len(board) - 1))
    changed = board[:place] + data.draw(st.sampled_from("w.A01kgm%*KxX \n?")) + board[place + 1 :]
    levels, fault = read(changed)
    assert fault.startswith("fuzz:") if levels is None else len(levels) <= 2


# -- the packs -----------------------------------------------------------------------------------

FEWEST_STEPS = {
    "1 Fill the hole": 14,
    "2 Mushrooms stop boxes": 22,
    "3 Through the shut door": 27,
    "4 North and south": 38,
    "5 Every box counts": 182,
}


def test_the_lessons_are_played_by_default():
    assert [level.name for level in find_levels(PUZZLE, "lessons")] == list(FEWEST_STEPS)
    env = gym.make("Bait-v0").unwrapped
    assert env.observation_space.shape == (9, 11, 13)
    assert len(env.batch.source.levels) == len(FEWEST_STEPS)


@pytest.mark.parametrize("name", FEWEST_STEPS)
def test_the_fewest_steps_of_a_lesson(name):
    """Breadth-first search proves them; the pack states them in its comments."""
    env = gym.make("Bait-v0")
    env.reset(seed=0, options={"level": name})
    problem = Problem.of(env)
    result = SEARCHES["breadth-first"].solve(problem, ZERO, None, 0)
    assert result.status == "solved"
    assert len(result.plan) == FEWEST_STEPS[name]
    assert problem.reaches_goal(result.plan)
    pack = (REPOSITORY / "levels" / "bait" / "lessons.txt").read_text(encoding="utf-8")
    assert f"; fewest steps: {FEWEST_STEPS[name]}\n; {name}\n" in pack


def test_gvgais_own_files_load_by_path():
    if not GVGAIS_OWN.exists():
        pytest.skip(f"GVGAI's levels are not there: {GVGAIS_OWN}")
    extents = [level.extent for level in find_levels(PUZZLE, GVGAIS_OWN)]
    assert extents == [(6, 5), (9, 13), (10, 13), (11, 13), (9, 7)]
    env = gym.make("Bait-v0", levels=GVGAIS_OWN / "bait_lvl4.txt")
    assert env.reset(seed=0)[0].shape == (9, 9, 7)
