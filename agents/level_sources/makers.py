"""What makes new levels of each puzzle, and with which settings: for training, and for ``gridpuzzles generate``.

A setting has the same name wherever it is given: behind ``--sampler on-the-fly:``, as a flag or as a ``--set`` of
``gridpuzzles generate``, and as a keyword argument in Python.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

from gridpuzzles_gym.engine.levels import Sampler
from gridpuzzles_gym.engine.puzzle import Puzzle

from ..candidates import CandidateMaker
from ..puzzle_agents import LevelMaker, agents_record
from ..samplers import GeneratedLevels
from .sampled_candidates import SampledCandidates

SIDES = ("width", "height")
"""Settings that a ``size`` stands for."""


def maker_of(puzzle: Puzzle) -> LevelMaker | None:
    """What makes new levels of a puzzle; None where its own rules generate them."""
    make = agents_record(puzzle).level_maker
    return None if make is None else make()


def settings_of(puzzle: Puzzle) -> tuple[str, ...]:
    """The names of all settings that levels of a puzzle are made with."""
    maker = maker_of(puzzle)
    names = maker.settings if maker else tuple(field.name for field in dataclasses.fields(puzzle.options))
    return ("size", *names) if set(SIDES) <= set(names) else names


def bounds_of(puzzle: Puzzle) -> tuple[str, ...]:
    """The names of all bounds by which levels of a puzzle can be rejected: none where they are not measured."""
    maker = maker_of(puzzle)
    return maker.bounds if maker else ()


def make_source(puzzle: Puzzle, settings: Mapping[str, Any], options: Mapping[str, Any] | None = None) -> Sampler:
    """What makes new levels of a puzzle.

    Args:
        puzzle: Whose levels.
        settings: Of those that :func:`settings_of` names.
        options: Those of an environment, which hold where its rules generate the levels and settings say nothing else.

    Raises:
        ValueError: There is no such setting, a value is not allowed, or the puzzle generates no levels.
    """
    known = settings_of(puzzle)
    for name in settings:
        if name not in known:
            raise ValueError(f"levels of {puzzle.title} have no setting {name!r}; there are {', '.join(known)}")
    chosen = _with_sides(settings) if set(SIDES) <= set(known) else {**settings}
    maker = maker_of(puzzle)
    if maker is not None:
        return maker.sampler(**chosen)
    needed = agents_record(puzzle).generated_with
    chosen = {**needed, **(options or {}), **chosen}
    for name, value in needed.items():
        if chosen[name] != value:
            raise ValueError(f"{name}={chosen[name]!r}: {puzzle.title} generates new levels with {name}={value!r} only")
    return GeneratedLevels(puzzle, **chosen)


def make_candidates(
    puzzle: Puzzle,
    settings: Mapping[str, Any],
    bounds: Mapping[str, Any],
    options: Mapping[str, Any] | None = None,
) -> CandidateMaker:
    """What makes candidates for packs.

    Args:
        puzzle: Whose levels.
        settings: See :func:`make_source`.
        bounds: What levels must take: of those that :func:`bounds_of` names.
        options: See :func:`make_source`.

    Raises:
        ValueError: A value is not allowed, or the puzzle generates no levels.
    """
    source, maker = make_source(puzzle, settings, options), maker_of(puzzle)
    if maker is None or maker.candidates is None:
        return SampledCandidates(puzzle, source)
    return maker.candidates(source, bounds)


def _with_sides(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The same with both sides for ``size``."""
    settings = {**settings}
    if "size" in settings:
        if any(side in settings for side in SIDES):
            raise ValueError(f"size={settings['size']!r} says both sides: leave width and height out")
        settings |= dict.fromkeys(SIDES, settings.pop("size"))
    return settings
