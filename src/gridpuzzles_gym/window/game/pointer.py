"""What the mouse does on the board of a game: it clicks, drags, and clicks a piece and then its target."""

import pygame

from ...engine.board.gestures import Actions, Square
from ...engine.puzzle import Puzzle
from ...session.game import Game
from ..screens.host import Host
from ..screens.screen import KeyHelp
from ..views.board_view import BoardView, draw_reachable
from ..views.theme import Theme

HELP: KeyHelp = (("click a piece, then a dot", "move it there"),)
IMPOSSIBLE = "that is not possible from here"
NO_TARGET = "it cannot be moved there; click it again to let go of it"


class Pointer:
    """The mouse on the board of a game.

    Args:
        app: The app, which shows why nothing happens.
        view: The board.

    Attributes:
        chosen: The square of the piece that was clicked and waits for its target; None if there is none.
    """

    def __init__(self, app: Host, view: BoardView) -> None:
        self.app, self.view = app, view
        self.chosen: Square | None = None
        self._pressed: Square | None = None

    def press(self, point: tuple[int, int]) -> None:
        """Begin a click or a drag at a point of the window."""
        self._pressed = self.view.square_at(point)

    def release(self, point: tuple[int, int], game: Game) -> Actions:
        """Return the actions of the click or drag that ends at a point of the window."""
        start, end, self._pressed = self._pressed, self.view.square_at(point), None
        gestures = game.puzzle.gestures
        if start is None or end is None or gestures is None or game.over:
            return ()
        scene = game.scene()
        rows = scene.level, scene.state, scene.options
        piece, self.chosen = start if start != end else self.chosen, None
        own = end == gestures.actor(scene.level, scene.state)
        movable = not own and bool(gestures.reachable(*rows, end))
        if piece is None:
            actions = gestures.click(*rows, end)
            if not actions and movable:
                self.chosen = end
            elif not actions and not own:
                self.app.say(IMPOSSIBLE)
            return actions
        actions = () if piece == end else gestures.drag(*rows, piece, end)
        if not actions and piece != end:
            if start != end:
                self.app.say(IMPOSSIBLE)
            elif movable:
                self.chosen = end
            else:
                self.chosen = piece
                self.app.say(NO_TARGET)
        return actions

    @staticmethod
    def help(puzzle: Puzzle) -> KeyHelp:
        """Return how pieces are moved by two clicks, if a puzzle has pieces besides the player's own."""
        return HELP if puzzle.deterministic and puzzle.gestures is not None and puzzle.gestures.drag_words else ()

    def forget(self) -> None:
        """Let go of the chosen piece, because the position has changed."""
        self.chosen = None

    @property
    def dragging(self) -> bool:
        """Whether the button is pressed on the board."""
        return self._pressed is not None

    def draw(self, surface: pygame.Surface, game: Game, theme: Theme) -> None:
        """Mark where the chosen piece, or the one that is dragged, can be moved."""
        piece = self.chosen
        if self._pressed is not None and self.view.square_at(pygame.mouse.get_pos()) != self._pressed:
            piece = self._pressed
        if piece is None:
            return
        draw_reachable(surface, self.view, game.puzzle.gestures, piece, theme.accent)
        if piece == self.chosen:
            square = self.view.square(*piece)
            pygame.draw.rect(surface, theme.accent, square, max(square.width // 16, 2), border_radius=4)
