"""Drawing primitives: sprites, cards and text, sharp at any size.

Nothing here needs a display. Colours are ``"#rrggbb"``, as in SVG; sizes are in pixels. Sprites are rendered from SVG
at exactly the size in which they are shown, and cached, so that only the first frame is slow.
"""

import functools
import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pygame

SPRITES_KEPT = 256
"""The size of each cache: enough for all sprites of a puzzle at two tile sizes."""
SMALLEST_TEXT = 8
"""The minimum line height, in pixels; smaller text is illegible and not drawn."""
FONTS = Path(__file__).with_name("fonts")
"""The folder of the fonts, DejaVu Sans regular and bold, and of their licence."""
_LINE_HEIGHT = 1.164  # the fonts' line height, as a share of their nominal size


@functools.lru_cache(SPRITES_KEPT)
def picture(file: Path, size: int, turns: int = 0) -> pygame.Surface:
    """Return a square picture from a file.

    Args:
        file: An SVG or a pixel image, which is reduced smoothly and enlarged with sharp edges.
        size: The side length, in pixels.
        turns: The rotation in quarter turns clockwise.

    Returns:
        A cached surface, which must not be drawn on.

    Raises:
        ValueError: The file is not an image.
    """
    if turns % 4:
        return pygame.transform.rotate(picture(file, size), -90 * turns)
    try:
        if file.suffix.lower() == ".svg":
            return _render(file.read_bytes(), (size, size))
        pixels = pygame.image.load(file)
    except pygame.error as error:
        raise ValueError(f"{file} cannot be read as an image ({error})") from None
    deep = pygame.Surface(pixels.get_size(), pygame.SRCALPHA)
    deep.blit(pixels, (0, 0))
    return pygame.transform.scale(deep, (size, size)) if max(deep.get_size()) <= size else _shrunk(deep, size)


def _shrunk(deep: pygame.Surface, size: int) -> pygame.Surface:
    """Reduce a picture; the colours of transparent pixels do not affect the result."""
    small = pygame.transform.smoothscale(deep.premul_alpha(), (size, size))
    colors, alpha = pygame.surfarray.pixels3d(small), pygame.surfarray.array_alpha(small)[..., np.newaxis]
    colors[...] = np.minimum(colors * 255.0 / np.maximum(alpha, 1), 255)
    return small


@functools.lru_cache(SPRITES_KEPT)
def card(
    size: tuple[int, int],
    fill: str,
    edge: str = "",
    radius: int = 0,
    opacity: float = 1.0,
    sheen: float = 0.06,
) -> pygame.Surface:
    """Return a rectangle with rounded corners, slightly lighter at the top.

    Args:
        size: The width and height.
        fill: The fill colour.
        edge: The colour of a thin border; empty for none.
        radius: The radius of the corners.
        opacity: The opacity, from 0 to 1.
        sheen: The strength of the gradient from light to dark, from 0 to 1.
    """
    width, height = size
    line = min(max(1.0, min(size) / 60), 4.0)
    box = (
        f'x="{line / 2}" y="{line / 2}" width="{width - line}" height="{height - line}" '
        f'rx="{min(radius, width / 2, height / 2)}"'
    )
    border = f'stroke="{edge}" stroke-width="{line}"' if edge else ""
    return _render(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
        f'<defs><linearGradient id="s" gradientUnits="userSpaceOnUse" x1="0" y1="0" x2="0" y2="{height}">'
        f'<stop offset="0" stop-color="#fff" stop-opacity="{sheen * opacity}"/>'
        f'<stop offset="0.5" stop-color="#888" stop-opacity="0"/>'
        f'<stop offset="1" stop-color="#000" stop-opacity="{2 * sheen * opacity}"/></linearGradient></defs>'
        f'<rect {box} fill="{fill}" fill-opacity="{opacity}"/><rect {box} fill="url(#s)" {border}/></svg>'.encode(),
        size,
    )


