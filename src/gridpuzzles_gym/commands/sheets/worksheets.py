"""Worksheets: levels for a class, printed in order of difficulty, with answers: ``gridpuzzles worksheet``."""

import contextlib
import dataclasses
import os
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gridpuzzles_gym.agents.level_sources.collecting import LevelCollection
from gridpuzzles_gym.agents.parallel import open_executor
from gridpuzzles_gym.agents.puzzle_agents import agents_record
from gridpuzzles_gym.agents.registry import agent_entry
from gridpuzzles_gym.agents.search.problem import Limits

from ...engine.levels.sources import levels_text
from ...engine.puzzle import Level, LevelError, Puzzle
from ...engine.scene import Scene
from ...session.arguments import chosen_levels, puzzle_named
from ...session.choices import ids_of
from ...session.puzzle_detection import puzzle_for
from ...session.session import Watched
from ...session.watch_options import WatchOptions
from ..generation.generate import Request, generate
from ..levels.rate import LevelRater
from ..levels.rating import hardness_of, hardness_words
from ..levels.work import results_of
from .answers import SECONDS, answer_of, answers_of, check_answers, informed_answer, informed_plan, legend_of
from .drawing import MOST, Sheet
from .sheets import SheetOrder, write_sheet

COUNT = 12
"""The number of levels: as many as there are on a page."""
_THEME = "light"
_ROUNDS = 6
"""The maximum number of times that more new levels are made because some cannot be solved."""


@dataclasses.dataclass(frozen=True)
class Worksheet:
    """The options of a worksheet."""

    choice: str
    """A file, a folder, a bundled pack or the title of a bundled level; or a puzzle or an id, for new levels."""
    path: Path
    """The PDF or PNG file."""
    named: str | None = None
    """The puzzle that the levels belong to; None detects it."""
    count: int = COUNT
    """The maximum number of levels; of a larger pack, some are chosen at random."""
    seed: int = 0
    """The random seed by which levels are chosen or made."""
    settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Settings of new levels."""
    title: str | None = None
    """The title; None is that of the puzzle."""
    played_by: str | None = None
    """The agent that has played the levels before they are drawn; None: they are drawn at their start."""
    style: str | None = None
    """The style of the pictures; None is the default for print."""
    answers: bool = True
    """Whether there are pages with answers."""
    workers: int | None = None
    """The number of processes; None is one for each core."""
    force: bool = False
    """Whether existing files are overwritten."""


class Exercise(NamedTuple):
    """A level of a worksheet."""

    level: Level
    hardness: tuple[float, ...]
    """Numbers by which levels are ordered, the easiest first."""
    answer: str


class Made(NamedTuple):
    """A worksheet that was made."""

    exercises: Sequence[Exercise]
    """Its levels, the easiest first."""
    order: str
    """What difficulty was measured by."""
    written: Sequence[Path]
    missing: int
    """The number of levels that are missing because of Ctrl-C."""


def make_worksheet(wanted: Worksheet) -> Made:
    """Make a worksheet. Ctrl-C makes it with the levels whose difficulty is known.

    Raises:
        ValueError: There are no such levels, a number or a setting is invalid, or as :meth:`.SheetOrder.check`.
        OSError: A file exists and may not be overwritten, or it cannot be written.
        KeyboardInterrupt: Ctrl-C came before there was a level.
    """
    if not 1 <= wanted.count <= MOST:
        raise ValueError(f"--count {wanted.count}: must be from 1 to {MOST}")
    made_for = _puzzle_to_make(wanted.choice)
    if made_for is None and wanted.settings:
        raise ValueError(f"--set applies to new levels; those of {wanted.choice} exist already")
    puzzle = made_for or puzzle_for(wanted.choice, wanted.named)
    order = SheetOrder(wanted.path, wanted.style, _THEME, answers_of if wanted.answers else None, wanted.force)
    options = order.check(puzzle)
    check_answers(puzzle)
    if wanted.played_by is not None:
        agent_entry(wanted.played_by, puzzle)
    table = None if made_for else _table_of(puzzle, wanted.choice)
    levels = _new_levels(puzzle, wanted) if made_for else _some_levels(puzzle, wanted)
    exercises: list[Exercise] = []
    with contextlib.suppress(KeyboardInterrupt):
        exercises.extend(results_of(_Preparation(puzzle, table), levels, 0, wanted.workers, None))
    if not exercises:
        raise KeyboardInterrupt("stopped before the first level was solved; nothing was written")
    exercises.sort(key=lambda exercise: exercise.hardness)
    captions = [f"{number}. {each.level.name}" for number, each in enumerate(exercises, start=1)]
    answers = [each.answer for each in exercises] if wanted.answers else []
    title, shown = wanted.title or puzzle.title, [each.level for each in exercises]
    scenes = [] if wanted.played_by is None else [_last_scene(puzzle, level, wanted.played_by) for level in shown]
    sheet = Sheet(puzzle, options, shown, captions, _THEME, answers, title, legend_of(puzzle), scenes)
    measure = hardness_words(puzzle) if table is None else f"{table.name}, from the pack's table"
    return Made(exercises, measure, write_sheet(wanted.path, sheet), len(levels) - len(exercises))


@dataclasses.dataclass(frozen=True)
class _Table:
    """The column of a pack's table that says how hard its levels are."""

    name: str
    numbers: Mapping[str, float]
    """By the names of levels."""


