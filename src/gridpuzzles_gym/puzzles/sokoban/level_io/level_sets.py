"""Collections of levels in text: boards with their titles, authors and comments.

    ; a comment; the last one before a board is its title, unless it has a Title: line
    ####
    #.@ #  ...
    ####
    Title: …
    Author: …
    Comment: …
    Comment:
    several lines, up to
    Comment-End:

Title, author and comment lines are either before every board or after every board (as in ``.sok`` files); they are
after the boards if the text ends with some. Other lines of text are comments too; ``::`` lines, solutions and snapshots
are ignored. Blank lines and text separate boards. A line with ``|`` contains several rows, and is a complete board
unless it ends with ``|``.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ....engine.levels import lines_of
from ....engine.messages import printable
from ....engine.puzzle import LevelError
from .alphabets import LETTERS, MOST_ROWS, XSB, Alphabet, Board, Line, read_board

_KEY = re.compile(r"[;\s]*(title|author|comment)\s*:\s*(.*)", re.IGNORECASE)
_COMMENT_END = re.compile(r"\s*comment[-_ ]?end\b.*", re.IGNORECASE)
_RECORD = re.compile(r"\s*(?:solution|snapshot|save ?game)s?\s*(?:[/:(\d].*)?", re.IGNORECASE)
_MOVES = re.compile(r"\s*[lurd\d]{4,}\s*", re.IGNORECASE)
_WALLS_IN_LETTERS = re.compile(r"[wW] ?[wW]|\d[wW]")
"""Two walls, because a single one may be a letter of a word."""
_LONGEST_LINE = 10_000
"""The maximum number of characters of a line of rows; as many are enough to classify a longer line."""


class Entry(NamedTuple):
    """One level of a collection, as written in the file."""

    board: Board
    title: str = ""
    author: str = ""
    comments: tuple[str, ...] = ()


def as_written(entry: Entry) -> Entry:
    """Return an entry that every format can represent: texts on one line, without control characters."""
    comments = tuple(filter(None, map(_as_written, entry.comments)))
    return Entry(entry.board, _as_written(entry.title), _as_written(entry.author), comments)


def _as_written(text: str) -> str:
    return printable(text).lstrip("; ")


def is_key(text: str) -> bool:
    """Whether a line of text begins with ``Title:``, ``Author:`` or ``Comment:``."""
    return _KEY.fullmatch(text) is not None


class _Gap(NamedTuple):
    """The text between two boards."""

    keys: list[tuple[str, str]]
    """``title``, ``author`` or ``comment``, each with its value."""
    notes: list[str]
    """All other text, line by line."""


def read_level_set(text: str, source: str) -> list[Entry | LevelError]:
    """Read the boards in a text, with their titles, authors and comments; in place of a malformed one, its error.

    Raises:
        LevelError: The text mixes two alphabets.
    """
    lines = lines_of(text.removeprefix("\ufeff"), source)
    alphabet = _alphabet_of(lines, source)
    gaps, boards = _divide(lines, alphabet)
    if not boards:
        return []
    if len(boards) > 1 and gaps[0].notes and "title" in dict(gaps[0].keys) and not any(gap.keys for gap in gaps[1:]):
        gaps[0].keys.clear()  # they describe the collection, because the first board has a title of its own
    keys_follow = bool(gaps[-1].keys)
    notes_follow = bool(gaps[-1].notes) and not gaps[0].notes
    entries: list[Entry | LevelError] = []
    for number, board in enumerate(boards):
        keys, notes = gaps[number + keys_follow].keys, gaps[number + notes_follow].notes
        named = dict(keys)
        if notes and "title" not in named:
            named["title"] = notes[0 if notes_follow else -1]
            notes = notes[1:] if notes_follow else notes[:-1]
        comments = [*notes, *(value for kind, value in keys if kind == "comment")]
        title, author = named.get("title", ""), named.get("author", "")
        try:
            rows = read_board(board, alphabet, source)
        except LevelError as error:
            entries.append(error.named(title or f"{source}:{board[0].number}"))
        else:
            entries.append(Entry(rows, title, author, tuple(filter(None, comments))))
    return entries


def _alphabet_of(lines: Sequence[str], source: str) -> Alphabet:
    """Return the alphabet of a file, detected from its walls."""
    starts = [_beginning(line) for line in lines]
    xsb = next((number for number, line in enumerate(starts, 1) if "#" in line and XSB.row.fullmatch(line)), None)
    letters = next(
        (
            number
            for number, line in enumerate(starts, 1)
            if _WALLS_IN_LETTERS.search(line) and LETTERS.row.fullmatch(line)
        ),
        None,
    )
    if xsb and letters:
        raise LevelError(
            f"{source}:{letters}:1: walls are w in this line, but # in line {xsb}; a file must use one alphabet"
        )
    return LETTERS if letters else XSB


def _divide(lines: Sequence[str], alphabet: Alphabet) -> tuple[list[_Gap], list[list[Line]]]:
    """Split a file into its boards and the text before, between and after them."""
    gaps, boards = [_Gap([], [])], []
    board: list[Line] = []
    number = 0
    while number <= len(lines):
        line = lines[number] if number < len(lines) else ""
        row = _is_row(lines, number, alphabet, bool(board))
        number += 1
        if row:
            if len(board) <= MOST_ROWS:  # one row more is enough to be refused
                board.extend(_rows_between_bars(number, line))
            if "|" not in line or line.rstrip().endswith("|"):
                continue
        if any(alphabet.floor.fullmatch(each.text) is None for each in board):
            boards.append(board)
            gaps.append(_Gap([], []))
        board = []
        if not row:
            number = _read_text(lines, number, gaps[-1])
    return gaps, boards


def _rows_between_bars(number: int, line: str) -> list[Line]:
    """Return the rows in a line: one, or several separated by ``|``."""
    if "|" not in line or len(line) > _LONGEST_LINE:
        return [Line(number, 1, line[:_LONGEST_LINE] if len(line) > _LONGEST_LINE else line.rstrip())]
    rows, column = [], 1
    for text in line.rstrip().removesuffix("|").split("|"):
        rows.append(Line(number, column, text))
        column += len(text) + 1
    return rows


def _beginning(line: str) -> str:
    """Return the beginning of a line, which is enough to classify it; it never ends within a number."""
    return line if len(line) <= _LONGEST_LINE else line[:_LONGEST_LINE].rstrip("0123456789")


def _is_row(lines: Sequence[str], number: int, alphabet: Alphabet, inside: bool) -> bool:
    """Whether a line is intended as a row of a board, even if it has unknown symbols, which are reported later.

    Args:
        lines: The lines of the file.
        number: The index of the line, from 0.
        alphabet: The alphabet of the file.
        inside: Whether the line before it is a row.
    """
    line = _beginning(lines[number]) if number < len(lines) else ""
    if alphabet.row.fullmatch(line):
        return True
    if line.lstrip().startswith(";") or is_key(line):
        return False
    squares = "".join(line.split())
    if not squares:
        return False
    following = _beginning(lines[number + 1]) if number + 1 < len(lines) else ""
    followed = alphabet.row.fullmatch(following) is not None
    if alphabet.plain.fullmatch(line):  # floor, or boxes and goals, without a wall
        return inside or (followed and not squares.isalpha())
    ends = (squares[0] in alphabet.walls) + (squares[-1] in alphabet.walls)
    if inside and followed and ends:
        return True
    solid = sum(symbol in alphabet.solid for symbol in squares)
    walled = any(wall in squares for wall in alphabet.walls)
    return len(squares) > 2 and walled and (ends == 2 or 2 * solid > len(squares))


def _read_text(lines: Sequence[str], number: int, gap: _Gap) -> int:
    """Read the text on line ``number`` (from 1) into a gap, and return the index (from 0) of the next line to read."""
    line = lines[number - 1] if number <= len(lines) else ""
    key = _KEY.fullmatch(line)
    if _RECORD.fullmatch(line):
        while number < len(lines) and lines[number].strip() and not XSB.row.fullmatch(lines[number]):
            number += 1
    elif key:
        kind, value = key[1].lower(), key[2].strip()
        if kind != "comment":
            gap.keys.append((kind, value))
            return number
        end = _end_of_comment(lines, number, bool(value))
        gap.keys.extend((kind, more.strip()) for more in (value, *lines[number:end]))
        return end
    elif not (line.startswith("::") or _MOVES.fullmatch(line) or _COMMENT_END.fullmatch(line)):
        note = line.strip().lstrip(";").strip()
        if note:
            gap.notes.append(note)
    return number


def _end_of_comment(lines: Sequence[str], start: int, complete: bool) -> int:
    """Return the index of the line that ends a comment: Comment-End, else ``start`` if complete, else a blank line."""
    blank = start if complete else None
    for number in range(start, len(lines)):
        if _COMMENT_END.fullmatch(lines[number]):
            return number
        key = _KEY.fullmatch(lines[number])
        if key and key[1].lower() == "comment":
            break
        if blank is None and not lines[number].strip():
            blank = number
    return len(lines) if blank is None else blank
