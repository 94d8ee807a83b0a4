"""Generate levels: the work of ``gridpuzzles generate``, from its arguments to its summary."""

import contextlib
import dataclasses
import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from gridpuzzles_gym.agents.candidates import UNFINISHED, Candidate, CandidateMaker, TimedMaker
from gridpuzzles_gym.agents.identity import key_of
from gridpuzzles_gym.agents.level_sources.collecting import LevelCollection, random_bits_of
from gridpuzzles_gym.agents.level_sources.makers import bounds_of, candidates_from, make_source, maker_of, settings_of
from gridpuzzles_gym.agents.level_sources.sampler_choice import Setting
from gridpuzzles_gym.agents.parallel import TaskExecutor, ordered
from gridpuzzles_gym.agents.puzzle_agents import LevelFlag

from ...engine.compile.working_time import working_time
from ...engine.levels.sources import find_levels
from ...engine.messages import did_you_mean, plural
from ...session.arguments import all_puzzles, puzzle_named, resolve_id

COUNT = 10
"""Number of levels if neither a number nor a time limit is given."""
PATIENCE = 10_000
"""Number of consecutive rejected candidates after which generation stops."""


def maker_flags() -> dict[str, tuple[LevelFlag, list[str]]]:
    """Return the flags of all level makers by name, each with the titles of the puzzles it is for."""
    found: dict[str, tuple[LevelFlag, list[str]]] = {}
    for puzzle in all_puzzles():
        maker = maker_of(puzzle)
        for flag in maker.flags if maker else ():
            found.setdefault(flag.name, (flag, []))[1].append(puzzle.title)
    return found


class Request:
    """What to generate: a maker of candidates, and the keys of levels to reject.

    Args:
        puzzle: The name of a puzzle, or an id.
        flags: Values of the flags of all puzzles, by name; None if a flag was not given.
        settings: Other settings of the generator.
        avoid: Packs and files whose levels are rejected.
        seed: Seed of the random bits.

    Attributes:
        description: All of this as a JSON object.
        maker: The maker of candidates.
        extent: The extent of their boards.
        known: The keys to reject.

    Raises:
        ValueError: The puzzle has no generator, or a value is invalid.
    """

    def __init__(
        self, puzzle: str, flags: Mapping[str, Any], settings: Mapping[str, Any], avoid: Sequence[str], seed: int
    ) -> None:
        self.puzzle, self.seed = puzzle_named(puzzle), seed
        self.description = {
            "puzzle": puzzle,
            **{name: value for name, value in flags.items() if value is not None},
            **{f"--set {name}": value for name, value in settings.items()},
            "avoid": list(avoid),
            "seed": seed,
        }
        known, bounds = settings_of(self.puzzle), bounds_of(self.puzzle)
        given = {name: value for name, value in flags.items() if value is not None}
        for name in given:
            if name not in (*known, *bounds):
                taken = [_flag(flag) for flag in flags if flag in (*known, *bounds)]
                raise ValueError(
                    f"{_flag(name)} does not apply to {self.puzzle.title}; allowed are {', '.join(taken)}, --set"
                )
        for name in settings:
            if name not in known:
                raise ValueError(f"unknown setting --set {name}; {did_you_mean(name, known)}")
            if name in given:
                raise ValueError(f"{_flag(name)} and --set {name} cannot be combined")
        bounding = {name: given.pop(name) for name in bounds if name in given}
        options = {} if puzzle == self.puzzle.name else Setting.of(resolve_id(puzzle), {}).options
        source = make_source(self.puzzle, {**given, **settings}, options)
        self.maker = candidates_from(self.puzzle, source, bounding)
        self.extent = tuple(source.extent)
        self.known = {key_of(self.puzzle, level) for choice in avoid for level in find_levels(self.puzzle, choice)}


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


class Record(Protocol):
    """Candidates on disk, so that generation can go on after a kill."""

    @property
    def candidates(self) -> Sequence[Candidate]:
        """Those that are there at the start."""

    def add(self, candidate: Candidate) -> None:
        """Write a candidate to disk; raises OSError."""


@dataclasses.dataclass(frozen=True)
class GenerationReport:
    """The result of generating levels."""

    kept: Sequence[Candidate]
    """The levels, but for those that have been written."""
    number: int
    """The number of levels, with those that have been written."""
    rejected: Counter[str]
    """Number of rejected candidates, by reason."""
    seconds: float
    """Wall-clock time, without what this process spent on compiling."""
    workers: int
    """Number of tasks that ran at the same time."""
    given_up: bool
    """Whether it stopped because :data:`PATIENCE` consecutive candidates were rejected."""
    interrupted: bool
    """Whether it was stopped by Ctrl-C."""

    def as_json(self, titles: Sequence[str]) -> dict[str, Any]:
        """Return the report as a JSON object.

        Args:
            titles: The titles of the levels kept.
        """
        levels = [
            {
                "title": title,
                "text": candidate.board,
                "random_bits": f"{candidate.random_bits:016x}",
                "score": candidate.score,
                "difficulty": None if candidate.difficulty is None else dict(candidate.difficulty.numbers()),
            }
            for title, candidate in zip(titles, self.kept, strict=True)
        ]
        rest = ("number", "rejected", "seconds", "workers", "given_up", "interrupted")
        return {"levels": levels, **{name: getattr(self, name) for name in rest}}


