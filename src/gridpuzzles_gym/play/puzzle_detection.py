"""Detect which puzzle levels belong to."""

import functools
import itertools
import os
from collections import Counter
from pathlib import Path

from gridpuzzles_gym.agents.level_selection import parse_level_list, split_number

from ..engine.levels.bundled import bundled
from ..engine.levels.level_text import level_files, read_level_text
from ..engine.levels.rows import is_row_file, puzzle_in
from ..engine.levels.sources import blocks, find_levels, level_texts, read_levels
from ..engine.messages import did_you_mean
from ..engine.puzzle import Level, LevelError, Puzzle
from .arguments import all_puzzles, puzzle_named

_LOOKED_AT = 20
"""Number of files of a folder that are read to detect the puzzle by symbols."""
_COUNTED = 100
"""Number of levels that are read to detect the puzzle if some are invalid."""


class UnclearError(ValueError):
    """It cannot be determined which puzzle the levels belong to."""


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
        what = f"no levels {choice!r}: not a file, folder, bundled pack or title of a bundled level"
        raise LevelError(f"{what}; {did_you_mean(base, packs)}")
    return _only(candidates or puzzles, choice)


def puzzle_or_guess(choice: str, named: str | None) -> tuple[Puzzle, bool]:
    """Return the puzzle of levels that may be invalid, and whether it was detected by their symbols alone.

    Args:
        choice: As for :func:`puzzle_for`.
        named: As for :func:`puzzle_for`.

    Raises:
        ValueError: There are no such levels, or their puzzle cannot be determined.
    """
    try:
        return puzzle_for(choice, named), False
    except UnclearError:
        base = split_number(choice)[0]
        if not os.path.exists(base):
            return puzzle_by_symbols(choice), True
        files = level_files(Path(base)) if os.path.isdir(base) else [Path(base)]
        return puzzle_by_symbols("\n\n".join(read_level_text(file) for file in files[:_LOOKED_AT])), True


def puzzle_of_text(text: str, named: str | None) -> tuple[Puzzle, bool]:
    """Return the puzzle of level text that may be invalid, and whether it was detected by its symbols alone.

    Raises:
        ValueError: The puzzle is unknown or cannot be determined.
    """
    if named is not None:
        return puzzle_named(named), False
    readers = _readers(all_puzzles(), text + "\n")
    return (readers[0], False) if len(readers) == 1 else (puzzle_by_symbols(text), True)


def puzzle_by_symbols(text: str) -> Puzzle:
    """Return the puzzle whose bundled levels use the most of a text's symbols.

    Raises:
        ValueError: No puzzle uses more than half of the symbols, or two puzzles use equally many.
    """
    lines = [line[:1000] for line in text.splitlines()[:10_000]]  # a board has no longer ones
    counts = Counter("".join(line for line in lines if not line.startswith(";")))
    counts = Counter({symbol: count for symbol, count in counts.items() if not symbol.isspace()})
    shares = {
        puzzle: sum(counts[symbol] for symbol in known) / max(counts.total(), 1)
        for puzzle in all_puzzles()
        if (known := _symbols(puzzle))
    }
    best = max(shares.values(), default=0)
    near = [puzzle for puzzle, share in shares.items() if share == best]
    if best <= 0.5:
        raise UnclearError(_unclear("this text", list(shares)))
    return _only(near, "this text")


@functools.cache
def _symbols(puzzle: Puzzle) -> frozenset[str]:
    """Return the symbols of a puzzle's boards: all that its bundled levels use."""
    texts = [text for pack in bundled(puzzle) for text, source in level_texts(puzzle, pack)]
    boards = [line for text in texts for _, board in blocks(text) for _, line in board]
    return frozenset("".join(boards)) - {" "}


def _only(candidates: list[Puzzle], choice: str) -> Puzzle:
    if len(candidates) > 1:
        raise UnclearError(_unclear(choice, candidates))
    return candidates[0]


def _unclear(choice: str, candidates: list[Puzzle]) -> str:
    names = ", ".join(puzzle.name for puzzle in candidates)
    return f"cannot detect which puzzle the levels in {choice} belong to; use --puzzle with one of {names}"


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
