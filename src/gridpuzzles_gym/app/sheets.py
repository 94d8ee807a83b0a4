"""Sheets: one picture of many small levels, each with a caption."""

import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pygame

from ..engine import painting
from ..engine.drawing import drawing_of
from ..engine.files import write_bytes
from ..engine.puzzle import Level, Puzzle, Scene
from .arguments import choose_levels, new_file
from .puzzle_detection import puzzle_for

MOST = 100
"""Maximum number of levels on a sheet."""
WIDEST = 160
"""Approximate maximum size of a board in pixels; it determines the size of squares."""
_TILES = (8, 40)
_GROUND, _INK = "#120f17", "#f6e9cf"
_GAP, _LINE = 10, 15


def draw_choice(choice: str, path: Path, named: str | None, style: str | None, force: bool) -> None:
    """Draw the levels of a file, folder or bundled pack.

    Args:
        choice: As for ``--level``.
        path: The PNG file.
        named: The name of the puzzle; None detects it.
        style: The style of the pictures; None is the default.
        force: Overwrite an existing file.

    Raises:
        ValueError: The levels or the style are unknown, or the file has another suffix.
        OSError: The file exists and ``force`` is False, or it cannot be written.
    """
    puzzle = puzzle_for(choice, named)
    options = puzzle.read_options(**({} if style is None else {"style": style}))
    levels = choose_levels(puzzle, choice)[1]
    write(new_file(path, force, ".png"), puzzle, options, levels, [level.name for level in levels])


def write(path: Path, puzzle: Puzzle, options: Any, levels: Sequence[Level], captions: Sequence[str]) -> None:
    """Draw levels as a PNG.

    Args:
        path: The file.
        puzzle: The puzzle of the levels.
        options: The options of the puzzle; ``style``, if it has one, is the style of the pictures.
        levels: The levels; the first :data:`MOST` are drawn.
        captions: One line for each level.

    Raises:
        OSError: The file cannot be written.
    """
    levels = levels[:MOST]
    side = max(max(level.extent[:2]) for level in levels)
    tile = min(max(WIDEST // side, _TILES[0]), _TILES[1])
    boards = [_board(puzzle, options, level, tile) for level in levels]
    columns = math.ceil(math.sqrt(1.4 * len(boards)))
    rows = math.ceil(len(boards) / columns)
    width = max(board.get_width() for board in boards) + _GAP
    height = max(board.get_height() for board in boards) + _LINE + _GAP
    sheet = pygame.Surface((columns * width + _GAP, rows * height + _GAP), 0, 32)
    sheet.fill(_GROUND)
    for place, (board, caption) in enumerate(zip(boards, captions, strict=False)):
        row, column = divmod(place, columns)
        cell = pygame.Rect(_GAP + column * width, _GAP + row * height, width - _GAP, height - _GAP)
        painting.paste(sheet, board, (cell.centerx, cell.top + (cell.height - _LINE) / 2))
        painting.write(sheet, caption, pygame.Rect(cell.left, cell.bottom - _LINE, cell.width, _LINE), _INK, _LINE - 2)
    png = io.BytesIO()
    pygame.image.save(sheet, png, "sheet.png")
    write_bytes(path, png.getvalue())


def _board(puzzle: Puzzle, options: Any, level: Level, tile: int) -> pygame.Surface:
    """Return the picture of the board at the start of a level."""
    drawing = drawing_of(puzzle)
    options = puzzle.resolve_options(options, level.extent, [level])
    scene = Scene(*puzzle.encode(level, level.extent, options), options)
    picture = pygame.Surface(drawing.measure(scene, tile), 0, 32)
    drawing.draw(picture, scene, tile)
    return picture.subsurface(drawing.board(scene, tile))
