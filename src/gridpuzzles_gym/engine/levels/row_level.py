"""A level stored as a row of numbers; its text is computed on demand."""

from typing import Any

from ..puzzle import Extent, Level, Puzzle
from ..scene import Row
from .row_check import same_rows


class RowLevel(Level):
    """A level given by its rows.

    Args:
        puzzle: The puzzle.
        extent: The extent of its board.
        options: The options with which the rows were made.
        rows: (level, start state).
        name: Its title.
        generated: Whether the puzzle's own rules have generated it with these options.
    """

    _puzzle: Puzzle
    _options: Any
    _rows: tuple[Row, Row]
    _generated: bool

    def __init__(
        self,
        puzzle: Puzzle,
        extent: Extent,
        options: Any,
        rows: tuple[Row, Row],
        name: str,
        generated: bool = False,
    ) -> None:
        fields = {"extent": extent, "name": name, "puzzle": puzzle.module}
        self.__dict__.update(fields, _puzzle=puzzle, _options=options, _rows=rows, _generated=generated)  # frozen

    @property
    def content(self) -> Any:
        """The content parsed from the level's text."""
        (level,) = self._puzzle.parse(f"; {self.name}\n{self._puzzle.format(*self._rows)}", self.name)
        return level.content

    def rows_for(self, puzzle: Puzzle, extent: Extent, options: Any) -> tuple[Row, Row] | None:
        """Its rows, if they would be the same on such a board."""
        if puzzle is not self._puzzle or tuple(extent) != self.extent:
            return None
        generation = puzzle.generation if self._generated else None
        if generation is None:
            same = same_rows(puzzle, self.extent, options, self._options)
        else:
            same = generation.same_encoding(self._options, options)
        return self._rows if same else None
