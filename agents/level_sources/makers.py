"""What makes new levels of each puzzle, and of which settings: for training, and for ``gridpuzzles generate``.

A setting has the same name wherever it is given: behind ``--sampler on-the-fly:``, as a flag or as a ``--set`` of
``gridpuzzles generate``, and as a keyword argument in Python.
"""

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from gridpuzzles_gym.engine.levels import Sampler
from gridpuzzles_gym.engine.puzzle import Puzzle

from ..bait.sampler import BaitSampler
from .candidates import Bounds, Generated, Maker, Sampled
from ..sokoban.generation.generator import RECIPE_SETTINGS
from ..samplers import Drawn
from ..sokoban.generation.sampler import SokobanSampler

SIDES = ("width", "height")
"""Settings that a ``size`` stands for."""


class Making(NamedTuple):
    """How levels of a puzzle are made."""

    sampler: Callable[..., Sampler]
    """A sampler without a memory; called with the settings given."""
    settings: tuple[str, ...]
    """The names of all that it takes."""


MAKERS: dict[str, Making] = {
    "bait": Making(BaitSampler, tuple(inspect.signature(BaitSampler).parameters)),
    "sokoban": Making(SokobanSampler, RECIPE_SETTINGS),
}
"""By the puzzle's name; a puzzle that is not here draws its levels by its own rules and options."""
DRAWN_WITH: dict[str, dict[str, Any]] = {"cat_mouse": {"maze": "random"}}
"""By the puzzle's name: options without which its rules draw nothing."""


def settings_of(puzzle: Puzzle) -> tuple[str, ...]:
    """The names of all settings that levels of a puzzle are made of."""
    making = MAKERS.get(puzzle.name)
    names = making.settings if making else tuple(field.name for field in dataclasses.fields(puzzle.options))
    return ("size", *names) if set(SIDES) <= set(names) else names


def bounds_of(puzzle: Puzzle) -> tuple[str, ...]:
    """The names of all bounds by which levels of a puzzle can be passed over: none where they are not measured."""
    making = MAKERS.get(puzzle.name)
    measured = making is not None and making.sampler is SokobanSampler
    return tuple(field.name for field in dataclasses.fields(Bounds)) if measured else ()


def make_source(puzzle: Puzzle, settings: Mapping[str, Any], options: Mapping[str, Any] | None = None) -> Sampler:
    """What makes new levels of a puzzle.

    Args:
        puzzle: Whose levels.
        settings: Of those that :func:`settings_of` names.
        options: Those of an environment, which hold where its rules draw the levels and settings say nothing else.

    Raises:
        ValueError: There is no such setting, a value is not allowed, or the puzzle draws no levels.
    """
    known = settings_of(puzzle)
    for name in settings:
        if name not in known:
            raise ValueError(f"levels of {puzzle.title} have no setting {name!r}; there are {', '.join(known)}")
    chosen = _with_sides(settings) if set(SIDES) <= set(known) else {**settings}
    making = MAKERS.get(puzzle.name)
    if making is not None:
        return making.sampler(**chosen)
    needed = DRAWN_WITH.get(puzzle.name, {})
    chosen = {**needed, **(options or {}), **chosen}
    for name, value in needed.items():
        if chosen[name] != value:
            raise ValueError(f"{name}={chosen[name]!r}: {puzzle.title} draws new levels with {name}={value!r} only")
    return Drawn(puzzle, **chosen)


def make_maker(
    puzzle: Puzzle,
    settings: Mapping[str, Any],
    bounds: Mapping[str, Any],
    options: Mapping[str, Any] | None = None,
) -> Maker:
    """What makes candidates for packs.

    Args:
        puzzle: Whose levels.
        settings: See :func:`make_source`.
        bounds: What levels must take: of those that :func:`bounds_of` names.
        options: See :func:`make_source`.

    Raises:
        ValueError: A value is not allowed, or the puzzle draws no levels.
    """
    source = make_source(puzzle, settings, options)
    if isinstance(source, SokobanSampler):
        return Generated(source.generator, Bounds(**bounds))
    return Sampled(puzzle, source)


def _with_sides(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The same with both sides for ``size``."""
    settings = {**settings}
    if "size" in settings:
        if any(side in settings for side in SIDES):
            raise ValueError(f"size={settings['size']!r} says both sides: leave width and height out")
        settings |= dict.fromkeys(SIDES, settings.pop("size"))
    return settings
