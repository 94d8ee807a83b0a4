"""The rules of the sliding-tile puzzle as films: a board, where the blank goes, what comes of it."""

import functools

import gymnasium as gym
import naive
import numpy as np
import pytest
from films import Views
from helpers import same
from hypothesis import given
from hypothesis import strategies as st

from gridpuzzles_gym.engine.puzzle import LevelError
from gridpuzzles_gym.puzzles.n_puzzle import PUZZLE, boards, rules

LETTERS = {"u": 0, "d": 1, "l": 2, "r": 3}
WORDS = ("up", "down", "left", "right")
RNG = np.ones(1, np.uint64)
sizes_of_boards = st.tuples(st.integers(2, 5), st.integers(2, 5))
goals = st.sampled_from(list(boards.GOALS))


def film(board, moves, **kwargs):
    """Play the letters on a board: the rows of every board seen, the rewards, and the environment."""
    env = gym.make("EightPuzzle-v0", levels=board, disable_env_checker=True, **kwargs).unwrapped
    env.reset(seed=0)
    seen, rewards, ended = [written(env)], [], False
    for letter in moves:
        assert not ended
        _, reward, ended, _, _ = env.step(LETTERS[letter])
        seen.append(written(env))
        rewards.append(reward)
    return seen, rewards, env


def written(env):
    """The board as rows run together."""
    height, width = env.batch.extent
    tiles = "".join(map(str, env.batch.states[0, rules.TILES :].tolist()))
    return "/".join(tiles[row * width : (row + 1) * width] for row in range(height))


def sampled(seed, height, width, goal="rows", **options):
    """Return a sampled (level, state)."""
    options = PUZZLE.read_options(height=height, width=width, goal=goal, **options)
    level, state = (np.zeros(size, np.int16) for size in PUZZLE.row_lengths((height, width)))
    rules.generate(PUZZLE.generation.settings(options), np.array([seed], np.uint64), level, state)
    return level, state


# -- films ---------------------------------------------------------------------------------------


def test_actions_move_the_blank():
    seen, rewards, _ = film("1 2 3\n4 0 6\n7 5 8\n", "uldr")
    assert seen == ["123/406/758", "103/426/758", "013/426/758", "413/026/758", "413/206/758"]
    assert rewards == [-1, -1, -1, -1]


@pytest.mark.parametrize(
    ("board", "walls"),
    [
        ("123\n456\n780\ngoal: blank-first\n", "dr"),
        ("012\n453\n786\n", "ul"),
        ("123\n405\n786\n", ""),
        ("123\n046\n758\n", "l"),
    ],
)
def test_at_a_wall_nothing_moves_and_the_step_still_costs(board, walls):
    for letter in "udlr":
        seen, rewards, env = film(board, letter)
        assert (seen[0] == seen[1]) == (letter in walls)
        assert rewards == [-1]
    mask = PUZZLE.rules.legal
    row, state = env.batch.pool.rows(0)
    assert "".join(letter for letter in "udlr" if not mask(row, state, LETTERS[letter])) == walls


def test_the_last_tile_brings_the_prize_and_the_end():
    seen, rewards, env = film("1 2 3\n4 5 6\n0 7 8\n", "rr")
    assert seen[-1] == "123/456/780"
    assert rewards == [-1, 999]
    assert env.batch.states[0, rules.MISPLACED] == 0


# -- the goals -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("goal", "height", "width", "tiles"),
    [
        ("rows", 3, 3, "123456780"),
        ("rows", 2, 3, "123450"),
        ("spiral", 3, 3, "123804765"),
        ("spiral", 2, 3, "123054"),
        ("spiral", 2, 2, "1203"),
        ("blank-first", 3, 3, "012345678"),
    ],
)
def test_the_goals_that_have_names(goal, height, width, tiles):
    assert boards.arrange(goal, height, width) == tuple(map(int, tiles))


@pytest.mark.parametrize(
    "goal", ["123804765", "1 2 3 8 0 4 7 6 5", [1, 2, 3, 8, 0, 4, 7, 6, 5], (1, 2, 3, 8, 0, 4, 7, 6, 5), 123804765]
)
def test_a_goal_given_in_full(goal):
    one = gym.make("EightPuzzle-v0", goal=goal).reset(seed=5)[0]
    assert same(one, gym.make("EightPuzzle-v0", goal="spiral").reset(seed=5)[0])


