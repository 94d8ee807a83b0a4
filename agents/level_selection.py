"""Levels as a person names them: files, folders, bundled packs, titles, boards, and one level of many by its number."""

import os
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

from gridpuzzles_gym.engine.levels.bundled import bundled
from gridpuzzles_gym.engine.levels.level_text import encodable, line_about, split_valid_and_errors, warn
from gridpuzzles_gym.engine.levels.sources import find_levels, levels_text, read_levels
from gridpuzzles_gym.engine.messages import plural, quote
from gridpuzzles_gym.engine.puzzle import Level, Puzzle, all_valid
from gridpuzzles_gym.engine.system.files import read_json

from .puzzle_agents import board_of

Item = TypeVar("Item")


class LevelSelection(NamedTuple):
    """Selected levels."""

    levels: list[Level]
    """In order; at least one."""
    left_out: str = ""
    """What was left out because it is invalid, in one line; empty if nothing was."""


def select_levels(puzzle: Puzzle, choice: Any, strict: bool = False, options: Any = None) -> LevelSelection:
    """Return the levels that a person names.

    Args:
        puzzle: The puzzle of the levels.
        choice: A file, a folder, a bundled pack, the title of a bundled level, a board in one line, with ``/`` or ``|``
            between its rows, or a JSON list of these; ``:3`` after one of the first three selects the third level, and
            invalid ones count. Or anything else that environments take as ``levels=``, but no sampler.
        strict: Whether an invalid level is an error even among valid ones; otherwise it is left out.
        options: The puzzle's options with which they will be played; None: its defaults.

    Raises:
        ValueError: There are no such levels, or none is valid, or the selected one is not.
    """
    if listed := parse_level_list(choice):
        parts = [select_levels(puzzle, each, strict, options) for each in listed]
        left_out = "; ".join(part.left_out for part in parts if part.left_out)
        return LevelSelection([level for part in parts for level in part.levels], left_out)
    base, number = split_number(choice)
    titled = None if number is not None else _titled(puzzle, choice)
    if titled is not None:
        return LevelSelection([titled])
    options = puzzle.read_options() if options is None else options
    items = list(encodable(puzzle, read_levels(puzzle, base), options))
    if number is not None:
        return LevelSelection(list(all_valid([nth(items, base, number)])))
    levels, errors = split_valid_and_errors(items)
    if errors and (strict or not levels):
        raise errors[0]
    return LevelSelection(levels, line_about(base, len(levels), errors) if errors else "")


def selected_levels(puzzle: Puzzle, choice: Any, strict: bool = False, options: Any = None) -> list[Level]:
    """Return the levels of :func:`select_levels`; a ``LevelWarning`` says what was left out."""
    selection = select_levels(puzzle, choice, strict, options)
    if selection.left_out:
        warn(selection.left_out)
    return selection.levels


def level_setting(puzzle: Puzzle, choice: Any, options: Any = None) -> Any:
    """Return the value of ``levels=`` for what a person names, in JSON if that is in JSON; see :func:`select_levels`.

    Raises:
        ValueError: As for :func:`select_levels`, if one level of a file or pack is named.
    """
    if listed := parse_level_list(choice):
        return [level_setting(puzzle, each, options) for each in listed]
    if split_number(choice)[1] is None and _titled(puzzle, choice) is None:
        return choice
    levels = select_levels(puzzle, choice, options=options).levels
    return levels_text([level.name for level in levels], [board_of(puzzle, level, options) for level in levels])


def _titled(puzzle: Puzzle, choice: Any) -> Level | None:
    """Return the bundled level with this title; None if there is none, or if it is a path or a pack's name."""
    packs = bundled(puzzle)
    if not isinstance(choice, str) or "\n" in choice or os.path.exists(choice) or choice in packs:
        return None
    return next((level for pack in packs for level in find_levels(puzzle, pack) if level.name == choice), None)


def parse_level_list(choice: Any) -> list[str]:
    """Return the choices in one that is a JSON list of them; empty if it is none."""
    if not isinstance(choice, str) or not choice.startswith("[") or os.path.exists(choice):
        return []
    try:
        listed = read_json(choice, quote(choice))
    except ValueError:
        return []
    return listed if isinstance(listed, list) and all(isinstance(each, str) for each in listed) else []


def split_number(choice: Any) -> tuple[Any, int | None]:
    """Split ``"first:3"`` into ``("first", 3)``; the number is None if there is none, or if a file has this name."""
    if not isinstance(choice, str):
        return choice, None
    base, colon, number = choice.rpartition(":")
    if not colon or not (number.isascii() and number.isdigit()) or len(number) > 9 or os.path.exists(choice):
        return choice, None
    return base, int(number)


def nth(items: Sequence[Item], base: str, number: int) -> Item:
    """Return the item with this number, counted from 1.

    Raises:
        ValueError: There are fewer items.
    """
    if not 1 <= number <= len(items):
        raise ValueError(f"{base} has no level {number}; it has {plural(len(items), 'level')}, counted from 1")
    return items[number - 1]
