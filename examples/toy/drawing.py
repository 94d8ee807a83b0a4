"""The picture: white floor, grey walls, a green goal, a blue player."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import pygame

from .rules import GOAL, HEIGHT, WALLS, WIDTH


class Plain:
    """The board and nothing else: a drawing that shares nothing with those of the suite."""

    def measure(self, scene, tile_size):
        """Return the width and the height of the picture in pixels."""
        return int(scene.level[WIDTH]) * tile_size, int(scene.level[HEIGHT]) * tile_size

    def board(self, scene, tile_size):
        """Return the rectangle of the board in the picture; here there is nothing else."""
        return pygame.Rect((0, 0), self.measure(scene, tile_size))

    def square(self, scene, tile_size, row, column):
        """Return the rectangle of a square."""
        return pygame.Rect(column * tile_size, row * tile_size, tile_size, tile_size)

    def square_at(self, scene, tile_size, point):
        """Return the row and the column of the square at a pixel, or None."""
        inside = self.board(scene, tile_size).collidepoint(point)
        return (point[1] // tile_size, point[0] // tile_size) if inside else None

    def draw(self, surface, scene, tile_size):
        """Draw a scene, which has the level row and the state row."""
        surface.fill((255, 255, 255))
        width = int(scene.level[WIDTH])
        for square, wall in enumerate(scene.level[WALLS:].tolist()):
            box = (square % width * tile_size, square // width * tile_size, tile_size, tile_size)
            if wall:
                surface.fill((120, 120, 120), box)
            if square == scene.level[GOAL]:
                surface.fill((40, 160, 60), box)
            if square == scene.state[0]:
                surface.fill((40, 60, 200), box)


DRAWING = Plain()
