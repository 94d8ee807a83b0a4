"""Sentences on a card above a screen."""

from collections.abc import Sequence

import pygame

from ...engine.pictures import painting
from .host import Host
from .screen import Entry, Screen


class CardScreen(Screen):
    """A heading, paragraphs and buttons.

    Args:
        app: The app.
        heading: The heading.
        paragraphs: The paragraphs.
    """

    overlay = True

    def __init__(self, app: Host, heading: str, paragraphs: Sequence[str]) -> None:
        super().__init__(app)
        self.heading, self.paragraphs = heading, paragraphs

    def entries(self) -> Sequence[Entry]:
        """Return the buttons."""
        return (Entry("Close", self.back, "return"),)

    def build(self) -> None:
        """Lay out the text, as large as fits, and the buttons."""
        width, height = self.size
        line = self.line
        self._box = pygame.Rect(0, 0, min(width - 20, 36 * self.text), height - 20)
        self._text_height = 1.2 * self.text
        while True:
            letters = painting.font(self._text_height)
            wrapped = [wrap(part, letters, self._box.width - 40) for part in self.paragraphs]
            needed = (sum(map(len, wrapped)) + 0.5 * len(wrapped)) * self._text_height + 3.2 * line
            if needed <= self._box.height or self._text_height <= painting.SMALLEST_TEXT + 1:
                break
            self._text_height -= 1
        self._wrapped = wrapped
        self._box.height = min(round(needed), self._box.height)
        self._box.center = (width // 2, height // 2)
        entries = self.entries()
        place = pygame.Rect(0, 0, min(7 * line * len(entries), self._box.width - 40), line)
        place.midbottom = self._box.centerx, self._box.bottom - line // 3
        self.row(place, entries)
        for key in ("escape", "space"):
            self.on_key(key, self.back)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the card and the text."""
        box, theme = self._box, self.theme
        self.card(surface, box, theme.accent)
        heading = pygame.Rect(box.left, box.top + 8, box.width, self.line)
        self.write(surface, self.heading, heading, theme.accent, 0.8 * self.line)
        top = heading.bottom + 0.3 * self.line
        for part in self._wrapped:
            for words in part:
                row = pygame.Rect(box.left + 20, round(top), box.width - 40, round(self._text_height))
                painting.write(surface, words, row, theme.ink, self._text_height, "left")
                top += self._text_height
            top += 0.5 * self._text_height


def wrap(text: str, letters: pygame.font.Font, width: int) -> list[str]:
    """Return the lines of a text that are not wider than ``width``, except for single words."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and letters.size(longer)[0] > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
