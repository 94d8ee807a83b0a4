"""What the command line asks for, checked before anything is sent."""

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gridpuzzles_gym.agents.evaluation import SEED

from ...session.arguments import check_settings, chosen_levels, environment
from ...web.film import check_drawing
from ..grading.contest import Contest
from . import references
from .asking import Compared, Outputs, Report, ask
from .bars import Bars
from .budget import Budget
from .endpoint import Endpoint
from .journal import Record
from .work import Work

EPISODES = 20
"""The number of episodes, if levels are not played once each, and of tasks."""
NO_BASELINE = "none"


@dataclasses.dataclass(frozen=True)
class Wanted:
    """What a model is asked."""

    env_id: str
    settings: Mapping[str, Any]
    """Keyword arguments of the environment."""
    levels: str | None = None
    """As for :func:`~gridpuzzles_gym.session.arguments.choose_levels`."""
    episodes: int | None = None
    seed: int | None = None
    task: str | None = None
    """The name of a task of one turn; None: whole episodes."""
    difficulty: str | None = None
    view: str = "board"
    images: bool = False
    conversation: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Other arguments of :class:`~gridpuzzles_gym.text.conversations.Conversations`."""


def model_of(
    model: str | None,
    base_url: str | None,
    key_env: str | None,
    scripted: str | None,
    parameters: Mapping[str, Any],
    timeout: float,
) -> Endpoint | str:
    """Return the endpoint, or the name of a model that needs no network.

    Args:
        model: The name of the model.
        base_url: The address of its endpoint.
        key_env: The environment variable that has its key.
        scripted: The name of a model that needs no network.
        parameters: What else each request has.
        timeout: Time limit of a request, in seconds.

    Raises:
        ValueError: Something is missing, too much or invalid.
    """
    if scripted is not None:
        for name, value in (("--model", model), ("--key-env", key_env), ("--temperature or --param", parameters)):
            if value:
                raise ValueError(f"--scripted needs no model: it cannot be combined with {name}")
        return scripted
    if model is None or base_url is None:
        raise ValueError(
            "ask needs a model: --model NAME --base-url URL, or --scripted NAME for replies without a network"
        )
    return Endpoint(base_url, model, key_of(key_env), parameters, timeout)


def ask_command(
    wanted: Wanted,
    model: Endpoint | str,
    files: tuple[Path | None, Path | None, Path | None, bool, bool],
    limits: tuple[int | None, int | None, float | None],
    baselines: Sequence[str] | None,
    places: int,
    retries: int,
    show: Callable[[Report], object],
    progress: bool = True,
) -> Report:
    """Ask a model; see :func:`~.asking.asking.ask`.

    Args:
        wanted: What it is asked.
        model: As :func:`model_of` returns it.
        files: The arguments of :class:`~.asking.asking.Outputs`.
        limits: The arguments of :class:`~.asking.budget.Budget`.
        baselines: The agents that it is compared with; None: random and the best of the puzzle.
        places: The maximum number of requests at the same time.
        retries: How often a request is sent again.
        show: As for :func:`~.asking.asking.ask`.
        progress: Show progress bars.

    Raises:
        ValueError: Something is unknown or invalid.
        OSError: A file cannot be written.
        ImportError: httpx is not installed.
    """
    outputs, budget = Outputs(*files), Budget(*limits)
    work: Work
    compared: Compared = _nothing
    if wanted.task is not None:
        work = _tasks(wanted, outputs, baselines)
    else:
        work, compared = _episodes(wanted, outputs, baselines, places)
    try:
        return ask(work, model, outputs, budget, places, retries, compared, show, progress)
    finally:
        work.close()


def _nothing(done: Sequence[int], bars: Bars) -> Mapping[str, Sequence[Record]]:
    return {}


def _tasks(wanted: Wanted, outputs: Outputs, baselines: Sequence[str] | None) -> Work:
    """Return the tasks of one turn."""
    given = {
        "--levels": wanted.levels, "--images": wanted.images, "--baseline": baselines, "--record": outputs.page,
    } | {f"--{name.replace('_', '-')}": True for name in wanted.conversation}  # fmt: skip
    for name, value in given.items():
        if value:
            raise ValueError(f"{name} applies to episodes: it cannot be combined with --task")
    from ...text.tasks import TaskDataset
    from .items import Items

    assert wanted.task is not None
    size = EPISODES if wanted.episodes is None else wanted.episodes
    dataset = TaskDataset(
        wanted.task, wanted.env_id, size, wanted.seed or 0, wanted.difficulty or "easy",
        view=wanted.view, **wanted.settings,
    )  # fmt: skip
    return Items(dataset)


def _episodes(wanted: Wanted, outputs: Outputs, baselines: Sequence[str] | None, places: int) -> tuple[Work, Compared]:
    """Return the episodes, and what they are compared with."""
    from .episodes import Episodes

    if wanted.difficulty is not None:
        raise ValueError("--difficulty applies to tasks: it needs --task")
    contest = contest_of(wanted)
    if outputs.page is not None:
        check_drawing(contest.puzzle)
    names = None if baselines is None else [name for name in baselines if name != NO_BASELINE]
    chosen = references.chosen_references(contest, names)
    shown = {"view": wanted.view, "images": wanted.images, **wanted.conversation}
    work = Episodes(contest, min(places, contest.episodes), wanted.levels or "", shown)
    return work, comparison(contest, chosen)


def key_of(variable: str | None) -> str | None:
    """Return the key in an environment variable; None if no variable is named.

    Raises:
        ValueError: It is not set.
    """
    if variable is None:
        return None
    key = os.environ.get(variable, "").strip()
    if not key:
        raise ValueError(f"--key-env {variable}: this environment variable is not set")
    return key


def contest_of(wanted: Wanted) -> Contest:
    """Return the episodes to play.

    Raises:
        ValueError: Something is unknown or invalid.
    """
    _, puzzle = environment(wanted.env_id)
    kwargs = dict(wanted.settings)
    check_settings(puzzle, kwargs)
    if "observation" in kwargs:
        raise ValueError("--set observation=… is not allowed: --view selects how the board is shown")
    if wanted.levels is not None:
        if "levels" in kwargs:
            raise ValueError("--levels and --set levels=… cannot be combined")
        kwargs["levels"] = chosen_levels(puzzle, wanted.levels)
    every_level = wanted.levels is not None and wanted.episodes is None
    episodes = len(kwargs["levels"]) if every_level else EPISODES if wanted.episodes is None else wanted.episodes
    seed = SEED if wanted.seed is None else wanted.seed
    contest = Contest(wanted.env_id, puzzle, kwargs, episodes, seed, every_level)
    contest.env(None).close()
    return contest


def comparison(contest: Contest, names: Sequence[str]) -> Compared:
    """Return what plays the episodes of a model with agents, and finds the shortest solutions.

    Args:
        contest: The episodes.
        names: The agents.
    """

    def compared(done: Sequence[int], bars: Bars) -> dict[str, Sequence[Record]]:
        found: dict[str, Sequence[Record]] = dict(references.play_references(contest, names, done, bars.counting))
        if names:
            found[references.SHORTEST] = references.shortest_solutions(
                contest, done, bars.counting(references.SHORTEST, len(done))
            )
        return found

    return compared
