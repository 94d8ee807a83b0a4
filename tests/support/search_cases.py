"""Problems and estimates that the tests of search share."""

import dataclasses
import functools

import gymnasium as gym
import numpy as np
import pitfall
from toy import PUZZLE as TOY
from toy import text
from toy.rules import GOAL, WIDTH
from tree_puzzle import UniformEvaluator

from gridpuzzles_gym.agents.search.heuristic import DEAD_END, ZERO, Heuristic
from gridpuzzles_gym.agents.search.problem import Limits, Problem
from gridpuzzles_gym.agents.search.searches import SEARCHES
from gridpuzzles_gym.engine.compile.compilation import rule
from gridpuzzles_gym.puzzles import n_puzzle, sokoban
from gridpuzzles_gym.puzzles.n_puzzle import boards
from gridpuzzles_gym.puzzles.n_puzzle.rules import TILES, home
from gridpuzzles_gym.puzzles.sokoban.rules import ASTRAY, stuck


@rule
def maze_distance(level, state, tables):
    width = level[WIDTH]
    rows = abs(state[0] // width - level[GOAL] // width)
    return np.int64(rows + abs(state[0] % width - level[GOAL] % width))


@rule
def tile_distance(level, state, tables):
    width, total = level[1], 0
    for square in range(state.shape[0] - TILES):
        tile = state[TILES + square]
        if tile:
            there = home(level, tile)
            total += abs(square // width - there // width) + abs(square % width - there % width)
    return np.int64(total)


@rule
def maze_distance_from_holes(level, state, tables):
    if pitfall.trap(level, state) == pitfall.HOLE:
        return np.int64(DEAD_END)
    return maze_distance(level, state, tables)


@rule
def boxes_astray(level, state, tables):
    if stuck(level, state):
        return np.int64(DEAD_END)
    return np.int64(state[ASTRAY])


MAZE = Heuristic("test-maze", "rows and columns to the goal", maze_distance)
TILE = Heuristic("test-tiles", "rows and columns between each tile and its home", tile_distance)
HOLES = Heuristic(
    "test-holes", "rows and columns to the goal, and that holes have no way out", maze_distance_from_holes
)
BOXES = Heuristic("test-boxes", "boxes off the goals, and that what is stuck has no way out", boxes_astray)

MAZES = {
    "corridor": "S..G\n",
    "open": "S....\n.....\n.....\n....G\n",
    "walls": "S#...\n.#.#.\n.#.#.\n...#G\n",
    "turns": "....#..\n.##.#.#\n.#S.#..\n.####.#\n...G#..\n#.#....\n",
    "back": "G.....\n.####.\n.#S.#.\n.##.#.\n.....#\n",
}
CLOSED_MAZE = "S..#.\n..##.\n...#G\n"
TRAPS = {
    "pits": "S.o.G\n.o...\n...o.\n.o...\n",
    "holes": "S.uG\n.u..\n..u.\nu...\n",
    "chute": "....G\n.####\n.S>..\n..o#.\n...#u\n",
}
"""In the last, the chute looks like the way, but behind it there is none."""

WAREHOUSES = {
    "push": "######\n#@ $.#\n######\n",
    "two": "######\n#@   #\n# $$ #\n# .. #\n######\n",
    "apart": "######\n#.  ##\n# $$.#\n#  @ #\n######\n",
}
"""With dead ends, as boxes are pushed into corners."""

SIZES = {"2x2": (2, 2), "2x3": (2, 3), "3x2": (3, 2)}


def maze(board, **more):
    level = TOY.parse(board, "board")[0]
    return Problem(TOY, *text.encode(level, level.extent, TOY.read_options()), TOY.read_options(), **more)


def warehouse(board):
    (level,) = sokoban.PUZZLE.parse(board, "board")
    options = sokoban.PUZZLE.read_options()
    return Problem(sokoban.PUZZLE, *sokoban.PUZZLE.encode(level, level.extent, options), options)


def traps(board):
    return Problem(pitfall.PUZZLE, *pitfall.rows(board), TOY.read_options())


def tiles(*numbers, height=None, width=None, **more):
    """The board with these tiles, square unless told; solvable or not."""
    height = height or round(len(numbers) ** 0.5)
    width = width or len(numbers) // height
    options = n_puzzle.PUZZLE.read_options(height=height, width=width)
    goal = (*range(1, len(numbers)), 0)
    problem = Problem(n_puzzle.PUZZLE, *boards.make_rows(goal, goal, (height, width)), options, **more)
    # No play comes to a board that cannot be solved, so a problem refuses it; searches are tried on it all the same.
    object.__setattr__(problem, "state", boards.make_rows(numbers, goal, (height, width))[1])
    return problem


def random_tiles(seed, **options):
    env = gym.make("EightPuzzle-v0", **options)
    env.reset(seed=seed)
    return Problem.of(env)


UNSOLVABLE_15 = (*range(1, 14), 15, 14, 0)


@functools.cache
def small_cases():
    """name → (problem, heuristic) with at most some hundred states and a solution."""
    cases = {f"maze-{name}": (maze(board), MAZE) for name, board in MAZES.items()}
    cases |= {f"traps-{name}": (traps(board), HOLES) for name, board in TRAPS.items()}
    cases |= {f"sokoban-{name}": (warehouse(board), BOXES) for name, board in WAREHOUSES.items()}
    for name, (height, width) in SIZES.items():
        for seed in range(3):
            cases[f"tiles-{name}-{seed}"] = (random_tiles(seed, height=height, width=width), TILE)
    return cases


def runnable(search, problem):
    """Can this search step through this puzzle at all?"""
    rules = problem.puzzle.rules
    return not search.backward or (rules.undo is not None and rules.goal is not None)


MOST_MEMORY = 2**28
"""The memory in which every search of these tests ends, so that one whose limit fails is told, not waited for."""


def solve(name, problem, heuristic=ZERO, limits=None, seed=0, **parameters):
    limits = limits or Limits()
    if limits.memory is None:
        limits = dataclasses.replace(limits, memory=MOST_MEMORY)
    if SEARCHES[name].guided:
        parameters = {"model": UniformEvaluator(), **parameters}
    return SEARCHES[name].solve(problem, heuristic, limits, seed, **parameters)
