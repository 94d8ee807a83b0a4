"""The window to play and watch in: the puzzle's picture, and below it the news and the keys."""

import os
import sys

import pygame

from ..engine.canvas import QUIT, Canvas
from ..engine.drawing import drawing_of
from ..engine.puzzle import Puzzle, Scene
from .drawing import Framed, Keys

REFRESH = 30
"""Pictures a second: how fast keys are answered."""
LEAVE = frozenset({"escape", QUIT})
NEXT = frozenset({"n", "return", "enter"})
UNDO = frozenset({"u", "backspace"})
HELP = frozenset({"h", "f1"})
FASTER = frozenset({"+", "=", "[+]", "up"})
SLOWER = frozenset({"-", "[-]", "down"})
UNSEEN = frozenset({"dummy", "offscreen"})
_CAPS = {"escape": "esc", "return": "enter"}


class NoWindowError(OSError):
    """No window can be opened on this machine."""


class Window(Canvas):
    """A canvas with a strip of text below the picture.

    Args:
        puzzle: What it shows.
        tile_size: Pixels a square is wide; less where the screen is small.
        keys: What the strip says of keys.
    """

    def __init__(self, puzzle: Puzzle, tile_size: int, keys: Keys) -> None:
        self._framed = Framed(drawing_of(puzzle))
        super().__init__(puzzle, tile_size, self._framed)
        self.set_keys(keys)

    def set_keys(self, keys: Keys) -> None:
        """Change what the strip says of keys."""
        self._framed.keys = tuple((_CAPS.get(key, key), meaning) for key, meaning in keys)

    def refresh(self, scene: Scene, news: str) -> list[str]:
        """Draw, wait a moment, and tell which keys were pressed.

        Raises:
            NoWindowError: No window can be opened on this machine.
        """
        self._framed.news = news
        chosen = "SDL_VIDEODRIVER" in os.environ
        if not chosen and sys.platform == "linux" and not {"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ):
            raise _no_window("no window can be opened here (no display)")
        try:
            self.show(scene, REFRESH, pump=False)
        except RuntimeError as error:
            raise _no_window(str(error).partition(";")[0]) from None
        # Where the display does not answer, SDL silently falls back on drivers whose windows nobody sees.
        if not chosen and pygame.display.get_driver() in UNSEEN:
            self.close()
            raise _no_window("no window can be opened here (the display does not answer)")
        return self.poll()


def _no_window(reason: str) -> NoWindowError:
    return NoWindowError(f"{reason}; `gridpuzzles watch … --record FILE.gif` needs none")
