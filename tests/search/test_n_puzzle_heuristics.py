"""The sliding tiles' estimates: against true distances, slow twins, and themselves move by move."""

import itertools

import numpy as np
import pytest
from tile_boards import estimates, everything, neighbours

from gridpuzzles_gym.agents.n_puzzle.heuristics import HEURISTICS, INCREMENTAL, incremental_of
from gridpuzzles_gym.agents.search.heuristic import ZERO
from gridpuzzles_gym.puzzles.n_puzzle import boards, rules

SMALL = ("misplaced", "manhattan", "linear-conflict", "pdb")
FOUR = ("misplaced", "manhattan", "linear-conflict", "pdb-5-5-5")
EDGE = (1, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)  # its blank lies on no diagonal


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize("goal", ["rows", "spiral"])
@pytest.mark.parametrize("name", SMALL)
def test_every_board_of_the_eight_puzzle(name, goal):
    every, distances, here, there = everything(boards.arrange(goal, 3, 3))
    assert len(every) == 181_440
    guesses = estimates(name, every, boards.arrange(goal, 3, 3), (3, 3))
    assert (guesses <= distances).all()
    assert ((guesses == 0) == (distances == 0)).all()
    assert HEURISTICS[name].admissible
    assert HEURISTICS[name].consistent
    assert abs(guesses[here] - guesses[there]).max() <= 1
    if name == "pdb":
        assert (guesses == distances).all()


def walk(goal, width, length, rng):
    board, path = goal, [goal]
    for _ in range(length):
        options = [moved for _, moved in neighbours(board, width) if len(path) < 2 or moved != path[-2]]
        board = options[rng.integers(len(options))]
        path.append(board)
    return path


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize("goal", ["blank-first", "rows", "spiral", EDGE])
@pytest.mark.parametrize("name", FOUR)
def test_random_walks_on_four_by_four(name, goal):
    goal = boards.arrange(goal, 4, 4)
    rng = np.random.default_rng(1)
    for _ in range(20):
        path = walk(goal, 4, 150, rng)
        guesses = estimates(name, path, goal, (4, 4))
        assert (guesses <= np.arange(len(path))).all()
        if HEURISTICS[name].consistent:
            assert abs(np.diff(guesses)).max() <= 1
        else:  # each way the parity of the move shows
            assert (np.diff(guesses) % 2 == 1).all()


def manhattan_twin(tiles, goal, width):
    total = 0
    for square, tile in enumerate(tiles):
        home = goal.index(tile)
        if tile:
            total += abs(square // width - home // width) + abs(square % width - home % width)
    return total


def conflict_twin(tiles, goal, width):
    """Manhattan distance, and twice the fewest tiles without which no two are in each other's way."""
    height, total = len(tiles) // width, manhattan_twin(tiles, goal, width)
    lines = [[row * width + column for column in range(width)] for row in range(height)]
    lines += [[row * width + column for row in range(height)] for column in range(width)]
    for line in lines:
        homes = [goal.index(tiles[square]) for square in line if tiles[square] and goal.index(tiles[square]) in line]
        kept = next(
            size
            for size in range(len(homes), -1, -1)
            for keep in itertools.combinations(homes, size)
            if list(keep) == sorted(keep)
        )
        total += 2 * (len(homes) - kept)
    return total


@pytest.mark.parametrize("extent", [(2, 2), (3, 2), (3, 5), (4, 4), (5, 5), (2, 10)])
def test_twins(extent):
    height, width = extent
    rng = np.random.default_rng(height * 10 + width)
    for _ in range(3):
        goal = tuple(rng.permutation(height * width).tolist())
        some = [tuple(rng.permutation(height * width).tolist()) for _ in range(20)]
        some += walk(goal, width, 20, rng)
        for name, twin in (("manhattan", manhattan_twin), ("linear-conflict", conflict_twin)):
            assert estimates(name, some, goal, extent).tolist() == [twin(board, goal, width) for board in some]
        assert estimates("misplaced", some, goal, extent).tolist() == [
            sum(a != b and a != 0 for a, b in zip(board, goal, strict=True)) for board in some
        ]


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize("goal", ["blank-first", "spiral", EDGE])
@pytest.mark.parametrize("name", FOUR)
def test_move_by_move_is_from_scratch(name, goal):
    """Interpreted, both."""
    incremental, goal = INCREMENTAL[name], boards.arrange(goal, 4, 4)
    path = walk(goal, 4, 60, np.random.default_rng(2))
    level, state = boards.make_rows(path[0], goal, (4, 4))
    tables = incremental.heuristic.prepare(level)
    numbers = incremental.numbers(level, tables)
    memory = np.zeros((len(path)) * max(incremental.remembers, 1), np.int64)
    incremental.start(level, state, tables, numbers, memory)
    compiled = estimates(name, path, goal, (4, 4)).tolist()
    for number, (before, after) in enumerate(itertools.pairwise(path)):
        state[rules.TILES :] = before
        rules.finish(level, state)
        assert incremental.heuristic.evaluate(level, state, tables) == compiled[number]
        blank, square = before.index(0), after.index(0)
        action = next(action for action, board in neighbours(before, 4) if board == after)
        board = np.array(before, np.uint8)
        board[blank] = 7  # left over: means nothing
        at = number * incremental.remembers
        change = incremental.change(tables, numbers, memory, at, board, before[square], square, blank, action)
        assert change == compiled[number + 1] - compiled[number]


def test_what_is_not_served():
    level, _ = boards.make_rows(*[boards.arrange("rows", 5, 5)] * 2, (5, 5))
    with pytest.raises(ValueError, match="pdb supports boards of up to 10 squares; this one has 5x5"):
        HEURISTICS["pdb"].prepare(level)
    with pytest.raises(ValueError, match="pdb-6-6-3 supports boards of 4x4 squares; this one has 5x5"):
        HEURISTICS["pdb-6-6-3"].prepare(level)
    with pytest.raises(ValueError, match="has no incremental version of heuristic 'zero'"):
        incremental_of(ZERO)
