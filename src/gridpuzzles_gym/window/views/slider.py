"""A slider: how far something has been played, as a bar that the mouse drags."""

import pygame

from .theme import Theme


class Slider:
    """A bar with a handle, from 0 to ``length``."""

    def __init__(self) -> None:
        self.rect = pygame.Rect(0, 0, 0, 0)
        self.length = 0
        self._dragged = False

    def lay_out(self, rect: pygame.Rect, length: int) -> None:
        """Use another area of the window, and another length."""
        self.rect, self.length = rect, length

    def take(self, event: pygame.event.Event) -> int | None:
        """Return the position that the mouse chooses; None if the event is not for the slider."""
        if event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            self._dragged = self.rect.collidepoint(event.pos)
        elif event.type == pygame.MOUSEBUTTONUP:
            self._dragged = False
        if not self._dragged or event.type not in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEMOTION):
            return None
        bar = self._bar
        share: float = (event.pos[0] - bar.left) / max(bar.width, 1)
        return round(min(max(share, 0.0), 1.0) * self.length)

    def draw(self, surface: pygame.Surface, at: int, theme: Theme) -> None:
        """Draw the bar with the handle at a position."""
        bar = self._bar
        radius = self.rect.height // 3
        x = bar.left + round(bar.width * at / max(self.length, 1))
        pygame.draw.line(surface, theme.edge, bar.midleft, bar.midright, max(radius // 2, 2))
        pygame.draw.line(surface, theme.accent, bar.midleft, (x, bar.centery), max(radius // 2, 2))
        pygame.draw.circle(surface, theme.accent, (x, bar.centery), radius)

    @property
    def _bar(self) -> pygame.Rect:
        return self.rect.inflate(-self.rect.height, 0)
