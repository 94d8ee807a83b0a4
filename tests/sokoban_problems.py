"""Sokoban's boards as problems for searches."""

from gridpuzzles_gym.agents.search.problem import Problem
from gridpuzzles_gym.puzzles.sokoban import PUZZLE
from gridpuzzles_gym.puzzles.sokoban.boards import encode_rows
from gridpuzzles_gym.puzzles.sokoban.notation import write_lurd

OPTIONS = PUZZLE.read_options()


def problem_of(rows):
    """The problem that rows of plain XSB are, even those that are no level since they are solved or stuck."""
    return Problem(PUZZLE, *encode_rows(rows, (len(rows), max(map(len, rows))), OPTIONS), OPTIONS)


def pushes_in(problem, plan):
    """How many actions of a plan push a box."""
    return sum(letter.isupper() for letter in write_lurd(problem.level, problem.state, plan))
