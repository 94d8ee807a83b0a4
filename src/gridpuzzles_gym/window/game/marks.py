"""The marks that a person puts on squares, by the mouse or by keys."""

import pygame

from ...engine.board.gestures import Square
from ...session.game import Game
from ..views.board_view import BoardView
from ..views.focus import STEPS


class Marks:
    """The marks in a game.

    Args:
        game: The game.
        view: Its board.

    Attributes:
        on: The mark of each marked square.
        chosen: The square that the keyboard has chosen; None if the keys play.
    """

    def __init__(self, game: Game, view: BoardView) -> None:
        self.game, self.view = game, view
        self.on: dict[Square, str] = {}
        self.chosen: Square | None = None

    @property
    def possible(self) -> bool:
        """Whether squares can be marked."""
        gestures = self.game.puzzle.gestures
        return gestures is not None and bool(gestures.marks) and not self.game.over

    @property
    def help(self) -> tuple[tuple[str, str], ...]:
        """The key with which it is done by keys, and what it does."""
        return (("M", "mark a square: the arrows choose it, M marks it, Esc ends"),) if self.possible else ()

    def put(self, square: Square | None) -> None:
        """Put the next mark on a square, or none after the last."""
        gestures = self.game.puzzle.gestures
        if square is not None and gestures is not None and self.possible:
            mark = gestures.next_mark(self.on.pop(square, ""))
            if mark:
                self.on[square] = mark

    def take(self, key: int) -> bool:
        """Handle a key, by its code; return False if it is for something else."""
        gestures, scene = self.game.puzzle.gestures, self.game.scene()
        if gestures is None or not self.possible or (self.chosen is None and key != pygame.K_m):
            return False
        if self.chosen is None:
            self.chosen = gestures.actor(scene.level, scene.state)
        elif key in STEPS:
            (row, column), (x, y), (rows, columns) = self.chosen, STEPS[key], self.view.drawing.shape(scene)
            self.chosen = min(max(row + y, 0), rows - 1), min(max(column + x, 0), columns - 1)
        elif key in (pygame.K_m, pygame.K_SPACE, pygame.K_RETURN):
            self.put(self.chosen)
        else:
            self.chosen = None
            return key == pygame.K_ESCAPE
        return True
