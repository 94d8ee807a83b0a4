"""Drawing sheets: boards with captions and answers, in one picture or on pages."""

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pygame

from ..engine import painting
from ..engine.drawing import drawing_of
from ..engine.messages import plural
from ..engine.puzzle import Level, Puzzle, Scene

MOST = 100
"""Maximum number of levels on a sheet."""
WIDEST = 160
"""Maximum width and height of a board in pixels, unless squares would be too small."""
_SMALLEST_TILE, _LARGEST_TILE = 8, 40
_GAP, _LINE = 10, 15
_SPACING = 1.1
"""The distance of the lines of an answer, relative to their height."""
DOTS_PER_INCH = 150
_PAGE, _MARGIN, _COLUMNS = (1240, 1754), 75, 3
"""A4 at this resolution, in pixels; its margin; and the columns of levels on it."""
_PAGE_GAP, _PAGE_LINE, _PAGE_TILE, _LEAST_BOARD = 20, 28, 56, 150
_LIGHTER = 0.6
"""The exponent by which boards are brightened for white paper; 1 leaves them unchanged."""


class Theme(NamedTuple):
    """The colours of a sheet."""

    ground: str
    ink: str
    printed: bool
    """Is it for white paper? Then boards are drawn in the puzzle's options for that, and brightened."""


THEMES = {"dark": Theme("#120f17", "#f6e9cf", False), "light": Theme("#ffffff", "#1b1622", True)}


class Sheet(NamedTuple):
    """What is on a sheet."""

    puzzle: Puzzle
    options: Any
    """The options of the puzzle; ``style``, if it has one, is the style of the pictures."""
    levels: Sequence[Level]
    """At least one; the first :data:`MOST` are drawn."""
    captions: Sequence[str]
    """One line for each level."""
    theme: str = "dark"
    """One of :data:`THEMES`."""
    answers: Sequence[str] = ()
    """A text for each level, for a second sheet; empty if there is none."""


class _Cell(NamedTuple):
    """A level on a sheet."""

    board: pygame.Surface
    caption: str
    answer: Sequence[str]
    """Lines."""


def one_picture(sheet: Sheet, answers: Sequence[str] = ()) -> pygame.Surface:
    """Draw all levels in one picture.

    Args:
        sheet: The levels.
        answers: What is written below them; empty for nothing.
    """
    levels, line = sheet.levels[:MOST], _LINE
    boards = [_board(sheet, level, (WIDEST, WIDEST), _LARGEST_TILE) for level in levels]
    wide = max(board.get_width() for board in boards)
    high = max(board.get_height() for board in boards)
    if answers:
        wide = max(wide, WIDEST)
    texts = _texts(answers, len(levels), wide, line)
    cells = [_Cell(*cell) for cell in zip(boards, sheet.captions, texts, strict=False)]
    text = _text_height(texts, line)
    columns = math.ceil(math.sqrt(1.4 * len(cells)))
    rows = math.ceil(len(cells) / columns)
    size = columns * (wide + _GAP) + _GAP, rows * (high + text + _GAP) + _GAP
    picture = pygame.Surface(size, 0, 32)
    picture.fill(THEMES[sheet.theme].ground)
    for place, cell in enumerate(cells):
        row, column = divmod(place, columns)
        corner = _GAP + column * (wide + _GAP), _GAP + row * (high + text + _GAP)
        _draw_cell(picture, sheet, cell, pygame.Rect(*corner, wide, high + text), high, line)
    return picture


