"""Where levels that were made go to: the terminal, or a file, its table, and a sheet of pictures."""

from collections.abc import Sequence
from pathlib import Path

from gridpuzzles_gym.agents.generator.candidates import Candidate
from gridpuzzles_gym.agents.generator.packs import SIDECAR, Grade, levels_text, write_pack

from ..engine.files import write_text
from ..engine.puzzle import Puzzle
from . import sheets
from .arguments import new_file

_SUFFIXES = (".txt", ".xsb")


class Target:
    """Where levels are to go; whatever does not work there shows before they are made.

    Args:
        puzzle: Whose levels.
        out: The level file; None prints them.
        sheet: A PNG of their pictures, if wanted.
        style: How these are drawn, where the puzzle has styles.
        force: Overwrite what is there.
        graded: Will the levels be measured, so that a table of that goes beside their file?

    Raises:
        ValueError: A file's name ends in another way, or there is no such style.
        OSError: A file is there already, or cannot be written.
    """

    def __init__(
        self, puzzle: Puzzle, out: Path | None, sheet: Path | None, style: str | None, force: bool, graded: bool
    ) -> None:
        self.puzzle, self.out, self.sheet = puzzle, out, sheet
        if style is not None and sheet is None:
            raise ValueError("--style is of the picture: say --sheet too")
        self._options = puzzle.read_options(**({} if style is None else {"style": style}))
        if out is not None:
            new_file(out, force, *_SUFFIXES)
            if graded:
                new_file(out.with_suffix(SIDECAR), force)
        if sheet is not None:
            new_file(sheet, force, ".png")

    def titles(self, levels: Sequence[Candidate]) -> list[str]:
        """What the levels are called: their own names, or numbers behind that of the file or puzzle."""
        stem = self.out.stem if self.out else self.puzzle.name
        return [level.name or f"{stem} {number}" for number, level in enumerate(levels, start=1)]

    def write(self, levels: Sequence[Candidate], printed: bool = True) -> list[Path]:
        """Write them, or print them where there is no file and they are to be ``printed``.

        Returns:
            The paths of what was written.

        Raises:
            OSError: Something cannot be written.
        """
        if not levels:
            return []
        titles = self.titles(levels)
        grades = [
            Grade.of(title, level.word, level.score, level.boxes, level.difficulty)
            for title, level in zip(titles, levels, strict=True)
            if level.difficulty
        ]
        text = levels_text(titles, [level.board for level in levels])
        written = []
        if self.out is None:
            print(text if printed else "", end="")
        elif grades:
            written = [self.out, write_pack(self.out, [level.board.split("\n") for level in levels], grades)]
        else:
            write_text(self.out, text)
            written = [self.out]
        if self.sheet is not None:
            shown = self.puzzle.parse(text, "levels")
            captions = [f"{grade.title}: {grade.pushes} push{'es' * (grade.pushes != 1)}" for grade in grades] or titles
            sheets.write(self.sheet, self.puzzle, self._options, shown, captions)
            written.append(self.sheet)
        return written
