"""Pictures of single squares, cut out of a puzzle's own pictures of example levels."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pygame

from ...engine.pictures.canvas import drawing_of
from ...engine.puzzle import Level, Puzzle
from ...engine.scene import Scene
from ..model.editing.board_reading import drawn_from, palette_of
from ..model.editing.drawn_board import DrawnBoard, Square
from ..model.sprite_samples import Neighborhood, levels_with, neighborhood_of

LARGEST = 900
"""The approximate maximum width of a picture from which squares are cut, in pixels."""


class PiecePictures:
    """The pictures of all pieces and boards.

    Args:
        puzzle: A puzzle with a palette.
        settings: Options of the pictures, such as ``style``; hidden pieces are shown in any case.
    """

    def __init__(self, puzzle: Puzzle, settings: Mapping[str, Any]) -> None:
        self.puzzle, self.palette, self.settings = puzzle, palette_of(puzzle), settings
        self._drawing = drawing_of(puzzle)
        self._pieces: dict[tuple[Square, int], dict[str, pygame.Surface]] = {}
        self._neighborhoods: dict[int, dict[Neighborhood, pygame.Surface | None]] = {}
        self._last: tuple[DrawnBoard, int, pygame.Surface] | None = None

    def piece(self, cell: str, tile: int, extent: Square) -> pygame.Surface:
        """Return the picture of a square without its neighborhood.

        Args:
            cell: What is on the square.
            tile: The width of the picture, in pixels.
            extent: The extent of the board.
        """
        key = extent if self.palette.arranged else self.palette.size, tile
        if key not in self._pieces:
            _limit(self._pieces)
            self._pieces[key] = self._draw_pieces(*key)
        return self._pieces[key][cell]

    def board(self, board: DrawnBoard, tile: int) -> pygame.Surface:
        """Return the picture of a board, valid or not, with joined walls; the next call changes it."""
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
        self._draw_neighborhoods((each for each in around.values() if each is not None), tile)
        known = self._neighborhoods[tile]
        for (row, column), neighborhood in around.items():
            found = None if neighborhood is None else known[neighborhood]
            part = self.piece(board.on((row, column)), tile, board.extent) if found is None else found
            picture.blit(part, (column * tile, row * tile))

    def _draw_neighborhoods(self, wanted: Iterable[Neighborhood], tile: int) -> None:
        """Draw the neighborhoods that have not been drawn yet."""
        if tile not in self._neighborhoods:
            _limit(self._neighborhoods)
        known = self._neighborhoods.setdefault(tile, {})
        missing = [each for each in dict.fromkeys(wanted) if each not in known]
        known.update(dict.fromkeys(missing))
        for level, places in levels_with(self.puzzle, missing, max(LARGEST // tile, 1)) if missing else ():
            for square, picture in self._cut(level, tile, places):
                known[places[square]] = picture

    def _draw_pieces(self, extent: Square, tile: int) -> dict[str, pygame.Surface]:
        """Return a picture of every cell: of its squares in the examples, the one next to the fewest walls."""
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
            self._draw_neighborhoods([alone], tile)
            pictures[self.palette.border] = self._neighborhoods[tile][alone] or pictures[self.palette.border]
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
        """Return the tile size with which squares become ``tile`` pixels wide: on cropped boards they are larger."""
        smaller = range(tile, max(tile // 2, 3), -1)
        return next((size for size in smaller if self._drawing.square(scene, size, *square).width == tile), tile)


def _limit(cache: dict[Any, Any]) -> None:
    if len(cache) > 8:
        cache.clear()
