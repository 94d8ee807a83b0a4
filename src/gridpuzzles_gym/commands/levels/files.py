"""Read level files whose levels may be invalid: check, select and show them."""

import dataclasses
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ...engine.levels.folder import LevelFolder, damages, is_level_folder
from ...engine.levels.left_out import encodable, levels_in_file, levels_in_folder, levels_in_text, no_level
from ...engine.levels.text_files import read_level_text
from ...engine.messages import printable
from ...engine.puzzle import Level, LevelError, Puzzle
from ...engine.system.stores import open_store
from ...session.arguments import choose_levels, chosen_levels, numbered, split_number
from ...session.puzzle_detection import puzzle_for, puzzle_of_text, puzzle_or_guess
from ...session.standard_input import FROM_STDIN, STDIN, read_stdin


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


@dataclasses.dataclass(frozen=True)
class Report:
    """The result of checking all levels of a file, folder or pack."""

    puzzle: Puzzle
    guessed: bool
    """Whether the puzzle was detected by its symbols alone."""
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
        found = _findings(puzzle, levels_in_text(puzzle.read, text, FROM_STDIN), FROM_STDIN)
        return Report(puzzle, guessed, found or [Finding(FROM_STDIN, "", "", no_level(puzzle, FROM_STDIN, text))])
    puzzle, guessed = puzzle_or_guess(choice, named)
    base, number = split_number(choice)
    if os.path.isdir(base):
        read = levels_in_folder(puzzle.read, base)
        findings = [finding for file, items in read for finding in _findings(puzzle, items, str(file))]
        if is_level_folder(base):
            findings += [
                Finding(base, "", "", damage) for damage in damages(open_store(base)) or _bad_rows(puzzle, base)
            ]
        findings = findings or [Finding(base, "", "", f"{base}: no level files in this folder")]
    elif os.path.isfile(base):
        items = levels_in_file(puzzle.read, Path(base))
        findings = _findings(puzzle, items, base) or [
            Finding(base, "", "", no_level(puzzle, base, read_level_text(Path(base))))
        ]
    else:
        findings, number = _findings(puzzle, choose_levels(puzzle, choice).levels, choice), None
    return Report(puzzle, guessed, findings if number is None else [numbered(findings, base, number)])


def _bad_rows(puzzle: Puzzle, folder: str) -> list[str]:
    """Return what is wrong with the rows of a level folder, if anything."""
    try:
        LevelFolder(puzzle, folder)
    except LevelError as error:
        return [str(error)]
    return []


def _findings(puzzle: Puzzle, items: Iterable[Level | LevelError], source: str) -> list[Finding]:
    """Return the results for levels that were read, and for the errors of others."""
    return [
        Finding(source, item.name, "", str(item))
        if isinstance(item, LevelError)
        else Finding(source, item.name, "{1}×{0}".format(*item.extent))
        for item in encodable(puzzle, items, puzzle.read_options())
    ]


def show(choice: str, named: str | None, strict: bool = False) -> Iterator[str]:
    """Yield the levels of a file, folder or bundled pack, each as level text below its title.

    Raises:
        ValueError: There are no such levels, or none is valid, or one is invalid and ``strict``.
    """
    puzzle = puzzle_for(choice, named)
    options = puzzle.read_options()
    for level in chosen_levels(puzzle, choice, strict):
        yield f"; {printable(level.name)}\n{puzzle.format(*puzzle.encode(level, level.extent, options))}"
