"""Pictures of single squares, cut out of a puzzle's own pictures of example levels."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import pygame

from ...engine.drawing import drawing_of
from ...engine.puzzle import Puzzle
from ..board_reading import drawn_from, palette_of, scene_of
from ..drawn_board import Square


class PiecePictures:
    """The pictures of everything that can be on a square.

    Args:
        puzzle: A puzzle with a palette.
        settings: Options with which its pictures are drawn, such as ``style``; nothing is hidden in them.
    """

    def __init__(self, puzzle: Puzzle, settings: Mapping[str, Any]) -> None:
        self.puzzle, self.palette, self.settings = puzzle, palette_of(puzzle), settings
        self._kept: dict[tuple[Square, int], dict[str, pygame.Surface]] = {}

    def picture(self, cell: str, tile: int, extent: Square) -> pygame.Surface:
        """Return the picture of a square.

        Args:
            cell: What is on the square.
            tile: The width of the picture, in pixels.
            extent: The extent of the board.
        """
        key = extent if self.palette.arranged else self.palette.size, tile
        if key not in self._kept:
            if len(self._kept) > 8:
                self._kept.clear()
            self._kept[key] = self._draw(*key)
        return self._kept[key][cell]

    def _draw(self, extent: Square, tile: int) -> dict[str, pygame.Surface]:
        """Return a picture of every cell; of those in the examples the one with the fewest walls around it."""
        drawing = drawing_of(self.puzzle)
        found: dict[str, tuple[int, pygame.Surface]] = {}
        for text in self.palette.examples(extent):
            for level in self.puzzle.parse(text, "example"):
                scene = scene_of(self.puzzle, level)
                options = dataclasses.replace(scene.options, **self.settings)
                scene = self.puzzle.revealed(dataclasses.replace(scene, options=options))
                picture = pygame.Surface(drawing.measure(scene, tile), 0, 32)
                drawing.draw(picture, scene, tile)
                board = drawn_from(self.puzzle, level)
                for square, cell in board.squares():
                    walls = sum(piece == self.palette.border for piece in board.around(square))
                    if cell not in found or walls < found[cell][0]:
                        place = drawing.square(scene, tile, *square).clip(picture.get_rect())
                        found[cell] = walls, picture.subsurface(place)
        return {cell: picture.copy() for cell, (_, picture) in found.items()}
