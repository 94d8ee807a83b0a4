"""Import of levels from web pages: with one picture per square, or as rows of symbols.

Levels are read from tables (each cell is a square, identified by its ``<img>``, or else by its class or its text) and
from rows of ``<img>`` separated by ``<br>`` or block elements. A picture is identified by its file name, ``alt``,
``title`` or class, in this order: by the words in them, in several languages. A page may contain several levels.
"""

import functools
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html.parser import HTMLParser
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from ....engine.puzzle import LevelError
from ..checking import check
from .alphabets import XSB, Board, Line
from .copied import unwrapped
from .formats import is_html, read_entries
from .level_sets import Entry

MAX_CHARACTERS = 4 * 2**20
"""The maximum length of a page."""
_SMALLEST = 3
"""The minimum number of rows, and of squares in a row, of a level."""

_WORDS = {
    "wall": "wall walls mur murs brick bricks brique mauer wand muro parede pared mattone stone",
    "box": "box boxes crate crates caisse caisses kiste kisten caja cassa caixa package barrel diamond",
    "goal": "goal goals target targets but buts cible cibles ziel ziele meta objectif storage spot dock destination",
    "player": "player man worker joueur perso personnage bonhomme keeper pusher hero spieler jugador guy person mario",
    "floor": "floor sol empty vide ground blank boden suelo leer outside void free spacer transparent bg background",
    "done": "ok done placed full filled range rangee",
}
_LETTERS = {"w": "wall", "b": "box", "g": "goal", "p": "player", "f": "floor"}
_SYMBOLS = {
    frozenset({"wall"}): "#",
    frozenset({"box"}): "$",
    frozenset({"box", "goal"}): "*",
    frozenset({"box", "done"}): "*",
    frozenset({"box", "goal", "done"}): "*",
    frozenset({"goal"}): ".",
    frozenset({"player"}): "@",
    frozenset({"player", "goal"}): "+",
    frozenset({"floor"}): " ",
}
_KINDS = {word: kind for kind, words in _WORDS.items() for word in words.split()}
_RUN_TOGETHER = re.compile("|".join(sorted([*_KINDS, "on", "sur", "auf", "in", "the"], key=len, reverse=True)))
_COMMENT = re.compile(r"<!--(?:(?!<!--).)*?-->", re.DOTALL)
_STRAY_BRACKET = re.compile(r"<(?!/?[a-zA-Z][^<>]*>)")
_BLOCKS = {"div", "p", "li", "ul", "ol", "section", "article", "main", "center", "h1", "h2", "h3"}


class _Tile(NamedTuple):
    """A square of a level in a page."""

    names: tuple[str, ...]
    """The texts that may identify it, the most reliable first; empty for an empty cell."""
    line: int
    column: int


class _Cell:
    """A table cell whose end has not been read."""

    def __init__(self, depth: int, before: int, names: list[str]) -> None:
        self.depth = depth
        """The number of tables that contain it."""
        self.before = before
        """The number of tiles before it in its row."""
        self.names = names
        """The texts that may identify it as a square."""
        self.square = True
        """Whether it can be a square itself; False if it contains pictures or a table."""