def pages(sheet: Sheet, answers: Sequence[str] = ()) -> Iterator[pygame.Surface]:
    """Draw the levels on pages of A4; arguments as for :func:`one_picture`."""
    columns, line, levels = _COLUMNS, _PAGE_LINE, sheet.levels[:MOST]
    wide = (_PAGE[0] - 2 * _MARGIN - (columns - 1) * _PAGE_GAP) // columns
    texts = _texts(answers, len(levels), wide, line)
    text = _text_height(texts, line)
    inside = _PAGE[1] - 2 * _MARGIN - line
    rows = next(rows for rows in (4, 3, 2, 1) if inside // rows - _PAGE_GAP - text >= _LEAST_BOARD or rows == 1)
    high = max(inside // rows - _PAGE_GAP - text, _LEAST_BOARD)
    boards = [_shrunk(_board(sheet, level, (wide, high), _PAGE_TILE), (wide, high)) for level in levels]
    cells = [_Cell(*cell) for cell in zip(boards, sheet.captions, texts, strict=False)]
    total = math.ceil(len(cells) / (columns * rows))
    for number in range(total):
        page = pygame.Surface(_PAGE, 0, 32)
        page.fill(THEMES[sheet.theme].ground)
        head = pygame.Rect(_MARGIN, _MARGIN - line, _PAGE[0] - 2 * _MARGIN, line)
        words = f"{sheet.puzzle.title}: {'answers' if answers else plural(len(levels), 'level')}"
        painting.write(page, words, head, THEMES[sheet.theme].ink, 0.8 * line, "left")
        painting.write(page, f"{number + 1} / {total}", head, THEMES[sheet.theme].ink, 0.8 * line, "right")
        for place, cell in enumerate(cells[number * columns * rows : (number + 1) * columns * rows]):
            row, column = divmod(place, columns)
            corner = _MARGIN + column * (wide + _PAGE_GAP), _MARGIN + line + row * (high + text + _PAGE_GAP)
            _draw_cell(page, sheet, cell, pygame.Rect(*corner, wide, high + text), high, line)
        yield page


def _texts(answers: Sequence[str], count: int, width: int, line: int) -> list[list[str]]:
    """Return the lines of each answer; none, for each level, if there are no answers."""
    letters = painting.font(_answer_height(line))
    return [_wrapped(text, letters, width) for text in answers] or [[] for _ in range(count)]


def _text_height(texts: Sequence[Sequence[str]], line: int) -> int:
    """Return the height of the caption and the longest answer, in pixels."""
    return line + math.ceil(max(map(len, texts)) * _answer_height(line) * _SPACING)


def _draw_cell(surface: pygame.Surface, sheet: Sheet, cell: _Cell, box: pygame.Rect, high: int, line: int) -> None:
    """Draw a board at the top of a box, in the middle of a height of ``high`` pixels, and text below it."""
    ink = THEMES[sheet.theme].ink
    painting.paste(surface, cell.board, (box.centerx, box.top + high / 2))
    row = pygame.Rect(box.left, box.top + high, box.width, line)
    painting.write(surface, cell.caption, row, ink, line - 2)
    small = _answer_height(line)
    for k, words in enumerate(cell.answer):
        place = pygame.Rect(box.left, round(row.bottom + k * small * _SPACING), box.width, small)
        painting.write(surface, words, place, ink, small, "left")


def _answer_height(line: int) -> int:
    return max(3 * line // 4, painting.SMALLEST_TEXT)


def _wrapped(text: str, letters: pygame.font.Font, width: int) -> list[str]:
    """Split a text into lines of at most ``width`` pixels: between words if possible, otherwise anywhere."""
    lines, line = [], ""
    for word in text.split(" "):
        if line and letters.size(f"{line} {word}")[0] <= width:
            line = f"{line} {word}"
            continue
        lines += [line] if line else []
        line = word
        while len(line) > 1 and letters.size(line)[0] > width:
            beyond = bisect_right(range(1, len(line)), width, key=lambda count: letters.size(line[:count])[0])
            fits = max(beyond, 1)
            lines.append(line[:fits])
            line = line[fits:]
    return [*lines, line]


def _board(sheet: Sheet, level: Level, room: tuple[int, int], largest: int) -> pygame.Surface:
    """Return the picture of the board at the start of a level.

    Args:
        sheet: What it is for.
        level: The level.
        room: The width and height that it should fit into; with the smallest squares it may be larger.
        largest: The maximum width of a square, in pixels.
    """
    drawing = drawing_of(sheet.puzzle)
    options = sheet.puzzle.resolve_options(sheet.options, level.extent, [level])
    scene = Scene(*sheet.puzzle.encode(level, level.extent, options), options)

    def excess(tile: int) -> bool:
        board = drawing.board(scene, tile)
        return board.width > room[0] or board.height > room[1]

    tile = bisect_right(range(largest + 1), False, lo=_SMALLEST_TILE + 1, key=excess) - 1
    picture = pygame.Surface(drawing.measure(scene, tile), 0, 32)
    drawing.draw(picture, scene, tile)
    board = picture.subsurface(drawing.board(scene, tile))
    return _brightened(board) if THEMES[sheet.theme].printed else board


def _shrunk(board: pygame.Surface, room: tuple[int, int]) -> pygame.Surface:
    """Return a picture, reduced if it does not fit into some room."""
    ratio = min(side / whole for side, whole in zip(room, board.get_size(), strict=True))
    return board if ratio >= 1 else pygame.transform.smoothscale_by(board, ratio)


def _brightened(picture: pygame.Surface) -> pygame.Surface:
    """Return a picture with brighter shades, which cost less ink; black and white stay."""
    table = np.round(255 * (np.arange(256) / 255) ** _LIGHTER).astype(np.uint8)
    bright = picture.copy()
    pixels = pygame.surfarray.pixels3d(bright)
    pixels[...] = table[pixels]
    return bright
