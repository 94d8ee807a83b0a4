"""The formats of level files: detecting the format of a text, and writing levels in each format."""

import itertools
from collections.abc import Callable, Iterable, Sequence

from ....engine.puzzle import LevelError
from .level_sets import Entry, as_written, is_key, read_level_set
from .slc import read_slc, write_slc

_LETTERS = str.maketrans("#@+$*. ", "wP+B*G.")
_XML = ("<sokobanlevels", "<levelcollection", "<!entity")
"""Texts that occur in ``.slc`` files but not in web pages, which may be XML too."""


def read_entries(text: str, source: str) -> Sequence[Entry | LevelError]:
    """Read the levels of a text in any of the formats; in place of each malformed one, its error.

    Raises:
        LevelError: The text is invalid; the message begins with ``source:line:column``.
    """
    if is_html(text):
        raise LevelError(f"{source}:1:1: HTML or some other markup; gridpuzzles levels import reads web pages")
    return read_slc(text, source) if _start(text).startswith("<") else read_level_set(text, source)


def is_html(text: str) -> bool:
    """Whether a text is a web page, or a part of one."""
    start = _start(text)
    return start.startswith("<") and not any(mark in start for mark in _XML)


def _start(text: str) -> str:
    """Return the beginning of a text, which is enough to detect its format, in lower case."""
    return text[:10_000].lstrip("\ufeff \t\r\n").lower()


def run_length(row: str) -> str:
    """Return a row run-length encoded: repeated symbols are one symbol after their number, and ``-`` is floor."""
    runs = [(symbol, len(list(run))) for symbol, run in itertools.groupby(row.replace(" ", "-"))]
    return "".join(f"{count if count > 1 else ''}{symbol}" for symbol, count in runs)


def _write_xsb(entries: Iterable[Entry]) -> str:
    return "\n".join(_heading(entry) + _lines(_visible(row) for row in entry.board.rows) for entry in entries)


def _write_run_length(entries: Iterable[Entry]) -> str:
    return "\n".join(_heading(entry) + "|".join(map(run_length, entry.board.rows)) + "\n" for entry in entries)


def _write_letters(entries: Iterable[Entry]) -> str:
    return "\n".join(_heading(entry) + _lines(map(_in_letters, entry.board.rows)) for entry in entries)


def _write_sok(entries: Iterable[Entry]) -> str:
    """Write each board followed by its title, author and comments."""
    texts = []
    for board, title, author, comments in entries:
        lines = [*map(_visible, board.rows), f"Title: {title}", *([f"Author: {author}"] if author else [])]
        texts.append(_lines([*lines, *(f"Comment: {comment}" for comment in comments)]))
    return "\n".join(texts)


def _heading(entry: Entry) -> str:
    """Return a board's author, comments and title, in this order, as the comment lines that precede it."""
    lines = [f"; Author: {entry.author}"] if entry.author else []
    lines += [f"; Comment: {comment}" for comment in entry.comments]
    if is_key(entry.title):
        lines.append(f"; Title: {entry.title}")
    elif entry.title:
        lines.append(f"; {entry.title}")
    return _lines(lines)


def _visible(row: str) -> str:
    """Return a row for writing; in one without walls floor is ``-``, so that it is not read as the end of its board."""
    return row if "#" in row else row.replace(" ", "-") or "-"


def _in_letters(row: str) -> str:
    """Return a row in letters, for writing; one of letters only could be read as a word."""
    letters = row.translate(_LETTERS) or "."
    return letters if "#" in row or not letters.isalpha() else letters + "."


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _writer(write: Callable[[Iterable[Entry]], str]) -> Callable[[Iterable[Entry]], str]:
    """Return the writer with titles, authors and comments made safe, so that everything written can be read back."""
    return lambda entries: write(map(as_written, entries))


WRITERS: dict[str, Callable[[Iterable[Entry]], str]] = {
    "xsb": _writer(_write_xsb),
    "rle": _writer(_write_run_length),
    "letters": _writer(_write_letters),
    "sok": _writer(_write_sok),
    "slc": _writer(write_slc),
}
"""The writer of each format, by name; :func:`read_entries` reads all of them."""
