"""Convert levels to other formats, and import them from web pages."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...engine.levels.formats import LevelFormats
from ...engine.levels.left_out import levels_in_folder, levels_in_text, line_about, parted, warn
from ...engine.levels.sources import level_texts
from ...engine.levels.text_files import read_level_text
from ...engine.messages import did_you_mean, quote
from ...engine.puzzle import LevelError, Puzzle, all_valid
from ...session.arguments import all_puzzles, numbered, split_number
from ...session.puzzle_detection import puzzle_for
from ...session.standard_input import FROM_STDIN, STDIN, read_stdin


def convert(choice: str, to: str | None, out: Path | None, strict: bool = False) -> str:
    """Return levels in another format, with the titles, authors and comments that the format can hold.

    Levels that cannot be played are converted too; malformed ones are left out, and a ``LevelWarning`` says so.

    Args:
        choice: A file, a folder, a bundled pack, or ``-``; ``:3`` after it selects the third level.
        to: The format, a key of the puzzle's ``formats.writers``; None derives it from the suffix of ``out``.
        out: The file that will be written, if any.
        strict: Whether a malformed level is an error even among others.

    Raises:
        ValueError: There are no levels, all are malformed, or the format is unknown.
    """
    base, number = split_number(choice)
    puzzle, formats = _exchanged(base)
    write = formats.writers[_format(formats, to, out)]
    items = list(_entries(puzzle, formats, base))
    if not items:
        raise LevelError(f"no level in {base}")
    if number is not None:
        return write(list(all_valid([numbered(items, base, number)])))
    return write(_valid(items, base, strict))


def _valid(items: Iterable[Any | LevelError], base: str, strict: bool) -> list[Any]:
    """Return the valid entries, at least one; a ``LevelWarning`` says what is left out."""
    entries, errors = parted(items)
    if errors and (strict or not entries):
        raise errors[0]
    if errors:
        warn(line_about(base, len(entries), errors))
    return entries


def _entries(puzzle: Puzzle, formats: LevelFormats, base: str) -> Iterator[Any | LevelError]:
    if os.path.isdir(base):
        for _, items in levels_in_folder(formats.read, base):
            yield from items
        return
    for text, source in [(read_stdin(), FROM_STDIN)] if base == STDIN else level_texts(puzzle, base):
        yield from levels_in_text(formats.read, text, source)


def import_levels(choice: str, tiles: Mapping[str, str], to: str | None, out: Path | None, strict: bool = False) -> str:
    """Return the levels drawn by a web page, or contained in any copied text, in a level format.

    Args:
        choice: A file, or ``-`` for standard input.
        tiles: What pictures show, by name, where that is not detected.
        to: As for :func:`convert`.
        out: As for :func:`convert`.
        strict: Whether an invalid level is an error even among valid ones; otherwise it is left out.

    Raises:
        ValueError: There are no levels, the meaning of a picture is unknown, or no level is valid.
    """
    formats = _exchanged(choice)[1]
    write = formats.writers[_format(formats, to, out)]
    source = FROM_STDIN if choice == STDIN else choice
    text = read_stdin() if choice == STDIN else read_level_text(Path(choice))
    return write(_valid(formats.import_levels(text, source, tiles), choice, strict))


def _exchanged(choice: str) -> tuple[Puzzle, LevelFormats]:
    """Return the puzzle the levels belong to, of those that have exchange formats, and its formats."""
    puzzles = [puzzle for puzzle in all_puzzles() if puzzle.formats is not None]
    puzzle = puzzles[0] if len(puzzles) == 1 else puzzle_for(choice, None)
    if puzzle.formats is None:
        raise ValueError(f"{puzzle.title} levels have only one format, level text")
    return puzzle, puzzle.formats


def read_tiles(pairs: Sequence[str]) -> dict[str, str]:
    """Parse ``["3=wall", "x=#"]`` as a mapping.

    Raises:
        ValueError: A pair has no ``=``.
    """
    for pair in pairs:
        if "=" not in pair:
            raise ValueError(f"--tile {quote(pair)}: must have the form NAME=WHAT, e.g. --tile 3=wall")
    return {name: what for name, _, what in (pair.partition("=") for pair in pairs)}


def _format(formats: LevelFormats, to: str | None, out: Path | None) -> str:
    default = next(iter(formats.writers))
    if to is None:
        return formats.suffixes.get(out.suffix.lower(), default) if out else default
    if to not in formats.writers:
        raise ValueError(f"unknown format {quote(to)}; {did_you_mean(to, formats.writers)}")
    return to
