"""Find out which puzzle the levels of a file belong to, and which of them are valid."""

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
from ..engine.messages import plural, printable
from ..engine.puzzle import Level, LevelError, Puzzle
from .arguments import all_puzzles, choose_levels, did_you_mean, numbered, puzzle_named, split_number

STDIN, FROM_STDIN = "-", "standard input"
"""The argument for standard input, and its name in messages."""

_LOOKED_AT = 20
"""Number of files of a folder that are read to detect the puzzle."""


class UnclearError(ValueError):
    """It cannot be determined which puzzle the levels belong to."""


@dataclasses.dataclass(frozen=True)
class Finding:
    """The result of checking one level."""

    source: str
    """The file that contains it."""
    name: str
    size: str
    """Width × height in squares; empty if the level cannot be read."""
    error: str = ""
    """The error, with file, line and column; empty if the level is valid."""
    level: Level | None = None
    """The level, if it is valid."""


@dataclasses.dataclass(frozen=True)
class Report:
    """The result of checking all levels of a file, folder or pack."""

    puzzle: Puzzle
    guessed: bool
    """Was the puzzle detected by nothing but the symbols?"""
    findings: list[Finding]

    def as_json(self) -> list[dict[str, str]]:
        """Return one JSON object per level."""
        shown = ("source", "name", "size", "error")
        return [{"puzzle": self.puzzle.name, **{key: getattr(each, key) for key in shown}} for each in self.findings]


def puzzle_for(choice: str, named: str | None) -> Puzzle:
    """Return the puzzle that the levels of a file or bundled pack belong to.

    Args:
        choice: The path of a file or folder, or another value of ``--level``.
        named: A puzzle's name or id. If it is None, the puzzle is determined by a folder on the path that has a
            puzzle's name, by the suffix of the file, by the name of the pack or level, or because only one puzzle can
            read the levels.

    Raises:
        ValueError: The puzzle cannot be determined or is unknown, or there are no such levels.
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
        what = f"no levels {choice!r}: not a file, folder, bundled pack or title of a bundled level"
        raise LevelError(f"{what}; {did_you_mean(base, packs)}")
    candidates = candidates or [puzzle for puzzle in puzzles if _reads(puzzle, choice, base)] or puzzles
    return _only(candidates, choice)


def _reads(puzzle: Puzzle, choice: str, base: str) -> bool:
    """Return whether all of this can be read as levels of the puzzle."""
    try:
        return bool(find_levels(puzzle, choice if os.path.exists(choice) or _is_text(choice) else base))
    except LevelError:
        return False


def _is_text(choice: str) -> bool:
    """Return whether this is a board itself, in one line or several."""
    return "\n" in choice or "|" in choice


def _has_title(puzzle: Puzzle, title: str) -> bool:
    return any(level.name == title for pack in bundled(puzzle) for level in find_levels(puzzle, pack))


def check(choice: str, named: str | None) -> Report:
    """Check every level of a file, a folder, a bundled pack, or standard input.

    Args:
        choice: As for :func:`puzzle_for`, or ``-``.
        named: A puzzle's name or id, or None.

    Raises:
        ValueError: There are no such levels, or their puzzle cannot be determined.
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
    """Return the valid levels selected by ``--level``; invalid ones in the same file are skipped.

    Returns:
        A value of ``levels=`` that makes an environment large enough for them; the levels; and a message about skipped
        levels, empty if there are none.

    Raises:
        ValueError: There are no such levels, or none is valid.
    """
    base, number = split_number(choice)
    if not os.path.exists(base):
        return *choose_levels(puzzle, choice), ""
    findings = check(base, puzzle.name).findings
    chosen = findings if number is None else [numbered(findings, base, number)]
    levels = [finding.level for finding in chosen if finding.level is not None]
    if not levels:
        raise LevelError(chosen[0].error)
    valid = [finding.level for finding in findings if finding.level is not None]
    if len(valid) == len(findings):
        return base, levels, ""
    skipped = plural(len(findings) - len(valid), "invalid level")
    return valid, levels, f"skipped {skipped}; for details run: gridpuzzles levels check {base}"


def read_stdin() -> str:
    """Read standard input as the text of a level file.

    Raises:
        LevelError: The input is too large or is not text.
    """
    return decode_level_text(sys.stdin.buffer.read(MAX_BYTES + 1), FROM_STDIN)


def _owner(choice: str, named: str | None, text: str | None) -> tuple[Puzzle, bool]:
    """Return the puzzle of the levels, and whether it was detected by their symbols alone."""
    try:
        return (puzzle_for(choice, named) if text is None else _reader(text, named)), False
    except UnclearError:
        if text is None:
            files = level_files(Path(choice)) if os.path.isdir(choice) else [Path(split_number(choice)[0])]
            text = "\n\n".join(read_level_text(file) for file in files[:_LOOKED_AT])
        return detect_puzzle(text), True


def _reader(text: str, named: str | None) -> Puzzle:
    """Return the named puzzle, or the only one that can read a text."""
    return (
        puzzle_named(named)
        if named is not None
        else _only([puzzle for puzzle in all_puzzles() if _reads(puzzle, text + "\n", "")] or all_puzzles(), FROM_STDIN)
    )


def detect_puzzle(text: str) -> Puzzle:
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
    """Check each board of a text alone; blank lines before it keep the line numbers of messages."""
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
    return [Finding(source, "", "", problem)]  # the puzzle separates levels in another way


def _encoded(puzzle: Puzzle, level: Level, source: str) -> Finding:
    try:
        puzzle.encode(level, level.extent, puzzle.read_options())
    except LevelError as error:
        return Finding(source, level.name, "", str(error))
    height, width = level.extent[:2]
    return Finding(source, level.name, f"{width}×{height}", level=level)


def show(choice: str, named: str | None) -> Iterator[str]:
    """Yield the levels of a file, folder or bundled pack, each as level text below its title.

    Raises:
        ValueError: There are no such levels, or one of them is invalid.
    """
    puzzle = puzzle_for(choice, named)
    options = puzzle.read_options()
    for level in choose_levels(puzzle, choice)[1]:
        yield f"; {printable(level.name)}\n{puzzle.format(*puzzle.encode(level, level.extent, options))}"
