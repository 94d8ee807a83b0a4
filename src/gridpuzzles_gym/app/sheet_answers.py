"""Solutions of levels as texts, for the answers of a sheet."""

from collections.abc import Callable, Sequence
from typing import Any

from gridpuzzles_gym.agents.search.problem import INTERRUPTED, Limits, Problem
from gridpuzzles_gym.agents.search_tables import default_search, heuristic_named

from ..engine.messages import plural
from ..engine.puzzle import Level, Puzzle
from .level_work import progress
from .solving import Solution, action_letters, count_pushes

SECONDS = 20
"""The time limit for each level."""


def answers_of(
    puzzle: Puzzle, levels: Sequence[Level], advance: Callable[[], object] = lambda: None, limits: Limits | None = None
) -> list[str]:
    """Return the answer of each level: the length of a solution and the first letters of its actions.

    Args:
        puzzle: The puzzle of the levels.
        levels: The levels.
        advance: Called after each level.
        limits: The limits for each level; None is :data:`SECONDS`.

    Raises:
        ValueError: The puzzle's games depend on chance, so that levels have no solutions.
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    if not puzzle.deterministic:
        raise ValueError(f"{puzzle.title} has no answers: its games depend on chance")
    search, heuristic, answers = default_search(puzzle), heuristic_named(None, puzzle), []
    for level in levels:
        problem = _problem(puzzle, level)
        found = search.solve(problem, heuristic, limits or Limits(seconds=SECONDS))
        if found.status == INTERRUPTED:
            raise KeyboardInterrupt
        solution = Solution(level.name, 0, problem, search, heuristic, found)
        answers.append(answer_of(puzzle, level, found.actions) if found.solved else f"not solved: {solution.ending}")
        advance()
    return answers


def answers_with_progress(puzzle: Puzzle, levels: Sequence[Level]) -> list[str]:
    """Return the answers of levels, with a progress bar if that takes long; see :func:`answers_of`."""
    with progress(len(levels)) as advance:
        return answers_of(puzzle, levels, advance)


def answer_of(puzzle: Puzzle, level: Level, actions: Sequence[int]) -> str:
    """Return the answer of a level whose solution is known."""
    problem = _problem(puzzle, level)
    pushes = count_pushes(problem, actions)
    counted = None if pushes is None else sum(pushes)
    return _words(counted, len(actions), action_letters(problem, actions, pushes))


def _problem(puzzle: Puzzle, level: Level) -> Problem:
    options: Any = puzzle.resolve_options(puzzle.read_options(), level.extent, [level])
    return Problem(puzzle, *puzzle.encode(level, level.extent, options), options)


def _words(pushes: int | None, moves: int, letters: str) -> str:
    pushed = "" if pushes is None else f"{plural(pushes, 'push', 'pushes')}, "
    return f"{pushed}{plural(moves, 'move')}: {letters}"