@dataclasses.dataclass(frozen=True)
class _Preparation:
    """A callable that determines the difficulty and the answer of a level, in any process."""

    puzzle: Puzzle
    table: _Table | None

    def __call__(self, level: Level) -> Exercise:
        """Prepare a level; raises KeyboardInterrupt."""
        limits = Limits(seconds=SECONDS, memory=2**30)
        if self.table is not None:
            [answer] = answers_of(self.puzzle, [level], limits=limits)
            return Exercise(level, (self.table.numbers[level.name],), answer)
        verdict = LevelRater(self.puzzle, limits)(level).verdict
        if not self.puzzle.deterministic:
            answer = informed_answer(self.puzzle, level)
        else:
            answer = answer_of(self.puzzle, level, verdict.actions) if verdict.solvable else verdict.words
        return Exercise(level, hardness_of(self.puzzle, verdict), answer)


def _puzzle_to_make(choice: str) -> Puzzle | None:
    """Return the puzzle whose new levels a choice means; None if it means existing levels."""
    if os.path.exists(choice):
        return None
    try:
        return puzzle_named(choice)
    except ValueError:
        return None


def _table_of(puzzle: Puzzle, choice: str) -> _Table | None:
    """Return the table of a pack; None if it has none, or several of its levels have the same name."""
    grades = agents_record(puzzle).grades
    levels = chosen_levels(puzzle, choice)
    names = {level.name for level in levels}
    if grades is None or len(names) < len(levels):
        return None
    try:
        name, numbers = next(iter(grades(choice).items()))
    except LevelError:
        return None
    if len(numbers) != len(levels):
        return None
    return _Table(name, dict(zip((level.name for level in levels), numbers, strict=True)))


def _some_levels(puzzle: Puzzle, wanted: Worksheet) -> list[Level]:
    """Return the levels of a file or pack; if there are too many, some of them."""
    levels = chosen_levels(puzzle, wanted.choice)
    if len(levels) <= wanted.count:
        return levels
    return random.Random(wanted.seed).sample(levels, wanted.count)


def _new_levels(puzzle: Puzzle, wanted: Worksheet) -> list[Level]:
    """Return new levels that can be solved."""
    request = Request(wanted.choice, {}, wanted.settings, (), wanted.seed)
    levels: list[Level] = []
    with open_executor(wanted.workers) as executor:
        for rounds in range(1, _ROUNDS + 1):
            number = rounds * wanted.count
            report = generate(request.maker, LevelCollection(set()), request.seed, number, None, executor)
            if report.interrupted:
                raise KeyboardInterrupt("stopped while levels were made; nothing was written")
            text = levels_text(["" for _ in report.kept], [candidate.board for candidate in report.kept])
            made = [dataclasses.replace(level, name="") for level in puzzle.parse(text, puzzle.name)]
            levels = [level for level in made if puzzle.deterministic or informed_plan(puzzle, level) is not None]
            if len(levels) >= wanted.count or report.given_up:
                break
    return levels[: wanted.count]


def _last_scene(puzzle: Puzzle, level: Level, agent: str) -> Scene:
    """Return what an agent sees before its last action in a level.

    Raises:
        ValueError: It does not play this level.
    """
    options = WatchOptions(seed=0, settings={"levels": [level]})
    with contextlib.closing(Watched(ids_of(puzzle)[0], agent, options)) as session:
        session.begin()
        scene = session.scene()
        while not session.over:
            scene = session.scene()
            session.advance()
        return scene