def generate(
    maker: CandidateMaker,
    collection: LevelCollection,
    seed: int,
    count: int | None,
    seconds: float | None,
    executor: TaskExecutor,
    show: Callable[[LevelCollection], object] | None = None,
    journal: Record | None = None,
) -> GenerationReport:
    """Generate levels until there are enough, time is up, or Ctrl-C is pressed.

    Args:
        maker: Makes a candidate from random bits.
        collection: Gets the candidates; those that it has already are the first ones of the seed.
        seed: Seed of the random bits.
        count: Number of levels in the collection; None is no limit.
        seconds: Time limit, counted from the first level, when all processes are ready; a candidate that is unfinished
            by then is discarded. None is no limit.
        executor: Where candidates are made; it does not change the levels. It stays open.
        show: Called after each candidate; None shows a progress bar on a terminal.
        journal: Has the next candidates, and gets the others.

    Returns:
        The levels, and why other candidates were rejected.

    Raises:
        ValueError: A number is out of range.
        OSError: The journal cannot be written, or the machines that make the candidates cannot be reached.
    """
    if count is not None and count < 1:
        raise ValueError(f"--count {count}: must be a positive integer")
    if seconds is not None and not seconds > 0:
        raise ValueError(f"--seconds {seconds:g}: must be a positive number")
    if count is None and seconds is None:
        count = COUNT
    idle, interrupted = 0, False
    begun = working_time()
    stream = random_bits_of(seed, collection.tried)
    bar = _bar(collection, count, seconds) if show is None else contextlib.nullcontext(lambda: show(collection))
    work, workers = TimedMaker(maker), executor.slots
    with bar as shown:

        def enough() -> bool:
            return count is not None and collection.number >= count

        def add(candidate: Candidate) -> bool:
            """Take a candidate; return whether generation is over."""
            nonlocal idle
            idle = 0 if collection.add(candidate) else idle + 1
            shown()
            return enough() or idle == PATIENCE or candidate.rejection == UNFINISHED

        def make(some: Iterable[int], deadline: float | None) -> bool:
            """Make the candidates of some random bits; return whether generation is over."""
            tasks = ((random_bits, deadline) for random_bits in some)
            with contextlib.closing(ordered(executor, work, tasks)) as candidates:
                for _, candidate in candidates:
                    if journal is not None and candidate.rejection != UNFINISHED:
                        journal.add(candidate)
                    if add(candidate):
                        return True
            return False

        try:
            done = enough() or any(
                add(candidate) for candidate, _ in zip(journal.candidates if journal else (), stream, strict=False)
            )
            while seconds is not None and not (done or collection.made):
                done = make(itertools.islice(stream, workers), None)
            if not done:
                make(stream, None if seconds is None else time.time() + seconds)
        except KeyboardInterrupt:
            interrupted = True
    past = working_time() - begun
    given_up = idle == PATIENCE
    return GenerationReport(
        collection.kept, collection.number, collection.rejected, past, workers, given_up, interrupted
    )


@contextlib.contextmanager
def _bar(collection: LevelCollection, count: int | None, seconds: float | None) -> Iterator[Callable[[], None]]:
    """Show a progress bar on a terminal; yields the function to call after each candidate."""
    columns = BarColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task, begun, before = bar.add_task("generating", total=1.0), working_time(), collection.number

        def show() -> None:
            made, past = collection.number, max(working_time() - begun, 1e-9)
            part = max(made / count if count else 0.0, past / seconds if seconds else 0.0)
            best = f", best score {collection.best:.4g}" if collection.best else ""
            levels = f"{plural(made, 'level')} of {plural(collection.tried, 'candidate')}"
            bar.update(task, completed=part, description=f"{levels}, {(made - before) / past:.3g} levels/s{best}")

        yield show


def summary(report: GenerationReport) -> Table:
    """Return a table that summarizes a report."""
    table = Table(box=box.SIMPLE_HEAD, show_header=False, padding=(0, 1, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column()
    made = report.number
    table.add_row("levels", f"{made:,}")
    if report.rejected:
        table.add_row("rejected", ", ".join(f"{number:,} {why}" for why, number in report.rejected.most_common()))
    if report.given_up:
        table.add_row("stopped", f"after {plural(PATIENCE, 'rejection')} in a row")
    processes = f", {plural(report.workers, 'process', 'processes')}" if report.workers > 1 else ""
    each = f", {report.seconds / made:.3g} per level" if made else ""
    table.add_row("seconds", f"{report.seconds:.1f}{each}{processes}")
    measured = [candidate.difficulty.numbers() for candidate in report.kept if candidate.difficulty]
    if measured:
        table.add_row("median score", f"{np.median([candidate.score for candidate in report.kept]):.4g}")
        for name in filter(set(measured[0]).intersection(*measured).__contains__, measured[0]):
            median = np.median([numbers[name] for numbers in measured])
            table.add_row(f"median {name.replace('_', ' ')}", f"{median:.3g}" if median < 1 else f"{median:,g}")
    return table
