"""What the keyboard chooses on a screen: Tab and arrows move from one thing to the next, Enter presses it."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pygame

STEPS = {
    pygame.K_LEFT: (-1, 0), pygame.K_RIGHT: (1, 0), pygame.K_UP: (0, -1), pygame.K_DOWN: (0, 1),
}  # fmt: skip
"""The direction (x, y) of each arrow key."""
ASIDE = 3.0
"""How much more a distance to the side counts than one in the direction of the arrow."""


class Spot(NamedTuple):
    """Something on a screen that can be pressed or typed into."""

    rect: pygame.Rect
    press: Callable[[], Any]
    line: Any = None
    """The line of text, if it is one."""


class Focus:
    """The spot that has the keyboard. It is remembered by its position, so that it survives other layouts.

    Attributes:
        point: Its middle; None until one is chosen.
        shown: Whether it is marked; it is not while the mouse or a screen's own keys are used.
    """

    def __init__(self) -> None:
        self.point: tuple[int, int] | None = None
        self.shown = False

    def spot(self, spots: Sequence[Spot]) -> Spot | None:
        """Return the spot; None if there are no spots."""
        if not spots or self.point is None:
            return spots[0] if spots else None
        point = pygame.Vector2(self.point)
        return min(spots, key=lambda spot: point.distance_squared_to(spot.rect.center))

    def choose(self, spot: Spot) -> None:
        """Move to a spot, and mark it."""
        self.point, self.shown = spot.rect.center, True

    def step(self, spots: Sequence[Spot], step: int) -> None:
        """Go to the next spot, or to the previous one; at first, mark the current one."""
        now = self.spot(spots)
        if now is not None:
            number = spots.index(now) + (step if self.shown else 0)
            self.choose(spots[number % len(spots)])

    def move(self, spots: Sequence[Spot], direction: tuple[int, int]) -> bool:
        """Go to the nearest spot in a direction (x, y); return False if there is none."""
        now = self.spot(spots)
        if now is None:
            return False
        if not self.shown:
            self.choose(now)
            return True
        found = [
            (distance, k) for k, spot in enumerate(spots) if (distance := _distance(now.rect, spot.rect, direction))
        ]
        if found:
            self.choose(spots[min(found)[1]])
        return bool(found)


def _distance(start: pygame.Rect, end: pygame.Rect, direction: tuple[int, int]) -> float:
    """Return the distance between two rectangles; 0 if the second is not in that direction of the first."""
    x, y = direction
    along = (end.centerx - start.centerx) * x + (end.centery - start.centery) * y
    beyond = {(-1, 0): end.right <= start.left, (1, 0): end.left >= start.right, (0, -1): end.bottom <= start.top}
    if along <= 0 or not beyond.get(direction, end.top >= start.bottom):
        return 0.0
    if y:
        aside = max(end.left - start.right, start.left - end.right, 0) + abs(end.centerx - start.centerx) / 100
    else:
        aside = max(end.top - start.bottom, start.top - end.bottom, 0) + abs(end.centery - start.centery) / 100
    return along + ASIDE * aside
