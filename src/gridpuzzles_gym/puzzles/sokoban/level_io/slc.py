"""Collections of levels in XML, the format of ``.slc`` files.

    <SokobanLevels>
      <Title>…</Title>
      <LevelCollection Copyright="…">
        <Level Id="…" Width="4" Height="3" Copyright="…">
          <L>####</L> …

Documents that declare entities are rejected, and no other file is ever read: a document may refer to a DTD, which is
ignored. A malformed level does not hide the others: what is returned in its place is its error.
"""

import re
from collections.abc import Iterable
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from ....engine.puzzle import LevelError
from .alphabets import LONGEST_ROW, XSB, Board, Line, read_board
from .level_sets import Entry

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