class _Reader(HTMLParser):
    """Collects grids: consecutive rows of tiles with nothing else between them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.grids: list[list[list[_Tile]]] = [[[]]]
        self._cells: list[_Cell] = []
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value.strip() for name, value in attrs if value and value.strip()}
        if tag in ("img", "table") and self._cells:
            self._cells[-1].square = False
        if tag == "img":
            given = (_stem(values.get("src", "")), values.get("alt"), values.get("title"), values.get("class"))
            self._add([name for name in given if name])
        elif tag in ("td", "th"):
            self._close_cells()
            names = [values["class"]] if "class" in values else []
            self._cells.append(_Cell(self._depth, len(self.grids[-1][-1]), names))
        else:
            self._end_row_at(tag)
        self._depth += tag == "table"

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)  # <br/> is one line break, not two

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._close_cells()
        else:
            self._end_row_at(tag)
        self._depth -= tag == "table" and self._depth > 0

    def handle_data(self, data: str) -> None:
        if self._cells and data.strip():
            self._cells[-1].names.append(data.strip())
        elif data.strip():
            self._end_grid()

    def _add(self, names: Sequence[str]) -> None:
        line, column = self.getpos()
        self.grids[-1][-1].append(_Tile(tuple(names), line, column + 1))

    def _close_cells(self) -> None:
        """Close the open cells of the current table; in HTML their end tags are optional."""
        while self._cells and self._cells[-1].depth >= self._depth:
            cell = self._cells.pop()
            if cell.square:
                self._add(cell.names)

    def _end_row_at(self, tag: str) -> None:
        """Begin a new row at a tag that separates rows; inside a cell only a line break or a table does."""
        if tag in ("tr", "table"):
            self._close_cells()
        grid = self.grids[-1]
        if tag == "table" or (tag == "br" and not grid[-1]):
            self._end_grid()
        elif tag == "br" and self._cells and self._cells[-1].before:
            before, self._cells[-1].before = self._cells[-1].before, 0
            row = grid[-1]
            grid[-1] = row[:before]
            self.grids.append([row[before:], []])
        elif tag in ("tr", "br") or (tag in _BLOCKS and not self._cells):
            grid.append([])

    def _end_grid(self) -> None:
        self.grids.append([[]])


def read_html(page: str, source: str, tiles: Mapping[str, str] | None = None) -> list[Entry]:
    """Read the levels of a web page.

    Args:
        page: The whole text of the page.
        source: Its name, for messages.
        tiles: The meanings of pictures that are not recognized, or wrongly: a symbol of XSB or a few words
            (``"box on goal"``) for each name.

    Returns:
        The levels, without titles.

    Raises:
        LevelError: Nothing on the page looks like a level, a picture is not recognized, a level cannot be played, or
            the page is too large.
    """
    if len(page) > MAX_CHARACTERS:
        raise LevelError(f"{source}:1:1: over {MAX_CHARACTERS >> 20} MiB of HTML: not a page with a level")
    given = {name.lower(): _given(name, symbol) for name, symbol in (tiles or {}).items()}
    reader = _Reader()
    reader.feed(_without_stray_brackets(page))
    reader.close()
    grids = [grid for rows in reader.grids for grid in _grids([row for row in rows if row])]
    # If some grids have walls, the others are menus and the like.
    grids = [grid for grid in grids if any(_symbol(names, given) == "#" for names in _names(grid))] or grids
    if not grids:
        raise LevelError(
            f"{source}:1:1: nothing on this page looks like a level: a table, or rows of <img> or of level symbols, "
            f"of at least {_SMALLEST}x{_SMALLEST} squares"
        )
    return [Entry(_board(grid, source, given)) for grid in grids]


def symbols_for(tiles: Mapping[str, str]) -> dict[int, str]:
    """Return a table for ``str.translate``: the symbols of XSB for those of which ``tiles`` says what they show.

    Raises:
        LevelError: A name is no symbol, or its meaning is unknown.
    """
    for name in tiles:
        if len(name) != 1:
            raise LevelError(f"tile {name!r}: a square of a text is one symbol, e.g. --tile X=wall")
    return {ord(name): _given(name, symbol) for name, symbol in tiles.items()}


def _without_stray_brackets(page: str) -> str:
    """Blank out comments, and each ``<`` that does not begin a complete tag; all positions stay the same.

    For each of these the parser would search the rest of the page, which takes minutes on a malicious page.
    """
    page = _COMMENT.sub(lambda comment: re.sub(".", " ", comment[0]), page)
    return _STRAY_BRACKET.sub(" ", page)


def _given(name: str, symbol: str) -> str:
    meaning = XSB.symbols.get(symbol) or (_guess(symbol) if len(symbol) > 1 else None)
    if meaning is None:
        raise LevelError(f"tile {name!r} as {symbol!r}: must be a symbol ({XSB.allowed}) or words, e.g. box on goal")
    return meaning


def _grids(rows: Sequence[list[_Tile]]) -> Iterator[list[list[_Tile]]]:
    """Yield the runs of rows that are large enough for a level."""
    for long, run in itertools.groupby(rows, lambda row: len(row) >= _SMALLEST):
        grid = list(run)
        if long and len(grid) >= _SMALLEST and any(tile.names for row in grid for tile in row):
            yield grid


def _names(grid: list[list[_Tile]]) -> set[tuple[str, ...]]:
    """Return the distinct names of the tiles of a grid."""
    return {tile.names for row in grid for tile in row}


def _board(grid: list[list[_Tile]], source: str, given: Mapping[str, str]) -> Board:
    symbols = {names: _symbol(names, given) for names in _names(grid)}
    unknown = [tile for row in grid for tile in row if symbols[tile.names] is None]
    if unknown:
        first = unknown[0]
        listed = ", ".join(sorted({repr(tile.names[0]) for tile in unknown})[:8])
        raise LevelError(
            f"{source}:{first.line}:{first.column}: unknown pictures {listed}; "
            "state what they show, e.g. --tile NAME=wall (or floor, goal, box, box on goal, player, player on goal)"
        )

    def place(row: int, column: int) -> str:
        tile = grid[row][min(column, len(grid[row]) - 1)]
        return f"{source}:{tile.line}:{tile.column}"

    rows = ["".join(symbols[tile.names] or " " for tile in row) for row in grid]
    check(rows, place)
    filled = [number for number, row in enumerate(rows) if row.strip()]
    rows = [row.rstrip() for row in rows[filled[0] : filled[-1] + 1]]
    indentation = min(len(row) - len(row.lstrip()) for row in rows if row)
    lines = tuple(Line(row[0].line, row[0].column, "") for row in grid[filled[0] : filled[-1] + 1])
    return Board(tuple(row[indentation:] for row in rows), source, lines, XSB, indentation)


def _symbol(names: tuple[str, ...], given: Mapping[str, str]) -> str | None:
    """Return what a tile shows, as a symbol of XSB; None if it is not recognized."""
    if not names:
        return " "
    for name in names:
        if name.lower() in given:
            return given[name.lower()]
    return next(filter(None, map(_guess, names)), None)


def _guess(name: str) -> str | None:
    """Return the symbol of XSB that the words in a name describe; None if they describe none."""
    if name in XSB.symbols:
        return XSB.symbols[name]
    words = re.findall("[a-z]+", re.sub("([a-z])([A-Z])", r"\1 \2", name).lower())
    if len(words) == 1 and len(words[0]) <= 2 and set(words[0]) <= {*_LETTERS}:
        kinds = {_LETTERS[letter] for letter in words[0]}
    else:
        kinds = {kind for word in words for kind in _kinds(word)}
    if kinds != {"floor"}:
        kinds -= {"floor"}
    return _SYMBOLS.get(frozenset(kinds))


def _kinds(word: str) -> set[str]:
    """Return the kinds that a word names; several if words are joined, as in ``boxongoal``."""
    if word in _KINDS:
        return {_KINDS[word]}
    parts = _RUN_TOGETHER.findall(word)
    return {_KINDS[part] for part in parts if part in _KINDS} if "".join(parts) == word else set()


def _stem(source: str) -> str:
    """Return the name of a picture's file, without its folder and extension."""
    try:
        path = urlsplit(source).path
    except ValueError:
        return ""
    return "" if source.startswith("data:") else PurePosixPath(unquote(path)).stem


