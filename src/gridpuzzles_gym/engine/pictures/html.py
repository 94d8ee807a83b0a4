"""Pictures in HTML, as notebooks show them."""

import base64
import html

from ..scene import DrawnPuzzle, Scene

TILE_SIZE, WIDEST = 40, 360
"""The width of a square in pixels, and that of a board if its squares have to be smaller."""
SMALLEST_TILE = 8


def board_html(puzzle: DrawnPuzzle, scene: Scene, caption: str) -> str:
    """Return the board of a scene above a caption."""
    from .canvas import Canvas

    columns = puzzle.check(scene.level, scene.state, scene.options)[1]
    tile_size = max(SMALLEST_TILE, min(TILE_SIZE, WIDEST // columns))
    picture = png_html(Canvas(puzzle, tile_size).png(scene, board_only=True), f"{puzzle.title}: {caption}")
    words = f"<figcaption>{html.escape(caption)}</figcaption>" if caption else ""
    return f'<figure style="display: inline-block; margin: 0.5em">{picture}{words}</figure>'


def png_html(png: bytes, description: str) -> str:
    """Return a PNG as an element that contains it.

    Args:
        png: The picture.
        description: What it shows, for people who do not see it.
    """
    address = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    return f'<img alt="{html.escape(description)}" src="{address}">'
