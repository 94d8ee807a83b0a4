"""The teachers of a puzzle by name, and the one that suits an environment."""

from collections.abc import Sequence
from typing import Any

from gridpuzzles_gym.engine.config import config_of
from gridpuzzles_gym.engine.messages import did_you_mean, quote
from gridpuzzles_gym.engine.puzzle import Puzzle

from ...puzzle_agents import Advisor, agents_record
from ...registry import agent_entries
from ...search_tables import default_search, searches_of
from .planning_teacher import PlanningTeacher, make_planner
from .teacher import AgentTeacher, Teacher

AUTO = "auto"
"""The name of the first of a puzzle's best teachers that can play an environment."""


def teachers_of(env: Any) -> tuple[str, ...]:
    """Return the names of all teachers for the puzzle of an environment, its best ones first."""
    puzzle = config_of(env).puzzle
    best = [advisor.name for advisor in _best(puzzle)]
    tutors = [entry.name for entry in agents_record(puzzle).tutors]
    return tuple(dict.fromkeys((*best, *tutors, *agent_entries(puzzle))))


def make_teacher(name: str, env: Any, /, seed: int = 0, **parameters: Any) -> Teacher:
    """Return a teacher for the states of an environment.

    Args:
        name: The name of an agent, tutor or search of the puzzle, or AUTO.
        env: One of the suite's environments, single or vector, wrapped or not. Its observation can be any.
        seed: Random seed of the teacher.
        **parameters: Of :func:`~.planning_teacher.make_planner` for a search, else of
            :meth:`~.teacher.AgentTeacher.configure`.

    Raises:
        ValueError: There is no such teacher, it cannot play this environment, or a parameter is invalid.
    """
    config, allowed = config_of(env), teachers_of(env)
    puzzle = config.puzzle
    if name not in (AUTO, *allowed):
        raise ValueError(
            f"teacher {quote(name)} is not known for {puzzle.title}; {did_you_mean(name, (AUTO, *allowed))}"
        )
    advisors, planners, problem = (_best(puzzle) if name == AUTO else (Advisor(name),)), [], None
    for advisor in advisors:
        given = {**advisor.parameters, **parameters}
        try:
            if advisor.name in searches_of(puzzle):
                planners.append(make_planner(config, advisor.name, **{"heuristic": advisor.heuristic, **given}))
                continue
            teacher = AgentTeacher(advisor.name, env, seed)
        except ValueError as error:  # the next one may be able to play this environment
            problem = error
        else:
            teacher.configure(**given)
            return teacher
    if not planners and problem is not None:
        raise problem
    return PlanningTeacher(config, planners)


def _best(puzzle: Puzzle) -> Sequence[Advisor]:
    return agents_record(puzzle).teachers or (Advisor(default_search(puzzle).name),)
