"""New levels, made one by one in another process; those made so far stay when it is stopped."""

import random
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from gridpuzzles_gym.agents.candidates import Candidate
from gridpuzzles_gym.agents.level_sources.generating import LevelCollection, generate
from gridpuzzles_gym.agents.level_sources.makers import bounds_of, make_candidates, maker_of
from gridpuzzles_gym.agents.parallel import SerialExecutor
from gridpuzzles_gym.agents.parallel.workers import report
from gridpuzzles_gym.agents.puzzle_agents import agents_record

from ...engine.levels.sources import SIDECAR, levels_text, write_levels
from ...engine.messages import plural
from ...engine.puzzle import Level, Puzzle
from ...engine.system.files import write_text
from ...session.arguments import new_file, read_settings
from ...session.choices import ids_of
from ...session.game import Game
from ...session.jobs import Job
from .progress import Progress
from .saved_levels import save_levels, saved_levels

COUNTS = (10, 1, 5, 20, 50, 100)
"""Numbers of levels to choose from; the first is the default."""
SAVE_SECONDS = 0.3
"""Maximum age of an unsaved level, in seconds."""
_INTERVAL = 0.2
"""Seconds between two reports if there is no new level."""


class Order(NamedTuple):
    """A request for levels; picklable."""

    puzzle: Puzzle
    given: Mapping[str, Any]
    """Settings and bounds of the puzzle's level maker."""
    seed: int
    number: int
    """The number of levels."""
    known: tuple[bytes, ...] = ()
    """Keys of existing levels, which are not made again."""


class Made(NamedTuple):
    """A report: the levels since the last one."""

    levels: tuple[Candidate, ...]
    tried: int
    """The number of candidates so far, including rejected ones."""
    given_up: bool = False
    """Whether it has ended because too many candidates were rejected."""


def making(order: Order) -> Iterator[Made]:
    """Report levels as soon as they are made, as a job.

    Raises:
        ValueError: A setting is invalid.
    """
    bounds = bounds_of(order.puzzle)
    settings = {name: value for name, value in order.given.items() if name not in bounds}
    bounding = {name: value for name, value in order.given.items() if name in bounds}
    maker = make_candidates(order.puzzle, settings, bounding)
    sent, last = 0, time.monotonic()

    def show(collection: LevelCollection) -> None:
        nonlocal sent, last
        if len(collection.kept) > sent or time.monotonic() - last >= _INTERVAL:
            report(Made(tuple(collection.kept[sent:]), collection.tried))
            sent, last = len(collection.kept), time.monotonic()

    result = generate(maker, LevelCollection({*order.known}), order.seed, order.number, None, SerialExecutor(), show)
    yield Made((), len(result.kept) + result.rejected.total(), result.given_up)


