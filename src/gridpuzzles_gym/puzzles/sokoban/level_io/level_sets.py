"""Collections of levels in text: boards, and what is written around them.

    ; a comment: the last before a board is its title, unless a title is given as such
    ####                Title: …     Author: …      before their boards, or behind them throughout (as .sok has it):
    #.@ #  ...          Comment: …                  then the last board has some behind it
    ####                Comment:                    of several lines, to
                        …  Comment-End:

Other lines of text count as comments too; ``::`` lines, solutions and snapshots are passed over. Blank lines and text
divide boards. A line with ``|`` holds several rows, and is a board of its own unless it ends with one.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ....engine.levels import lines_of
from ....engine.messages import printable
from ....engine.puzzle import LevelError
from .alphabets import LETTERS, MOST_ROWS, XSB, Alphabet, Board, Line, check_size, read_board

_KEY = re.compile(r"[;\s]*(title|author|comment)\s*:\s*(.*)", re.IGNORECASE)
_COMMENT_END = re.compile(r"\s*comment[-_ ]?end\b.*", re.IGNORECASE)
_RECORD = re.compile(r"\s*(?:solution|snapshot|save ?game)s?\s*(?:[/:(\d].*)?", re.IGNORECASE)
_MOVES = re.compile(r"\s*[lurd\d]{4,}\s*", re.IGNORECASE)
_WALLS_IN_LETTERS = re.compile(r"[wW] ?[wW]|\d[wW]")
"""Two walls: one may well be a word's."""
_LONGEST_LINE = 10_000
"""Characters of a line of rows; that many tell what a longer line is."""


class Entry(NamedTuple):
    """One level of a collection, as it stands in the file."""

    board: Board
    title: str = ""
    author: str = ""
    comments: tuple[str, ...] = ()


def as_written(entry: Entry) -> Entry:
    """An entry as every format can hold it: titles, authors and comments are one line, without control characters."""
    comments = tuple(filter(None, map(_as_written, entry.comments)))
    return Entry(entry.board, _as_written(entry.title), _as_written(entry.author), comments)


def _as_written(text: str) -> str:
    return printable(text).lstrip("; ")


def is_key(text: str) -> bool:
    """Does a line of text say of itself that it is a title, an author or a comment?"""
    return _KEY.fullmatch(text) is not None


class _Gap(NamedTuple):
    """What is written between two boards."""

    keys: list[tuple[str, str]]
    """``title``, ``author`` and ``comment``, each with what it says."""
    notes: list[str]
    """Whatever else."""


def read_level_set(text: str, source: str) -> list[Entry]:
    """Read the boards in a text, with their titles, authors and comments.

    Raises:
        LevelError: A board has a symbol that there is not, or the file mixes two alphabets.
    """
    lines = lines_of(text.removeprefix("\ufeff"), source)
    alphabet = _alphabet_of(lines, source)
    gaps, boards = _divide(lines, alphabet, source)
    if not boards:
        return []
    if len(boards) > 1 and gaps[0].notes and "title" in dict(gaps[0].keys) and not any(gap.keys for gap in gaps[1:]):
        gaps[0].keys.clear()  # they tell of the collection: the board has a title besides
    keys_follow = bool(gaps[-1].keys)
    notes_follow = bool(gaps[-1].notes) and not gaps[0].notes
    entries = []
    for number, board in enumerate(boards):
        keys, notes = gaps[number + keys_follow].keys, gaps[number + notes_follow].notes
        named = dict(keys)
        if notes and "title" not in named:
            named["title"] = notes[0 if notes_follow else -1]
            notes = notes[1:] if notes_follow else notes[:-1]
        comments = [*notes, *(said for kind, said in keys if kind == "comment")]
        entries.append(
            Entry(
                read_board(board, alphabet, source),
                named.get("title", ""),
                named.get("author", ""),
                tuple(filter(None, comments)),
            )
        )
    return entries


def _alphabet_of(lines: Sequence[str], source: str) -> Alphabet:
    """What the walls of a file are written with."""
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
            f"{source}:{letters}:1: walls are w in this line, but # in line {xsb}; a file keeps to one alphabet"
        )
    return LETTERS if letters else XSB


def _divide(lines: Sequence[str], alphabet: Alphabet, source: str) -> tuple[list[_Gap], list[list[Line]]]:
    """The boards of a file, and what is written before, between and behind them."""
    gaps, boards = [_Gap([], [])], []
    board: list[Line] = []
    number = 0
    while number <= len(lines):
        line = lines[number] if number < len(lines) else ""
        row = _is_row(lines, number, alphabet, bool(board))
        number += 1
        if row and len(line) > _LONGEST_LINE:
            raise LevelError(
                f"{source}:{number}:{_LONGEST_LINE}: a line of {len(line):,} characters: too long for a board"
            )
        if row:
            board.extend(_rows_between_bars(number, line))
            if len(board) > MOST_ROWS:
                check_size(board, source)
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
    """The rows in a line: one, or those that bars divide."""
    if "|" not in line:
        return [Line(number, 1, line.rstrip())]
    rows, column = [], 1
    for text in line.rstrip().removesuffix("|").split("|"):
        rows.append(Line(number, column, text))
        column += len(text) + 1
    return rows


def _beginning(line: str) -> str:
    """As much of a line as tells whether it is a row; never half a run of squares."""
    return line if len(line) <= _LONGEST_LINE else line[:_LONGEST_LINE].rstrip("0123456789")


def _is_row(lines: Sequence[str], number: int, alphabet: Alphabet, inside: bool) -> bool:
    """Is a line meant as a row of a board? Also where a symbol in it is wrong: a message then says which.

    Args:
        lines: Of the file.
        number: The line's, from 0.
        alphabet: Of the file.
        inside: Is the line before it a row?
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
    """Read the line before ``number`` as text into a gap; the number of the next line to read."""
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
    """The line, from 0, that ends a comment: the one that says so, else a blank one unless it is complete as it is."""
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
