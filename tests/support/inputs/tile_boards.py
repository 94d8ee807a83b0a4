"""Boards of sliding tiles: all of the 8-puzzle, Korf's, scrambled ones; and what compiled heuristics say of them."""

import collections
import functools

import numpy as np
from numba import int16, int64, uint8, void

from gridpuzzles_gym.agents.n_puzzle.heuristics import HEURISTICS
from gridpuzzles_gym.agents.search import loops
from gridpuzzles_gym.agents.search.problem import Problem
from gridpuzzles_gym.engine.compile.compilation import compiled
from gridpuzzles_gym.puzzles.n_puzzle import PUZZLE, Options, boards, rules

# Number, fewest moves, nodes generated with Manhattan distance, board; goal 0, 1 … 15: R. E. Korf, "Depth-first
# iterative-deepening: an optimal admissible tree search", Artificial Intelligence 27, 1985, table 1.
KORF = [
    (9, 46, 1_650_696, "3 14 9 11 5 4 8 2 13 12 6 7 10 1 15 0"),
    (12, 45, 546_344, "14 1 9 6 4 8 12 5 7 2 3 0 10 11 13 15"),
    (19, 46, 1_280_495, "7 11 8 3 14 0 6 15 1 4 13 9 5 12 2 10"),
]


def problem(tiles, goal="rows", extent=(4, 4), costs=()):
    height, width = extent
    options = Options(width=width, height=height, goal=goal)
    return Problem(
        PUZZLE, *boards.make_rows(tuple(tiles), boards.arrange(goal, *extent), extent), options, np.array(costs)
    )


def korf(text):
    return problem(map(int, text.split()), "blank-first")


def scrambled(goal, extent, moves, seed):
    task = problem(boards.arrange(goal, *extent), goal, extent)
    rules.scramble(task.level, task.state, np.array([seed + 1], np.uint64), moves)
    return task


def neighbours(tiles, width):
    """(action, board) of each move of the blank."""
    blank = tiles.index(0)
    row, column = divmod(blank, width)
    height = len(tiles) // width
    steps = ((row > 0, -width), (row + 1 < height, width), (column > 0, -1), (column + 1 < width, 1))
    for action, (possible, step) in enumerate(steps):
        if possible:
            moved = list(tiles)
            moved[blank], moved[blank + step] = moved[blank + step], 0
            yield action, tuple(moved)


@functools.cache
def everything(goal):
    """Of the 8-puzzle: the boards, their distances, and which are a move apart, as two arrays of numbers."""
    distances = {goal: 0}
    queue = collections.deque([goal])
    pairs = []
    while queue:
        board = queue.popleft()
        for _, other in neighbours(board, 3):
            if other not in distances:
                distances[other] = distances[board] + 1
                queue.append(other)
            pairs.append((board, other))
    numbers = {board: number for number, board in enumerate(distances)}
    here, there = np.array([(numbers[a], numbers[b]) for a, b in pairs]).T
    return np.array(list(distances), np.int16), np.array(list(distances.values())), here, there


@functools.cache
def all_at_once():
    def evaluate_all(evaluate, level, states, tables, answers):
        for k in range(len(answers)):
            answers[k] = evaluate(level, states[k], tables)

    signature = void(loops.EVALUATE, int16[::1], int16[:, ::1], uint8[::1], int64[::1])
    return compiled(evaluate_all, "test-evaluate-all", signature)


def estimates(name, tiles, goal, extent):
    """What the compiled heuristic says of each board."""
    heuristic = HEURISTICS[name]
    level, _ = boards.make_rows(goal, goal, extent)
    tiles = np.array(tiles, np.int16)
    misplaced = ((tiles != goal) & (tiles != 0)).sum(axis=1)
    states = np.concatenate([(tiles == 0).argmax(axis=1)[:, None], misplaced[:, None], tiles], axis=1).astype(np.int16)
    answers = np.zeros(len(states), np.int64)
    all_at_once()(heuristic.function(), level, states, heuristic.prepare(level), answers)
    return answers
