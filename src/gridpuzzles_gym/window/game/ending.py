"""The end of a game on its board: a short animation, and then what an agent would have done."""

import math

import pygame

from ...session.game import Game
from ..model.hindsight import Hindsight, has_hindsight
from ..screens.host import Host
from ..screens.screen import Action, Screen
from ..views.board_view import BoardView
from ..views.thoughts_view import draw_path

SECONDS = 0.7
"""The duration of the animation; nothing else happens meanwhile."""
MAX_FRAME_SECONDS = 0.1
"""Maximum part of the animation that passes in one frame, so that a slow frame does not skip it, in seconds."""
SHAKES, AMPLITUDE = 5, 12
"""The number of shakes of the board when the player dies, and the amplitude at first, in pixels."""
OPACITY = 110
"""The opacity of the colour over the board at first, up to 255."""


class Ending:
    """The end of a game.

    Args:
        app: The app.
        game: The game.
        just_now: Whether the game has ended just now; otherwise there is no animation.
    """

    def __init__(self, app: Host, game: Game, just_now: bool) -> None:
        self.app, self.game = app, game
        self._age = 0.0 if just_now else SECONDS
        self.hindsight = Hindsight(game) if has_hindsight(game.puzzle) else None

    @property
    def animated(self) -> bool:
        """Whether the animation is being shown."""
        return self._age < SECONDS

    @property
    def waiting(self) -> bool:
        """Whether the agent is still playing."""
        return self.hindsight is not None and not self.hindsight.known

    @property
    def words(self) -> str:
        """What an agent would have done; empty without hindsight."""
        return "" if self.hindsight is None else self.hindsight.words()

    @property
    def entry(self) -> tuple[str, Action] | None:
        """A button for watching that agent; None if there is none."""
        return None if self.hindsight is None else (f"Watch {self.hindsight.agent}", self.watch)

    def tick(self, seconds: float) -> bool:
        """Let time pass; return whether the picture has changed."""
        was_animated = self.animated
        self._age += min(seconds, MAX_FRAME_SECONDS)
        known = self.hindsight is not None and self.hindsight.poll()
        return known or was_animated

    def watch(self) -> None:
        """Watch the agent play this level from the start, with the same seed."""
        if self.hindsight is not None:
            choice, number, options = self.hindsight.show()
            self.app.show("watching", self.game.puzzle, choice, number, [self.hindsight.agent], options)

    def close(self) -> None:
        """End the agent."""
        if self.hindsight is not None:
            self.hindsight.close()

    # -- the picture -----------------------------------------------------------------------------------

    def shaken(self, area: pygame.Rect) -> pygame.Rect:
        """Return the board's area, moved to the side while it shakes; it never leaves the window."""
        if not self.animated or self.game.solved or not self.app.preferences.animation:
            return area
        left = (1 - self._age / SECONDS) * min(AMPLITUDE, area.left)
        return area.move(round(left * math.sin(2 * math.pi * SHAKES * self._age / SECONDS)), 0)

    def draw(self, screen: Screen, surface: pygame.Surface, view: BoardView) -> None:
        """Draw the colour of the animation over the board, and after it the agent's path."""
        if self.animated:
            color = screen.theme.good if self.game.solved else screen.theme.bad
            left = 1 - self._age / SECONDS if self.app.preferences.animation else 0.5
            tint = pygame.Surface(view.rect.size, pygame.SRCALPHA)
            tint.fill((*pygame.Color(color)[:3], round(OPACITY * left)))
            surface.blit(tint, view.rect)
        elif self.hindsight is not None:
            draw_path(surface, view, self.hindsight.path, screen.theme.accent)
