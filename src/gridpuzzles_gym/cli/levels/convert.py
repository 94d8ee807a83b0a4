"""``gridpuzzles levels convert`` and ``import``: other formats, and levels from web pages."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from gridpuzzles_gym.agents.level_selection import nth, split_number

from ...engine.levels.level_text import (
    levels_in_folder,
    levels_in_text,
    line_about,
    read_level_text,
    split_valid_and_errors,
    warn,
)
from ...engine.levels.sources import level_texts
from ...engine.messages import did_you_mean, quote
from ...engine.puzzle import LevelError, LevelFormats, Puzzle, all_valid
from ...engine.system.files import write_text
from ...play.arguments import FROM_STDIN, STDIN, all_puzzles, new_file, read_stdin
from ...play.puzzle_detection import puzzle_for
from ..common.errors import FAILED
from ..common.options import Force, Strict
from ..common.terminal import examples, say
from .options import group

Format = Annotated[
    str | None,
    typer.Option(
        "--to",
        metavar="xsb|rle|letters|sok|slc",
        help="Format to write.",
        show_default="by the suffix of --out, otherwise xsb",
    ),
]
Out = Annotated[Path | None, typer.Option(metavar="FILE", help="Write to this file instead of printing.")]


@group.command(epilog=examples("levels convert microban.slc --out microban.xsb", "levels convert first --to rle"))
def convert(
    choice: Annotated[
        str,
        typer.Argument(
            metavar="NAME|FILE|-",
            help="Bundled Sokoban pack, file or folder, or - for standard input; NAME:3 is its third level.",
        ),
    ],
    to: Format = None,
    out: Out = None,
    strict: Strict = False,
    force: Force = False,
) -> None:
    """Convert Sokoban levels to another format. The format they are in is detected automatically."""
    _put(converted(choice, to, out, strict), out, force)


@group.command(
    "import",
    epilog=examples(
        "levels import level.html",
        "levels import level.html --tile 3=wall --tile 'stone2=box on goal' --out mine.xsb",
        "levels import - < copied.txt",
    ),
)
def import_command(
    page: Annotated[str, typer.Argument(metavar="PAGE|-", help="HTML or text file, or - for standard input.")],
    tiles: Annotated[
        list[str] | None,
        typer.Option(
            "--tile",
            metavar="NAME=WHAT",
            help="Square that a picture or symbol stands for, e.g. 3=wall. Can be repeated.",
        ),
    ] = None,
    to: Format = None,
    out: Out = None,
    strict: Strict = False,
    force: Force = False,
) -> None:
    """Import Sokoban levels from a web page with pictures or text, or from any copied text, such as a mail or code.

    The exit code is 1 if more levels are left out than are read.
    """
    text, complete = imported(page, read_tiles(tiles or []), to, out, strict)
    _put(text, out, force)
    raise typer.Exit(0 if complete else FAILED)


def _put(text: str, out: Path | None, force: bool) -> None:
    """Print a text, or write it to a file."""
    if out is None:
        print(text, end="")
        return
    write_text(new_file(out, force), text)
    say([f"wrote {out}"])


def converted(choice: str, to: str | None, out: Path | None, strict: bool = False) -> str:
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
        return write(list(all_valid([nth(items, base, number)])))
    return write(_valid(items, base, strict))


def _valid(items: Iterable[Any | LevelError], base: str, strict: bool) -> list[Any]:
    """Return the valid entries, at least one; a ``LevelWarning`` says what is left out."""
    entries, errors = split_valid_and_errors(items)
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


def imported(
    choice: str, tiles: Mapping[str, str], to: str | None, out: Path | None, strict: bool = False
) -> tuple[str, bool]:
    """Return the levels drawn by a web page, or contained in any copied text, in a level format.

    The second value says whether at most half of them were left out.

    Args:
        choice: A file, or ``-`` for standard input.
        tiles: What pictures show, by name, where that is not detected.
        to: As for :func:`converted`.
        out: As for :func:`converted`.
        strict: Whether an invalid level is an error even among valid ones; otherwise it is left out.

    Raises:
        ValueError: There are no levels, the meaning of a picture is unknown, or no level is valid.
    """
    formats = _exchanged(choice)[1]
    write = formats.writers[_format(formats, to, out)]
    source = FROM_STDIN if choice == STDIN else choice
    text = read_stdin() if choice == STDIN else read_level_text(Path(choice))
    items = list(formats.import_levels(text, source, tiles))
    entries = _valid(items, choice, strict)
    return write(entries), 2 * len(entries) >= len(items)


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
