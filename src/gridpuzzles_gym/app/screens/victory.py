"""Victory: the result against the best so far and the proven minimum, and what comes next."""

import pygame

from ...engine.messages import plural
from ..standing import standing, stars
from .host import Host
from .playing import PlayingScreen
from .screen import Screen


class VictoryScreen(Screen):
    """A menu above the solved level.

    Args:
        app: The app.
        playing: The game's screen.
    """

    overlay = True
    help = (("Enter, n", "next level"), ("Esc", "look at the board"))

    def __init__(self, app: Host, playing: PlayingScreen) -> None:
        super().__init__(app)
        self.playing = playing
        self.numbers = standing(playing.game, app.progress)
        self.stars = stars(self.numbers)

    def build(self) -> None:
        """Lay out the menu."""
        width, height = self.size
        has_next = self.playing.game.has(1)
        entries = (
            *((("Next level", self._next, "return"),) if has_next else ()),
            ("Replay my solution", self._replay, "r"),
            ("Show the solver's", self._solve, "f3"),
            ("Play again", self._again, "home"),
            ("Levels", self._levels, "l"),
            ("Start screen", self.app.home, "q"),
        )
        rows = len(entries) + 3 + len(self.numbers)
        box = pygame.Rect(0, 0, min(480, width - 20), min(rows * (self.line + 8), height - 10))
        box.center = (width // 2, height // 2)
        self._box = box
        top = box.top + round((2.6 + 0.8 * len(self.numbers)) * self.line)
        self.column(pygame.Rect(box.left + 20, top, box.width - 40, box.bottom - top - 8), entries)
        if has_next:
            self.on_key("n", self._next)
        self.on_key("escape", self.back)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the card with the stars and the numbers."""
        box, line = self._box, self.line
        self.card(surface, box, self.theme.good)
        last = self.playing.game.count is not None and not self.playing.game.has(1)
        title = "Solved – that was the last level" if last else "Solved"
        self.write(surface, title, pygame.Rect(box.left, box.top + 6, box.width, line), self.theme.good, 0.9 * line)
        for k in range(3):
            centre = box.centerx + (k - 1) * line, box.top + round(1.6 * line)
            _put_star(surface, centre, line // 2, self.theme.accent if k < self.stars else self.theme.edge)
        for k, number in enumerate(self.numbers):
            row = pygame.Rect(box.left, box.top + round((2.3 + 0.8 * k) * line), box.width, round(0.8 * line))
            self.write(surface, str(number), row)

    def _next(self) -> None:
        self.app.pop()
        self.playing.go_to(self.playing.game.number + 1)

    def _again(self) -> None:
        self.app.pop()
        self.playing.restart()

    def _replay(self) -> None:
        self.app.pop()
        self.app.say(f"your solution: {plural(self.playing.game.moves, 'move')}")
        self.playing.replay()

    def _solve(self) -> None:
        self.app.pop()
        self.playing.restart()
        self.playing.solve()

    def _levels(self) -> None:
        if not self.app.pop_to("levels"):
            self.app.pop()
            self.app.switch("levels", self.playing.game.puzzle)


def _put_star(surface: pygame.Surface, centre: tuple[int, int], radius: int, color: str) -> None:
    """Draw a star with five points."""
    points = [centre + pygame.Vector2(0, -radius * (1.0 if k % 2 == 0 else 0.4)).rotate(36 * k) for k in range(10)]
    pygame.draw.polygon(surface, color, points)
