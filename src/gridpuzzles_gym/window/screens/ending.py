"""The end of a game on its board: a moment of its own, and then what an agent would have done."""

import math

import pygame

from ...session.game import Game
from ..model.hindsight import Hindsight, has_hindsight
from ..views.board_view import BoardView
from ..views.thoughts_view import draw_path
from .host import Host
from .screen import Action, Screen

SECONDS = 0.7
"""The duration of the moment: how long the end is looked at before anything else happens."""
SLOWEST = 0.1
"""The most of it that one frame may take: a slow one does not skip the moment, in seconds."""
SHAKES, WIDEST = 5, 12
"""How often the board shakes when the player dies, and how far at first, in pixels."""
OPACITY = 110
"""The opacity of the colour over the board at first, up to 255."""


class Ending:
    """The end of a game.

    Args:
        app: The app.
        game: The game.
        lasting: Does it happen just now? Otherwise its moment is over.
    """

    def __init__(self, app: Host, game: Game, lasting: bool) -> None:
        self.app, self.game = app, game
        self._age = 0.0 if lasting else SECONDS
        self.hindsight = Hindsight(game) if has_hindsight(game.puzzle) else None

    @property
    def lasting(self) -> bool:
        """Is this still its moment?"""
        return self._age < SECONDS

    @property
    def waiting(self) -> bool:
        """Is it not yet known what an agent would have done?"""
        return self.hindsight is not None and not self.hindsight.known

    @property
    def words(self) -> str:
        """What an agent would have done; empty if there is nothing to tell."""
        return "" if self.hindsight is None else self.hindsight.words()

    @property
    def entry(self) -> tuple[str, Action] | None:
        """A button for watching that agent; None if there is none."""
        return None if self.hindsight is None else (f"Watch {self.hindsight.agent}", self.watch)

    def tick(self, seconds: float) -> bool:
        """Let time pass; return whether the picture has changed."""
        lasted = self.lasting
        self._age += min(seconds, SLOWEST)
        known = self.hindsight is not None and self.hindsight.poll()
        return known or lasted

    def watch(self) -> None:
        """Watch the agent play this level from the start, with the same seed."""
        if self.hindsight is not None:
            choice, number, settings = self.hindsight.show()
            self.app.show("watching", self.game.puzzle, choice, number, [self.hindsight.agent], **settings)

    def close(self) -> None:
        """End the agent."""
        if self.hindsight is not None:
            self.hindsight.close()

    # -- the picture -----------------------------------------------------------------------------------

    def shaken(self, area: pygame.Rect) -> pygame.Rect:
        """Return the board's area, moved to the side while it shakes; it never leaves the window."""
        if not self.lasting or self.game.solved or not self.app.preferences.animation:
            return area
        left = (1 - self._age / SECONDS) * min(WIDEST, area.left)
        return area.move(round(left * math.sin(2 * math.pi * SHAKES * self._age / SECONDS)), 0)

    def draw(self, screen: Screen, surface: pygame.Surface, view: BoardView) -> None:
        """Draw the colour of the moment over the board, and after it the agent's path."""
        if self.lasting:
            color = screen.theme.good if self.game.solved else screen.theme.bad
            left = 1 - self._age / SECONDS if self.app.preferences.animation else 0.5
            tint = pygame.Surface(view.rect.size, pygame.SRCALPHA)
            tint.fill((*pygame.Color(color)[:3], round(OPACITY * left)))
            surface.blit(tint, view.rect)
        elif self.hindsight is not None:
            draw_path(surface, view, self.hindsight.path, screen.theme.accent)
