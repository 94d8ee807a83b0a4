"""The menu of a solved level, with the result, the best so far and the proven minimum."""

import functools

import pygame

from ...engine.messages import plural
from ..model.score_line import score_line, stars
from .host import Host
from .pause import ways_out
from .playing import PlayingScreen
from .screen import Action, Entry, Screen


class VictoryScreen(Screen):
    """A menu above the solved level.

    Args:
        app: The app.
        playing: The game's screen.
    """

    overlay = True

    def __init__(self, app: Host, playing: PlayingScreen) -> None:
        super().__init__(app)
        self.playing = playing
        self.help = (*((("Enter", "next level"),) if playing.game.has(1) else ()), ("Esc", "look at the board"))
        self.numbers = score_line(playing.game, app.progress)
        self.stars = stars(self.numbers, playing.game.hints)
        self.waiting = playing.ending is not None and playing.ending.waiting

    def build(self) -> None:
        """Lay out the menu."""
        width, height = self.size
        has_next = self.playing.game.has(1)
        answer = self.playing.answer
        entries = (
            *((Entry("Next level", self._next, "n"),) if has_next else ()),
            Entry("Replay my solution", self._replay, "r"),
            answer._replace(action=functools.partial(self._answer, answer.action), key="f3"),
            Entry("Play again", self._again, "home"),
            *ways_out(self.playing),
        )
        has_hindsight = bool(self._hindsight)
        above = round((2.6 + 0.8 * (len(self.numbers) + has_hindsight)) * self.line)
        wide, high = 21 * self.line if has_hindsight else 13 * self.line, above + len(entries) * (self.line + 8) + 12
        box = pygame.Rect(0, 0, min(wide, width - 20), min(high, height - 10))
        box.center = (width // 2, height // 2)
        self._box = box
        column = pygame.Rect(0, box.top + above, min(12 * self.line, box.width - 40), box.height - above - 8)
        column.centerx = box.centerx
        self.column(column, entries)
        if has_next:
            self.on_key("return", self._next)
        self.on_key("escape", self.back)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the card with the stars and the numbers."""
        box, line = self._box, self.line
        self.card(surface, box, self.theme.good)
        last = self.playing.game.count is not None and not self.playing.game.has(1)
        title = "Solved – that was the last level" if last else "Solved"
        if self.playing.game.hints:
            title += f" with {plural(self.playing.game.hints, 'hint')}"
        self.write(surface, title, pygame.Rect(box.left, box.top + 6, box.width, line), self.theme.good, 0.9 * line)
        for k in range(3):
            centre = box.centerx + (k - 1) * line, box.top + round(1.6 * line)
            _put_star(surface, centre, line // 2, self.theme.accent if k < self.stars else self.theme.edge)
        for k, number in enumerate(self.numbers):
            row = pygame.Rect(box.left, box.top + round((2.3 + 0.8 * k) * line), box.width, round(0.8 * line))
            self.write(surface, str(number), row)
        row = pygame.Rect(box.left + 8, box.top + round((2.3 + 0.8 * len(self.numbers)) * line), box.width - 16, line)
        self.write(surface, self._hindsight, row, self.theme.faint, self.text)

    def tick(self, seconds: float) -> None:
        """Receive what an agent would have done."""
        self.dirty = self.playing.tick_ending(seconds) or self.dirty
        self.waiting = self.playing.ending is not None and self.playing.ending.waiting

    @property
    def _hindsight(self) -> str:
        return "" if self.playing.ending is None else self.playing.ending.words

    def _next(self) -> None:
        self.app.pop()
        self.playing.go_to(self.playing.game.number + 1)

    def _again(self) -> None:
        self.app.pop()
        self.playing.restart()

    def _replay(self) -> None:
        self.app.pop()
        self.playing.extras.replay()

    def _answer(self, action: Action) -> None:
        self.app.pop()
        action()


def _put_star(surface: pygame.Surface, centre: tuple[int, int], radius: int, color: str) -> None:
    """Draw a star with five points."""
    points = [centre + pygame.Vector2(0, -radius * (1.0 if k % 2 == 0 else 0.4)).rotate(36 * k) for k in range(10)]
    pygame.draw.polygon(surface, color, points)
