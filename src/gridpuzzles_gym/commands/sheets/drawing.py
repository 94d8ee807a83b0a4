"""Drawing sheets: boards with captions and answers, in one picture or on pages."""

import dataclasses
import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pygame

from ...engine.messages import plural
from ...engine.pictures import painting
from ...engine.pictures.canvas import drawing_of
from ...engine.pictures.drawing import BACKGROUND
from ...engine.puzzle import Level, Puzzle
from ...engine.scene import Scene

MOST = 100
"""Maximum number of levels on a sheet."""
WIDEST = 160
"""Maximum width and height of a board in pixels, unless squares would be too small."""
_SMALLEST_TILE, _LARGEST_TILE = 8, 40
_GAP, _LINE = 10, 15
_SPACING = 1.1
"""The distance of the lines of an answer, relative to their height."""
DOTS_PER_INCH = 150
_PAGE, _MARGIN = (1240, 1754), 75
"""A4 at this resolution, in pixels, and its margin."""
_GRIDS = ((1, 1), (2, 2), (2, 3), (3, 4))
"""The numbers of columns and rows of levels on a page, the fewest first."""
_PAGE_GAP, _PAGE_LINE, _PAGE_TILE, _LEAST_BOARD = 20, 28, 56, 150
_HEAD, _WORKSHEET_TILE = 90, 160
"""The height of a worksheet's title and of the line below it, and the maximum width of its squares, in pixels."""
_GRID = "#b9b3c4"
"""The colour of the lines around squares to write into."""
_GROUND, _NEAR = 125, 4
"""What is darker than this, and connected with a corner, is ground; what is within this of the colour around a board
is outside it. Both are differences in each of red, green and blue."""
_LIGHTER = 0.6
"""The exponent by which boards are brightened for white paper; 1 leaves them unchanged."""


