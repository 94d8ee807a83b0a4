"""Makes new levels of each puzzle from settings, for training and ``gridpuzzles generate``.

A setting has the same name everywhere: after ``--sampler on-the-fly:``, as a flag or ``--set`` of
``gridpuzzles generate``, and as a keyword argument in Python.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

from gridpuzzles_gym.engine.levels.sources import Sampler
from gridpuzzles_gym.engine.messages import did_you_mean, quote
from gridpuzzles_gym.engine.puzzle import Puzzle

from ..candidates import UNFINISHED, Candidate, CandidateMaker, past
from ..puzzle_agents import LevelMaker, agents_record, board_of
from ..samplers import GeneratedLevels


@dataclasses.dataclass(frozen=True)
class SampledCandidates:
    """Makes candidates of any puzzle from a sampler without memory.

    Args:
        puzzle: The puzzle.
        sampler: The source of its levels.
    """

    puzzle: Puzzle
    sampler: Sampler

    def __call__(self, random_bits: int, deadline: float | None = None) -> Candidate:
        """Return the candidate of these random bits: always accepted if started before the deadline."""
        if past(deadline):
            return Candidate(random_bits, UNFINISHED)
        level = self.sampler.sample(random_bits)
        board = board_of(self.puzzle, level)
        return Candidate(random_bits, "", board, board.encode(), level.name)


SIDES = ("width", "height")
"""The settings that ``size`` sets."""


def maker_of(puzzle: Puzzle) -> LevelMaker | None:
    """Return the level maker of a puzzle; None if its own rules generate levels."""
    make = agents_record(puzzle).level_maker
    return None if make is None else make()


def settings_of(puzzle: Puzzle) -> tuple[str, ...]:
    """Return the names of all settings for generating levels of a puzzle."""
    maker = maker_of(puzzle)
    names = maker.settings if maker else tuple(field.name for field in dataclasses.fields(puzzle.options))
    return ("size", *names) if set(SIDES) <= set(names) else names


def bounds_of(puzzle: Puzzle) -> tuple[str, ...]:
    """Return the names of all bounds by which levels of a puzzle can be rejected: empty if they are not measured."""
    maker = maker_of(puzzle)
    return maker.bounds if maker else ()


def make_source(puzzle: Puzzle, settings: Mapping[str, Any], options: Mapping[str, Any] | None = None) -> Sampler:
    """Return a source of new levels of a puzzle.

    Args:
        puzzle: The puzzle.
        settings: Settings among those that :func:`settings_of` returns.
        options: Options of an environment, which apply if its rules generate the levels and settings do not differ.

    Raises:
        ValueError: There is no such setting, a value is invalid, or the puzzle generates no levels.
    """
    known = settings_of(puzzle)
    for name in settings:
        if name not in known:
            raise ValueError(f"levels of {puzzle.title} have no setting {quote(name)}; {did_you_mean(name, known)}")
    chosen = _with_sides(settings) if set(SIDES) <= set(known) else {**settings}
    maker = maker_of(puzzle)
    if maker is not None:
        return maker.sampler(**chosen)
    needed = agents_record(puzzle).generated_with
    chosen = {**needed, **(options or {}), **chosen}
    for name, value in needed.items():
        if chosen[name] != value:
            raise ValueError(
                f"{name}={quote(chosen[name])}: {puzzle.title} generates new levels with {name}={quote(value)} only"
            )
    return GeneratedLevels(puzzle, **chosen)


def make_candidates(
    puzzle: Puzzle,
    settings: Mapping[str, Any],
    bounds: Mapping[str, Any],
    options: Mapping[str, Any] | None = None,
) -> CandidateMaker:
    """Return a maker of candidates for packs.

    Args:
        puzzle: The puzzle.
        settings: See :func:`make_source`.
        bounds: Bounds on the difficulty of levels, among those that :func:`bounds_of` returns.
        options: See :func:`make_source`.

    Raises:
        ValueError: A value is invalid, or the puzzle generates no levels.
    """
    return candidates_from(puzzle, make_source(puzzle, settings, options), bounds)


def candidates_from(puzzle: Puzzle, source: Sampler, bounds: Mapping[str, Any]) -> CandidateMaker:
    """Return a maker of candidates for packs, which are the levels of a source.

    Args:
        puzzle: The puzzle.
        source: What :func:`make_source` returned for it.
        bounds: See :func:`make_candidates`.

    Raises:
        ValueError: A bound is invalid.
    """
    maker = maker_of(puzzle)
    if maker is None or maker.candidates is None:
        return SampledCandidates(puzzle, source)
    return maker.candidates(source, bounds)


def _with_sides(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings with ``size`` replaced by both sides."""
    settings = {**settings}
    if "size" in settings:
        if any(side in settings for side in SIDES):
            raise ValueError(f"size={quote(settings['size'])} sets both sides: do not give width or height as well")
        settings |= dict.fromkeys(SIDES, settings.pop("size"))
    return settings
