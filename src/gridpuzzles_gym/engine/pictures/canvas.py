"""Draws scenes with pygame, off-screen or in a window.

Only this file, ``drawing.py``, ``painting.py`` and ``panel.py`` import pygame.
"""

import base64
import dataclasses
import functools
import io
from collections.abc import Callable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pygame

from ..scene import DrawnPuzzle, Scene
from . import painting, panel
from .drawing import BoardAndPanel, Crop, Layout, Rim
from .picture import Frame, Picture, Placements
from .placement import (
    AFTER,
    DURING,
    FROM,
    OPACITY,
    SEEN,
    SETTINGS,
    SOFTNESS,
    SPRITE,
    SQUARE,
    UNIT,
    digit_height,
)
from .status import GOOD

if not getattr(pygame, "IS_CE", False):
    raise ImportError(
        "pygame was installed over pygame-ce, which has the same files; to mend it: "
        "pip uninstall -y pygame; pip install --force-reinstall --no-deps pygame-ce"
    )

TILE_SIZE, WIDEST = 40, 360
"""The width of a square in pixels, and that of a board if its squares have to be smaller."""
SMALLEST_IN_PAGES = 8
"""The minimum width of a square in notebooks, in pixels."""
MOST_PIXELS = 2**24
"""The maximum number of pixels of a picture: a large board is drawn with smaller squares."""
SMALLEST_TILE = 2
_DESKTOP_SHARE = 0.9  # the maximum share of the screen that a window covers, because of title and task bars


def key_code(name: str) -> int:
    """Return pygame's code of a key by its name, such as ``"left"`` or ``"a"``; unlike pygame's, without a display."""
    code: int = getattr(pygame, f"K_{name if len(name) == 1 else name.upper().replace(' ', '')}")
    return code


DIGIT = 0.7
"""The height of a digit, as a share of its font's line height."""


class _Background(NamedTuple):
    """What a background depends on besides the layout."""

    level: bytes
    numbers: bytes
    """The settings."""
    files: tuple[Path, ...]
    frame: Frame


@functools.cache
def drawing_of(puzzle: DrawnPuzzle, without: frozenset[str] = frozenset()) -> BoardAndPanel:
    """Return the drawing of a puzzle.

    Args:
        puzzle: The puzzle.
        without: Names of figures that its panel leaves out.

    Raises:
        ValueError: It has no picture.
    """
    if puzzle.picture is None:
        raise ValueError(f"{puzzle.title} has no picture: its PUZZLE needs one, which a file picture.py defines")
    picture: Picture = puzzle.picture
    status, frame = puzzle.status, picture.frame
    if status is not None and without:
        shown = {name: words for name, words in status.figures.items() if name not in without}
        status = dataclasses.replace(status, figures=shown)

    def background(scene: Scene) -> _Background:
        frame = picture.frame
        if picture.solved_frame is not None and status is not None and not scene.moving:
            good = status.states[status.numbers_of(scene)[0]].tone == GOOD
            frame = picture.solved_frame if good else frame
        numbers = picture.numbers(scene)
        numbers[:SETTINGS] = -1, 0, 0
        numbers[SETTINGS + len(picture.settings) :] = 0
        return _Background(scene.level.tobytes(), numbers.tobytes(), sprite_files(picture, scene.options), frame)

    def draw_background(surface: pygame.Surface, key: _Background, place: Layout) -> None:
        fill = rim_color(picture, key.frame, key.files)
        sheen = 0.06 if fill == key.frame.fill else 0.0
        radius = place.rim // 2 if key.frame.numbers else place.rim
        painting.put_card(surface, place.frame, fill, key.frame.edge, radius, sheen=sheen)
        if key.frame.numbers:
            _put_numbers(surface, place, key.frame.numbers)
        level, numbers = np.frombuffer(bytearray(key.level), np.int16), np.frombuffer(bytearray(key.numbers), np.int64)
        draw(surface, picture.ground_of(level, numbers), picture.sprites, key.files, place)
        if status is not None and picture.inset is not None:
            box = panel.inset_box(status, place.panel, place.unit, picture.area_of(level)[:2])
            inset = _inset_layout(surface, picture.inset.fill, box, place)
            draw(surface, picture.inset_of(level, numbers), picture.sprites, key.files, inset)

    def draw_board(surface: pygame.Surface, scene: Scene, place: Layout) -> None:
        phase = scene.phase if scene.moving else 1.0
        draw(surface, picture.pieces_of(scene), picture.sprites, sprite_files(picture, scene.options), place, phase)

    def crop(scene: Scene) -> Crop:
        return Crop(*picture.area_of(scene.level)[2:], picture.cut)

    return BoardAndPanel(
        shape=lambda scene: picture.area_of(scene.level)[:2],
        rim=Rim(frame.share, frame.least, frame.most),
        panel_rows=None if status is None else panel.rows(status),
        background=background,
        draw_background=draw_background,
        draw_board=draw_board,
        draw_panel=lambda *where: panel.Panel(puzzle, status, *where).draw(),
        crop=crop,
    )


