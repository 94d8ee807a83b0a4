"""Output of generated levels: the terminal or a file, its table, and a sheet of pictures."""

from collections.abc import Sequence
from pathlib import Path

from gridpuzzles_gym.agents.candidates import Candidate
from gridpuzzles_gym.agents.level_sources.makers import maker_of

from ...engine.levels.sources import SIDECAR, levels_text
from ...engine.puzzle import Puzzle
from ...engine.system.files import write_text
from ...session.arguments import new_file
from ..sheets import sheets

_SUFFIXES = (".txt", ".xsb")


class Target:
    """The output of generated levels; errors are raised here, before any level is generated.

    Args:
        puzzle: The puzzle of the levels.
        out: The level file; None prints the levels.
        sheet: Pictures of the levels, or None.
        force: Overwrite existing level files.

    Raises:
        ValueError: A file has an invalid suffix, or as :meth:`.SheetOrder.check`.
        OSError: A file exists and may not be overwritten.
    """

    def __init__(self, puzzle: Puzzle, out: Path | None, sheet: sheets.SheetOrder | None, force: bool = False) -> None:
        self.puzzle, self.out, self.sheet = puzzle, out, sheet
        maker = maker_of(puzzle)
        self._table = None if maker is None else maker.table
        if out is not None:
            new_file(out, force, *_SUFFIXES)
            if self._table is not None:
                new_file(out.with_suffix(SIDECAR), force)
        if sheet is not None:
            sheet.check(puzzle)

    def titles(self, levels: Sequence[Candidate]) -> list[str]:
        """Return the titles of the levels: their own, otherwise the name of the file or puzzle and a number."""
        stem = self.out.stem if self.out else self.puzzle.name
        return [level.name or f"{stem} {number}" for number, level in enumerate(levels, start=1)]

    def write(self, levels: Sequence[Candidate], printed: bool = True) -> list[Path]:
        """Write the levels; without a file, print them if ``printed``.

        Returns:
            The paths of the files written.

        Raises:
            OSError: A file cannot be written.
        """
        if not levels:
            return []
        titles = self.titles(levels)
        text = levels_text(titles, [level.board for level in levels])
        written = []
        if self.out is None:
            print(text if printed else "", end="")
        else:
            write_text(self.out, text)
            written = [self.out]
            if self._table is not None:
                written.append(self.out.with_suffix(SIDECAR))
                write_text(written[-1], self._table(titles, levels))
        if self.sheet is not None:
            shown = self.puzzle.parse(text, "levels")
            captions = [_caption(title, level) for title, level in zip(titles, levels, strict=True)]
            written += self.sheet.write(self.puzzle, shown, captions)
        return written


def _caption(title: str, level: Candidate) -> str:
    """Return the caption below a level's picture: its title and its first measurement."""
    if level.difficulty is None:
        return title
    name, number = next(iter(level.difficulty.numbers().items()))
    return f"{title}: {number:g} {name}"
