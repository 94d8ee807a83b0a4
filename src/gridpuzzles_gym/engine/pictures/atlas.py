"""The atlas of a picture in pixels: every sprite as pygame has rendered it, for :mod:`.blitting`."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pygame

from .blitting import ADD, BLEND, ENTRY, FLAT, KEYS, SOFT, USED, slot_of
from .sprites import look, quarter_of

Numbers = npt.NDArray[np.int32]


class Atlas:
    """The sprites of a picture in the sizes, angles and opacities in which they have been wanted.

    Args:
        sprites: The picture's sprites.
        files: The file of each.
        tile: The width of a square, in pixels.

    Attributes:
        kinds, table, colors, alphas: The arrays that :mod:`.blitting` describes.
    """

    def __init__(self, sprites: Sequence[str], files: Sequence[Path], tile: int) -> None:
        self._sprites, self._files, self._tile = sprites, files, tile
        self.kinds = np.array([_kind(name) for name in sprites], np.int32)
        self.table = np.zeros((64, ENTRY), np.int32)
        self.colors = np.zeros(0, np.uint8)
        self.alphas = np.zeros(0, np.uint8)

    def add(self, key: Numbers) -> None:
        """Render what a key, int32[KEYS], stands for."""
        sprite, number, quarter, opacity, width, height, angle = key.tolist()
        name = self._sprites[sprite]
        shown = look(name, self._files[sprite], number, (width, height), angle, opacity, self._tile)
        entry = np.zeros(ENTRY, np.int32)
        entry[:KEYS] = key
        entry[USED:] = 1, self.colors.size, 0, 0, 0, 0, 0, 0, BLEND
        if shown is not None:
            part = shown.get_rect() if quarter < 0 else quarter_of(shown.get_size(), quarter)
            mode, colors, alphas = _pixels(shown, part)
            entry[USED + 2 :] = *part.size, *part.topleft, *shown.get_size(), ADD if name[0] == "+" else mode
            self.colors = np.concatenate([self.colors, colors.ravel()])
            self.alphas = np.concatenate([self.alphas, alphas.ravel()])
        if 2 * np.count_nonzero(self.table[:, USED]) >= len(self.table):
            entries = self.table[self.table[:, USED] == 1]
            self.table = np.zeros((2 * len(self.table), ENTRY), np.int32)
            for each in entries:
                self.table[slot_of(each, self.table)] = each
        self.table[slot_of(entry, self.table)] = entry


def _kind(name: str) -> list[int]:
    """Return how a sprite is drawn, with the colour of a soft one."""
    return [SOFT, *pygame.Color(name[1:])[:3]] if name[0] == "~" else [BLEND, 0, 0, 0]


def _pixels(shown: pygame.Surface, part: pygame.Rect) -> tuple[int, npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """Return how a part of a surface is blended, its colours and its opacity, uint8[h, w, 3] both."""
    colors = np.swapaxes(pygame.surfarray.array3d(shown.subsurface(part)), 0, 1)
    given = shown.get_alpha()
    opacity = 255 if given is None else given
    if not shown.get_masks()[3]:
        return BLEND if opacity == 255 else FLAT, colors, np.full_like(colors, opacity)
    alphas = pygame.surfarray.array_alpha(shown.subsurface(part)).T.astype(np.int64) * opacity // 255
    return BLEND, colors, np.repeat(alphas.astype(np.uint8)[..., None], 3, axis=2)