def _inset_layout(surface: pygame.Surface, fill: str, box: pygame.Rect, place: Layout) -> Layout:
    """Draw the rim of the second picture, and return its layout."""
    side = box.width // place.stride
    rim = side // 10 + 1
    painting.put_card(surface, box.inflate(2 * rim, 2 * rim), fill, panel.COLORS.edge, max(3, side // 6))
    return Layout(box.size, box, box, box, side, place.unit, place.stride)


def rim_color(picture: Picture, frame: Frame, files: Sequence[Path]) -> str:
    """Return the colour of a board's rim; ``files`` are those of the sprites."""
    if frame.fill[0] == "#":
        return frame.fill
    shown = painting.picture(files[picture.sprites.index(frame.fill)], 64)
    return "#{:02x}{:02x}{:02x}".format(*pygame.transform.average_color(shown)[:3])


def _put_numbers(surface: pygame.Surface, place: Layout, color: str) -> None:
    """Write the numbers of columns and rows on the rim: as many as there is room for."""
    tile, board, rim = place.tile, place.board, place.rim
    height = min(max(0.6 * rim, 11), 26)
    every = next(step for step in (1, 2, 5, 10, 20) if step * tile >= 1.8 * height)
    long = max(tile, 2 * rim)
    rows, columns = place.shape
    below, beside = pygame.Rect(0, 0, long, rim), pygame.Rect(0, 0, rim - 2, long)
    for column in _numbered(columns, every):
        below.midtop = (board.left + column * tile + tile // 2, board.bottom)
        painting.write(surface, str(column + 1), below, color, height)
    for row in _numbered(rows, every):
        beside.midright = (board.left - 1, board.bottom - row * tile - tile // 2)
        painting.write(surface, str(row + 1), beside, color, height)


def _numbered(count: int, every: int) -> list[int]:
    """Return which of so many rows or columns, from 0, have a number: each of several, and the first if it is far."""
    first = every == 2 or every > count
    return [k for k in range(count) if (k + 1) % every == 0 or (k == 0 and first)]


@functools.lru_cache(64)
def _art(picture: Picture, options: Any) -> tuple[Path, ...]:
    return tuple(picture.art(name.lstrip("+"), options) if name[0] not in "#~" else Path() for name in picture.sprites)


def sprite_files(picture: Picture, options: Any) -> tuple[Path, ...]:
    """Return the file of each sprite."""
    return _art(picture, options if picture.file is not None else None)


def draw(
    surface: pygame.Surface,
    rows: Placements,
    sprites: Sequence[str],
    files: Sequence[Path],
    place: Layout,
    phase: float = 1.0,
) -> None:
    """Draw placements.

    Those whose middle is on their square, or on the board, are clipped to the board; the others, on its rim, are not.

    Args:
        surface: What to draw on.
        rows: The placements.
        sprites: The picture's sprites.
        files: The file of each.
        place: The layout.
        phase: How far the last movement has got, from 0 to 1.
    """
    hidden = AFTER if phase < 1 else DURING
    for row in _runs([row for row in rows.tolist() if row[SEEN] != hidden], sprites):
        name = sprites[row[0][SPRITE]]
        if name[0] == "~":
            surface.set_clip(place.board)
            corner = place.board.left - place.cut, place.board.top - place.cut
            surface.blit(_soft(name[1:], _strengths(row, place), place.tile), corner)
            continue
        ((sprite, number, quarter, opacity, _, *numbers),) = row
        (square, *goes), (came_square, *came) = numbers[:FROM], numbers[FROM:]
        box = place.between(came_square, square, phase)
        x, y, width, height, angle = _blend(came, goes, phase)
        centre = box.left + x * box.width / UNIT, box.top + y * box.width / UNIT
        size = max(1, round(width * box.width / UNIT)), max(1, round(height * box.width / UNIT))
        inside = (0 <= x <= UNIT and 0 <= y <= UNIT) or place.board.collidepoint(centre)
        surface.set_clip(place.board if inside else None)
        if number >= 0:
            size = 0, digit_height(size[1], box.width, inside)
        shown = look(name, files[sprite], number, size, angle, opacity, box.width)
        if shown is None:
            continue
        if quarter >= 0:
            _put_quarter(surface, shown, quarter, centre)
        elif name[0] == "+":
            surface.blit(shown, shown.get_rect(center=centre), special_flags=pygame.BLEND_RGB_ADD)
        else:
            painting.paste(surface, shown, centre)
    surface.set_clip(None)


def look(
    name: str, file: Path, number: int, size: tuple[int, int], angle: float, opacity: int, tile: int
) -> pygame.Surface | None:
    """Return what a placement shows, which must not be drawn on; None if it is illegible.

    Args:
        name: The sprite, or the colour.
        file: The sprite's file.
        number: The number that is written; -1: none.
        size: The width and height, in pixels; of a number, only the height counts.
        angle: The angle, in degrees clockwise.
        opacity: From 0 to 255.
        tile: The width of a square, in pixels.
    """
    if number >= 0:
        return _number(number, size[1], tile, name)
    if name[0] == "#":
        return _rectangle(size, name, opacity)
    make = _make_sprite if angle % 90 else _sprite  # the angles of a movement would fill the cache
    return make(file, size, angle, opacity)


def quarter_of(size: tuple[int, int], quarter: int) -> pygame.Rect:
    """Return the rectangle of a quarter of a sprite of that size."""
    width, height = size
    down, right = divmod(quarter, 2)
    return pygame.Rect(
        right * (width // 2),
        down * (height // 2),
        width - width // 2 if right else width // 2,
        height - height // 2 if down else height // 2,
    )


def _runs(rows: list[list[int]], sprites: Sequence[str]) -> Iterator[list[list[int]]]:
    """Yield the rows one by one; consecutive ones with the same soft colour together."""
    run: list[list[int]] = []
    for row in rows:
        if run and (row[SPRITE] != run[0][SPRITE] or sprites[row[SPRITE]][0] != "~"):
            yield run
            run = []
        run.append(row)
    if run:
        yield run


def _blend(came: Sequence[int], goes: Sequence[int], phase: float) -> list[float]:
    """Return the numbers of a place on the way; an angle turns the shorter way."""
    turned = (goes[-1] - came[-1] + 180) % 360 - 180
    return [*painting.blend(came[:-1], goes[:-1], phase), goes[-1] - (1 - phase) * turned]


def _make_sprite(file: Path, size: tuple[int, int], angle: float, opacity: int) -> pygame.Surface:
    if angle % 90:
        shown = pygame.transform.rotozoom(painting.picture(file, size[0]), -angle, 1)
    else:
        shown = painting.picture(file, size[0], round(angle / 90) % 4)
    if size[0] != size[1]:
        shown = pygame.transform.smoothscale(shown, size)
    if opacity < 255:
        shown = shown.copy()
        shown.set_alpha(opacity)
    return shown


_sprite = functools.lru_cache(2 * painting.SPRITES_KEPT)(_make_sprite)


@functools.lru_cache(64)
def _rectangle(size: tuple[int, int], color: str, opacity: int) -> pygame.Surface:
    surface = pygame.Surface(size)
    surface.fill(color)
    surface.set_alpha(opacity)
    return surface


@functools.lru_cache(4 * painting.SPRITES_KEPT)
def _number(number: int, height: int, tile: int, color: str) -> pygame.Surface | None:
    """Return a number with digits of that height, or less if it is too wide, cropped; None if that is illegible."""
    line = height / DIGIT
    while line >= painting.SMALLEST_TEXT:
        picture = painting.font(line, bold=True).render(str(number), True, color)
        ink = picture.get_bounding_rect()
        fits = ink.width <= 0.8 * tile and ink.height <= height
        if fits or line - 0.5 < painting.SMALLEST_TEXT:
            return picture.subsurface(ink)
        line -= 0.5
    return None


def _put_quarter(surface: pygame.Surface, shown: pygame.Surface, quarter: int, centre: tuple[float, float]) -> None:
    """Blit a quarter of a sprite to its place."""
    (width, height), part = shown.get_size(), quarter_of(shown.get_size(), quarter)
    left, top = round(centre[0] - width / 2), round(centre[1] - height / 2)
    surface.blit(shown, part.move(left, top), part)


def _strengths(rows: list[list[int]], place: Layout) -> bytes:
    """Return the opacity of a soft colour on each drawn square, as the bytes of uint8[H, W]."""
    found = np.zeros(place.shape, np.uint8)
    for row in rows:
        down, right = divmod(row[SQUARE], place.stride)
        down, right = down - place.first[0], right - place.first[1]
        if 0 <= down < found.shape[0] and 0 <= right < found.shape[1]:
            found[down, right] = row[OPACITY]
    return found.tobytes() + found.shape[1].to_bytes(2, "little")


@functools.lru_cache(8)
def _soft(color: str, strengths: bytes, tile: int) -> pygame.Surface:
    """Return a picture of a colour with soft edges."""
    width = int.from_bytes(strengths[-2:], "little")
    opacity = np.frombuffer(strengths[:-2], np.uint8).reshape(-1, width)
    height = opacity.shape[0]
    small = pygame.Surface((width * SOFTNESS, height * SOFTNESS), pygame.SRCALPHA)
    small.fill(color)
    pygame.surfarray.pixels_alpha(small)[...] = np.kron(opacity.T, np.ones((SOFTNESS, SOFTNESS), np.uint8))
    return pygame.transform.smoothscale(small, (width * tile, height * tile))


Bytes = npt.NDArray[np.uint8]


def pixels_of(shown: pygame.Surface, part: pygame.Rect) -> tuple[Bytes, Bytes, bool]:
    """Return the colours of a part of a surface and their opacity, uint8[h, w, 3] both, and whether all have one."""
    colors = np.swapaxes(pygame.surfarray.array3d(shown.subsurface(part)), 0, 1)
    given = shown.get_alpha()
    opacity = 255 if given is None else given
    if not shown.get_masks()[3]:
        return colors, np.full_like(colors, opacity), opacity < 255
    alphas = pygame.surfarray.array_alpha(shown.subsurface(part)).T.astype(np.int64) * opacity // 255
    return colors, np.repeat(alphas.astype(np.uint8)[..., None], 3, axis=2), False


class Canvas:
    """Draws the scenes of one puzzle.

    Args:
        puzzle: The puzzle.
        tile_size: The width of a square, in pixels.
        drawing: How to draw scenes; None uses the puzzle's own drawing.
        panel: False draws the board only.
    """

    def __init__(
        self, puzzle: DrawnPuzzle, tile_size: int, drawing: BoardAndPanel | None = None, panel: bool = True
    ) -> None:
        self.puzzle, self.tile_size = puzzle, tile_size
        self._drawing = drawing or (drawing_of(puzzle) if panel else drawing_of(puzzle).without_panel())
        self._surface: pygame.Surface | None = None
        self._window: pygame.Window | None = None
        self._clock = pygame.time.Clock()
        self._closed_by_user = False

    def picture(self, scene: Scene) -> npt.NDArray[np.uint8]:
        """Draw a scene off-screen, without a display.

        Returns:
            uint8[height, width, 3], a new array.
        """
        surface = self._drawn(scene)
        pixels = np.frombuffer(pygame.image.tobytes(surface, "RGB"), np.uint8)
        return pixels.reshape(surface.get_height(), surface.get_width(), 3).copy()

    def png(self, scene: Scene, board_only: bool = False) -> bytes:
        """Draw a scene off-screen, without a display, as a PNG; ``board_only`` leaves out what is next to the board."""
        return self._encoded(scene, board_only, "png")

    def jpg(self, scene: Scene) -> bytes:
        """Draw the board of a scene off-screen, without a display, as a JPEG: a third of a PNG, not as sharp."""
        return self._encoded(scene, True, "jpg")

    def _encoded(self, scene: Scene, board_only: bool, kind: str) -> bytes:
        surface, encoded = self._drawn(scene), io.BytesIO()
        part = self._drawing.board(scene, self._bounded_tile(scene)) if board_only else surface.get_rect()
        pygame.image.save(surface.subsurface(part), encoded, f"scene.{kind}")
        return encoded.getvalue()

    def _drawn(self, scene: Scene) -> pygame.Surface:
        """Draw a scene on the off-screen surface and return it."""
        tile_size = self._bounded_tile(scene)
        size = self._drawing.measure(scene, tile_size)
        if self._surface is None or self._surface.get_size() != size:
            self._surface = pygame.Surface(size, 0, 32)
        self._drawing.draw(self._surface, scene, tile_size)
        return self._surface

    def measure(self, scene: Scene) -> tuple[int, int]:
        """Return the width and height of the picture of a scene."""
        return self._drawing.measure(scene, self._bounded_tile(scene))

    def _bounded_tile(self, scene: Scene) -> int:
        return self._largest_tile(scene, lambda width, height: width * height <= MOST_PIXELS)

    def _largest_tile(self, scene: Scene, fits: Callable[[int, int], bool]) -> int:
        """Return the largest tile size, up to the requested one, with which the picture fits."""
        for tile_size in range(self.tile_size, SMALLEST_TILE, -1):
            if fits(*self._drawing.measure(scene, tile_size)):
                return tile_size
        return min(self.tile_size, SMALLEST_TILE)

    def show(self, scene: Scene, fps: float) -> None:
        """Draw a scene in the window, and wait as long as the frame rate requires.

        The window opens at the first call. Once the user has closed it, calls do nothing. A picture that would be
        larger than the screen is drawn with smaller squares.

        Args:
            scene: The scene to show.
            fps: The maximum number of frames per second; 0 does not wait.

        Raises:
            RuntimeError: No window can be opened on this machine.
        """
        if self._closed_by_user:
            return
        if not pygame.display.get_init():
            self._window = None  # closed by a pygame.quit() elsewhere
            try:
                pygame.display.init()
            except pygame.error as error:
                raise RuntimeError(f"cannot open a window ({error}); render_mode='rgb_array' needs none") from None
        most_wide, most_high = (_DESKTOP_SHARE * side for side in pygame.display.get_desktop_sizes()[0])
        tile_size = self._largest_tile(scene, lambda width, height: width <= most_wide and height <= most_high)
        size = self._drawing.measure(scene, tile_size)
        if self._window is None:
            self._window = pygame.Window(f"{self.puzzle.title} - gridpuzzles_gym", size)
        elif self._window.size != size:
            self._window.size = size
        self._drawing.draw(self._window.get_surface(), scene, tile_size)
        self._window.flip()
        self._handle_events()
        if fps:
            self._clock.tick(fps)

    def _handle_events(self) -> None:
        """Close the window if the user has closed it, and discard all other events, so that the queue stays short."""
        for event in pygame.event.get((pygame.WINDOWCLOSE, pygame.QUIT)):
            owner = getattr(event, "window", None)
            if owner is not None and owner is not self._window:
                pygame.event.post(event)  # belongs to another canvas, which will read it from the queue
            else:
                self.close()
                self._closed_by_user = True
        pygame.event.get(exclude=(pygame.WINDOWCLOSE, pygame.QUIT))

    def close(self) -> None:
        """Close the window, if one is open."""
        if self._window is not None and pygame.display.get_init():
            self._window.destroy()
        self._window = None


def board_html(puzzle: DrawnPuzzle, scene: Scene, caption: str) -> str:
    """Return the board of a scene above a caption."""
    columns = puzzle.check(scene.level, scene.state, scene.options)[1]
    tile_size = max(SMALLEST_IN_PAGES, min(TILE_SIZE, WIDEST // columns))
    picture = png_html(Canvas(puzzle, tile_size).png(scene, board_only=True), f"{puzzle.title}: {caption}")
    words = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return f'<figure style="display: inline-block; margin: 0.5em">{picture}{words}</figure>'


def png_html(png: bytes, description: str) -> str:
    """Return a PNG as an element that contains it.

    Args:
        png: The picture.
        description: What it shows, for people who do not see it.
    """
    address = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    return f'<img alt="{escape(description)}" src="{address}">'
