"""The options of ``gridpuzzles ask``, checked before any request is sent."""

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gridpuzzles_gym.agents.evaluation import SEED

from ...session.arguments import check_settings, chosen_levels, environment
from ...web.film import check_drawing
from ..grading.contest import Contest
from . import references
from .asking import Compare, Outputs, Report, ask
from .bars import Bars
from .budget import Budget
from .endpoint import Endpoint
from .journal import Record
from .work import Work

EPISODES = 20
"""Default number of episodes, if levels are not played once each, and of tasks."""
NO_BASELINE = "none"


@dataclasses.dataclass(frozen=True)
class AskOptions:
    """The episodes or tasks that a model is asked."""

    env_id: str
    settings: Mapping[str, Any]
    """Keyword arguments of the environment."""
    levels: str | None = None
    """As for :func:`~gridpuzzles_gym.session.arguments.choose_levels`."""
    episodes: int | None = None
    seed: int | None = None
    task: str | None = None
    """The name of a single-turn task; None: whole episodes."""
    difficulty: str | None = None
    view: str = "board"
    images: bool = False
    conversation: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Other arguments of :class:`~gridpuzzles_gym.text.Conversations`."""
    baselines: Sequence[str] | None = None
    """The agents to compare with; None: random and the best of the puzzle."""


def model_of(
    model: str | None,
    base_url: str | None,
    key_env: str | None,
    scripted: str | None,
    parameters: Mapping[str, Any],
    timeout: float,
    retries: int,
) -> Endpoint | str:
    """Return the endpoint, or the name of a scripted model.

    Args:
        model: The name of the model.
        base_url: The address of its endpoint.
        key_env: The environment variable that contains its key.
        scripted: The name of a scripted model, which needs no network.
        parameters: Other fields of each request.
        timeout: Time limit of a request, in seconds.
        retries: Maximum number of times that a request is sent again.

    Raises:
        ValueError: An argument is missing, invalid, or cannot be combined with another.
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
    return Endpoint(base_url, model, key_of(key_env), parameters, timeout, retries)


def ask_command(
    options: AskOptions,
    model: Endpoint | str,
    outputs: Outputs,
    budget: Budget,
    concurrency: int,
    show: Callable[[Report], object],
    progress: bool = True,
) -> Report:
    """Evaluate a model; see :func:`~.asking.asking.ask`.

    Args:
        options: The episodes or tasks.
        model: As :func:`model_of` returns it.
        outputs: The files to write.
        budget: Limits of the run.
        concurrency: Maximum number of requests at the same time.
        show: As for :func:`~.asking.asking.ask`.
        progress: Show progress bars.

    Raises:
        ValueError: An argument is unknown or invalid.
        OSError: A file cannot be written.
        ImportError: httpx is not installed.
    """
    work: Work
    compare: Compare
    if options.task is not None:
        work, compare = _tasks(options, outputs)
    else:
        work, compare = _episodes(options, outputs, concurrency)
    try:
        return ask(work, model, outputs, budget, concurrency, compare, show, progress)
    finally:
        work.close()


def _tasks(options: AskOptions, outputs: Outputs) -> tuple[Work, Compare]:
    """Return the single-turn tasks, and the function that plays the baselines."""
    given = {
        "--levels": options.levels, "--images": options.images, "--record": outputs.page,
    } | {f"--{name.replace('_', '-')}": True for name in options.conversation}  # fmt: skip
    for name, value in given.items():
        if value:
            raise ValueError(f"{name} applies to episodes: it cannot be combined with --task")
    from ...text.tasks import TaskDataset
    from .item_references import chosen_agents, play_items
    from .items import Items

    assert options.task is not None
    size = EPISODES if options.episodes is None else options.episodes
    dataset = TaskDataset(
        options.task, options.env_id, size, options.seed or 0, options.difficulty or "easy",
        view=options.view, **options.settings,
    )  # fmt: skip
    names = chosen_agents(dataset, _names(options))
    return Items(dataset), lambda done, bars: play_items(dataset, names, done, bars.counting)


def _names(options: AskOptions) -> list[str] | None:
    """Return the agents to compare with; None: the default ones."""
    return None if options.baselines is None else [name for name in options.baselines if name != NO_BASELINE]


def _episodes(options: AskOptions, outputs: Outputs, concurrency: int) -> tuple[Work, Compare]:
    """Return the episodes, and the function that plays the baselines."""
    from .episodes import Episodes

    if options.difficulty is not None:
        raise ValueError("--difficulty applies to tasks: it needs --task")
    contest = contest_of(options)
    if outputs.page is not None:
        check_drawing(contest.puzzle)
    chosen = references.chosen_references(contest, _names(options))
    shown = {"view": options.view, "images": options.images, **options.conversation}
    work = Episodes(contest, min(concurrency, contest.episodes), options.levels or "", shown)
    return work, comparison_with(contest, chosen)


def key_of(variable: str | None) -> str | None:
    """Return the key in an environment variable; None without a variable.

    Raises:
        ValueError: The variable is not set.
    """
    if variable is None:
        return None
    key = os.environ.get(variable, "").strip()
    if not key:
        raise ValueError(f"--key-env {variable}: this environment variable is not set")
    return key


def contest_of(options: AskOptions) -> Contest:
    """Return the contest to play.

    Raises:
        ValueError: An argument is unknown or invalid.
    """
    _, puzzle = environment(options.env_id)
    kwargs = dict(options.settings)
    check_settings(puzzle, kwargs)
    if "observation" in kwargs:
        raise ValueError("--set observation=… is not allowed: --view selects how the board is shown")
    if options.levels is not None:
        kwargs["levels"] = chosen_levels(puzzle, options.levels)
    every_level = options.levels is not None and options.episodes is None
    episodes = len(kwargs["levels"]) if every_level else EPISODES if options.episodes is None else options.episodes
    seed = SEED if options.seed is None else options.seed
    contest = Contest(options.env_id, puzzle, kwargs, episodes, seed, every_level)
    contest.env(None).close()
    return contest


def comparison_with(contest: Contest, names: Sequence[str]) -> Compare:
    """Return a function that plays a model's episodes with agents, and finds the shortest solutions.

    Args:
        contest: The episodes.
        names: The agents.
    """

    def compare(done: Sequence[int], bars: Bars) -> dict[str, Sequence[Record]]:
        found: dict[str, Sequence[Record]] = dict(references.play_references(contest, names, done, bars.counting))
        if names:
            found[references.SHORTEST] = references.shortest_solutions(
                contest, done, bars.counting(references.SHORTEST, len(done))
            )
        return found

    return compare
