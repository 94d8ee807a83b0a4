"""Where levels that were made go to: the terminal, or a file, its table, and a sheet of pictures."""

from collections.abc import Sequence
from pathlib import Path

from gridpuzzles_gym.agents.generator.candidates import Candidate
from gridpuzzles_gym.agents.generator.packs import SIDECAR, Grade, levels_text, write_pack, write_whole

from ..engine.messages import plural
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

    def write(self, levels: Sequence[Candidate]) -> list[Path]:
        """Write or print them; the paths of what was written.

        Raises:
            OSError: Something cannot be written.
        """
        if not levels:
            return []
        stem = self.out.stem if self.out else self.puzzle.name
        titles = [level.name or f"{stem} {number}" for number, level in enumerate(levels, start=1)]
        grades = [
            Grade.of(title, level.word, level.score, level.boxes, level.difficulty)
            for title, level in zip(titles, levels, strict=True)
            if level.difficulty
        ]
        text = levels_text(titles, [level.board for level in levels])
        written = []
        if self.out is None:
            print(text, end="")
        elif grades:
            written = [self.out, write_pack(self.out, [level.board.split("\n") for level in levels], grades)]
        else:
            write_whole(self.out, text)
            written = [self.out]
        if self.sheet is not None:
            shown = self.puzzle.parse(text, "levels")
            captions = [f"{grade.title}: {plural(grade.pushes, 'push', 'pushes')}" for grade in grades] or titles
            sheets.write(self.sheet, self.puzzle, self._options, shown, captions)
            written.append(self.sheet)
        return written
