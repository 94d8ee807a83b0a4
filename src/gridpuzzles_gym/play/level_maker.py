"""New levels, made one by one in another process, and menus of what they are like.

Those made so far stay when it is stopped.
"""

import dataclasses
import random
import time
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from gridpuzzles_gym.agents.candidates import Candidate
from gridpuzzles_gym.agents.level_sources.generating import PATIENCE, LevelCollection, random_bits_of
from gridpuzzles_gym.agents.level_sources.makers import bounds_of, make_candidates
from gridpuzzles_gym.agents.puzzle_agents import agents_record

from ..engine.levels.sources import levels_text
from ..engine.messages import plural
from ..engine.puzzle import Puzzle
from .choices import ids_of
from .jobs import Job
from .play_session import PlaySession

COUNTS = (10, 1, 5, 20, 50, 100)
"""Numbers of levels to choose from; the first is the default."""
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


def level_job(order: Order) -> Iterator[Candidate]:
    """Yield levels as soon as they are made, as a job; fewer, if too many candidates in a row are rejected.

    Raises:
        ValueError: A setting is invalid.
    """
    bounds, collection, last = bounds_of(order.puzzle), LevelCollection({*order.known}), 0
    settings = {name: value for name, value in order.given.items() if name not in bounds}
    bounding = {name: value for name, value in order.given.items() if name in bounds}
    make = make_candidates(order.puzzle, settings, bounding)
    for random_bits in random_bits_of(order.seed):
        candidate = make(random_bits)
        if collection.add(candidate):
            last = collection.tried
            yield candidate
        if len(collection.kept) == order.number or collection.tried - last == PATIENCE:
            return


class LevelMaker:
    """New levels of one puzzle.

    Args:
        puzzle: The puzzle.

    Attributes:
        count: The number of levels to make.
        chosen: The value of each setting, one of those in :attr:`offered`.
        levels: The levels made so far.
        seconds: How long the job has been running.
        error: Why the last job failed; empty if it has not.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        self.puzzle = puzzle
        self.offered = dict(agents_record(puzzle).generator_values)
        self.count = COUNTS[0]
        self.chosen = {name: values[0] for name, values in self.offered.items()}
        self.levels: list[Candidate] = []
        self.error = ""
        self.seconds = 0.0
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
        self._job, self.error = Job(level_job, order), ""
        self._wanted, self._begun = len(self.levels) + self.count, time.monotonic()

    def poll(self) -> bool:
        """Receive levels; return whether there were any, or there will be no more."""
        job = self._job
        if job is None:
            return False
        made = job.poll()
        self.levels += made
        self.seconds = time.monotonic() - self._begun
        if job.done:
            self._job, self.error = None, job.error
        return bool(made) or job.done

    def stop(self) -> None:
        """Stop at once; the levels made so far stay."""
        self.poll()
        if self._job is not None:
            self._job.cancel()
            self._job, self._wanted = None, len(self.levels)

    def status(self) -> str:
        """Return the progress in one line."""
        if self.error:
            return self.error
        done = plural(len(self.levels), "level")
        if self.busy:
            first = "" if self.levels else "; the first time it takes half a minute"
            return f"{done} of {self._wanted}, {self.seconds:.0f} s{first}"
        if len(self.levels) < self._wanted:
            return f"{done}; no more were found: other settings may help"
        return done if self.levels else "choose how many, and what they are like"

    @property
    def text(self) -> str:
        """The levels as level text."""
        titles = [level.name or f"new {number}" for number, level in enumerate(self.levels, start=1)]
        return levels_text(titles, [level.board for level in self.levels])

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