BAD_OPTIONS = [
    ({"goal": "rings"}, r"goal='rings' is not known; allowed are 'rows', 'spiral', 'blank-first'"),
    ({"goal": "123804766"}, r"must have each tile from 0 \(the blank\) to the number of squares minus 1 exactly once"),
    ({"goal": "12345678"}, r"each tile from 0"),
    ({"goal": "1 2 0"}, r"each tile from 0"),
    ({"goal": "1 2 x 0"}, r"is not known"),
    ({"goal": "1230"}, r"the goal 1230 has 4 squares, but a board of 3x3 has 9"),
    ({"goal": [*range(16)]}, r"the goal 0 1 2 .* 15 has 16 squares, but a board of 3x3 has 9"),
    ({"goal": "1230", "levels": "134862705\n"}, r"the goal 1230 has 4 squares, but a board of 3x3 has 9"),
    (
        {"scramble": 0},
        r"scramble=0: must be an integer from 1 to 1000000, a pair \(least, most\) of such integers, or None",
    ),
]


@pytest.mark.parametrize(("kwargs", "message"), BAD_OPTIONS, ids=[str(kwargs) for kwargs, _ in BAD_OPTIONS])
def test_a_bad_option_is_a_value_error(kwargs, message):
    with pytest.raises(ValueError, match=message):
        gym.make("EightPuzzle-v0", **kwargs)


# -- the slow twin -------------------------------------------------------------------------------


@given(st.integers(1, 2**64 - 1), sizes_of_boards, goals, st.lists(st.integers(0, 3), max_size=30))
def test_steps_equal_the_slow_twins(seed, size, goal, actions):
    level, state = sampled(seed, *size, goal)
    solution = list(boards.arrange(goal, *size))
    board = state[rules.TILES :].tolist()
    for action in actions:
        moved = naive.slide(board, size[1], WORDS[action])
        assert rules.legal(level, state, action) == (moved != board)
        reward, terminated = rules.step(level, state, action, RNG)
        board = moved
        assert state[rules.TILES :].tolist() == board
        assert state[rules.BLANK] == board.index(0)
        misplaced = sum(tile != own for tile, own in zip(board, solution, strict=True) if tile)
        assert state[rules.MISPLACED] == misplaced
        assert (reward, terminated) == ((999, True) if board == solution else (-1, False))
        assert rules.solved(level, state) == (board == solution)


@given(st.integers(1, 2**64 - 1), sizes_of_boards, goals, st.lists(st.integers(0, 3), max_size=15))
def test_every_observation_refreshed_equals_observed_and_decodes(seed, size, goal, actions):
    level, state = sampled(seed, *size, goal)
    options = PUZZLE.read_options(height=size[0], width=size[1], goal=goal)
    views = Views(PUZZLE, level, state, size, options)
    for action in actions:
        before = state.copy()
        rules.step(level, state, action, RNG)
        views.follow(before, state)


def test_what_planes_and_symbols_show():
    env = gym.make("EightPuzzle-v0", levels="123\n405\n786\n").unwrapped
    seen, _ = env.reset(seed=0)
    assert env.channels[:3] == ("blank", "tile 1", "tile 2")
    for tile, (row, column) in {0: (1, 1), 1: (0, 0), 5: (1, 2), 7: (2, 0)}.items():
        assert np.argwhere(seen[tile]).tolist() == [[row, column]]
    seen, _ = gym.make("EightPuzzle-v0", levels="123\n405\n786\n", observation="symbols").reset(seed=0)
    assert seen.tolist() == [[[1, 2, 3], [4, 0, 5], [7, 8, 6]]]


def test_what_is_no_board_does_not_decode():
    views = Views(PUZZLE, *sampled(3, 3, 3), (3, 3), PUZZLE.read_options())
    planes, symbols = views["planes"], views["symbols"]
    exchanged = planes[[0, 2, 1, *range(3, 9)]]
    twice, nothing = planes.copy(), planes.copy()
    twice[1] = planes[2]
    nothing[4] = 0
    same_tile = symbols.copy()
    same_tile[same_tile == 3] = 4
    views.refuse("planes", "^not an observation of a solvable board: this board cannot be solved", exchanged)
    no_board = "^not an observation of a board: every tile must be on exactly one"
    views.refuse("planes", no_board, twice, nothing, planes * 2)
    views.refuse("symbols", no_board, same_tile, symbols + 1)
    shape = r" of shape \[.*\]; the shape must be \[\d, 3, 3\]"
    views.refuse("planes", f"^planes{shape}", planes[:8], planes[:, :2])
    views.refuse("symbols", f"^symbols{shape}", symbols[0], symbols[:, :2])


