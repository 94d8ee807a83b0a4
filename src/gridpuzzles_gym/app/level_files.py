"""Whose levels a file holds, and which of them are good."""

import dataclasses
import functools
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..engine.levels import (
    MAX_BYTES,
    blocks,
    bundled,
    decode_level_text,
    find_levels,
    level_files,
    level_texts,
    read_level_text,
)
from ..engine.messages import one_line, plural
from ..engine.puzzle import Level, LevelError, Puzzle
from .arguments import all_puzzles, choose_levels, did_you_mean, numbered, puzzle_named, split_number

STDIN, FROM_STDIN = "-", "standard input"
"""What stands for standard input, and what messages call it."""

_LOOKED_AT = 20
"""Files of a folder that are looked at to guess whose levels they hold."""


class UnclearError(ValueError):
    """Nothing tells which puzzle's levels these are."""


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
    level: Level | None = None
    """The level, where nothing is wrong."""


@dataclasses.dataclass(frozen=True)
class Report:
    """What a check says of all levels of a file, folder or pack."""

    puzzle: Puzzle
    guessed: bool
    """Was nothing but the symbols there to tell whose levels they are?"""
    findings: list[Finding]

    def as_json(self) -> list[dict[str, str]]:
        """What was found, as JSON has it: an object a level."""
        shown = ("source", "name", "size", "error")
        return [{"puzzle": self.puzzle.name, **{key: getattr(each, key) for key in shown}} for each in self.findings]


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
    for puzzle in puzzles:
        if ending != ".txt" and puzzle.formats is not None and ending in puzzle.formats.suffixes:
            return puzzle
    shipping = [
        puzzle for puzzle in puzzles if choice.rpartition(":")[0] in bundled(puzzle) or choice in bundled(puzzle)
    ]
    candidates = shipping or [puzzle for puzzle in puzzles if _has_title(puzzle, choice)]
    if not candidates and not (os.path.exists(choice) or os.path.exists(base) or _is_text(choice)):
        packs = dict.fromkeys(pack for puzzle in puzzles for pack in bundled(puzzle))
        what = f"no levels {choice!r}: not a file or folder, nor the title of a shipped level, nor a shipped pack"
        raise LevelError(f"{what}; {did_you_mean(base, packs)}")
    candidates = candidates or [puzzle for puzzle in puzzles if _reads(puzzle, choice, base)] or puzzles
    return _only(candidates, choice)


def _reads(puzzle: Puzzle, choice: str, base: str) -> bool:
    """Can all of this be read as levels of that puzzle?"""
    try:
        return bool(find_levels(puzzle, choice if os.path.exists(choice) or _is_text(choice) else base))
    except LevelError:
        return False


def _is_text(choice: str) -> bool:
    """Is this a board itself, in several lines or in one?"""
    return "\n" in choice or "|" in choice


def _has_title(puzzle: Puzzle, title: str) -> bool:
    return any(level.name == title for pack in bundled(puzzle) for level in find_levels(puzzle, pack))


def check(choice: str, named: str | None) -> Report:
    """Check every level of a file, a folder, a shipped pack, or standard input.

    Args:
        choice: As for :func:`puzzle_for`, or ``-``.
        named: A puzzle's name or id, where one was given.

    Raises:
        ValueError: Nothing is there by that name, or nothing tells whose levels these are.
    """
    text = read_stdin() if choice == STDIN else None
    puzzle, guessed = _owner(choice, named, text)
    if text is not None:
        return Report(puzzle, guessed, _check_text(puzzle, text, FROM_STDIN))
    base, number = split_number(choice)
    findings = []
    if os.path.isdir(base):
        files = level_files(Path(base))
        findings = [finding for file in files for finding in _check_file(puzzle, file)]
        if not files:
            findings = [Finding(base, "", "", f"{base}: no level files in this folder")]
    elif os.path.isfile(base):
        findings = _check_file(puzzle, Path(base))
    else:
        findings = [_encoded(puzzle, level, choice) for level in choose_levels(puzzle, choice)[1]]
        number = None
    return Report(puzzle, guessed, findings if number is None else [numbered(findings, base, number)])


def playable(puzzle: Puzzle, choice: str) -> tuple[Any, list[Level], str]:
    """The good levels that ``--level`` means; bad ones in the same file are left out.

    Returns:
        What ``levels=`` takes so that there is room for them; the levels; and a line that says how many were left
        out, empty where none was.

    Raises:
        ValueError: There is nothing by that name, or no good level there.
    """
    base, number = split_number(choice)
    if not os.path.exists(base):
        return *choose_levels(puzzle, choice), ""
    findings = check(base, puzzle.name).findings
    chosen = findings if number is None else [numbered(findings, base, number)]
    levels = [finding.level for finding in chosen if finding.level is not None]
    if not levels:
        raise LevelError(chosen[0].error)
    good = [finding.level for finding in findings if finding.level is not None]
    if len(good) == len(findings):
        return base, levels, ""
    bad = plural(len(findings) - len(good), "bad level")
    return good, levels, f"{bad} left out; gridpuzzles levels check {base} says what is wrong"


