"""Solutions of levels as texts, for the answers of a sheet."""

import itertools
from collections.abc import Callable, Sequence

from gridpuzzles_gym.agents.puzzle_agents import agents_record
from gridpuzzles_gym.agents.search.problem import INTERRUPTED, Limits, Problem
from gridpuzzles_gym.agents.search_tables import default_search, heuristic_named

from ...engine.messages import plural
from ...engine.puzzle import Level, Puzzle
from ...engine.system.progress_bar import progress
from ..solve import PUSHES, Solution, count_pushes, letters_of

SECONDS = 20
"""The time limit for each level."""
NO_SOLUTION = "cannot be solved"


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
        ValueError: As :func:`check_answers`.
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    check_answers(puzzle)
    answers = []
    for level in levels:
        answers.append(_solved(puzzle, level, limits or Limits(seconds=SECONDS)))
        advance()
    return answers


def check_answers(puzzle: Puzzle) -> None:
    """Raise ValueError if levels of a puzzle have no answers, because its games depend on chance."""
    if not puzzle.deterministic and agents_record(puzzle).informed_plan is None:
        raise ValueError(f"{puzzle.title} has no answers: its games depend on chance")


def informed_plan(puzzle: Puzzle, level: Level) -> Sequence[int] | None:
    """Return the fewest actions that solve a level in which chance plays a part, for a player who sees all of it."""
    plan = agents_record(puzzle).informed_plan
    assert plan is not None
    scene = puzzle.first_scene(level)
    return plan()(scene.level, scene.state)


def informed_answer(puzzle: Puzzle, level: Level) -> str:
    """Return the plan of :func:`informed_plan` as an answer."""
    actions = informed_plan(puzzle, level)
    return NO_SOLUTION if actions is None else _words(None, actions, puzzle.actions(puzzle.read_options()))


def _solved(puzzle: Puzzle, level: Level, limits: Limits) -> str:
    """Solve a level and return its answer."""
    if not puzzle.deterministic:
        return informed_answer(puzzle, level)
    search, heuristic, problem = default_search(puzzle), heuristic_named(None, puzzle), Problem.at_start(puzzle, level)
    found = search.solve(problem, heuristic, limits)
    if found.status == INTERRUPTED:
        raise KeyboardInterrupt
    solution = Solution(level.name, 0, problem, search, heuristic, found)
    return answer_of(puzzle, level, found.actions) if found.solved else f"not solved: {solution.ending}"


def answers_with_progress(puzzle: Puzzle, levels: Sequence[Level]) -> list[str]:
    """Return the answers of levels, with a progress bar if that takes long; see :func:`answers_of`."""
    with progress(len(levels)) as advance:
        return answers_of(puzzle, levels, advance)


def answer_of(puzzle: Puzzle, level: Level, actions: Sequence[int]) -> str:
    """Return the answer of a level whose solution is known."""
    problem = Problem.at_start(puzzle, level)
    return _words(count_pushes(problem, actions), actions, puzzle.actions(problem.options))


def legend_of(puzzle: Puzzle) -> str:
    """Return what the letters of answers mean; empty if they are words."""
    options = puzzle.read_options()
    names = puzzle.actions(options)
    if not _have_letters(names):
        return ""
    pushes = ", in upper case if a box is pushed" if PUSHES in puzzle.metric_kinds(options) else ""
    meant = (f"{name[0]}: {puzzle.key_words.get(action, name)}" for action, name in enumerate(names))
    return ", ".join(meant) + pushes


def _words(pushes: Sequence[int] | None, actions: Sequence[int], names: Sequence[str]) -> str:
    """Return an answer: the first letter of each action, in upper case for a push; words if letters are ambiguous."""
    pushed = "" if pushes is None else f"{plural(sum(pushes), 'push', 'pushes')}, "
    if _have_letters(names):
        shown = letters_of(names, actions, pushes)
    else:
        runs = [(names[action], len(list(run))) for action, run in itertools.groupby(actions)]
        shown = ", ".join(name if count == 1 else f"{count}× {name}" for name, count in runs)
    return f"{pushed}{plural(len(actions), 'move')}: {shown}"


def _have_letters(names: Sequence[str]) -> bool:
    """Return whether the first letters of actions tell them apart."""
    return len({name[0] for name in names}) == len(names)
