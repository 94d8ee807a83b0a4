"""Detect which puzzle levels belong to."""

import itertools
import os
from pathlib import Path

from gridpuzzles_gym.agents.level_selection import parse_level_list, split_number

from ..engine.levels.bundled import bundled
from ..engine.levels.rows import is_row_file, puzzle_in
from ..engine.levels.sources import find_levels, read_levels
from ..engine.messages import did_you_mean, quote
from ..engine.puzzle import Level, LevelError, Puzzle
from .arguments import all_puzzles, puzzle_named

_COUNTED = 100
"""Number of levels that are read to detect the puzzle if some are invalid."""


def puzzle_for(choice: str, named: str | None) -> Puzzle:
    """Return the puzzle that the levels of a file or bundled pack belong to.

    Args:
        choice: The path of a file or folder, or another value of ``--levels``.
        named: A puzzle's name or id. If it is None, the puzzle is determined by a folder on the path that has a
            puzzle's name, by the suffix of the file, by the name of the pack or level, or because only one puzzle can
            read the levels.

    Raises:
        ValueError: The puzzle cannot be determined or is unknown, or there are no such levels.
    """
    if named is not None:
        return puzzle_named(named)
    puzzles = all_puzzles()
    if listed := parse_level_list(choice):
        return _only(list(dict.fromkeys(puzzle_for(each, None) for each in listed)), choice)
    base = split_number(choice)[0]
    exists = os.path.exists(base)
    if is_row_file(base):
        return puzzle_named(puzzle_in(base)) if puzzle_in(base) else _only(puzzles, choice)
    if exists:
        folder = Path(base if os.path.isdir(base) else os.path.dirname(base))
        for part in reversed(folder.resolve().parts):
            for puzzle in puzzles:
                if puzzle.name == part.lower():
                    return puzzle
    suffix = os.path.splitext(base)[1].lower()
    for puzzle in puzzles:
        if suffix != ".txt" and puzzle.formats is not None and suffix in puzzle.formats.suffixes:
            return puzzle
    candidates = [puzzle for puzzle in puzzles if base in bundled(puzzle)]
    if not (candidates or exists):
        candidates = [puzzle for puzzle in puzzles if _has_title(puzzle, choice)]
    candidates = candidates or _readers(puzzles, base)
    if not candidates and not (exists or _is_text(choice)):
        packs = dict.fromkeys(pack for puzzle in puzzles for pack in bundled(puzzle))
        what = f"no levels {quote(choice)}: not a file, folder, bundled pack or title of a bundled level"
        raise LevelError(f"{what}; {did_you_mean(base, packs)}")
    return _only(candidates or puzzles, choice)


def _only(candidates: list[Puzzle], choice: str) -> Puzzle:
    if len(candidates) > 1:
        names, what = ", ".join(puzzle.name for puzzle in candidates), "this text" if "\n" in choice else choice
        raise ValueError(f"cannot detect which puzzle the levels in {what} belong to; use --puzzle with one of {names}")
    return candidates[0]


def _readers(puzzles: list[Puzzle], levels: str) -> list[Puzzle]:
    """Return the puzzles that can read all levels of a path or text; if none can, those that can read the most."""
    readers = [puzzle for puzzle in puzzles if _reads(puzzle, levels)]
    if readers:
        return readers
    counts = {puzzle: _count(puzzle, levels) for puzzle in puzzles}
    return [puzzle for puzzle, count in counts.items() if count == max(counts.values()) > 0]


def _reads(puzzle: Puzzle, levels: str) -> bool:
    """Return whether all levels of a path or text can be read as levels of the puzzle."""
    try:
        return all(isinstance(item, Level) for item in read_levels(puzzle, levels))
    except LevelError:
        return False


def _count(puzzle: Puzzle, levels: str) -> int:
    """Return how many of the first levels of a path or text are valid levels of the puzzle."""
    try:
        return sum(isinstance(item, Level) for item in itertools.islice(read_levels(puzzle, levels), _COUNTED))
    except LevelError:
        return 0


def _is_text(choice: str) -> bool:
    """Return whether this is a board itself, in one line or several."""
    return "\n" in choice or "|" in choice


def _has_title(puzzle: Puzzle, title: str) -> bool:
    if "\n" in title:
        return False
    return any(level.name == title for pack in bundled(puzzle) for level in find_levels(puzzle, pack))