def read_stdin() -> str:
    """What is piped in, as the text of a level file.

    Raises:
        LevelError: It is too large, or no text.
    """
    return decode_level_text(sys.stdin.buffer.read(MAX_BYTES + 1), FROM_STDIN)


def _owner(choice: str, named: str | None, text: str | None) -> tuple[Puzzle, bool]:
    """Whose levels these are, and whether that is but a guess by their symbols."""
    try:
        return (puzzle_for(choice, named) if text is None else _reader(text, named)), False
    except UnclearError:
        if text is None:
            files = level_files(Path(choice)) if os.path.isdir(choice) else [Path(split_number(choice)[0])]
            text = "\n\n".join(read_level_text(file) for file in files[:_LOOKED_AT])
        return guess(text), True


def _reader(text: str, named: str | None) -> Puzzle:
    """The puzzle that is named, or the only one that can read a text."""
    return (
        puzzle_named(named)
        if named is not None
        else _only([puzzle for puzzle in all_puzzles() if _reads(puzzle, text + "\n", "")] or all_puzzles(), FROM_STDIN)
    )


def guess(text: str) -> Puzzle:
    """The puzzle that the most lines of a text look like boards of: by their symbols, and by what can be read.

    Raises:
        ValueError: No puzzle's symbols are most of those in the text, or two puzzles' are equally many.
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
    """The symbols of a puzzle's boards: all that its shipped levels are written with."""
    texts = [text for pack in bundled(puzzle) for text, source in level_texts(puzzle, pack)]
    boards = [line for text in texts for _, board in blocks(text) for _, line in board]
    return frozenset("".join(boards)) - {" "}


def _only(candidates: list[Puzzle], choice: str) -> Puzzle:
    if len(candidates) > 1:
        raise UnclearError(_unclear(choice, candidates))
    return candidates[0]


def _unclear(choice: str, candidates: list[Puzzle]) -> str:
    names = ", ".join(puzzle.name for puzzle in candidates)
    return f"which puzzle's levels are in {choice}? Say --puzzle with one of {names}"


def _check_file(puzzle: Puzzle, file: Path) -> list[Finding]:
    try:
        return _check_text(puzzle, read_level_text(file), str(file))
    except LevelError as error:
        return [Finding(str(file), "", "", str(error))]


def _check_text(puzzle: Puzzle, text: str, source: str) -> list[Finding]:
    try:
        levels = puzzle.parse(text, source)
    except LevelError as error:
        return _board_by_board(puzzle, text, source, str(error))
    if not levels:
        return [Finding(source, "", "", f"no level in {source!r}")]
    return [_encoded(puzzle, level, source) for level in levels]


def _board_by_board(puzzle: Puzzle, text: str, source: str, problem: str) -> list[Finding]:
    """Say which boards of a text are good: each is read alone, at its own place among blank lines."""
    lines = text.splitlines()
    findings: list[Finding] = []
    end = 0
    try:
        boards = list(blocks(text, source))
    except LevelError:
        boards = []
    for title, board in boards:
        begin, end = end, board[-1][0]
        alone = "\n" * begin + "\n".join(lines[begin:end]) + "\n"
        try:
            findings.extend(_encoded(puzzle, level, source) for level in puzzle.parse(alone, source))
        except LevelError as error:
            findings.append(Finding(source, title or f"{source}:{board[0][0]}", "", str(error)))
    if any(finding.error for finding in findings):
        return findings
    return [Finding(source, "", "", problem)]  # the puzzle divides its files into levels in another way


def _encoded(puzzle: Puzzle, level: Level, source: str) -> Finding:
    try:
        puzzle.encode(level, level.extent, puzzle.read_options())
    except LevelError as error:
        return Finding(source, level.name, "", str(error))
    height, width = level.extent[:2]
    return Finding(source, level.name, f"{width}×{height}", level=level)


def show(choice: str, named: str | None) -> Iterator[str]:
    """The levels of a file, folder or shipped pack, each as level text below its title.

    Raises:
        ValueError: There are none by that name, or one of them cannot be.
    """
    puzzle = puzzle_for(choice, named)
    options = puzzle.read_options()
    for level in choose_levels(puzzle, choice)[1]:
        yield f"; {one_line(level.name)}\n{puzzle.format(*puzzle.encode(level, level.extent, options))}"
