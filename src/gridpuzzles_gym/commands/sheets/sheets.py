"""Files of sheets: many small levels with captions, as one picture, or as pages for printing."""

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pygame

from ...engine.messages import did_you_mean, quote
from ...engine.puzzle import Level, Puzzle
from ...engine.system.files import write_bytes
from ...session.arguments import chosen_levels, new_file
from ...session.puzzle_detection import puzzle_for
from .answers import check_answers
from .drawing import DOTS_PER_INCH, MOST, THEMES, Sheet, one_picture, pages
from .pdf import Page, pdf_of

SUFFIXES = (".png", ".pdf")
Solve = Callable[[Puzzle, Sequence[Level]], Sequence[str]]


class SheetOrder(NamedTuple):
    """The options of a sheet, before its levels are known."""

    path: Path
    """The PNG or PDF file."""
    style: str | None = None
    """The style of the pictures; None is the default."""
    theme: str = "dark"
    """One of :data:`~.sheets.drawing.THEMES`."""
    solve: Solve | None = None
    """Returns the answers of levels; None: no answers."""
    force: bool = False
    """Whether existing files are overwritten."""

    def check(self, puzzle: Puzzle) -> Any:
        """Return the puzzle's options for its pictures.

        Raises:
            ValueError: The style or the theme are unknown, the file has another suffix, or there can be no answers.
            OSError: A file exists and ``force`` is False.
        """
        if self.theme not in THEMES:
            raise ValueError(f"theme {quote(self.theme)} is not known; {did_you_mean(self.theme, THEMES)}")
        options = options_for(puzzle, self.theme, **({} if self.style is None else {"style": self.style}))
        new_file(self.path, self.force, *SUFFIXES)
        if self.solve is not None:
            check_answers(puzzle)
            if not _is_pdf(self.path):
                new_file(answers_path(self.path), self.force)
        return options

    def write(self, puzzle: Puzzle, levels: Sequence[Level], captions: Sequence[str]) -> list[Path]:
        """Draw levels, of which the first :data:`~.sheets.drawing.MOST` are on the sheet, and return the files written.

        Raises:
            ValueError: As :meth:`check`.
            OSError: As :meth:`check`, or a file cannot be written.
        """
        options, levels = self.check(puzzle), levels[:MOST]
        answers = () if self.solve is None else self.solve(puzzle, levels)
        return write_sheet(self.path, Sheet(puzzle, options, levels, captions[:MOST], self.theme, answers))


def draw_choice(choice: str, named: str | None, order: SheetOrder, strict: bool = False) -> list[Path]:
    """Draw the levels of a file, folder or bundled pack.

    Args:
        choice: As for ``--levels``.
        named: The name of the puzzle; None detects it.
        order: The options of the sheet.
        strict: Whether an invalid level is an error even among valid ones; otherwise it is left out.

    Returns:
        The files written.

    Raises:
        ValueError: The levels are unknown, or as :meth:`SheetOrder.check`.
        OSError: A file exists and may not be overwritten, or it cannot be written.
    """
    puzzle = puzzle_for(choice, named)
    order.check(puzzle)
    levels = chosen_levels(puzzle, choice, strict)
    return order.write(puzzle, levels, [level.name for level in levels])


def options_for(puzzle: Puzzle, theme: str, **chosen: Any) -> Any:
    """Return the puzzle's options for pictures in a theme; chosen ones take precedence."""
    return puzzle.read_options(**{**(puzzle.printed if THEMES[theme].printed else {}), **chosen})


def answers_path(path: Path) -> Path:
    """Return the file of the answers that belong to a PNG."""
    return path.with_stem(f"{path.stem}-answers")


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
        picture = _stacked(list(pages(sheet, answers))) if sheet.title else one_picture(sheet, answers)
        png = io.BytesIO()
        pygame.image.save(picture, png, "sheet.png")
        write_bytes(file, png.getvalue())
    return paths


def _stacked(pictures: Sequence[pygame.Surface]) -> pygame.Surface:
    """Return pictures of one size as one, from top to bottom."""
    width, height = pictures[0].get_size()
    whole = pygame.Surface((width, height * len(pictures)), 0, 32)
    for number, picture in enumerate(pictures):
        whole.blit(picture, (0, number * height))
    return whole


def _is_pdf(path: Path) -> bool:
    return path.suffix.lower() == ".pdf"
