"""The window for playing and watching: the puzzle's picture, a status line and the available keys."""

import os
import sys

import pygame

from ..engine.canvas import QUIT, Canvas
from ..engine.drawing import drawing_of
from ..engine.puzzle import Puzzle, Scene
from .drawing import Framed, Keys
from .no_window import UNSEEN, NoWindowError

REFRESH = 30
"""Frames per second, which is also how often keys are read."""
LEAVE = frozenset({"escape", QUIT})
NEXT = frozenset({"n", "return", "enter"})
UNDO = frozenset({"u", "backspace"})
HELP = frozenset({"h", "f1"})
FASTER = frozenset({"+", "=", "[+]", "up"})
SLOWER = frozenset({"-", "[-]", "down"})
_CAPS = {"escape": "esc", "return": "enter"}


class Window(Canvas):
    """A canvas with a strip of text below the picture.

    Args:
        puzzle: The puzzle to show.
        tile_size: Size of a square in pixels; smaller on a small screen.
        keys: The keys listed in the strip.
    """

    def __init__(self, puzzle: Puzzle, tile_size: int, keys: Keys) -> None:
        self._framed = Framed(drawing_of(puzzle))
        super().__init__(puzzle, tile_size, self._framed)
        self.set_keys(keys)

    def set_keys(self, keys: Keys) -> None:
        """Change the keys listed in the strip."""
        self._framed.keys = tuple((_CAPS.get(key, key), meaning) for key, meaning in keys)

    def refresh(self, scene: Scene, status: str) -> list[str]:
        """Draw one frame, wait for the next, and return the keys pressed.

        Raises:
            NoWindowError: No window can be opened.
        """
        self._framed.status = status
        chosen = "SDL_VIDEODRIVER" in os.environ
        if not chosen and sys.platform == "linux" and not {"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ):
            raise _no_window("cannot open a window: no display")
        try:
            self.show(scene, REFRESH, pump=False)
        except RuntimeError as error:
            raise _no_window(str(error).partition(";")[0]) from None
        # If the display does not respond, SDL silently falls back to drivers whose windows are invisible.
        if not chosen and pygame.display.get_driver() in UNSEEN:
            self.close()
            raise _no_window("cannot open a window: the display does not respond")
        return self.poll()


def _no_window(reason: str) -> NoWindowError:
    return NoWindowError(f"{reason}; `gridpuzzles watch … --record FILE.gif` works without one")
