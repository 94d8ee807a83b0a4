"""Sokoban levels from one format to another, and out of web pages."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ..engine.levels import level_texts, read_level_text
from ..engine.puzzle import LevelError
from ..puzzles.sokoban import PUZZLE
from ..puzzles.sokoban.checking import check
from ..puzzles.sokoban.level_io.formats import WRITERS, is_html, read_entries
from ..puzzles.sokoban.level_io.html_import import read_html
from .arguments import did_you_mean, numbered, split_number
from .level_files import FROM_STDIN, STDIN, read_stdin

_ENDINGS = {".xsb": "xsb", ".txt": "xsb", ".sok": "sok", ".slc": "slc"}


def convert(choice: str, to: str | None, out: Path | None) -> str:
    """Levels in another format; titles, authors and comments come along as far as it has room for them.

    What the levels are is not looked at: also those that cannot be played are converted.

    Args:
        choice: A file, a folder, a shipped pack, or ``-``; ``:3`` behind it picks the third level.
        to: The format, a key of :data:`~..puzzles.sokoban.level_io.formats.WRITERS`; None is what the ending of
            ``out`` says.
        out: The file that is to be written, if any.

    Raises:
        ValueError: There are no levels, a symbol is unknown, or there is no such format.
    """
    write = WRITERS[_format(to, out)]
    base, number = split_number(choice)
    texts = [(read_stdin(), FROM_STDIN)] if base == STDIN else level_texts(PUZZLE, base)
    entries = [entry for text, source in texts for entry in read_entries(text, source)]
    if not entries:
        raise LevelError(f"no level in {base}")
    return write(entries if number is None else [numbered(entries, base, number)])


def import_levels(choice: str, tiles: Mapping[str, str], to: str | None, out: Path | None) -> str:
    """Levels drawn by a web page, or in a text copied from anywhere, in a format of ours.

    Args:
        choice: A file, or ``-`` for standard input.
        tiles: What pictures show, where that is not guessed; see
            :func:`~..puzzles.sokoban.level_io.html_import.read_html`.
        to: As for :func:`convert`.
        out: As for :func:`convert`.

    Raises:
        ValueError: There are no levels, a picture's name tells nothing, or a level cannot be played.
    """
    write = WRITERS[_format(to, out)]
    source = FROM_STDIN if choice == STDIN else choice
    text = read_stdin() if choice == STDIN else read_level_text(Path(choice))
    if is_html(text):
        return write(read_html(text, source, tiles))
    entries = read_entries(text, source)
    for entry in entries:
        check(entry.board.rows, entry.board.where)
    if not entries:
        raise LevelError(f"no level in {source}")
    return write(entries)


def read_tiles(pairs: Sequence[str]) -> dict[str, str]:
    """``["3=wall", "x=#"]`` as a mapping.

    Raises:
        ValueError: A pair has no ``=``.
    """
    for pair in pairs:
        if "=" not in pair:
            raise ValueError(f"--tile {pair!r}: NAME=WHAT is needed, e.g. --tile 3=wall")
    return {name: what for name, _, what in (pair.partition("=") for pair in pairs)}


def _format(to: str | None, out: Path | None) -> str:
    if to is None:
        return _ENDINGS.get(out.suffix.lower(), "xsb") if out else "xsb"
    if to not in WRITERS:
        raise ValueError(f"no format {to!r}; {did_you_mean(to, WRITERS)}")
    return to
