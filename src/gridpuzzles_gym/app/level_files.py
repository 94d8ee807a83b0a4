"""Check level files and show levels."""

import dataclasses
import os
import re
from collections.abc import Iterator
from pathlib import Path

from ..engine.levels import blocks, find_levels, level_files, read_level_text, shipped
from ..engine.puzzle import Level, LevelError, Puzzle, Scene
from .arguments import all_puzzles, choose_levels, did_you_mean, puzzle_named

_ENDINGS = dict.fromkeys((".xsb", ".sok", ".slc"), "sokoban")
"""Endings of files that only one puzzle has."""


@dataclasses.dataclass(frozen=True)
class Finding:
    """What a check says of one level."""

    source: str
    """The file it is in."""
    name: str
    size: str
    """Width × height in squares; empty where the level cannot be read."""
    error: str = ""
    """What is wrong, with file, line and column; empty where nothing is."""


def puzzle_for(choice: str, named: str | None) -> Puzzle:
    """Whose levels a file, or a shipped pack, holds.

    Args:
        choice: Path of a file or folder, or what ``--level`` takes.
        named: A puzzle's name or id, where one was given; else a folder on the path that bears a puzzle's name
            tells, or the file's ending, or the pack's or level's name, or that they can only be read as one's.

    Raises:
        ValueError: Nothing tells, or there are no such levels, or no such puzzle.
    """
    if named is not None:
        return puzzle_named(named)
    puzzles = all_puzzles()
    path = Path(choice)
    folders = [part.lower() for part in reversed((path if path.is_dir() else path.parent).resolve().parts)]
    for folder in folders if path.exists() else ():
        for puzzle in puzzles:
            if puzzle.name == folder:
                return puzzle
    base = re.sub(r":\d+$", "", choice)
    ending = Path(base).suffix.lower()
    if ending in _ENDINGS:
        return puzzle_named(_ENDINGS[ending])
    shipping = [
        puzzle for puzzle in puzzles if choice.rpartition(":")[0] in shipped(puzzle) or choice in shipped(puzzle)
    ]
    candidates = shipping or [puzzle for puzzle in puzzles if _ships_title(puzzle, choice)]
    if not candidates and not (os.path.exists(choice) or os.path.exists(base) or _is_text(choice)):
        packs = dict.fromkeys(pack for puzzle in puzzles for pack in shipped(puzzle))
        what = f"no levels {choice!r}: not a file or folder, nor the title of a shipped level, nor a shipped pack"
        raise LevelError(f"{what}; {did_you_mean(base, packs)}")
    candidates = candidates or [puzzle for puzzle in puzzles if _reads(puzzle, choice, base)] or puzzles
    if len(candidates) == 1:
        return candidates[0]
    names = ", ".join(puzzle.name for puzzle in candidates)
    raise ValueError(f"which puzzle's levels are in {choice}? Say --puzzle with one of {names}")


def _reads(puzzle: Puzzle, choice: str, base: str) -> bool:
    """Can all of this be read as levels of that puzzle?"""
    try:
        return bool(find_levels(puzzle, choice if os.path.exists(choice) or _is_text(choice) else base))
    except LevelError:
        return False


def _is_text(choice: str) -> bool:
    """Is this a board itself, in several lines or in one?"""
    return "\n" in choice or "|" in choice


def _ships_title(puzzle: Puzzle, title: str) -> bool:
    return any(level.name == title for pack in shipped(puzzle) for level in find_levels(puzzle, pack))


def check(path: Path, named: str | None) -> Iterator[Finding]:
    """Check every level in a file, or in every level file of a folder.

    Raises:
        ValueError: It is not clear whose levels these are.
        OSError: The file is not there.
    """
    if not path.exists():
        raise FileNotFoundError(2, "no such level file", str(path))
    puzzle = puzzle_for(str(path), named)
    files = [path]
    if path.is_dir():
        files = level_files(path)
        if not files:
            yield Finding(str(path), "", "", f"{path}: no level files in this folder")
    for file in files:
        yield from _check_file(puzzle, file)


def _check_file(puzzle: Puzzle, file: Path) -> Iterator[Finding]:
    try:
        levels = find_levels(puzzle, file)
    except LevelError as error:
        yield from _board_by_board(puzzle, file, str(error))
        return
    for level in levels:
        yield _encoded(puzzle, level, str(file))


def _board_by_board(puzzle: Puzzle, file: Path, problem: str) -> Iterator[Finding]:
    """Say which boards of a file are good: each is read alone, at its own place among blank lines."""
    try:
        text = read_level_text(file)
    except LevelError:
        text = ""
    lines = text.splitlines()
    findings: list[Finding] = []
    end = 0
    for title, board in blocks(text):
        begin, end = end, board[-1][0]
        alone = "\n" * begin + "\n".join(lines[begin:end]) + "\n"
        try:
            findings.extend(_encoded(puzzle, level, str(file)) for level in puzzle.parse(alone, str(file)))
        except LevelError as error:
            findings.append(Finding(str(file), title or f"{file}:{board[0][0]}", "", str(error)))
    if not any(finding.error for finding in findings):  # the puzzle divides its files into levels in another way
        findings = [Finding(str(file), "", "", problem)]
    yield from findings


def _encoded(puzzle: Puzzle, level: Level, source: str) -> Finding:
    try:
        puzzle.encode(level, level.extent, puzzle.read_options())
    except LevelError as error:
        return Finding(source, level.name, "", str(error))
    height, width = level.extent[:2]
    return Finding(source, level.name, f"{width}×{height}")


def show(choice: str, named: str | None) -> Iterator[tuple[Level, str]]:
    """The levels of a file, folder or shipped pack, as text.

    Raises:
        ValueError: There are none by that name, or one of them cannot be.
    """
    puzzle = puzzle_for(choice, named)
    options = puzzle.read_options()
    for level in choose_levels(puzzle, choice)[1]:
        row, state = puzzle.encode(level, level.extent, options)
        yield level, puzzle.ansi(Scene(row, state, options, title=level.name))
