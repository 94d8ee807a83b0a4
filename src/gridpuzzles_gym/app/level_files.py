"""Read level files whose levels may be invalid: check, select and show them."""

import dataclasses
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..engine.level_folder import LevelFolder, damages, is_level_folder
from ..engine.levels import MAX_BYTES, blocks, decode_level_text, level_files, read_level_text
from ..engine.messages import plural, printable
from ..engine.puzzle import Level, LevelError, Puzzle
from ..engine.stores import open_store
from .arguments import choose_levels, numbered, split_number
from .puzzle_detection import puzzle_for, puzzle_of_text, puzzle_or_guess

STDIN, FROM_STDIN = "-", "standard input"
"""The argument for standard input, and its name in messages."""


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


def check(choice: str, named: str | None) -> Report:
    """Check every level of a file, a folder, a bundled pack, or standard input.

    Args:
        choice: As for :func:`~.puzzle_detection.puzzle_for`, or ``-``.
        named: A puzzle's name or id, or None.

    Raises:
        ValueError: There are no such levels, or their puzzle cannot be determined.
    """
    if choice == STDIN:
        text = read_stdin()
        puzzle, guessed = puzzle_of_text(text, named)
        return Report(puzzle, guessed, _check_text(puzzle, text, FROM_STDIN))
    puzzle, guessed = puzzle_or_guess(choice, named)
    base, number = split_number(choice)
    if os.path.isdir(base):
        files = level_files(Path(base))
        findings = [finding for file in files for finding in _check_file(puzzle, file)]
        if is_level_folder(base):
            findings += [
                Finding(base, "", "", damage) for damage in damages(open_store(base)) or _bad_rows(puzzle, base)
            ]
        findings = findings or [Finding(base, "", "", f"{base}: no level files in this folder")]
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


def _bad_rows(puzzle: Puzzle, folder: str) -> list[str]:
    """Return what is wrong with the rows of a level folder, if anything."""
    try:
        LevelFolder(puzzle, folder)
    except LevelError as error:
        return [str(error)]
    return []


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
