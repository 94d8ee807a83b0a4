"""Sokoban's boards as problems for searches."""

from naive_sokoban import random_board

from gridpuzzles_gym.agents.search.problem import Problem
from gridpuzzles_gym.agents.sokoban.solver.board import survey
from gridpuzzles_gym.engine.puzzle import LevelError
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


def random_levels(count, boxes, fewest=1, largest=7):
    """So many random levels on small boards, as rows and as problems, on which no box is lost already."""
    found, seed = [], 0
    while len(found) < count:
        rows = random_board(seed, largest, boxes)
        seed += 1
        try:
            (level,) = PUZZLE.parse("\n".join(rows) + "\n", "drawn")
        except LevelError:
            continue
        problem = problem_of(level.content)
        board, squares, _ = survey(problem.level, problem.state)
        if len(squares) >= fewest and squares.max() < board.live:
            found.append((level.content, problem))
    return found
