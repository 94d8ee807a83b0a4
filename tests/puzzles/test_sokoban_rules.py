"""The rules of Sokoban as films: a board, what is pressed, what comes of it."""

import random

import gymnasium as gym
import naive_sokoban as naive
import numpy as np
import pytest
from helpers import same
from hypothesis import given
from hypothesis import strategies as st

from gridpuzzles_gym import Outcome
from gridpuzzles_gym.engine.puzzle import LevelError
from gridpuzzles_gym.puzzles.sokoban import PUZZLE, boards, rules, text
from gridpuzzles_gym.puzzles.sokoban.notation import read_lurd, write_lurd
from gridpuzzles_gym.puzzles.sokoban.rules import CELLS, DEAD, GOAL, STRIDE, WALL

RNG = np.ones(1, np.uint64)
OPTIONS = PUZZLE.read_options()
seeds = st.integers(0, 2**32)


def film(rows, moves, **kwargs):
    """Press the letters on a board: the rows of every board seen, the rewards, the last info."""
    walls = "#" * (len(rows[0]) + 2)
    level = "\n".join([walls, *(f"#{row}#" for row in rows), walls, ""])
    env = gym.make("Sokoban-v0", levels=level, disable_env_checker=True, **kwargs).unwrapped
    _, info = env.reset(seed=0)
    seen, rewards, ended = [], [], False
    for action in read_lurd(moves):
        assert not ended
        _, reward, ended, _, info = env.step(action)
        seen.append([row[1:-1] for row in text.grid(env.batch.levels[0], env.batch.states[0])[1:-1]])
        rewards.append(reward)
    assert ended == info["is_success"]
    return seen, rewards, info


def rows_of(board, extent=None, options=OPTIONS):
    """(level, state) of a board in rows of text, unchecked."""
    return boards.encode_rows(board, extent or (len(board), len(board[0])), options)


# -- films ---------------------------------------------------------------------------------------


def test_he_walks_in_four_directions_and_stops_at_walls():
    seen, rewards, info = film(["    .", " @ $ ", "     "], "ulddrr")
    assert [[row.find("@") for row in board] for board in seen] == [
        [1, -1, -1], [0, -1, -1], [-1, 0, -1], [-1, -1, 0], [-1, -1, 1], [-1, -1, 2],
    ]  # fmt: skip
    assert rewards == [-1] * 6
    seen, _, info = film(["@ $."], "uld")
    assert seen == [["@ $."]] * 3
    assert (info["moves"], info["pushes"], info["boxes_on_goals"]) == (0, 0, 0)


def test_he_pushes_one_box():
    seen, rewards, info = film(["@$  ."], "RR")
    assert seen == [[" @$ ."], ["  @$."]]
    assert rewards == [-1, -1]
    assert (info["moves"], info["pushes"]) == (2, 2)


def test_the_last_box_on_a_goal_solves_it():
    seen, rewards, info = film(["@ $.", " $ ."], "dRRluR")
    assert seen[-1] == ["  @*", "   *"]
    assert rewards == [-1] * 5 + [999]
    assert (info["outcome"], info["boxes_on_goals"], info["pushes"], info["moves"]) == (Outcome.SOLVED, 2, 3, 6)


def test_boxoban_pays_for_boxes_on_and_off_goals():
    seen, rewards, info = film(["@$. .", " $   ", "     "], "RR", reward="boxoban")
    assert [board[0] for board in seen] == [" @* .", "  +$."]
    assert rewards == [-0.1 + 1, -0.1 - 1]
    assert info["boxes_on_goals"] == 0
    _, rewards, _ = film(["@$."], "R", reward="boxoban")
    assert rewards == [-0.1 + 1 + 10]
    seen, rewards, _ = film(["@*. ", "  $ ", "    "], "R", reward="boxoban")
    assert seen == [[" +* ", "  $ ", "    "]]
    assert rewards == [-0.1]  # from goal to goal


# Levels drawn for this test, with solutions as other programs write them.
SOLVED = [
    ("######\n#@   #\n# $$ #\n# .. #\n######\n", "rDurD"),
    ("#######\n#  .  #\n# $$@ #\n#   . #\n#######\n", "ullDldRRU"),
    ("########\n#   #  #\n# $  . #\n## #$# #\n#.  @  #\n#   #  #\n########\n", "rruullDurrddlLuululldRRRddLL"),
]