def _render(svg: bytes, size: tuple[int, int]) -> pygame.Surface:
    # Blits between surfaces whose bytes are in the same order are fifty times as fast.
    shown = pygame.image.load_sized_svg(io.BytesIO(svg), size).convert(pygame.Surface((1, 1), pygame.SRCALPHA, 32))
    # Some are larger by a pixel; without a copy, pygame.transform.grayscale would shift the rows of the part.
    return shown.subsurface(shown.get_rect().clip((0, 0), size)).copy()


def paste(surface: pygame.Surface, picture: pygame.Surface, centre: tuple[float, float]) -> None:
    """Blit a picture centred on a point."""
    surface.blit(picture, (round(centre[0] - picture.get_width() / 2), round(centre[1] - picture.get_height() / 2)))


def blend(start: Sequence[float], end: Sequence[float], phase: float) -> list[float]:
    """Return numbers on the way from some to others; ``phase`` is from 0, exactly ``start``, to 1, exactly ``end``."""
    return [(1 - phase) * one + phase * other for one, other in zip(start, end, strict=True)]


def put_card(
    surface: pygame.Surface,
    box: pygame.Rect,
    fill: str,
    edge: str = "",
    radius: int = 0,
    opacity: float = 1.0,
    sheen: float = 0.06,
) -> None:
    """Blit a :func:`card` over a box."""
    surface.blit(card(box.size, fill, edge, radius, opacity, sheen), box)


def write(
    surface: pygame.Surface,
    words: str,
    box: pygame.Rect,
    color: str,
    height: float,
    align: str = "centre",
    bold: bool = False,
) -> None:
    """Write one line of text into a box, vertically centred; it never exceeds the box.

    Args:
        surface: The surface to write on.
        words: The text; if the box is too narrow, it is made smaller, then cut with an ellipsis.
        box: The box.
        color: The text colour.
        height: The preferred line height.
        align: ``"left"``, ``"centre"`` or ``"right"``.
        bold: Whether to use the bold font.
    """
    picture = _line(words, box.width, color, min(height, box.height), bold)
    if picture is not None:
        left, right = box.left, box.right - picture.get_width()
        x = {"left": left, "centre": box.centerx - picture.get_width() // 2, "right": right}[align]
        surface.blit(picture, (x, box.centery - picture.get_height() // 2))


@functools.lru_cache(SPRITES_KEPT)
def _line(words: str, width: int, color: str, height: float, bold: bool) -> pygame.Surface | None:
    """Return a line of text of that height, or less if it is too wide; None if it would be illegible."""
    least = max(0.65 * height, SMALLEST_TEXT)
    while height - 0.5 >= least and font(height, bold).size(words)[0] > width:
        height -= 0.5
    if height < SMALLEST_TEXT:
        return None
    chosen = font(height, bold)
    return chosen.render(shortened(words, chosen, width), True, color)


def put_note(surface: pygame.Surface, words: str, square: pygame.Rect) -> None:
    """Write a short text at the bottom of a square, if it is large enough."""
    height = round(min(max(0.19 * square.width, SMALLEST_TEXT + 3), 30))
    if 2.5 * height > square.width:
        return
    box = pygame.Rect(0, 0, round(0.92 * square.width), height)
    box.midbottom = (square.left + square.width // 2, square.bottom - round(0.03 * square.width))
    put_card(surface, box, "#0e0b12", radius=height // 2, opacity=0.72)
    write(surface, words, box.inflate(-height // 2, 0), "#f6e9cf", 0.78 * height)


def shortened(words: str, letters: pygame.font.Font, width: int) -> str:
    """Return the text, cut with an ellipsis if it is wider than ``width``."""
    if letters.size(words)[0] <= width:
        return words
    while words and letters.size(words + "…")[0] > width:
        words = words[:-1]
    return words + "…" if words else ""


def font(height: float, bold: bool = False) -> pygame.font.Font:
    """Return the suite's font for a line height."""
    if not pygame.font.get_init():
        pygame.font.init()
        _font.cache_clear()
    return _font(round(height / _LINE_HEIGHT), bold)


@functools.lru_cache(64)
def _font(size: int, bold: bool) -> pygame.font.Font:
    # A pygame.quit() elsewhere makes fonts unusable, so the cache is cleared then.
    pygame.register_quit(_font.cache_clear)
    return pygame.font.Font(FONTS / ("DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"), size)
