"""Grading the agents in Python files: the work of ``gridpuzzles grade``."""

import dataclasses
import functools
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from gridpuzzles_gym.agents.evaluation import pack_of
from gridpuzzles_gym.agents.puzzle_agents import agents_record
from gridpuzzles_gym.agents.registry import RANDOM, advising_agents, agents_of

from ...engine.messages import did_you_mean, quote
from ...session.arguments import check_settings, environment
from ..compare import Files
from .agent_process import AgentError, AgentLimits, AgentProcess
from .contest import Contest, Performance, play_baseline, play_file
from .grades import MEASURES, Grades, grade_all
from .isolation import NONE, SANDBOXES, Isolation
from .report import FILMED, write_report

EPISODES = 100
"""The number of episodes, if levels are not played once each."""
SECRET_SEEDS = range(2**60, 2**62)
"""The seeds to choose from: too many to find one by trying, and small enough for the random seeds of agents."""


@dataclasses.dataclass(frozen=True)
class GradeOptions:
    """What agents play, within which limits, and how they are marked.

    Raises:
        ValueError: The measure or the mark that passes is invalid.
    """

    env_id: str
    """A registered id."""
    env_kwargs: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Keyword arguments of the environment."""
    episodes: int | None = None
    """The number of episodes; None plays each level once if ``env_kwargs`` has ``levels``, and otherwise
    :data:`EPISODES`."""
    seed: int | None = None
    """The seed of the first episode; later ones use seed+1, seed+2, … None chooses one of :data:`SECRET_SEEDS` at
    random, returned as :attr:`.Contest.seed`. Agents can find a small one by trying."""
    limits: AgentLimits = dataclasses.field(default_factory=AgentLimits)
    """Limits of each agent."""
    baselines: Sequence[str] | None = None
    """Agents of the suite to compare with, in addition to random; None: :func:`default_baselines`."""
    measure: str = "return"
    """What marks are based on, a key of :data:`~.grades.MEASURES`."""
    passing: float | None = None
    """The lowest mark that passes; None: there is none."""

    def __post_init__(self) -> None:
        if self.measure not in MEASURES:
            raise ValueError(f"measure={quote(self.measure)} is not known; {did_you_mean(self.measure, MEASURES)}")
        if self.passing is not None and not 0 <= self.passing <= 100:
            raise ValueError(f"passing={self.passing:g}: must be a mark from 0 to 100")


def grade(
    files: Sequence[Path],
    options: GradeOptions,
    filmed: int = 0,
    progress: bool = True,
    announce: Callable[[str], object] = lambda words: None,
) -> tuple[Grades, list[Performance]]:
    """Grade all agents in Python files on the same episodes, each in its own process.

    Ctrl-C ends it with the grades of the agents that have finished.

    Args:
        files: Python files, and folders of them.
        options: What they play, and how they are marked.
        filmed: Number of episodes that are filmed, from the first.
        progress: Show progress bars.
        announce: Called with a sentence on how agents are isolated, before the first one plays.

    Returns:
        The grades, and the agents' results in the order of the files.

    Raises:
        ValueError: A file, the id, a setting or a baseline is unknown or invalid.
        OSError: This system has no limits for processes.
    """
    if os.name != "posix":
        raise OSError("agents can be graded on Linux and macOS only: other systems do not limit processes")
    contest, found = _contest(options, filmed), find_files(files)
    chosen = [RANDOM.name, *(default_baselines(contest) if options.baselines is None else options.baselines)]
    isolation = isolation_here()
    announce(isolation.description)
    performances: list[Performance] = []
    name = TextColumn("{task.description:>24.24}", markup=False)
    columns = name, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    console = Console(stderr=True)
    hidden = not (progress and console.is_terminal)
    with Progress(*columns, console=console, transient=True, disable=hidden) as bars:

        def begin(name: str) -> Callable[[], object]:
            bar: TaskID = bars.add_task(name, total=contest.episodes)
            return lambda: bars.advance(bar)

        interrupted = False
        try:
            performances.extend(play_baseline(contest, agent, begin(agent)) for agent in dict.fromkeys(chosen))
            for path, prefix in found.items():
                performances += play_file(contest, path, prefix, options.limits, isolation, begin)
                if performances[-1].interrupted:
                    interrupted = True
                    break
        except KeyboardInterrupt:
            interrupted = True
    grades = grade_all(contest, isolation, performances, options.measure, options.passing, interrupted)
    return grades, performances


def grade_to_files(
    files: Sequence[Path],
    options: GradeOptions,
    outputs: Files,
    show: Callable[[Grades], object] = lambda grades: None,
    progress: bool = True,
    announce: Callable[[str], object] = lambda words: None,
) -> tuple[Grades, list[Path]]:
    """Grade agents and write the grades.

    Args:
        files: As for :func:`grade`.
        options: As for :func:`grade`.
        outputs: The files to write; the report has films of the agents.
        show: Called with the grades before files are written.
        progress: As for :func:`grade`.
        announce: As for :func:`grade`.

    Returns:
        The grades, and the files written: none if Ctrl-C came before the first agent had finished.

    Raises:
        ValueError: As for :func:`grade`; or pages cannot draw the puzzle.
        OSError: As for :func:`grade`; or a file already exists, or cannot be written.
    """
    outputs.check(environment(options.env_id)[1])
    grades, performances = grade(files, options, FILMED if outputs.report else 0, progress, announce)
    show(grades)
    writers = [(outputs.csv, grades.write_csv), (outputs.report, lambda path: write_report(grades, performances, path))]
    written = []
    for path, write in writers:
        if path is not None and grades.rows:
            write(path)
            written.append(path)
    return grades, written


@functools.cache
def isolation_here() -> Isolation:
    """Return the best isolation that this system has: the first in which an agent can be loaded."""
    for each in SANDBOXES:
        try:
            with AgentProcess("nothing.py", b"", AgentLimits(), each) as process:
                process.classes()
            return each
        except (OSError, AgentError):
            continue
    return NONE


def secret_seed(path: Path) -> int:
    """Return the seed in a file; a missing file is created with a random seed, readable by its owner only.

    Raises:
        ValueError: The file does not contain one of :data:`SECRET_SEEDS`.
        OSError: The file cannot be read or written.
    """
    try:
        text = path.read_text("utf-8").strip()
    except FileNotFoundError:
        seed = secrets.choice(SECRET_SEEDS)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(f"{seed}\n")
        return seed
    except UnicodeDecodeError:
        text = ""
    if not (text.isdecimal() and len(text) <= 19 and int(text) in SECRET_SEEDS):
        raise ValueError(
            f"{path}: must contain an integer from 2^60 to 2^62 - 1: a small seed can be found by trying. "
            "A file that does not exist is created with one"
        )
    return int(text)


def _contest(options: GradeOptions, filmed: int) -> Contest:
    """Return the episodes; raises ValueError if something is invalid."""
    env_id, env_kwargs, episodes = options.env_id, options.env_kwargs, options.episodes
    seed = secrets.choice(SECRET_SEEDS) if options.seed is None else options.seed
    _, puzzle = environment(env_id)
    check_settings(puzzle, env_kwargs)
    # A sampler's description has no levels to play once each.
    every_level = episodes is None and isinstance(env_kwargs.get("levels"), str | list)
    number = len(pack_of(env_id, env_kwargs)) if every_level else EPISODES if episodes is None else episodes
    if number < 1:
        raise ValueError(f"episodes={number}: must be a positive integer")
    if seed < 0:
        raise ValueError(f"seed={seed}: must be a non-negative integer")
    contest = Contest(env_id, puzzle, env_kwargs, number, seed, every_level, filmed)
    contest.env(None).close()
    return contest


def find_files(files: Sequence[Path]) -> dict[Path, str]:
    """Return the Python files, those in folders sorted by name, with the prefix of the names of their agents.

    The prefix is the name of the file, with folders if several files share it; it is empty if there is only one file.

    Raises:
        ValueError: There is no such file, or a folder has none.
    """
    found: list[Path] = []
    for path in files:
        inside = sorted(file for file in path.glob("*.py") if file.name[0] not in "._") if path.is_dir() else [path]
        if not inside:
            raise ValueError(f"{path}: no Python files in this folder")
        if not path.is_dir() and (path.suffix != ".py" or not path.is_file()):
            raise ValueError(f"{path}: must be a Python file or a folder of them")
        found += inside
    found = list({path.absolute(): path for path in found}.values())
    names = [_distinct(path, [other for other in found if other.stem == path.stem]) for path in found]
    return dict(zip(found, names if len(found) > 1 else [""], strict=True))


def _distinct(path: Path, same: Sequence[Path]) -> str:
    """Return the name of a file, with enough of its folders to tell it from others of that name."""
    shared = Path(os.path.commonpath([other.absolute().parent for other in same]))
    return path.stem if len(same) == 1 else path.absolute().with_suffix("").relative_to(shared).as_posix()


def default_baselines(contest: Contest) -> list[str]:
    """Return the agents of the suite to compare with, in addition to random.

    These are the first advising agent and the first teacher of the puzzle that can play the contest.
    """
    known = agents_of(contest.puzzle)
    teachers = [each.name for each in agents_record(contest.puzzle).teachers if each.name in known]
    groups = advising_agents(contest.puzzle), teachers
    found = [next((name for name in names if _plays(contest, name)), None) for names in groups]
    return list(dict.fromkeys(name for name in found if name is not None))


def _plays(contest: Contest, agent: str) -> bool:
    """Whether an agent can play the contest."""
    probe = Contest(contest.env_id, contest.puzzle, contest.env_kwargs, 0, contest.seed, contest.every_level)
    try:
        play_baseline(probe, agent, lambda: None)
    except ValueError:
        return False
    return True