@pytest.mark.parametrize(("level", "solution"), SOLVED)
def test_a_solution_in_letters_replays(level, solution):
    env = gym.make("Sokoban-v0", levels=level)
    env.reset(seed=0)
    results = [env.step(action) for action in read_lurd(solution)]
    assert [result[2] for result in results] == [False] * (len(results) - 1) + [True]
    info = results[-1][-1]
    assert info["is_success"]
    assert info["moves"] == len(results)
    level, start = rows_of(level.splitlines())
    assert info["pushes"] == sum(map(str.isupper, write_lurd(level, start, read_lurd(solution))))


# -- the slow twin -------------------------------------------------------------------------------


def valid_boards(count):
    """Random boards that the environment accepts."""
    found, seed = [], 0
    while len(found) < count:
        seed += 1
        board = naive.random_board(seed)
        try:
            PUZZLE.parse("\n".join(board) + "\n", "random")
        except LevelError:
            continue
        found.append(board)
    return found


def padded(board, height, width):
    return tuple(row.ljust(width, "#") for row in (*board, *[""] * (height - len(board))))


@pytest.mark.parametrize("observation", ["planes", "symbols"])
@pytest.mark.parametrize("reward", ["peas", "boxoban"])
def test_random_play_equals_the_slow_twins(reward, observation):
    accepted = valid_boards(40)
    levels = ["\n".join(board) + "\n" for board in accepted]
    env = gym.make("Sokoban-v0", levels=levels, reward=reward, deadlocks=True, observation=observation).unwrapped
    env.reset(seed=0)
    height, width = env.batch.extent
    luck, ends = random.Random(0), 0
    for number, board in enumerate(accepted):
        rows = padded(board, height, width)
        seen, info = env.reset(options={"level": number})
        pushes = moves = 0
        for _ in range(60):
            shown = naive.planes(rows) if observation == "planes" else naive.symbols(rows)
            assert seen.tolist() == shown
            assert text.grid(env.batch.levels[0], env.batch.states[0]) == list(rows)
            metrics = {name: info[name] for name in ("boxes_on_goals", "pushes", "moves")}
            assert metrics == {"boxes_on_goals": naive.on_goals(rows), "pushes": pushes, "moves": moves}
            children = [naive.play(rows, action) for action in range(4)]
            assert info["action_mask"].tolist() == [child != rows for child, _ in children]
            action = luck.randrange(4)
            child, pushed = children[action]
            seen, reward_paid, terminated, _, info = env.step(action)
            assert reward_paid == pytest.approx(naive.reward(rows, child, reward))
            assert terminated == info["is_success"] == naive.is_solved(child)
            pushes, moves = pushes + pushed, moves + (child != rows)
            rows = child
            if terminated:
                ends += 1
                break
    assert ends > 5


@given(seeds, st.lists(st.integers(0, 3), max_size=25))
def test_every_observation_refreshed_equals_observed_and_decodes(seed, actions):
    """On any board: its boxes may be lost, but only rows that play can come to decode."""
    board = naive.random_board(seed)
    extent = len(board) + seed % 2, len(board[0]) + seed % 3
    level, state = rows_of(board, extent)
    decodes = True
    try:
        PUZZLE.check_rows(level, state, OPTIONS)
    except ValueError:
        decodes = False
    views = {}
    for name, observation in PUZZLE.observations.items():
        space = observation.space(extent)
        views[name] = np.zeros((space.shape[0], extent[0] * extent[1]), space.dtype)
        assert len(observation.channels(extent)) == space.shape[0]
        observation.observe(level, state, views[name])
    for action in actions:
        before = state.copy()
        rules.step(level, state, action, RNG)
        for name, observation in PUZZLE.observations.items():
            whole = np.full_like(views[name], 9)
            observation.observe(level, state, whole)
            observation.refresh(level, before, state, views[name])
            assert same(views[name], whole)
            shaped = whole.reshape(observation.space(extent).shape)
            assert shaped in observation.space(extent)
            if decodes:
                assert same(PUZZLE.decode(name, shaped, extent, OPTIONS), (level, state))