class LevelMaking:
    """New levels of one puzzle.

    Args:
        puzzle: The puzzle.
        progress: Where the levels are loaded from and saved; None for nowhere.

    Attributes:
        count: The number of levels to make.
        seed: The seed of the next levels; None for a random one.
        chosen: The value of each setting, one of those in :attr:`offered`.
        words: More settings as text, ``"name=value …"``.
        levels: The levels made so far.
        error: Why the last job failed; empty if it has not.
    """

    def __init__(self, puzzle: Puzzle, progress: Progress | None = None) -> None:
        self.puzzle, self._progress = puzzle, progress
        self.offered = dict(agents_record(puzzle).generator_values)
        self.count = COUNTS[0]
        self.chosen = {name: values[0] for name, values in self.offered.items()}
        self.words = ""
        self.seed: int | None = None
        self.levels: list[Candidate] = [] if progress is None else saved_levels(progress, puzzle)
        self.error = ""
        self.tried = 0
        self.seconds = 0.0
        self.given_up = False
        self._job: Job | None = None
        self._first = self._wanted = 0
        self._begun = 0.0
        self._unsaved: float | None = None

    @property
    def busy(self) -> bool:
        """Whether levels are being made."""
        return self._job is not None

    def start(self) -> None:
        """Make more levels. The job checks the settings and reports invalid ones in :attr:`error`.

        Raises:
            ValueError: :attr:`words` is not ``name=value …``.
            OSError: No process can be started.
        """
        self.stop()
        given = {name: value for name, value in self.chosen.items() if value is not None}
        given |= read_settings(self.words.split())
        known = tuple(level.key for level in self.levels)
        seed = random.randrange(1_000_000) if self.seed is None else self.seed
        order = Order(self.puzzle, given, seed, self.count, known)
        self._job, self.error, self.tried, self.given_up = Job(making, order), "", 0, False
        self._first, self._wanted = len(self.levels), len(self.levels) + self.count
        self._begun = time.monotonic()

    def poll(self) -> bool:
        """Receive reports; return whether there were any."""
        job = self._job
        if job is None:
            return False
        updates = job.poll()
        for made in updates:
            self.levels += made.levels
            self.tried, self.given_up = made.tried, made.given_up
            if made.levels and self._unsaved is None:
                self._unsaved = time.monotonic()
        self.seconds = time.monotonic() - self._begun
        if job.done:
            self._job, self.error = None, job.error
        if self._unsaved is not None and (job.done or time.monotonic() - self._unsaved >= SAVE_SECONDS):
            self._store()
        return bool(updates) or job.done

    def stop(self) -> None:
        """Stop at once; the levels made so far stay."""
        if self._job is not None:
            self.poll()
        if self._job is not None:
            self._job.cancel()
            self._job = None
        if self._unsaved is not None:
            self._store()

    def clear(self) -> None:
        """Remove all levels."""
        self.stop()
        self.levels.clear()
        self.tried = 0
        self._store()

    def _store(self) -> None:
        self._unsaved = None
        if self._progress is not None:
            save_levels(self._progress, self.puzzle, self.levels)

    @property
    def coming(self) -> int:
        """The number of levels that are still to be made."""
        return self._wanted - len(self.levels) if self.busy else 0

    @property
    def share(self) -> float:
        """The fraction of the requested levels that is made, from 0 to 1."""
        return (len(self.levels) - self._first) / max(self._wanted - self._first, 1)

    # -- playing and saving ----------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The levels as level text."""
        titles = [level.name or f"new {number}" for number, level in enumerate(self.levels, start=1)]
        return levels_text(titles, [level.board for level in self.levels])

    def parsed(self, number: int) -> Level:
        """Return a level, by its number from 0."""
        return self.puzzle.parse(self.levels[number].board + "\n", "new level")[0]

    def game(self, number: int, **settings: Any) -> Game:
        """Return a game of these levels, beginning with the one with this number from 0."""
        return Game(ids_of(self.puzzle)[0], self.text, number, **settings)

    def save(self, path: Path, replace: bool = False) -> list[Path]:
        """Write the levels to a pack file, and a table next to it if they were measured; return the files' paths.

        Raises:
            ValueError: The path has an invalid suffix.
            OSError: The file exists and ``replace`` is False, or it cannot be written.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        maker = maker_of(self.puzzle)
        table = None if maker is None else maker.table
        new_file(path, replace, ".txt", ".xsb")
        written = [path] if table is None else [path, new_file(path.with_suffix(SIDECAR), replace)]
        titles = [level.name or f"{path.stem} {number}" for number, level in enumerate(self.levels, start=1)]
        write_levels(self.puzzle, path, titles, [level.board for level in self.levels])
        if table is not None:
            write_text(written[1], table(titles, self.levels))
        return written

    def status(self) -> str:
        """Return the progress in one line."""
        if self.error:
            return self.error
        done = plural(len(self.levels), "level")
        if self.busy:
            if not self.tried and len(self.levels) == self._first:
                return f"preparing to generate, which takes half a minute the first time: {self.seconds:.0f} s"
            tried = f", {plural(self.tried, 'candidate')} tried" if self.tried else ""
            return f"{done} of {self._wanted}{tried}, {self.seconds:.0f} s"
        if self.given_up:
            return f"{done}; no more were found among {plural(self.tried, 'candidate')}: other settings may help"
        return done if self.levels else "choose how many, and what they are like"
