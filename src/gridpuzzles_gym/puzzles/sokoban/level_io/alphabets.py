"""The symbols of squares, and the parsing of boards written in them.

    square            XSB           letters
    wall              #             w W
    floor             space - _     space - _ . f
    player            @ p           P
    player on a goal  + P           + PG GP
    box               $ b           B
    box on a goal     * B           * BG GB
    goal              .             G

A number repeats the square after it: ``3#`` is ``###``. The pairs of letters are allowed only on boards whose squares
are all separated by spaces: ``w . BG w``. A file uses one alphabet, which is detected from the symbol of its walls.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ....engine.puzzle import LevelError
from ..boards import LARGEST


class Alphabet(NamedTuple):
    """One way to write squares."""

    name: str
    walls: str
    """The symbols of a wall."""
    symbols: dict[str, str]
    """The plain XSB symbol for each symbol."""
    allowed: str
    """The symbols, for messages."""
    row: re.Pattern[str]
    """Matches a line of symbols only, with at least one wall."""
    plain: re.Pattern[str]
    """Matches lines of symbols without numbers."""
    floor: re.Pattern[str]
    """Matches a line of floor only."""

    @property
    def solid(self) -> str:
        """The symbols that are not floor."""
        return "".join(symbol for symbol, meaning in self.symbols.items() if meaning != " ")


def _alphabet(name: str, walls: str, symbols: dict[str, str], allowed: str) -> Alphabet:
    one = f"[{re.escape(''.join(symbols))}]"
    row = rf"(?=[^{walls}]*[{walls}])(?:\d*{one}|\|)+"
    floor = "".join(symbol for symbol, meaning in symbols.items() if meaning == " ")
    patterns = row, rf"[{re.escape(''.join(symbols))}\n]*", rf"[\d{re.escape(floor)}]*"
    return Alphabet(name, walls, symbols, allowed, *map(re.compile, patterns))


XSB = _alphabet(
    "XSB",
    "#",
    dict(zip("#@p+P$b*B. -_", "#@@++$$**.   ", strict=True)),
    "# @ + $ * . (also p P b B) and space - _ for floor",
)
LETTERS = _alphabet(
    "letters",
    "wW",
    dict(zip("wWPBG+* -_.f", "##@$.+*     ", strict=True)),
    "w P B G + * and . space - _ f for floor",
)
_TABLES = {alphabet.name: str.maketrans(alphabet.symbols) for alphabet in (XSB, LETTERS)}
_PAIRS = {"PG": "+", "GP": "+", "BG": "*", "GB": "*"}
_SPACED = re.compile(r" *(?:[^\s\d]|PG|GP|BG|GB)(?: (?:[^\s\d]|PG|GP|BG|GB))+ *")
LONGEST_ROW, MOST_ROWS = 1000, 1000
"""The maximum number of characters and of squares of a row in a file, and of rows of a board, including blank ones."""
_SQUARE = re.compile(r"(\d*)(.?)", re.DOTALL)


class Line(NamedTuple):
    """A row of a board as written in a file."""

    number: int
    """The line number, from 1."""
    column: int
    """The column of its first character, from 1."""
    text: str


class Board(NamedTuple):
    """A board as written in a file."""

    rows: tuple[str, ...]
    """In plain XSB, without surrounding blank squares; rows may differ in length."""
    source: str
    lines: tuple[Line, ...]
    """The line of each row."""
    alphabet: Alphabet
    indentation: int
    """The number of blank columns that were removed on the left."""

    def where(self, row: int, column: int) -> str:
        """Return the position of a square, ``source:line:column``."""
        line = self.lines[row]
        spaced = _spaced(self.lines, self.alphabet)
        columns = [place for _, place in _squares(line, self.alphabet, spaced, self.source)]
        column += self.indentation
        place = columns[column] if column < len(columns) else line.column + len(line.text)
        return f"{self.source}:{line.number}:{place}"


def read_board(lines: Sequence[Line], alphabet: Alphabet, source: str) -> Board:
    """Read the rows of a board.

    Raises:
        LevelError: A symbol is unknown, a number is not followed by a symbol, or the board is far too large.
    """
    check_size(lines, source)
    text = "\n".join([line.text for line in lines])
    if alphabet.plain.fullmatch(text) and not _spaced(lines, alphabet):
        rows = text.translate(_TABLES[alphabet.name]).split("\n")
    else:
        spaced = _spaced(lines, alphabet)
        rows = ["".join(symbol for symbol, _ in _squares(line, alphabet, spaced, source)) for line in lines]
    rows = [row.rstrip() for row in rows]
    filled = [number for number, row in enumerate(rows) if row]
    inside = slice(filled[0], filled[-1] + 1) if filled else slice(0)
    rows = rows[inside]
    indentation = min((len(row) - len(row.lstrip()) for row in rows if row), default=0)
    return Board(
        tuple(row[indentation:] for row in rows) if indentation else tuple(rows),
        source,
        tuple(lines[inside]),
        alphabet,
        indentation,
    )


def check_size(lines: Sequence[Line], source: str) -> None:
    """Raise LevelError on rows that are too long or too many to be worth parsing."""
    if len(lines) > MOST_ROWS:
        raise LevelError(f"{source}:{lines[0].number}:1: over {MOST_ROWS:,} rows; the maximum is {LARGEST} per side")
    for line in lines:
        if len(line.text) > LONGEST_ROW:
            where = f"{source}:{line.number}:{line.column + LONGEST_ROW}"
            raise LevelError(
                f"{where}: a row of over {LONGEST_ROW:,} characters; the maximum is {LARGEST} squares per side"
            )


def _spaced(lines: Sequence[Line], alphabet: Alphabet) -> bool:
    """Whether all squares are separated by spaces, which is possible only in the alphabet of letters."""
    return alphabet is LETTERS and all(_SPACED.fullmatch(line.text) for line in lines)


def _squares(line: Line, alphabet: Alphabet, spaced: bool, source: str) -> Iterator[tuple[str, int]]:
    """Yield the squares of a row in plain XSB, each with its column in the file."""
    if spaced:
        for word in re.finditer(r"\S+", line.text):
            column = line.column + word.start()
            yield _PAIRS.get(word[0]) or _meaning(word[0], alphabet, f"{source}:{line.number}:{column}"), column
        return
    width = 0
    for square in _SQUARE.finditer(line.text):
        digits, symbol = square.groups()
        if not digits and not symbol:
            return
        column = line.column + square.start()
        where = f"{source}:{line.number}:{column}"
        if not symbol:
            raise LevelError(f"{where}: {digits[:9]} must be followed by the square that it repeats")
        count = int(digits) if digits and len(digits) < 6 else 1
        if len(digits) > 5 or not 0 < count <= LONGEST_ROW:
            raise LevelError(f"{where}: {digits[:9]} squares in a row; allowed are 1 to {LONGEST_ROW:,}")
        width += count
        if width > LONGEST_ROW:
            raise LevelError(
                f"{where}: a row of over {LONGEST_ROW:,} squares; the maximum is {LARGEST} squares per side"
            )
        meaning = _meaning(symbol, alphabet, f"{source}:{line.number}:{line.column + square.start(2)}")
        yield from [(meaning, column)] * count


def _meaning(symbol: str, alphabet: Alphabet, where: str) -> str:
    if symbol in alphabet.symbols:
        return alphabet.symbols[symbol]
    if symbol == "\t":
        raise LevelError(f"{where}: a tab, whose width is unknown; use spaces instead")
    other = LETTERS if alphabet is XSB else XSB
    hint = f"; {symbol!r} belongs to {other.name}, and a file must use one alphabet" if symbol in other.symbols else ""
    raise LevelError(f"{where}: unknown symbol {symbol!r}{hint}; allowed are {alphabet.allowed}")