def test_what_is_no_board_does_not_decode():
    board = ("#####", "#@$.#", "#####")
    level, state = rows_of(board)
    planes, symbols = np.zeros((5, 15), np.uint8), np.zeros((1, 15), np.uint8)
    PUZZLE.observations["planes"].observe(level, state, planes)
    PUZZLE.observations["symbols"].observe(level, state, symbols)
    planes, symbols = planes.reshape(5, 3, 5), symbols.reshape(1, 3, 5)
    empty, two, inside, both, loud = (planes.copy() for _ in range(5))
    empty[4] = 0
    two[4, 1, 3] = 1
    inside[3, 0, 0] = 1
    both[0] = both[1]
    loud *= 2
    for wrong in (empty, two, inside, both, loud):
        with pytest.raises(ValueError, match=r"^not an observation of a board: "):
            PUZZLE.decode("planes", wrong, (3, 5), OPTIONS)
    pair, none = symbols.copy(), symbols.copy()
    pair[0, 1, 3] = 4
    none[0, 1, 1] = 1
    for wrong in (pair, none, symbols + 3):
        with pytest.raises(ValueError, match=r"^not an observation of a board: "):
            PUZZLE.decode("symbols", wrong, (3, 5), OPTIONS)
    for name, wrongs in (("planes", (planes[:4], planes[:, :2])), ("symbols", (symbols[0], symbols[:, :2]))):
        for wrong in wrongs:
            with pytest.raises(ValueError, match=rf"^{name} of shape \[.*\] are not of 5x3 squares"):
                PUZZLE.decode(name, wrong, (3, 5), OPTIONS)


# -- what can no longer be solved ----------------------------------------------------------------


@pytest.mark.parametrize("seed", range(60))
def test_dead_squares_equal_the_slow_twins(seed):
    board = naive.random_board(seed, largest=9)
    level, _ = rows_of(board)
    dead = (level[CELLS:] & (WALL | DEAD) == DEAD).reshape(-1, level[STRIDE])
    assert set(zip(*np.nonzero(dead), strict=True)) == naive.dead_squares(board)
    assert not (level[CELLS:] & GOAL & (level[CELLS:] & DEAD) // DEAD * GOAL).any()


STUCK = {
    "in a corner": ("#####", "#$  #", "# @.#", "#####"),
    "along a wall without a goal": ("######", "# $  #", "#  @ #", "#  . #", "######"),
    "two at a wall": ("######", "# $$ #", "# .. #", "#  @ #", "######"),
    "a block of four": ("########", "#      #", "#  $$  #", "#  $$  #", "#      #", "#@.... #", "########"),
    "three and a wall": ("#######", "#     #", "#  $$ #", "#  #$ #", "# ... #", "#@    #", "#######"),
    "in a zigzag": ("#######", "#  #  #", "#  $$ #", "#   # #", "#  .. #", "#@    #", "#######"),
    "on a goal, but for good": ("#####", "#*$ #", "#*$ #", "#. .#", "#@  #", "#####"),
}
FREE = {
    "beside a wall with a goal": ("######", "# $ .#", "#  @ #", "######"),
    "frozen on goals": ("#######", "#**   #", "#**$. #", "#@    #", "#######"),
    "two that can part": ("#######", "#     #", "#  $$ #", "#     #", "#@ .. #", "#######"),
    "three in a square": ("#######", "#     #", "#  $$ #", "#  $  #", "# ... #", "#@    #", "#######"),
    "solved": ("#####", "#@ *#", "#####"),
}


@pytest.mark.parametrize("name", STUCK)
def test_what_is_stuck_is_said_to_be(name):
    level, state = rows_of(STUCK[name])
    assert rules.stuck(level, state) == boards.is_stuck(level, state) == 1


@pytest.mark.parametrize("name", FREE)
def test_what_is_not_stuck_is_not_said_to_be(name):
    level, state = rows_of(FREE[name])
    assert rules.stuck(level, state) == boards.is_stuck(level, state) == 0


@pytest.mark.extended
def test_no_deadlock_is_reported_where_there_is_a_solution():
    """On every solvable state that random small boards lead to; most of those without a solution are found."""
    counts = {True: [0, 0], False: [0, 0]}
    for seed in range(1000):
        board = naive.random_board(seed, largest=6)
        states = naive.solvable_states(board, most=800) or {}
        hopeless = [rows for rows, solvable in states.items() if not solvable][:5]
        for rows in [*(rows for rows, solvable in states.items() if solvable), *hopeless]:
            counts[states[rows]][boards.is_stuck(*rows_of(rows))] += 1
    assert counts[True][1] == 0
    assert counts[True][0] > 2000
    assert counts[False][1] > counts[False][0]


def test_the_info_reports_deadlocks_when_requested():
    board = ["   .", "@$  ", "    "]
    _, _, info = film(board, "RR", deadlocks=True)
    assert info["deadlock"] is False
    seen, _, info = film(board, "urD", deadlocks=True)
    assert seen[-1] == ["   .", " @  ", " $  "]
    assert info["deadlock"] is True
    _, _, info = film(board, "urD")
    assert "deadlock" not in info
