"""The settings of a task: those of a difficulty, overridden by given ones."""

from collections.abc import Mapping
from typing import Any

from ...engine.arguments import integer, is_integer
from ...engine.messages import did_you_mean, quote
from ...registration import bare_id, puzzle_of_id, spec_of
from .instances import BOARD, SIDES, option_names, source_settings, tasks_of
from .task import Task

MOST_CHANGES = 10_000
DIFFICULTIES = ("easy", "medium", "hard")
MOST_NODES = 10**9
MOST_LENGTH = 1000


def tasks_for(env_id: str) -> list[str]:
    """Return the names of the tasks that an environment has.

    Raises:
        ValueError: It has no tasks.
    """
    return list(_difficulties_of(env_id))


def _difficulties_of(env_id: str) -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    """Return the settings by task and difficulty of an environment, or else of its puzzle's first one."""
    difficulties = tasks_of(puzzle_of_id(env_id)).difficulties
    return difficulties.get(bare_id(env_id)) or next(iter(difficulties.values()))


def sets_for(task: Task, env_id: str) -> list[str]:
    """Return the names of the sets of other levels that a task has in an environment."""
    return [name for name, each in tasks_of(puzzle_of_id(env_id)).sets.items() if task.name in each.tasks]


def settings_for(task: Task, env_id: str, difficulty: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return all settings of a task.

    Args:
        task: The task.
        env_id: The environment.
        difficulty: One of :data:`DIFFICULTIES`.
        given: Settings that replace those of the difficulty.

    Raises:
        ValueError: The environment has no such task, or there is no such difficulty or setting; or a value is invalid.
    """
    difficulties = _difficulties_of(env_id)
    if task.name not in difficulties:
        raise ValueError(f"{env_id} has no task {quote(task.name)}; {did_you_mean(task.name, difficulties)}")
    if difficulty not in DIFFICULTIES:
        raise ValueError(f"difficulty={quote(difficulty)} is not known; {did_you_mean(difficulty, DIFFICULTIES)}")
    chosen, puzzle, sets = difficulties[task.name][difficulty], puzzle_of_id(env_id), sets_for(task, env_id)
    made, words = source_settings(puzzle), f"{task.name} of {env_id}"
    chosen_set = next((name for name in given if name in sets), None)
    if chosen_set is not None:
        if difficulty != DIFFICULTIES[0]:
            raise ValueError(f"difficulty={quote(difficulty)}: {chosen_set} is a set of its own, without difficulties")
        chosen, made = tasks_of(puzzle).sets[chosen_set].settings, sorted(option_names(puzzle))
        words = f"{chosen_set} of {words}"
    own = [*task.defaults, *(name for name in chosen if name not in task.defaults)]
    known = list(dict.fromkeys([*own, *made, *sets]))
    for name in given:
        if name not in known:
            raise ValueError(f"{words} has no setting {quote(name)}; {did_you_mean(name, known)}")
    registered = {name: value for name, value in spec_of(env_id).kwargs.items() if name in made}
    settings = {**task.defaults, **registered, **chosen, **given}
    if BOARD in given:
        settings = {name: value for name, value in settings.items() if name not in SIDES or name in given}
    task.check(settings)
    return settings


def check_limits(settings: Mapping[str, Any]) -> None:
    """Check the settings that limit plans and proofs.

    Raises:
        ValueError: One is invalid.
    """
    least = integer("least_length", settings["least_length"], 1, MOST_LENGTH)
    most = integer("most_length", settings["most_length"], 1, MOST_LENGTH)
    if least > most:
        raise ValueError(f"least_length={least} is more than most_length={most}")
    integer("nodes", settings["nodes"], 1, MOST_NODES)


def check_range(name: str, value: Any, least: int, most: int) -> tuple[int, int]:
    """Return the two numbers of a range, given as a pair, or as one number for both.

    Raises:
        ValueError: It is neither, or they are out of range or order.
    """
    pair = (value, value) if is_integer(value, least, most) else value
    if not isinstance(pair, list | tuple) or len(pair) != 2 or not all(is_integer(each, least, most) for each in pair):
        raise ValueError(f"{name}={quote(value)}: must be an integer from {least} to {most:,}, or a pair of these")
    if pair[0] > pair[1]:
        raise ValueError(f"{name}={quote(value)}: the first number must not be larger than the second")
    return int(pair[0]), int(pair[1])
