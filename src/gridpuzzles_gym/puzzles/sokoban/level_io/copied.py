"""Levels in text that was copied from anywhere, together with what surrounds their rows there.

Mails quote lines with ``>``, programs write rows in quotation marks, web pages replace spaces by no-break spaces, and
so on. :func:`unwrapped` removes one kind of wrapping after the other; the first result that has levels counts.
"""

import html
import re
import unicodedata
from collections.abc import Iterator

_MAX_CHARACTERS = 4 * 2**20
"""The maximum length of a text of which anything but the text itself is tried."""
_ODD = {
    **dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"), ""),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2212"), "-"),
}
"""Characters of no width are nothing, and those that look like ``-`` are one."""
_LINE_END_IN_STRING = re.compile(r"""(?:\\[rn]){1,2}(?=["'`][^#\n]{0,40}$)""", re.MULTILINE)
_LINE_BREAK_IN_STRING = re.compile(r"\\r\\n|\\[rn]")
_NEXT_LIST = re.compile(r"\][ \t]*,[ \t]*(?=\[)")
_SQUARE_IN_LIST = re.compile(r"""(["'])(.)\1[ \t]*(?:,[ \t]*(?=["'])|(?=\]))""")
_NEXT_STRING = re.compile(r"""(["'`])[ \t]*,[ \t]*(?=["'`])""")
_FRAME = re.compile(r"^[ \t>]*\+[-=]+\+[ \t]*$", re.MULTILINE)
_MARK = re.compile(r"[ \t]*(?:>(?:[ \t]?>)*|\||//|\+)")
"""What is in front of a line that is quoted, commented out, or marked as added, without a blank after it."""
_BLANK_LINE = re.compile(r"\n[ \t]*(?=\n)")
_WORDS = re.compile(r"\s*(?:;.*|(?!return\b)[^\W_][\w .:,!?'&-]*)")
"""Matches a line that can be a title."""
_OPENING = "\"'`[({"
"""What rows begin after, whatever is in front of it."""
_SQUARES = "#@+$*. _pPbB-", "#@+$*. _pPbB0-9|-", "wWPBG+*. _f0-9|-"
"""The symbols of rows, for regular expressions: XSB, both alphabets with numbers and bars."""


def unwrapped(text: str) -> Iterator[str]:
    """Yield a text, then what it is if it is wrapped in one of the known ways, the most likely first."""
    yield text
    if len(text) > _MAX_CHARACTERS:
        return
    plain = _plain(text)
    texts = [plain, _without_marks(plain), *(_rows_only(plain, squares) for squares in _SQUARES)]
    yield from texts
    for closed in (_without_blank_lines, _without_blank_columns):
        yield from map(closed, texts)


def _plain(text: str) -> str:
    """Return a text with ordinary characters in ordinary lines."""
    text = unicodedata.normalize("NFKC", html.unescape(text)).translate(_ODD)
    text = _LINE_BREAK_IN_STRING.sub("\n", _LINE_END_IN_STRING.sub("", _FRAME.sub("", text)))
    text = _NEXT_STRING.sub("\\1\n", _SQUARE_IN_LIST.sub("\\2", _NEXT_LIST.sub("],\n", text)))
    lines = [_joined(line.rstrip()) for line in text.splitlines()]
    return "\n".join(_without_tabs(lines, number) for number in range(len(lines))) + "\n"


def _joined(line: str) -> str:
    """Return a line whose squares are separated by tabs, as in the cells of a spreadsheet, without these tabs."""
    cells = line.split("\t")
    return "".join(cell or " " for cell in cells) if len(cells) > 2 and max(map(len, cells)) == 1 else line


def _without_tabs(lines: list[str], number: int) -> str:
    """Return a line without the tabs in front of it, unless a neighbouring row is indented by other tabs."""
    near = [line for line in lines[max(number - 1, 0) : number + 2] if "#" in line or "ww" in line.lower()]
    tabs = {len(line) - len(line.lstrip("\t")) for line in near}
    return lines[number].lstrip("\t") if len(tabs) == 1 else lines[number]


def _without_marks(text: str) -> str:
    """Return a text without the mark in front of each line, and without a blank after it if each mark has one."""
    lines = text.split("\n")
    ends = [found.end() if (found := _MARK.match(line)) else None for line in lines]
    rests = [line if end is None else line[end:] for line, end in zip(lines, ends, strict=True)]
    marked = [rest for rest, end in zip(rests, ends, strict=True) if end is not None]
    apart = all(rest[:1] in ("", " ") for rest in marked)
    return "\n".join(rest if end is None or not apart else rest[1:] for rest, end in zip(rests, ends, strict=True))


def _rows_only(text: str, squares: str) -> str:
    """Return the rows in the lines of a text, and the lines that can be titles; all others are blank.

    If rows of a board are marked in different ways, the result is empty.

    Args:
        text: The text.
        squares: The symbols of rows.
    """
    walls = "wW" if "w" in squares else "#"
    # Nothing next to a row is a letter or a digit, and all walls are in it: otherwise a symbol of the row is unknown.
    row = re.compile(rf"(?:[^{walls}]*[^\w{squares}])?([{squares}]+)(?:[^\w{squares}][^{walls}]*)?")
    floor = re.compile(rf"[^\w{squares}]*([{squares}]+)[^\w{squares}]*")

    lines: list[str] = []
    mark: str | None = None
    """What is in front of the row above: its opening mark, otherwise everything but words; None if that is no row."""
    for line in text.split("\n"):
        found = (row if any(wall in line for wall in walls) else floor).fullmatch(line)
        if found is None or not line[: found.end(1)].strip():  # without squares, such as a bracket
            lines.append(line if _WORDS.fullmatch(line) else "")
            mark = None
            continue
        begin = line[: found.start(1)]
        own = begin[-1:] if begin[-1:] in _OPENING else re.sub(r"\w", "", begin)
        if mark is not None and own != mark and (begin or mark not in _OPENING):
            return ""  # where rows begin after different marks is unknown
        lines.append(found[1].rstrip())
        mark = own
    return "\n".join(lines)


def _without_blank_lines(text: str) -> str:
    """Return a text with a blank line less between any two lines."""
    return _BLANK_LINE.sub("", text)


def _without_blank_columns(text: str) -> str:
    """Return a text without the blanks between the squares of rows, if all squares are separated by blanks."""
    lines = text.split("\n")
    indentations = [len(line) - len(line.lstrip()) for line in lines]
    joined = [line[start % 2 :: 2] for line, start in zip(lines, indentations, strict=True)]
    between = (line[1 - start % 2 :: 2] for line, start in zip(lines, indentations, strict=True) if "#" in line)
    return text if any(map(str.strip, between)) else "\n".join(joined)
