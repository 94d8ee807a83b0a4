"""Generates distinct levels in the order of their random bits, however many processes make them."""

import contextlib
import dataclasses
import itertools
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from gridpuzzles_gym.engine.compile.compilation import working_time
from gridpuzzles_gym.engine.messages import plural
from gridpuzzles_gym.engine.random import initial_bits

from ..candidates import NO_LEVEL, NOT_MADE, UNFINISHED, UNSOLVED, Candidate, CandidateMaker, TimedMaker
from ..parallel import TaskExecutor, ordered

COUNT = 10
"""Number of levels if neither a number nor a time limit is given."""
PATIENCE = 10_000
"""Number of consecutive rejected candidates after which generation stops."""
SAME = "same as another"
"""Reason for rejecting a good candidate that is known already."""
_SKIPPED = 2**20
"""The maximum number of random bits that are skipped at a time."""


def random_bits_of(seed: int, skip: int = 0) -> Iterator[int]:
    """Return an endless stream of random bits from a seed, uint64 and never 0.

    Args:
        seed: The seed.
        skip: How many of the first ones to leave out.
    """
    random = np.random.default_rng(seed)
    for skipped in range(0, skip, _SKIPPED):
        random.integers(1, 2**64, min(_SKIPPED, skip - skipped), np.uint64)
    while True:
        yield initial_bits(random)


class LevelCollection:
    """The levels accepted so far, and why others were rejected.

    Args:
        known: Keys of levels to reject as known; keys of accepted levels are added.
    """

    def __init__(self, known: set[bytes]) -> None:
        self.kept: list[Candidate] = []
        """The accepted levels."""
        self.rejected: Counter[str] = Counter()
        self.best = 0.0
        """The highest score among the accepted levels."""
        self._known = known

    def add(self, candidate: Candidate) -> bool:
        """Accept a candidate if it is good and new."""
        rejection = candidate.rejection or (SAME if candidate.key in self._known else "")
        if rejection:
            self.rejected[rejection] += 1
            return False
        self._known.add(candidate.key)
        self.kept.append(candidate)
        self.best = max(self.best, candidate.score)
        return True

    @property
    def made(self) -> int:
        """Number of levels made so far, including rejected ones."""
        return self.tried - sum(self.rejected[reason] for reason in (NOT_MADE, NO_LEVEL, UNSOLVED))

    @property
    def tried(self) -> int:
        """Number of candidates tried so far."""
        return len(self.kept) + self.rejected.total()


class SavedCandidates(Protocol):
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
    """The levels."""
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
        rest = ("rejected", "seconds", "workers", "given_up", "interrupted")
        return {"levels": levels, "number": len(levels), **{name: getattr(self, name) for name in rest}}


def generate(
    maker: CandidateMaker,
    collection: LevelCollection,
    seed: int,
    count: int | None,
    seconds: float | None,
    executor: TaskExecutor,
    show: Callable[[LevelCollection], object] | None = None,
    journal: SavedCandidates | None = None,
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
            return count is not None and len(collection.kept) >= count

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
    return GenerationReport(collection.kept, collection.rejected, past, workers, given_up, interrupted)


@contextlib.contextmanager
def _bar(collection: LevelCollection, count: int | None, seconds: float | None) -> Iterator[Callable[[], None]]:
    """Show a progress bar on a terminal; yields the function to call after each candidate."""
    columns = BarColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task, begun, before = bar.add_task("generating", total=1.0), working_time(), len(collection.kept)

        def show() -> None:
            made, past = len(collection.kept), max(working_time() - begun, 1e-9)
            part = max(made / count if count else 0.0, past / seconds if seconds else 0.0)
            best = f", best score {collection.best:.4g}" if collection.best else ""
            levels = f"{plural(made, 'level')} of {plural(collection.tried, 'candidate')}"
            bar.update(task, completed=part, description=f"{levels}, {(made - before) / past:.3g} levels/s{best}")

        yield show