# -- sampled boards --------------------------------------------------------------------------------


def starts(count, height, width, **options):
    """Return that many sampled boards, by compiled rules."""
    options |= {"height": height, "width": width, "observation": "symbols"}
    env = gym.make_vec("EightPuzzle-v0", num_envs=count, **options)
    return [tuple(board.ravel().tolist()) for board in env.reset(seed=0)[0]]


@functools.cache
def eight_puzzle():
    return naive.reachable_boards(boards.arrange("rows", 3, 3), 3)


@pytest.mark.extended
def test_starts_of_3x3_are_uniform_in_depth_and_place():
    depths = eight_puzzle()
    sampled = starts(20_000, 3, 3)
    assert min(depths[board] for board in sampled) > 0
    assert abs(np.mean([depths[board] for board in sampled]) - 21.97) < 0.1
    places = np.zeros((9, 9))
    for board in sampled:
        places[np.arange(9), board] += 1
    assert abs(places - 20_000 / 9).max() < 5 * (20_000 / 9) ** 0.5


@given(st.integers(1, 2**64 - 1), sizes_of_boards, goals, st.sampled_from([None, 1, 2, 7, (1, 30)]))
def test_every_sampled_board_can_be_solved_and_is_not(seed, size, goal, scramble):
    _, state = sampled(seed, *size, goal, scramble=scramble)
    tiles = tuple(state[rules.TILES :].tolist())
    assert sorted(tiles) == list(range(len(tiles)))
    assert state[rules.MISPLACED] > 0
    assert not boards.why_unsolvable(tiles, boards.arrange(goal, *size), size[1])


@pytest.mark.extended
@pytest.mark.parametrize("moves", [1, 2, 3, 4, 5, 9, 10])
def test_scrambles_of_3x3_are_so_many_moves(moves):
    """None is taken back, so up to five moves none is lost; the parity always stays."""
    depths = dict.fromkeys(range(32), 0)
    for board in starts(4000, 3, 3, scramble=moves):
        depths[eight_puzzle()[board]] += 1
    found = {depth for depth, count in depths.items() if count}
    assert max(found) == moves
    assert {depth % 2 for depth in found} == {moves % 2}
    if moves <= 5:
        assert found == {moves}


# -- given boards and their goals ----------------------------------------------------------------


def test_another_goal_than_the_environments_is_refused():
    with pytest.raises(
        LevelError, match=r"goal is spiral, but the environment's is rows; pass goal= with the board's goal"
    ):
        gym.make("EightPuzzle-v0", levels="classic", goal="rows")
    with pytest.raises(LevelError, match=r"level text:5: this board's goal is rows, but the environment's is spiral"):
        gym.make("EightPuzzle-v0", levels="134862705\ngoal: spiral\n\n;two\n123456708\ngoal: rows\n")
    env = gym.make("EightPuzzle-v0").unwrapped
    with pytest.raises(LevelError, match="this board's goal is spiral"):
        env.reset(seed=0, options={"level": "easy, 5 moves"})
    env.reset(seed=0, options={"level": "31 moves, two"})
    assert written(env) == "647/850/321"


def test_boards_of_one_environment_are_equally_large():
    for levels in (["classic", "fifteen"], ["1230\n", "1 2 3\n4 0 5\n"]):
        with pytest.raises(LevelError, match=r"a board of \dx\d squares; this environment's must be \dx\d"):
            gym.make("EightPuzzle-v0", levels=levels)
    env = gym.make("FifteenPuzzle-v0").unwrapped
    with pytest.raises(LevelError, match=r"a board of 3x3 squares; this environment's must be 4x4"):
        env.reset(seed=0, options={"level": "123456708\n"})
    with pytest.raises(
        LevelError, match=r"level index 8 is out of range; this environment has 8 levels, counted from 0"
    ):
        env.reset(seed=0, options={"level": 8})
