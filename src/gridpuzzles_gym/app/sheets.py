"""Files of sheets: many small levels with captions, as one picture, or as pages for printing."""

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pygame

from ..engine.files import write_bytes
from ..engine.messages import quote
from ..engine.puzzle import Level, Puzzle
from .arguments import choose_levels, new_file
from .pdf import Page, pdf_of
from .puzzle_detection import puzzle_for
from .sheet_drawing import DOTS_PER_INCH, MOST, THEMES, Sheet, one_picture, pages

SUFFIXES = (".png", ".pdf")
Solve = Callable[[Puzzle, Sequence[Level]], Sequence[str]]


def draw_choice(
    choice: str,
    path: Path,
    named: str | None,
    style: str | None,
    force: bool,
    theme: str = "dark",
    solve: Solve | None = None,
) -> list[Path]:
    """Draw the levels of a file, folder or bundled pack.

    Args:
        choice: As for ``--level``.
        path: The PNG or PDF file.
        named: The name of the puzzle; None detects it.
        style: The style of the pictures; None is the default.
        force: Overwrite existing files.
        theme: One of :data:`~.sheet_drawing.THEMES`.
        solve: Returns the answers of levels; None draws no answers.

    Returns:
        The files written.

    Raises:
        ValueError: The levels, the style or the theme are unknown, or the file has another suffix.
        OSError: A file exists and ``force`` is False, or it cannot be written.
    """
    if theme not in THEMES:
        raise ValueError(f"theme {quote(theme)} is not known; allowed are {', '.join(THEMES)}")
    puzzle = puzzle_for(choice, named)
    options = options_for(puzzle, theme, **({} if style is None else {"style": style}))
    levels = choose_levels(puzzle, choice)[1][:MOST]
    new_file(path, force, *SUFFIXES)
    if solve is not None and not _is_pdf(path):
        new_file(answers_path(path), force)
    answers = () if solve is None else solve(puzzle, levels)
    return write_sheet(path, Sheet(puzzle, options, levels, [level.name for level in levels], theme, answers))


def options_for(puzzle: Puzzle, theme: str, **chosen: Any) -> Any:
    """Return the puzzle's options for pictures in a theme; chosen ones take precedence."""
    return puzzle.read_options(**{**(puzzle.printed if THEMES[theme].printed else {}), **chosen})


def answers_path(path: Path) -> Path:
    """Return the file of the answers that belong to a PNG."""
    return path.with_stem(f"{path.stem}-answers")


def write(path: Path, puzzle: Puzzle, options: Any, levels: Sequence[Level], captions: Sequence[str]) -> None:
    """Draw levels in the dark theme, without answers; see :func:`write_sheet`."""
    write_sheet(path, Sheet(puzzle, options, levels, captions))


def write_sheet(path: Path, sheet: Sheet) -> list[Path]:
    """Draw a sheet: as a PNG, and another one for the answers; or as a PDF of A4 pages, with the answers at the end.

    Args:
        path: The file; a name that ends in ``.pdf`` is a PDF.
        sheet: What to draw.

    Returns:
        The files written.

    Raises:
        OSError: A file cannot be written.
    """
    parts: list[Sequence[str]] = [(), sheet.answers] if sheet.answers else [()]
    if _is_pdf(path):
        printed = [page for answers in parts for page in pages(sheet, answers)]
        pictures = [Page(*page.get_size(), pygame.image.tobytes(page, "RGB")) for page in printed]
        write_bytes(path, pdf_of(pictures, DOTS_PER_INCH))
        return [path]
    paths = [path, answers_path(path)][: len(parts)]
    for file, answers in zip(paths, parts, strict=True):
        png = io.BytesIO()
        pygame.image.save(one_picture(sheet, answers), png, "sheet.png")
        write_bytes(file, png.getvalue())
    return paths


def _is_pdf(path: Path) -> bool:
    return path.suffix.lower() == ".pdf"
