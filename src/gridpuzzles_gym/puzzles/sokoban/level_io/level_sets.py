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
are ignored. Blank lines and text separate boards; rows without a wall that are directly above others are part of their
board. Headings such as ``## Level 1 ##`` are text. A line with ``|`` contains several rows, and is a complete board
unless it ends with ``|``.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ....engine.levels.sources import lines_of
from ....engine.messages import printable
from ....engine.puzzle import LevelError
from .alphabets import LETTERS, MOST_ROWS, NUMBERED, XSB, Alphabet, Board, Line, read_board

_KEY = re.compile(r"[;\s]*(title|author|comment)\s*:\s*(.*)", re.IGNORECASE)
_XSOK_KEY = re.compile(r";(LEVEL|AUTHOR|COMMENT)\s+(.*\S)\s*")
"""The program xsok writes its titles in this way."""
_XSOK_TABLE = re.compile(
    r"^;(?:(?:MAXLEVEL|ATOP|PUSHCOST|MOVECOST) .*|(?:WALLS|OBJECTS)[ \t\r]*\n(?:[ .#@$].*\n)*([^;\s])?)", re.MULTILINE
)
"""Matches what its files have beside titles and boards, up to the first symbol that Sokoban lacks."""
_COMMENT_END = re.compile(r"\s*comment[-_ ]?end\b.*", re.IGNORECASE)
_RECORD = re.compile(r"\s*(?:solution|snapshot|save ?game)s?\s*(?:[/:(\d].*)?", re.IGNORECASE)
_MOVES = re.compile(r"\s*[lurd\d]{4,}\s*", re.IGNORECASE)
_NUMBER = re.compile(r"[ \t]*[0-9]{1,6}(?:[.:)][ \t]|[:)]|\t)")
"""A number that cannot repeat a square, in front of a row."""
_HEADING = re.compile(r"\s*(?:##+|#(?=\s))(?:\s+[0-9]+[.:]?|[^#@$*+]*[^\W\d_]{3}[^@$*+]*)\s*#*\s*")
"""Matches ``## 1`` and ``#### Level 1 ####``: a word or a number between walls that would be rows of no board."""
_FRAMED = re.compile(r"##+\s+[0-9]+\s+##+\s*")
"""Matches ``### 1 ###``: no program writes run-length encoded rows in this way."""
_NO_NOTE = re.compile(r"::.*|\s*(?:`{3}|~{3}).*|[^\w;]*")
"""Matches text that is not a title or comment: legends, fences as in Markdown, lines without words."""
_WALLS_IN_LETTERS = re.compile(r"[wW].*[wW]|[0-9][wW]")
"""Two walls, because a single one may be a letter of a word."""
_LONGEST_LINE = 100_000
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
        LevelError: The text mixes two alphabets, or is another game of xsok's.
    """
    for table in _XSOK_TABLE.finditer(text):
        if table[1]:
            where = f"{source}:{table.string.count(chr(10), 0, table.end()) + 1}:1: {table[1]!r}"
            raise LevelError(f"{where} in a table of xsok; allowed are # and . as walls, @ and $ as objects")
    text = _XSOK_TABLE.sub(lambda table: "\n" * table[0].count("\n"), text)
    lines = lines_of(text.removeprefix("\ufeff"), source)
    starts = [line if len(line) <= _LONGEST_LINE else _beginning(line) for line in lines]
    starts = [_NUMBER.sub("", start, count=1) if _NUMBER.match(start) else start for start in starts]
    alphabet = _alphabet_of(starts, source)
    gaps, boards = _divide(lines, starts, alphabet)
    if not boards:
        return []
    first = gaps[0]
    if first.notes and "title" in dict(first.keys) and not any(gap.keys for gap in gaps[1:]):
        # They describe the collection, because the first board has a title of its own.
        if len(boards) > 1:
            first.keys.clear()
        elif _line_above(lines, boards[0][0].number) == first.notes[-1]:
            first.keys[:] = [key for key in first.keys if key[0] != "title"]
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


def _line_above(lines: Sequence[str], number: int) -> str:
    """Return the last line before a line that is not blank."""
    return next((line.strip() for line in reversed(lines[: number - 1]) if line.strip()), "")


def _alphabet_of(starts: Sequence[str], source: str) -> Alphabet:
    """Return the alphabet of a file, detected from the walls in the beginnings of its lines."""
    xsb = next((number for number, line in enumerate(starts, 1) if "#" in line and _is_walled(line, XSB)), None)
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


def _divide(lines: Sequence[str], starts: Sequence[str], alphabet: Alphabet) -> tuple[list[_Gap], list[list[Line]]]:
    """Split a file into its boards and the text before, between and after them.

    Args:
        lines: The lines of the file.
        starts: The beginning of each.
        alphabet: Their alphabet.
    """
    gaps, boards = [_Gap([], [])], []
    board: list[Line] = []
    starts = [*starts, "", ""]
    walled = [_is_walled(start, alphabet) for start in starts]
    above = _rows_above(starts, walled, alphabet)
    number = 0
    while number <= len(lines):
        line = lines[number] if number < len(lines) else ""
        row = walled[number] or above[number]
        row = row or _is_other_row(starts[number], alphabet, board, followed=walled[number + 1])
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
    """Return the beginning of a long line, which is enough to classify it; it never ends within a number."""
    return line[:_LONGEST_LINE].rstrip("0123456789")


def _is_walled(line: str, alphabet: Alphabet) -> bool:
    """Whether a line is a row with a wall."""
    return alphabet.row.fullmatch(line) is not None and not (line.startswith("##") and _FRAMED.fullmatch(line))


def _rows_above(lines: Sequence[str], walled: Sequence[bool], alphabet: Alphabet) -> list[bool]:
    """Return whether each line is a row without a wall, directly above others of its board.

    Args:
        lines: The lines of the file, with a blank one at the end.
        walled: Whether each is a row with a wall.
        alphabet: The alphabet of the file.
    """
    above = [False] * len(lines)
    for number in reversed(range(len(lines) - 1)):
        if (walled[number + 1] or above[number + 1]) and not walled[number]:
            squares = _plain_squares(lines[number], alphabet, lines[number + 1])
            above[number] = squares != "" and not squares.isalpha()
    return above


def _plain_squares(line: str, alphabet: Alphabet, neighbour: str) -> str:
    """Return the squares of a row without walls and numbers; empty if it is none, or blank.

    It may begin with its number if the row next to it does.
    """
    numbered = NUMBERED.fullmatch(line) if NUMBERED.fullmatch(neighbour) else None
    squares = numbered[3] if numbered else line
    return "".join(squares.split()) if alphabet.plain.fullmatch(squares) else ""


def _is_other_row(line: str, alphabet: Alphabet, board: Sequence[Line], followed: bool) -> bool:
    """Whether a line is intended as a row, even if it has unknown symbols, which are reported later.

    Args:
        line: The line, which is not a row with a wall.
        alphabet: The alphabet of the file.
        board: The rows directly above it.
        followed: Whether a row with a wall is directly below it.
    """
    squares = "".join(line.split())
    if not squares or line.lstrip().startswith(";") or is_key(line):
        return False
    if _HEADING.fullmatch(line) and not (board and followed and not squares.startswith("##")):
        return False
    if board and _plain_squares(line, alphabet, board[-1].text):
        return True
    if alphabet.plain.fullmatch(line):
        return False
    ends = (squares[0] in alphabet.walls) + (squares[-1] in alphabet.walls)
    if board and followed and ends:
        return True
    solid = sum(map(squares.count, alphabet.solid))
    walled = any(wall in squares for wall in alphabet.walls)
    return len(squares) > 2 and walled and (ends == 2 or 2 * solid > len(squares))


def _read_text(lines: Sequence[str], number: int, gap: _Gap) -> int:
    """Read the text on line ``number`` (from 1) into a gap, and return the index (from 0) of the next line to read."""
    line = lines[number - 1] if number <= len(lines) else ""
    key, own = _KEY.fullmatch(line), _XSOK_KEY.fullmatch(line)
    if _RECORD.fullmatch(line):
        while number < len(lines) and lines[number].strip() and not XSB.row.fullmatch(lines[number]):
            number += 1
    elif own:
        gap.keys.append((own[1].lower().replace("level", "title"), own[2]))
    elif key:
        kind, value = key[1].lower(), key[2].strip()
        if kind != "comment":
            gap.keys.append((kind, value))
            return number
        end = _end_of_comment(lines, number, bool(value))
        gap.keys.extend((kind, more.strip()) for more in (value, *lines[number:end]))
        return end
    elif not any(pattern.fullmatch(line) for pattern in (_MOVES, _COMMENT_END, _NO_NOTE)):
        note = line.strip().lstrip(";").strip()
        note = note.strip("#").strip() if _HEADING.fullmatch(line) else note
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
