"""A menu above a screen: one of several entries is chosen, by the mouse or by keys."""

from collections.abc import Sequence

import pygame

from .host import Host
from .screen import Entry, Screen


class MenuScreen(Screen):
    """A list of entries; choosing one closes it.

    Args:
        app: The app.
        heading: The heading.
        entries: The entries; their actions are called after the menu is closed.
        chosen: The label of the entry that is selected at first; empty for the first.
        origin: The rectangle of the button that has opened it, below which it is shown; None for the middle.
    """

    overlay = True
    help = (("↑ ↓, wheel", "other entries"), ("Enter", "choose"), ("click elsewhere", "close"))

    def __init__(
        self, app: Host, heading: str, entries: Sequence[Entry], chosen: str = "", origin: pygame.Rect | None = None
    ) -> None:
        super().__init__(app)
        self.heading, self.entries, self.origin = heading, entries, origin
        self.first = 0
        self._chosen = next((k for k, entry in enumerate(entries) if entry.label == chosen), 0)

    def build(self) -> None:
        """Lay out the entries; if there are too many, those around the chosen one."""
        width, height = self.size
        pitch = self.line + 4
        self._shown = shown = min(len(self.entries), max((height - self.line - 24) // pitch, 1))
        self.first = min(max(self._chosen - shown // 2, 0), len(self.entries) - shown)
        wide = min(max(12 * self.line, 0 if self.origin is None else self.origin.width), width - 8)
        self._box = pygame.Rect(0, 0, wide, self.line + shown * pitch + 12)
        if self.origin is None:
            self._box.center = (width // 2, height // 2)
        else:
            self._box.topleft = self.origin.topleft
        self._box.clamp_ip(pygame.Rect(0, 0, width, height).inflate(-4, -4))
        for k in range(shown):
            place = pygame.Rect(self._box.left + 8, self._box.top + self.line + 4 + k * pitch, wide - 16, self.line)
            entry = self.entries[self.first + k]
            made = self.button(place, entry._replace(action=lambda entry=entry: self._choose(entry)))  # type: ignore[misc]
            if self.first + k == self._chosen:
                self.focus.point = made.rect.center
        self.on_key("escape", self.back)
        self.on_key("up", lambda: self._step(-1))
        self.on_key("down", lambda: self._step(1))
        self.on_key("pageup", lambda: self._step(-shown))
        self.on_key("pagedown", lambda: self._step(shown))
        self.on_key("return", lambda: self._choose(self.entries[self._chosen]))

    def handle(self, event: pygame.event.Event) -> None:
        """Show other entries with the wheel; a click outside closes the menu."""
        if event.type == pygame.MOUSEWHEEL:
            self._step(-event.y)
        elif event.type == pygame.MOUSEBUTTONDOWN and not self._box.collidepoint(event.pos):
            self.back()

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the card and the heading."""
        self.card(surface, self._box, self.theme.accent)
        top = pygame.Rect(self._box.left + 8, self._box.top, self._box.width - 16, self.line)
        self.write(surface, self.heading, top, self.theme.faint)
        marks = "▲" * (self.first > 0) + "▼" * (self.first + self._shown < len(self.entries))
        self.write(surface, marks, top, self.theme.accent, align="right")

    def _step(self, step: int) -> None:
        self._chosen = min(max(self._chosen + step, 0), len(self.entries) - 1)
        self.open(self.size)
        self.focus.shown = True

    def _choose(self, entry: Entry) -> None:
        self.app.pop()
        entry.action()
