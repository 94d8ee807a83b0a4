"""Boards of Sokoban up to the largest: read, solved, drawn and played; and what is larger."""

import json

import gymnasium as gym
import numpy as np
import pytest
from helpers import run

from gridpuzzles_gym.agents.sokoban.solver.board import FAR, NOWHERE, SIDES, may_exceed, move_from, survey
from gridpuzzles_gym.engine.puzzle import LevelError
from gridpuzzles_gym.puzzles.sokoban import PUZZLE
from gridpuzzles_gym.puzzles.sokoban.boards import LARGEST, MOST_SQUARES

SIZES = [(255, 100), (125, 255), *(pytest.param(size, marks=pytest.mark.extended) for size in ((100, 255), (80, 80)))]
"""(height, width)"""
DOWN, RIGHT = 1, 3


def hall(height, width, boxes=2):
    """A hall with pillars, boxes in one corner, and goals in the opposite one."""
    board = np.full((height, width), "#")
    board[1:-1, 1:-1] = " "
    board[3:-3:4, 3:-3:4] = "#"
    board[1, 1] = "@"
    for k in range(boxes):
        board[2, 5 + 8 * k], board[-3, -6 - 8 * k] = "$", "."
    return "".join("".join(row) + "\n" for row in board)


def corridor(height, width):
    """A winding corridor, three squares wide, from many boxes to as many goals."""
    board = np.full((height, width), "#")
    tops = range(1, height - 3, 4)
    for number, top in enumerate(tops):
        board[top : top + 3, 1:-1] = " "
        if top != tops[-1]:
            board[top + 3, -4:-1] = board[top + 3, -4:-1] if number % 2 else " "
            board[top + 3, 1:4] = " " if number % 2 else board[top + 3, 1:4]
    for top in tops[:4]:
        board[top + 1, 6:-6] = "$"
    for top in tops[-4:]:
        board[top + 1, 6:-6] = "."
    board[1, 1] = "@"
    return "".join("".join(row) + "\n" for row in board)


@pytest.fixture(params=SIZES, ids=lambda size: f"{size[1]}x{size[0]}")
def large(request, tmp_path):
    """The size, and the file of one level."""
    path = tmp_path / "large.xsb"
    path.write_text("; large\n" + hall(*request.param))
    return request.param, path


@pytest.mark.compiled
@pytest.mark.extended
def test_large_boards_are_solved(large, capsys):
    size, path = large
    code, out, err = run(capsys, "levels", "solve", path, "--json")
    assert (code, err) == (0, "")
    (row,) = json.loads(out)
    assert row["ending"] == "solved"  # the command plays each solution to verify it
    assert row["pushes"] >= 2 * (sum(size) - 30)


@pytest.mark.compiled
@pytest.mark.extended
def test_large_boards_are_played(large):
    size, path = large
    env, vector = gym.make("Sokoban-v0", levels=path), gym.make_vec("Sokoban-v0", num_envs=2, levels=path)
    assert env.observation_space.shape == (5, *size)
    alone, _ = env.reset(seed=0)
    both, _ = vector.reset(seed=0)
    for action in (RIGHT, DOWN, RIGHT, RIGHT, RIGHT):
        alone = env.step(action)[0]
        both = vector.step(np.full(2, action))[0]
    assert (both == alone).all()
    channel = env.unwrapped.channels.index("player")
    assert np.argwhere(alone[channel]).tolist() == [[2, 5]]
    level, state = vector.unwrapped.batch.levels[0], vector.unwrapped.batch.states[0]
    assert PUZZLE.check_rows(level, state, env.unwrapped.options) == size
    decoded = PUZZLE.decode("planes", alone, size, env.unwrapped.options)
    assert all(np.array_equal(*rows) for rows in zip(decoded, (level, state), strict=True))


@pytest.mark.parametrize(("size", "allowed"), [((3, 256), "255 per side"), ((126, 254), "32,000 squares in all")])
def test_larger_boards_are_refused(size, allowed):
    assert max(size) > LARGEST or size[0] * size[1] > MOST_SQUARES
    with pytest.raises(LevelError, match=f"^t:1:1: a board of {size[1]}x{size[0]} squares; the maximum is {allowed}"):
        PUZZLE.parse(hall(*size, 0) if size[0] > 9 else "#" * size[1] + "\n#@$.#\n" + "#####\n", "t")


def test_the_rules_hold_next_to_the_last_square():
    """Numbers of squares close to the largest of int16, in plain Python, where an overflow would be an error."""
    size = 125, 255
    board = np.full(size, "#")
    board[-4:-1, -9:-1] = " "
    board[-2, -6:-3] = list("@$.")
    (level,) = PUZZLE.parse("".join("".join(row) + "\n" for row in board), "t")
    options = PUZZLE.read_options()
    row, state = PUZZLE.encode(level, size, options)
    assert state[0] > 31_000
    with np.errstate(all="raise"):
        reward, done = PUZZLE.rules.step(row, state, RIGHT, None)
    assert (reward, bool(done)) == (999.0, True)
    assert PUZZLE.check_rows(row, state, options) == size


@pytest.mark.compiled
@pytest.mark.extended
def test_a_search_makes_no_claim_beyond_its_numbers(tmp_path, capsys):
    """The boxes need more pushes together than the number for an unreachable goal, so the estimate proves nothing."""
    path = tmp_path / "far.xsb"
    path.write_text(corridor(125, 255))
    (level,) = PUZZLE.parse(path.read_text(), "t")
    board, _, _ = survey(*PUZZLE.encode(level, level.extent, PUZZLE.read_options()))
    assert may_exceed(board)
    assert not may_exceed(board._replace(goals=board.goals[:1]))
    assert board.distance[board.distance < FAR].max() * len(board.goals) >= FAR
    code, out, _ = run(capsys, "levels", "solve", path, "--search", "sokoban-pushes", "--json")
    assert (code, json.loads(out)[0]["ending"]) == (0, "stuck")


def test_distances_without_machine_code_do_not_overflow():
    """Along a corridor of more squares than int16 holds when they are multiplied by the four sides."""
    count = 10_000
    neighbours = np.full((count, SIDES), NOWHERE, np.int16)
    neighbours[1:, 2], neighbours[:-1, 3] = np.arange(count - 1), np.arange(1, count)
    side = np.where(neighbours == NOWHERE, NOWHERE, np.arange(SIDES)).astype(np.int8)
    distance, steps, queue = (np.full(size, FAR, np.int32) for size in ((count, 1), count * SIDES, count * SIDES))
    move_from(neighbours, side, 1, 1, 0, distance, steps, queue)
    assert (distance[:, 0] == abs(np.arange(count) - 1)).all()
