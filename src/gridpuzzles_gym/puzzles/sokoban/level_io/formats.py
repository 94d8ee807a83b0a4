"""The formats of level files: detecting the format of a text, and writing levels in each format.

Collections in XML are ``.slc`` files::

    <SokobanLevels>
      <Title>…</Title>
      <LevelCollection Copyright="…">
        <Level Id="…" Width="4" Height="3" Copyright="…">
          <L>####</L> …

Documents that declare entities are rejected, and no other file is ever read: a document may refer to a DTD, which is
ignored. A malformed level does not hide the others: what is returned in its place is its error.
"""

import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from ....engine.puzzle import LevelError
from .alphabets import LONGEST_ROW, XSB, Board, Line, read_board
from .level_sets import Entry, as_written, is_key, read_level_set

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


_MAX_CHARACTERS = 16 * 2**20
_DEEPEST = 16
"""The maximum nesting of elements; a level's rows are at depth 4."""
_DECLARATION = re.compile(r"\s*(?:\ufeff\s*)?<\?xml\b[^>]*>|\s*\ufeff")
"""The XML declaration with what is in front of it, where XML allows nothing. A text that is decoded needs none."""


class _Reader:
    """An XML parser that collects levels."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.entries: list[Entry | LevelError] = []
        self._open: list[str] = []
        self._copyright, self._level = "", {"Id": ""}
        self._begun = 0
        self._lines: list[Line] = []
        self._row: Line | None = None
        self._fault: LevelError | None = None
        self._parser = expat.ParserCreate()
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text

    def read(self, text: str) -> list[Entry | LevelError]:
        """Return all levels of a document, and the errors in place of those that are malformed."""
        begin = _DECLARATION.match(text)
        if begin:  # blank, so that positions stay the same
            text = re.sub("[^\n]", " ", begin[0]) + text[begin.end() :]
        try:
            self._parser.Parse(text, True)
        except expat.ExpatError as error:
            where = f"{self.source}:{error.lineno}:{error.offset + 1}"
            self.entries.append(
                LevelError(f"{where}: not well-formed XML: {expat.ErrorString(error.code)}").named(where)
            )
        except UnicodeEncodeError:
            raise LevelError(f"{self.source}:1:1: not well-formed XML: an unpaired surrogate") from None
        return self.entries

    @property
    def _where(self) -> str:
        return f"{self.source}:{self._parser.CurrentLineNumber}:{self._parser.CurrentColumnNumber + 1}"

    def _doctype(self, name: str, system: str | None, public: str | None, has_declarations: bool) -> None:
        if has_declarations:
            raise LevelError(f"{self._where}: this document declares entities of its own, which are not allowed")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._open.append(name)
        if len(self._open) > _DEEPEST:
            raise LevelError(f"{self._where}: over {_DEEPEST} nested elements: not a collection of levels")
        if name == "LevelCollection":
            self._copyright = attributes.get("Copyright", "")
        elif name == "Level":
            self._level, self._lines, self._begun = attributes, [], self._parser.CurrentLineNumber
            self._fault = None
        elif name == "L":
            self._row = Line(self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber + len("<L>") + 1, "")

    def _text(self, text: str) -> None:
        if self._row is not None:
            self._row = self._row._replace(text=(self._row.text + text)[: LONGEST_ROW + 1])  # enough to be rejected

    def _end(self, name: str) -> None:
        self._open.pop()
        if name == "L" and self._row is not None:
            row = self._row._replace(text=self._row.text.strip("\n"))
            if "\n" in row.text and self._fault is None:
                where = f"{self.source}:{row.number}:{row.column}"
                self._fault = LevelError(f"{where}: a row must not contain line breaks")
            self._lines.append(row)
            self._row = None
        elif name == "Level":
            title = self._level.get("Id", "")
            try:
                self.entries.append(Entry(self._board(), title, self._level.get("Copyright") or self._copyright))
            except LevelError as error:
                self.entries.append(error.named(title or f"{self.source}:{self._begun}"))

    def _board(self) -> Board:
        """Return the board of a level whose end has been read; raises LevelError if it is malformed."""
        if self._fault is not None:
            raise self._fault
        board = read_board(self._lines, XSB, self.source)
        if not board.rows:
            raise LevelError(f"{self.source}:{self._begun}:1: a level must have rows, each an <L> element")
        return board


def read_slc(text: str, source: str) -> list[Entry | LevelError]:
    """Read the levels of an XML document; in place of each malformed one, and of what cannot be parsed, its error.

    Raises:
        LevelError: The document declares entities or is too large.
    """
    if len(text) > _MAX_CHARACTERS:
        raise LevelError(f"{source}:1:1: over {_MAX_CHARACTERS >> 20} MiB of XML: not a collection of levels")
    return _Reader(source).read(text)


def write_slc(entries: Iterable[Entry]) -> str:
    """Return a document with these levels, without comments."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<SokobanLevels>", "  <LevelCollection>"]
    for number, (board, title, author, _) in enumerate(entries, start=1):
        size = f'Width="{max(map(len, board.rows))}" Height="{len(board.rows)}"'
        by = f" Copyright={quoteattr(author)}" if author else ""
        lines.append(f"    <Level Id={quoteattr(title or str(number))} {size}{by}>")
        lines.extend(f"      <L>{escape(row)}</L>" for row in board.rows)
        lines.append("    </Level>")
    return "\n".join([*lines, "  </LevelCollection>", "</SokobanLevels>", ""])


WRITERS: dict[str, Callable[[Iterable[Entry]], str]] = {
    "xsb": _writer(_write_xsb),
    "rle": _writer(_write_run_length),
    "letters": _writer(_write_letters),
    "sok": _writer(_write_sok),
    "slc": _writer(write_slc),
}
"""The writer of each format, by name; :func:`read_entries` reads all of them."""
