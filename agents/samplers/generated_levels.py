"""Levels that a puzzle's own rules draw, as a sampler: for curricula, for replay, for background processes."""

from typing import Any

import numpy as np

from gridpuzzles_gym.engine.kernels import kernel, make_generate
from gridpuzzles_gym.engine.puzzle import Extent, Level, Puzzle, Row

from .base import Stateless, puzzle_of
from .mixing import mix


class GeneratedLevels(Stateless):
    """What an environment draws by itself, level by level: ``GeneratedLevels("EightPuzzle-v0", scramble=12)``.

    Args:
        puzzle: An environment's id, or the puzzle: Wumpus caves, random mazes, scrambled tiles.
        **options: The puzzle's own, as for ``gym.make``. The environment that plays needs those that are
            not written in level text, a tile puzzle's ``goal`` for one.

    Raises:
        ValueError: The puzzle draws no levels, or not with these options; an option is bad.
    """

    def __init__(self, puzzle: str | Puzzle, **options: Any) -> None:
        self.puzzle = puzzle_of(puzzle)
        self.options = self.puzzle.read_options(**options)
        generation = self.puzzle.generation_with(self.options)
        if generation is None:
            why = "of its own" if self.puzzle.generation is None else "with these options, but plays those of its pack"
            raise ValueError(f"{self.puzzle.title} generates no levels {why}")
        self.extent = tuple(generation.extent(self.options))
        self.options = self.puzzle.resolve_options(self.options, self.extent, ())
        self._settings = generation.settings(self.options)

    def sample(self, random_bits: int) -> Level:
        """The level of a random word: the same for the same word."""
        rows = [np.zeros(size, np.int16) for size in self.puzzle.sizes(self.extent)]
        rng = np.array([mix(random_bits) or 1], np.uint64)  # the rules' generator is never zero
        kernel(make_generate, self.puzzle)(self._settings, rng, *rows)
        return GeneratedLevel(
            self.puzzle, self.extent, self.options, (rows[0], rows[1]), f"generated {random_bits:016x}"
        )


class GeneratedLevel(Level):
    """A level as its rows: an environment with options like those it was drawn with takes them as they are.

    Args:
        puzzle: Whose level.
        extent: Of the board.
        options: It was drawn with.
        rows: (level, start state).
        name: Its title.
    """

    _puzzle: Puzzle
    _options: Any
    _rows: tuple[Row, Row]

    def __init__(self, puzzle: Puzzle, extent: Extent, options: Any, rows: tuple[Row, Row], name: str) -> None:
        self.__dict__.update(extent=extent, name=name, _puzzle=puzzle, _options=options, _rows=rows)

    @property
    def content(self) -> Any:
        """What its text says."""
        (level,) = self._puzzle.parse(f"; {self.name}\n{self._puzzle.format(*self._rows)}", self.name)
        return level.content

    def rows_for(self, puzzle: Puzzle, extent: Extent, options: Any) -> tuple[Row, Row] | None:
        """Its own, if they would be the same on such a board."""
        if puzzle is not self._puzzle or tuple(extent) != self.extent or puzzle.generation is None:
            return None
        return self._rows if puzzle.generation.same_encoding(self._options, options) else None
