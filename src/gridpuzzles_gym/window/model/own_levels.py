"""The folders of the levels that a person has drawn, one per puzzle, and in each the drawing in progress."""

import re
from pathlib import Path

from ...engine.levels.text_files import read_level_text
from ...engine.messages import printable
from ...engine.puzzle import LevelError, Puzzle
from ...engine.system.files import write_text
from .editing.board_reading import palette_of
from .editing.drawn_board import DrawnBoard
from .editing.level_editing import Editing
from .progress import Progress

SUFFIX = ".txt"
_DRAFT = ".draft" + SUFFIX
"""The name of the drawing in progress; as a hidden file it is not read as a level."""


def own_folder(progress: Progress, puzzle: Puzzle) -> Path | None:
    """Return the folder for the person's levels of a puzzle, which need not exist; None without a data folder."""
    return None if progress.folder is None else progress.folder.parent / "levels" / puzzle.name


def file_for(folder: Path | None, title: str, suffix: str = SUFFIX) -> Path:
    """Return a path for a level with this title."""
    name = re.sub(r"[^\w()+-]+", " ", title).strip() or "my level"
    return (folder or Path.cwd()) / f"{name[:80]}{suffix}"


def draft_path(folder: Path) -> Path:
    """Return the file of the drawing in progress."""
    return folder / _DRAFT


def read_draft(folder: Path | None, puzzle: Puzzle) -> Editing:
    """Return the drawing in progress, or a new one."""
    if folder is not None and draft_path(folder).is_file():
        try:
            lines = read_level_text(draft_path(folder)).splitlines()
            title = lines.pop(0)[2:] if lines and lines[0].startswith(";") else ""
            return Editing(puzzle, DrawnBoard.of_lines(palette_of(puzzle), lines), title)
        except LevelError:
            pass  # from another version, or damaged: begin a new one
    return Editing(puzzle)


def write_draft(folder: Path | None, editing: Editing) -> None:
    """Save the drawing in progress; raises OSError if it cannot be written."""
    if folder is not None:
        title = printable(editing.title)
        heading = f"; {title}\n" if title else ""
        write_text(draft_path(folder), heading + editing.board.exact_text())
