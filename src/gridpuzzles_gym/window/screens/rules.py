"""The rules of a puzzle in sentences, on a card above its game."""

import pygame

from ...engine.config import EnvConfig
from ...engine.pictures import painting
from ...engine.puzzle import Puzzle
from ...engine.wording import wording_of
from ...session.game import Game
from ..model.controls import controls
from .host import Host
from .screen import Entry, Screen

SEEN = "rules_seen"
"""The name of a puzzle's choice that is set once its rules were shown."""


class RulesScreen(Screen):
    """The rules of a puzzle, and its keys.

    Args:
        app: The app.
        puzzle: The puzzle.
        config: The environment that is played, on whose options the rules depend.

    Raises:
        ValueError: The puzzle has no wording.
    """

    overlay = True

    def __init__(self, app: Host, puzzle: Puzzle, config: EnvConfig) -> None:
        super().__init__(app)
        self.puzzle = puzzle
        rules = wording_of(puzzle).rules(config)
        keys = "; ".join(f"{key}: {words}" for key, words in controls(puzzle, config.options, app.preferences))
        self.paragraphs = [*(part for part in rules.splitlines() if part.strip()), f"{keys}."]

    def build(self) -> None:
        """Lay out the text, as large as fits, and the button."""
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
        place = pygame.Rect(0, 0, 7 * line, line)
        place.midbottom = self._box.centerx, self._box.bottom - line // 3
        self.button(place, Entry("Play", self.back, "return"))
        for key in ("escape", "space"):
            self.on_key(key, self.back)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the card and the text."""
        box, theme = self._box, self.theme
        self.card(surface, box, theme.accent)
        heading = pygame.Rect(box.left, box.top + 8, box.width, self.line)
        self.write(surface, self.puzzle.title, heading, theme.accent, 0.8 * self.line)
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


def has_rules(puzzle: Puzzle) -> bool:
    """Return whether a puzzle's rules are written in sentences."""
    try:
        wording_of(puzzle)
    except ValueError:
        return False
    return True


def teach(app: Host, game: Game) -> None:
    """Show the rules above a game if it is the person's first of this puzzle."""
    puzzle = game.puzzle
    if app.teaches and has_rules(puzzle) and not app.preferences.chosen(puzzle.name, SEEN, False):
        app.progress.save_preferences(app.preferences.choosing(puzzle.name, SEEN, True))
        app.show("rules", puzzle, game.env.config)