class Theme(NamedTuple):
    """The colours of a sheet."""

    ground: str
    ink: str
    printed: bool
    """Whether it is for white paper: boards are then drawn with the puzzle's options for print, and brightened."""


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
    title: str = ""
    """The title of a worksheet: pages with space for a name and a date, which show only what the player knows, and
    pages with answers, which show everything. Empty: a sheet without these."""
    legend: str = ""
    """One line above the answers of a worksheet."""
    scenes: Sequence[Scene] = ()
    """What to draw instead of the starts of the levels, one scene for each; empty: their starts."""


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
    boards = [_board(sheet, number, (WIDEST, WIDEST), _LARGEST_TILE) for number in range(len(levels))]
    wide = max(board.get_width() for board in boards)
    high = max(board.get_height() for board in boards)
    if answers:
        wide = max(wide, WIDEST)
    texts = _texts(answers, len(levels), wide, line)
    cells = [_Cell(*cell) for cell in zip(boards, sheet.captions, texts, strict=False)]
    text = _text_height(texts, line)
    columns = min(math.ceil(math.sqrt(1.4 * len(cells))), len(cells))
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
    line, levels = _PAGE_LINE, sheet.levels[:MOST]
    columns, most_rows = _grid(len(levels)) if sheet.title else _GRIDS[-1]
    wide = (_PAGE[0] - 2 * _MARGIN - (columns - 1) * _PAGE_GAP) // columns
    texts = _texts(answers, len(levels), wide, line)
    text = _text_height(texts, line)
    head = _HEAD if sheet.title else line
    inside = _PAGE[1] - 2 * _MARGIN - head
    fitting = (rows for rows in range(most_rows, 1, -1) if inside // rows - _PAGE_GAP - text >= _LEAST_BOARD)
    rows = next(fitting, 1)
    high = max(inside // rows - _PAGE_GAP - text, _LEAST_BOARD)
    largest = _WORKSHEET_TILE if sheet.title else _PAGE_TILE
    boards = [
        _shrunk(_board(sheet, number, (wide, high), largest, bool(answers)), (wide, high))
        for number in range(len(levels))
    ]
    cells = [_Cell(*cell) for cell in zip(boards, sheet.captions, texts, strict=False)]
    total = math.ceil(len(cells) / (columns * rows))
    for number in range(total):
        page = pygame.Surface(_PAGE, 0, 32)
        page.fill(THEMES[sheet.theme].ground)
        _draw_head(page, sheet, bool(answers), f"{number + 1} / {total}")
        for place, cell in enumerate(cells[number * columns * rows : (number + 1) * columns * rows]):
            row, column = divmod(place, columns)
            corner = _MARGIN + column * (wide + _PAGE_GAP), _MARGIN + head + row * (high + text + _PAGE_GAP)
            _draw_cell(page, sheet, cell, pygame.Rect(*corner, wide, high + text), high, line)
        yield page


def _grid(count: int) -> tuple[int, int]:
    """Return the numbers of columns and rows on a page for so many levels: the smallest that is sufficient."""
    return next((grid for grid in _GRIDS if grid[0] * grid[1] >= count), _GRIDS[-1])


def _draw_head(page: pygame.Surface, sheet: Sheet, answers: bool, number: str) -> None:
    """Draw the head of a page."""
    ink, line = THEMES[sheet.theme].ink, _PAGE_LINE
    row = pygame.Rect(_MARGIN, _MARGIN - line, _PAGE[0] - 2 * _MARGIN, line)
    painting.write(page, number, row, ink, 0.8 * line, "right")
    if not sheet.title:
        words = f"{sheet.puzzle.title}: {'answers' if answers else plural(len(sheet.levels[:MOST]), 'level')}"
        painting.write(page, words, row, ink, 0.8 * line, "left")
        return
    title = pygame.Rect(row.left, row.top, row.width - 4 * line, 2 * line)
    painting.write(page, f"{sheet.title}: answers" if answers else sheet.title, title, ink, 1.5 * line, "left", True)
    below = pygame.Rect(row.left, title.bottom, row.width, line)
    if answers:
        painting.write(page, sheet.legend, below, ink, 0.8 * line, "left")
        return
    for words, left, right in (("Name", 0.0, 0.62), ("Date", 0.66, 1.0)):
        field = pygame.Rect(below.left + left * below.width, below.top, (right - left) * below.width, line)
        painting.write(page, words, field, ink, 0.8 * line, "left")
        begin = field.left + 2.6 * line
        pygame.draw.line(page, ink, (begin, field.bottom - 3), (field.right, field.bottom - 3))


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


def _board(sheet: Sheet, number: int, space: tuple[int, int], largest: int, answer: bool = False) -> pygame.Surface:
    """Return the picture of a level's board.

    Args:
        sheet: What it is for.
        number: The number of the level, from 0.
        space: The width and height that it should fit into; with the smallest squares it may be larger.
        largest: The maximum width of a square, in pixels.
        answer: Whether it is for the pages with answers.
    """
    puzzle, drawing, scene = sheet.puzzle, drawing_of(sheet.puzzle), _scene(sheet, number)
    blank = bool(sheet.title) and not answer
    if sheet.title:
        scene = puzzle.concealed(scene) if blank else puzzle.revealed(scene)

    def excess(tile: int) -> bool:
        board = drawing.board(scene, tile)
        return board.width > space[0] or board.height > space[1]

    tile = bisect_right(range(largest + 1), False, lo=_SMALLEST_TILE + 1, key=excess) - 1
    picture = pygame.Surface(drawing.measure(scene, tile), 0, 32)
    drawing.draw(picture, scene, tile)
    if blank and puzzle.hidden is not None:
        for row, column in np.argwhere(~puzzle.hidden.known(scene.level, scene.state)).tolist():
            box = drawing.square(scene, tile, row, column)
            picture.fill(THEMES[sheet.theme].ground, box)
            pygame.draw.rect(picture, _GRID, box, 1)
    board = picture.subsurface(drawing.board(scene, tile))
    return _on_paper(board, puzzle) if THEMES[sheet.theme].printed else board


def _scene(sheet: Sheet, number: int) -> Scene:
    """Return what to draw of a level."""
    level, puzzle = sheet.levels[number], sheet.puzzle
    options = puzzle.resolve_options(sheet.options, level.extent, [level])
    if sheet.scenes:
        return dataclasses.replace(sheet.scenes[number], options=options)
    return Scene(*puzzle.encode(level, level.extent, options), options)


def _shrunk(board: pygame.Surface, space: tuple[int, int]) -> pygame.Surface:
    """Return a picture, reduced if it does not fit into some space."""
    ratio = min(side / whole for side, whole in zip(space, board.get_size(), strict=True))
    return board if ratio >= 1 else pygame.transform.smoothscale_by(board, ratio)


def _on_paper(picture: pygame.Surface, puzzle: Puzzle) -> pygame.Surface:
    """Return the picture of a board for white paper, with brighter shades, which cost less ink; black and white stay.

    What is outside the board's rounded corners becomes white, and its ground if the puzzle says so.
    """
    bright = picture.copy()
    right, bottom = (side - 1 for side in picture.get_size())
    bare = puzzle.picture is not None and puzzle.picture.bare_in_print
    shade, near = ((0, 0, 0), _GROUND) if bare else (pygame.Color(BACKGROUND), _NEAR)
    outside = pygame.mask.from_threshold(picture, shade, (near, near, near, 255))
    for corner in ((0, 0), (right, 0), (0, bottom), (right, bottom)):
        if outside.get_at(corner):
            outside.connected_component(corner).to_surface(bright, setcolor="white", unsetcolor=None)
    table = np.round(255 * (np.arange(256) / 255) ** _LIGHTER).astype(np.uint8)
    pixels = pygame.surfarray.pixels3d(bright)
    pixels[...] = table[pixels]
    return bright