_VERBATIM = {"pre", "textarea", "listing", "xmp"}
_UNSEEN = {"script", "style", "title"}
_NEW_LINE = {*_BLOCKS, *_VERBATIM, "br", "hr", "table", "tr", "dd", "dt", "blockquote", "code"}
_SOURCE_LINE_END = re.compile(r"[ \t]*\r?\n[ \t]*")


class _TextReader(HTMLParser):
    """Collects the text of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.verbatim: list[str] = []
        self.everything: list[str] = [""]
        self._line = 1
        """The line that ``verbatim`` has got to."""
        self._open: list[str] = []
        """The elements whose text is verbatim or unseen."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _VERBATIM:
            self._keep("\n" * max(self.getpos()[0] - self._line, 0))  # each line is where it is in the page
        elif tag == "br" and self._verbatim():
            self._keep("\n")
        if tag in _VERBATIM or tag in _UNSEEN:
            self._open.append(tag)
        self._end_line(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._end_line(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._open:
            del self._open[self._open.index(tag) :]
        self._end_line(tag)

    def handle_data(self, data: str) -> None:
        if self._verbatim():
            self._keep(data)
            self.everything.append(data)
        elif not self._open:
            data = _SOURCE_LINE_END.sub("\n", data)
            if self.everything[-1].endswith("\n"):
                data = data.lstrip("\n")
            self.everything.append(data.replace("\n", " "))

    def _verbatim(self) -> bool:
        return bool(self._open) and self._open[-1] in _VERBATIM

    def _keep(self, text: str) -> None:
        self.verbatim.append(text)
        self._line += text.count("\n")

    def _end_line(self, tag: str) -> None:
        if tag in _NEW_LINE:
            self.everything.append("\n")


def texts_of(page: str) -> tuple[str, str]:
    """Return the preformatted text of a page, each line where it is in the page, and all of its text."""
    reader = _TextReader()
    reader.feed(_without_stray_brackets(page))
    reader.close()
    return "".join(reader.verbatim), "".join(reader.everything)


_TAG = re.compile(r"</?(?:pre|br|p|div|span|table|tr|td|code|textarea)\b[^<>]*>", re.IGNORECASE)

Items = Sequence[Entry | LevelError]


def import_levels(text: str, source: str, tiles: Mapping[str, str]) -> Items:
    """Return the levels of a web page, or of a text copied from anywhere, and the errors of those that are invalid.

    Args:
        text: The page or text.
        source: Its name, for messages.
        tiles: The meanings of pictures that are not recognized, see :func:`read_html`; or of symbols in a text.

    Raises:
        LevelError: There is no level, a picture is not recognized, or a level of a page cannot be played.
    """
    is_page = is_html(text) or _TAG.search(text) is not None
    symbols = symbols_for({name: shown for name, shown in tiles.items() if len(name) == 1 or not is_page})
    readers: list[Callable[[], Items]] = []
    if not is_html(text):
        readers.append(functools.partial(_read_copied, text.translate(symbols), source))
    if is_page:
        preformatted, everything = (part.translate(symbols) for part in texts_of(text[:MAX_CHARACTERS]))
        readers.append(functools.partial(_read_copied, preformatted, source))
        readers.append(functools.partial(read_html, text, source, tiles))
        readers.append(functools.partial(_read_copied, everything, source))
    found: list[Items] = []
    errors: list[LevelError] = []
    for read in readers:
        try:
            found.append(read())
        except LevelError as error:
            errors.append(error)
        else:
            if any(isinstance(item, Entry) for item in found[-1]):
                return found[-1]
    if found:
        return found[0]
    raise errors[1] if is_html(text) and len(errors) > 1 else errors[0]


def _read_copied(text: str, source: str) -> Items:
    """Return the levels of a text, whatever they are wrapped in, and the errors of those that are invalid.

    Of all ways to unwrap it, that counts by which the most levels can be played; of equal ones, the first.

    Raises:
        LevelError: There is nothing that looks like a level.
    """
    best: Items = []
    most = -1
    for candidate in unwrapped(text):
        items = _checked(candidate, source)
        valid = sum(isinstance(item, Entry) for item in items)
        if items and valid > most:
            best, most = items, valid
        if items and valid == len(items):
            break
    if not best:
        symbols = "rows must have walls, # or w; state what other symbols are, e.g. --tile X=wall"
        raise LevelError(f"no level in {source}: {symbols}")
    return best


def _checked(text: str, source: str) -> Items:
    """Return the levels of a text that can be played, and the errors of the others."""
    try:
        return [_checked_entry(entry, source) for entry in read_entries(text, source)]
    except LevelError as error:
        return [error]


def _checked_entry(entry: Entry | LevelError, source: str) -> Entry | LevelError:
    """Return the entry if it can be played, otherwise why not."""
    if isinstance(entry, Entry):
        try:
            check(entry.board.rows, entry.board.where)
        except LevelError as error:
            return error.named(entry.title or f"{source}:{entry.board.lines[0].number}")
    return entry
