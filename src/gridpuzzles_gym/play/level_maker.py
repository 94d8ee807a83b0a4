"""New levels, made one by one in another process, and menus of what they are like.

Those made so far stay when it is stopped.
"""

import dataclasses
import random
import time
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from gridpuzzles_gym.agents.candidates import Candidate
from gridpuzzles_gym.agents.level_sources.generating import random_bits_of
from gridpuzzles_gym.agents.level_sources.makers import bounds_of, make_candidates
from gridpuzzles_gym.agents.puzzle_agents import agents_record

from ..engine.levels.sources import levels_text
from ..engine.messages import plural
from ..engine.puzzle import Level, Puzzle
from .choices import ids_of
from .game import PlaySession
from .jobs import Job

COUNTS = (10, 1, 5, 20, 50, 100)
"""Numbers of levels to choose from; the first is the default."""
PATIENCE = 10_000
"""Number of consecutive rejected candidates after which generation stops."""
_INTERVAL = 0.2
"""Seconds between two reports if there is no new level."""
SIDES = ("width", "height")
"""The options of puzzles that have no ``size``."""
OWN = "own"
"""The label of settings that are none of those of a menu."""

Menus = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""For each menu by its heading, the settings of each entry by its label; None stands for the default."""


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


class NewLevels(NamedTuple):
    """A report: the levels since the last one."""

    levels: tuple[Candidate, ...]
    tried: int
    """The number of candidates so far, including rejected ones."""
    given_up: bool = False
    """Whether it has ended because too many candidates were rejected."""


def level_job(order: Order) -> Iterator[NewLevels]:
    """Report levels as soon as they are made, as a job.

    Raises:
        ValueError: A setting is invalid.
    """
    bounds, known = bounds_of(order.puzzle), {*order.known}
    settings = {name: value for name, value in order.given.items() if name not in bounds}
    bounding = {name: value for name, value in order.given.items() if name in bounds}
    make = make_candidates(order.puzzle, settings, bounding)
    left, idle, last = order.number, 0, time.monotonic()
    for tried, random_bits in enumerate(random_bits_of(order.seed), start=1):
        candidate = make(random_bits)
        is_new = not candidate.rejection and candidate.key not in known
        if is_new:
            known.add(candidate.key)
        left, idle = left - is_new, 0 if is_new else idle + 1
        if is_new or idle == PATIENCE or time.monotonic() - last >= _INTERVAL:
            last = time.monotonic()
            yield NewLevels((candidate,) if is_new else (), tried, idle == PATIENCE)
        if left == 0 or idle == PATIENCE:
            return


class LevelMaker:
    """New levels of one puzzle.

    Args:
        puzzle: The puzzle.

    Attributes:
        count: The number of levels to make.
        chosen: The value of each setting, one of those in :attr:`offered`.
        levels: The levels made so far.
        error: Why the last job failed; empty if it has not.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle = puzzle
        self.offered = dict(agents_record(puzzle).generator_values)
        self.count = COUNTS[0]
        self.chosen = {name: values[0] for name, values in self.offered.items()}
        self.levels: list[Candidate] = []
        self.error = ""
        self.tried = 0
        self.seconds = 0.0
        self.given_up = False
        self._job: Job | None = None
        self._wanted = 0
        self._begun = 0.0

    @property
    def busy(self) -> bool:
        """Whether levels are being made."""
        return self._job is not None

    def start(self) -> None:
        """Make more levels. The job checks the settings and reports invalid ones in :attr:`error`.

        Raises:
            OSError: No process can be started.
        """
        self.stop()
        given = {name: value for name, value in self.chosen.items() if value is not None}
        known = tuple(level.key for level in self.levels)
        order = Order(self.puzzle, given, random.randrange(1_000_000), self.count, known)
        self._job, self.error, self.tried, self.given_up = Job(level_job, order), "", 0, False
        self._wanted, self._begun = len(self.levels) + self.count, time.monotonic()

    def poll(self) -> bool:
        """Receive reports; return whether there were any."""
        job = self._job
        if job is None:
            return False
        updates = job.poll()
        for made in updates:
            self.levels += made.levels
            self.tried, self.given_up = made.tried, made.given_up
        self.seconds = time.monotonic() - self._begun
        if job.done:
            self._job, self.error = None, job.error
        return bool(updates) or job.done

    def stop(self) -> None:
        """Stop at once; the levels made so far stay."""
        self.poll()
        if self._job is not None:
            self._job.cancel()
            self._job = None

    def status(self) -> str:
        """Return the progress in one line."""
        if self.error:
            return self.error
        done = plural(len(self.levels), "level")
        if self.busy:
            if not self.tried:
                return f"preparing to generate, which takes half a minute the first time: {self.seconds:.0f} s"
            return f"{done} of {self._wanted}, {plural(self.tried, 'candidate')} tried, {self.seconds:.0f} s"
        if self.given_up:
            return f"{done}; no more were found among {plural(self.tried, 'candidate')}: other settings may help"
        return done if self.levels else "choose how many, and what they are like"

    @property
    def text(self) -> str:
        """The levels as level text."""
        titles = [level.name or f"new {number}" for number, level in enumerate(self.levels, start=1)]
        return levels_text(titles, [level.board for level in self.levels])

    def parsed(self, number: int) -> Level:
        """Return a level, by its number from 0."""
        return self.puzzle.parse(self.levels[number].board + "\n", "new level")[0]

    def game(self, number: int, **settings: Any) -> PlaySession:
        """Return a game of these levels, beginning with the one with this number from 0."""
        return PlaySession.of(ids_of(self.puzzle)[0], self.text, number, **settings)


def maker_presets(puzzle: Puzzle) -> Menus:
    """Return the menus for the puzzle's level maker."""
    record = agents_record(puzzle)
    sizes = {f"{side}×{side}": {"size": side} for side in sorted(record.generator_values.get("size", ()))}
    menus = {"size": sizes, "difficulty": record.difficulties}
    return {heading: labels for heading, labels in menus.items() if labels}


def option_presets(puzzle: Puzzle) -> Menus:
    """Return the menus for instances that the puzzle's own rules generate, whose settings are options of the puzzle."""
    fields = {field.name for field in dataclasses.fields(puzzle.options)}

    def options(settings: Mapping[str, Any]) -> dict[str, Any]:
        if "size" in settings and "size" not in fields:
            return dict.fromkeys(SIDES, settings["size"])
        return dict(settings)

    found = {}
    for heading, labels in maker_presets(puzzle).items():
        menu = {label: options(settings) for label, settings in labels.items()}
        if all(fields >= own.keys() for own in menu.values()):
            found[heading] = menu
    return found


def label_of(labels: Mapping[str, Mapping[str, Any]], chosen: Mapping[str, Any]) -> str:
    """Return the label of the settings that are chosen, :data:`OWN` if there is none."""
    return next((label for label, own in labels.items() if own.items() <= chosen.items()), OWN)
