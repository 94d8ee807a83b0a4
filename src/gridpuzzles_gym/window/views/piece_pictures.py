"""Pictures of single squares, cut out of a puzzle's own pictures of example levels."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pygame

from ...engine.pictures.drawing import drawing_of
from ...engine.puzzle import Level, Puzzle
from ...engine.scene import Scene
from ..model.board_reading import drawn_from, palette_of
from ..model.drawn_board import DrawnBoard, Square
from ..model.sprite_samples import Neighborhood, levels_with, neighborhood_of

LARGEST = 900
"""The approximate maximum width of a picture from which squares are cut, in pixels."""


class PiecePictures:
    """The pictures of everything that can be on a square.

    Args:
        puzzle: A puzzle with a palette.
        settings: Options with which its pictures are drawn, such as ``style``; nothing is hidden in them.
    """

    def __init__(self, puzzle: Puzzle, settings: Mapping[str, Any]) -> None:
        self.puzzle, self.palette, self.settings = puzzle, palette_of(puzzle), settings
        self._drawing = drawing_of(puzzle)
        self._pieces: dict[tuple[Square, int], dict[str, pygame.Surface]] = {}
        self._surrounded: dict[int, dict[Neighborhood, pygame.Surface | None]] = {}
        self._last: tuple[DrawnBoard, int, pygame.Surface] | None = None

    def piece(self, cell: str, tile: int, extent: Square) -> pygame.Surface:
        """Return the picture of a square as such.

        Args:
            cell: What is on the square.
            tile: The width of the picture, in pixels.
            extent: The extent of the board.
        """
        key = extent if self.palette.arranged else self.palette.size, tile
        if key not in self._pieces:
            _make_room(self._pieces)
            self._pieces[key] = self._draw_pieces(*key)
        return self._pieces[key][cell]

    def board(self, board: DrawnBoard, tile: int) -> pygame.Surface:
        """Return the picture of a board, valid or not, in which walls are joined; it is changed by the next call."""
        height, width = board.extent
        if self._last is None or self._last[0].extent != board.extent or self._last[1] != tile:
            picture, rows = pygame.Surface((width * tile, height * tile), 0, 32), set(range(height))
        else:
            before, _, picture = self._last
            changed = [row for row in range(height) if board.rows[row] != before.rows[row]]
            rows = {row + near for row in changed for near in (-1, 0, 1)} & set(range(height))
        self._draw_rows(picture, board, tile, sorted(rows))
        self._last = board, tile, picture
        return picture

    def _draw_rows(self, picture: pygame.Surface, board: DrawnBoard, tile: int, rows: Sequence[int]) -> None:
        squares = [(row, column) for row in rows for column in range(board.extent[1])]
        around = {square: neighborhood_of(board, square) for square in squares}
        self._learn((each for each in around.values() if each is not None), tile)
        known = self._surrounded[tile]
        for (row, column), surroundings in around.items():
            found = None if surroundings is None else known[surroundings]
            part = self.piece(board.on((row, column)), tile, board.extent) if found is None else found
            picture.blit(part, (column * tile, row * tile))

    def _learn(self, wanted: Iterable[Neighborhood], tile: int) -> None:
        """Draw surroundings that are not known yet."""
        if tile not in self._surrounded:
            _make_room(self._surrounded)
        known = self._surrounded.setdefault(tile, {})
        missing = [each for each in dict.fromkeys(wanted) if each not in known]
        known.update(dict.fromkeys(missing))
        for level, places in levels_with(self.puzzle, missing, max(LARGEST // tile, 1)) if missing else ():
            for square, picture in self._cut(level, tile, places):
                known[places[square]] = picture

    def _draw_pieces(self, extent: Square, tile: int) -> dict[str, pygame.Surface]:
        """Return a picture of every cell; of those in the examples the one with the fewest walls around it."""
        found: dict[str, tuple[int, pygame.Surface]] = {}
        for text in self.palette.examples(extent):
            for level in self.puzzle.parse(text, "example"):
                board = drawn_from(self.puzzle, level)
                for square, picture in self._cut(level, tile, [square for square, _ in board.squares()]):
                    cell, walls = board.on(square), board.around(square).count(self.palette.border)
                    if cell not in found or walls < found[cell][0]:
                        found[cell] = walls, picture
        pictures = {cell: picture for cell, (_, picture) in found.items()}
        if self.palette.border:
            alone = Neighborhood((*[False] * 4, True, *[False] * 4), (True, True))
            self._learn([alone], tile)
            pictures[self.palette.border] = self._surrounded[tile][alone] or pictures[self.palette.border]
        return pictures

    def _cut(self, level: Level, tile: int, squares: Iterable[Square]) -> list[tuple[Square, pygame.Surface]]:
        """Return the pictures of some squares of a level."""
        scene = self.puzzle.first_scene(level)
        options = dataclasses.replace(scene.options, **self.settings)
        scene = self.puzzle.revealed(dataclasses.replace(scene, options=options))
        squares = list(squares)
        size = self._size_for(scene, tile, squares[len(squares) // 2])
        whole = pygame.Surface(self._drawing.measure(scene, size), 0, 32)
        self._drawing.draw(whole, scene, size)
        pictures = []
        for square in squares:
            box = self._drawing.square(scene, size, *square)
            part = pygame.Surface(box.size, 0, 32)
            part.blit(whole, (0, 0), box)
            exact = box.size == (tile, tile)
            pictures.append((square, part if exact else pygame.transform.smoothscale(part, (tile, tile))))
        return pictures

    def _size_for(self, scene: Scene, tile: int, square: Square) -> int:
        """Return the size with which squares are drawn as wide as ``tile``: cropped boards have larger ones."""
        smaller = range(tile, max(tile // 2, 3), -1)
        return next((size for size in smaller if self._drawing.square(scene, size, *square).width == tile), tile)


def _make_room(kept: dict[Any, Any]) -> None:
    if len(kept) > 8:
        kept.clear()
