"""``gridpuzzles levels draw``: pictures of levels, as one picture or as pages to print."""

import io
import math
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import pygame
import typer

from ...engine.pictures import painting
from ...engine.pictures.canvas import drawing_of
from ...engine.puzzle import Level, Puzzle
from ...engine.scene import Scene
from ...engine.system.files import replacing
from ...play.arguments import new_file
from ...play.solving import limits
from ..common.options import Force, Setting, Strict, Style
from ..common.terminal import examples, say
from .options import LevelArgument, NamedLevels, PuzzleName, group, read_named
from .row_table import results_of
from .solve import LevelSolver

MOST = 100
"""Maximum number of levels that are drawn."""
ANSWER_SECONDS = 20
"""The time limit for the solution of each level."""
DOTS_PER_INCH = 150
_PAGE, _MARGIN, _PAGE_GRID = (1240, 1754), 75, (3, 4)
"""A4 at this resolution, its margin, and the numbers of columns and rows of levels on it."""
_CELL, _GAP, _LINE = 160, 10, 15
"""The width of a level in one picture, the space between two, and the height of a line of text, in pixels."""
_LARGEST_TILE = 56
_INK = "#1b1622"


class Drawn(NamedTuple):
    """A level and what is written below it."""

    level: Level
    lines: Sequence[str]


@group.command(
    epilog=examples(
        "levels draw medium --out medium.png",
        "levels draw caves.txt --out caves.png --puzzle wumpus",
        "levels draw first --out answers.pdf --answers",
    )
)
def draw(
    choice: LevelArgument,
    out: Annotated[Path, typer.Option(metavar="PNG|PDF", help="File to write: one picture, or A4 pages to print.")],
    puzzle: PuzzleName = None,
    settings: Setting = None,
    style: Style = None,
    answers: Annotated[bool, typer.Option("--answers", help="Write a solution below each level.")] = False,
    strict: Strict = False,
    force: Force = False,
) -> None:
    """Draw the first 100 levels with their names, in one picture or on pages."""
    new_file(out, force, ".png", ".pdf")
    named = read_named(choice, puzzle, settings, strict, style)
    named = named._replace(levels=named.levels[:MOST])
    lines = solutions(named) if answers else [[] for _ in named.levels]
    drawn = [Drawn(level, [level.name, *text]) for level, text in zip(named.levels, lines, strict=True)]
    pages = draw_pages(named.puzzle, named.options, drawn, out.suffix.lower() == ".pdf")
    with replacing(out) as unfinished:
        unfinished.write_bytes(_file(pages, out.suffix.lower()))
    say([f"wrote {out}"])


def solutions(named: NamedLevels) -> list[list[str]]:
    """Return a solution of each level as lines of text: its length, then the first letters of its actions.

    Raises:
        ValueError: Chance plays a part, so that there are no solutions.
    """
    if not named.puzzle.deterministic:
        raise ValueError(f"--answers: {named.puzzle.title} has no solutions: its games depend on chance")
    solver = LevelSolver(named.puzzle, named.options, None, None, limits(None, None, ANSWER_SECONDS, 1024), {})
    found = results_of(solver, named.levels, 0, None, None)
    return [
        [f"{result.moves} moves: {result.solution}" if result.solved else f"not solved: {result.ending}"]
        for result in found
    ]


def draw_pages(puzzle: Puzzle, options: object, drawn: Sequence[Drawn], printed: bool) -> list[pygame.Surface]:
    """Draw levels on white.

    Args:
        puzzle: The puzzle.
        options: Its options.
        drawn: At least one level.
        printed: Whether to draw pages of A4; otherwise one picture.
    """
    if not printed:
        columns = min(math.ceil(math.sqrt(1.4 * len(drawn))), len(drawn))
        rows = math.ceil(len(drawn) / columns)
        texts = [_wrapped(each.lines, _CELL, _LINE) for each in drawn]
        cell = _CELL, _CELL + _LINE * max(map(len, texts))
        size = columns * (cell[0] + _GAP) + _GAP, rows * (cell[1] + _GAP) + _GAP
        return [_page(puzzle, options, drawn, size, _GAP, (columns, rows), _LINE)]
    some = _PAGE_GRID[0] * _PAGE_GRID[1]
    parts = [drawn[first : first + some] for first in range(0, len(drawn), some)]
    return [_page(puzzle, options, part, _PAGE, _MARGIN, _PAGE_GRID, 24) for part in parts]


def _page(
    puzzle: Puzzle,
    options: object,
    drawn: Sequence[Drawn],
    size: tuple[int, int],
    margin: int,
    grid: tuple[int, int],
    line: int,
) -> pygame.Surface:
    """Draw a page with this size, margin, number of columns and rows of levels, and height of a line of text."""
    page = pygame.Surface(size, 0, 32)
    page.fill("white")
    wide, high = ((side - 2 * margin + _GAP) // count - _GAP for side, count in zip(size, grid, strict=True))
    for place, each in enumerate(drawn):
        row, column = divmod(place, grid[0])
        box = pygame.Rect(margin + column * (wide + _GAP), margin + row * (high + _GAP), wide, high)
        words = _wrapped(each.lines, wide, line)
        space = box.width, max(box.height - line * len(words), box.height // 2)
        board = _board(puzzle, options, each.level, space)
        page.blit(board, board.get_rect(midtop=box.midtop))
        for number, text in enumerate(words):
            painting.write(
                page, text, pygame.Rect(box.left, box.top + space[1] + number * line, wide, line), _INK, line - 3
            )
    return page


def _wrapped(lines: Sequence[str], width: int, line: int) -> list[str]:
    letters = max(width // painting.font(line - 3).size("D")[0], 1)
    return [part for text in lines for part in textwrap.wrap(text, letters) or [""]]


def _board(puzzle: Puzzle, options: object, level: Level, space: tuple[int, int]) -> pygame.Surface:
    """Return the picture of a level's board, which fits into some space."""
    drawing = drawing_of(puzzle)
    resolved = puzzle.resolve_options(options, level.extent, [level])
    scene = Scene(*puzzle.encode(level, level.extent, resolved), resolved)
    tile = _LARGEST_TILE
    while tile > 8 and any(side > most for side, most in zip(drawing.board(scene, tile).size, space, strict=True)):
        tile -= 1
    picture = pygame.Surface(drawing.measure(scene, tile), 0, 32)
    drawing.draw(picture, scene, tile)
    board = picture.subsurface(drawing.board(scene, tile))
    ratio = min(most / side for side, most in zip(board.get_size(), space, strict=True))
    return board if ratio >= 1 else pygame.transform.smoothscale_by(board, ratio)


def _file(pages: Sequence[pygame.Surface], suffix: str) -> bytes:
    """Return the content of a file with these pages."""
    from PIL import Image

    first, *others = (Image.frombytes("RGB", page.get_size(), pygame.image.tobytes(page, "RGB")) for page in pages)
    file = io.BytesIO()
    if suffix == ".pdf":
        first.save(file, "PDF", resolution=DOTS_PER_INCH, save_all=True, append_images=others)
    else:
        first.save(file, "PNG")
    return file.getvalue()
