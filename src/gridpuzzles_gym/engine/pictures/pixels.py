"""Observations in pixels: ``observation="pixels"``, the picture of a state as people see it, without rim and panel.

They are uint8[H*T, W*T, 3] for a board of H by W squares of T pixels, of all puzzles that have a picture. A picture
shows what a player knows, and a state alone: no trace of the last action. It equals what pygame draws, but a compiled
loop draws it, from sprites that pygame has rendered once, and only the squares that have changed.

The kernel of a step does not draw: its observation is the two rows of an environment, from which :class:`Painter` makes
the pictures, with a kernel of its own. It draws what :func:`.canvas.draw` draws once every movement has ended, pixel by
pixel, from an atlas: every sprite as it is shown in some size, angle and opacity, rendered by pygame
(:class:`Atlas`). A row of placements that needs a picture that is not in the atlas is reported, and the kernel
is called again once it is.

    array     dtype    shape            holds
    rows      int16    [N, L + S]       a level and a state for each picture; a row of zeros is not drawn
    drawn     int16    [N, L + S]       those that `pixels` shows
    pixels    uint8    [N, H*T, W*T*3]  the pictures
    grounds   uint8    [N, H*T, W*T*3]  the part of each that is the same for all states of its level
    places    int32    [2, P, COLUMNS]  scratch memory: placements
    items     int32    [P, ITEM]        scratch memory: what they show
    dirty     uint8    [H, W]           scratch memory: whether a square is drawn again
    scene     int64    [...]            the numbers of a scene
    sizes     int64    [2]              L, T
    kinds     int32    [sprites, 4]     of each sprite: whether it is SOFT, then the colour of a soft one
    strengths uint8    [H, W]           scratch memory: the opacity of a soft colour on each square
    fades     int32    [2, 3, max(H, W)*T]
                                        for each column, then each row of pixels: the columns, or rows, of squares whose
                                        strengths are mixed there, and the share of the second in 1/256
    table     int32    [M, ENTRY]       the atlas, a hash table; M is a power of 2
    colors    uint8    [Q]              the pictures of the atlas, [h, w, 3] each
    alphas    uint8    [Q]              their opacity, also [h, w, 3]
    wanted    int32    [KEYS]           the key that was looked up last
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from ..arguments import choice, integer
from ..compile.compilation import compiled, entry, is_worth_compiling, routine, rule
from ..compile.indexing import from_front
from ..compile.memory import copy_row, frame_of, frame_reader
from ..messages import quote
from ..puzzle import Extent, Observation, Puzzle
from ..scene import Scene
from .picture import placement_limit, too_many_rows
from .placement import (
    ANGLE,
    COLUMNS,
    DURING,
    HEIGHT,
    NUMBER,
    OPACITY,
    QUARTER,
    SEEN,
    SOFTNESS,
    SPRITE,
    SQUARE,
    UNIT,
    WIDTH,
    X,
    Y,
    digit_height,
)

PIXELS = "pixels"
"""The name of the observation."""
LARGEST_TILE = 128
MOST_PIXELS = 2**22
"""The maximum number of pixels of an observation."""


def observations_of(puzzle: Puzzle) -> dict[str, Observation]:
    """Return all observations of a puzzle by name, the default first; that in pixels has squares of its own width."""
    if puzzle.picture is None:
        return {**puzzle.observations}
    return {**puzzle.observations, PIXELS: observation_of(puzzle, PIXELS, puzzle.picture.tile)}


def chosen_observation(
    puzzle: Puzzle, observation: str | None, tile: int | None, extent: Extent
) -> tuple[str, int | None]:
    """Return the name of an observation, and the width of a square, None if that is not in pixels.

    Args:
        puzzle: The puzzle.
        observation: The name; None: the default.
        tile: The width; None: that of the puzzle's picture.
        extent: The extent of the boards.

    Raises:
        ValueError: One of them is invalid.
    """
    known, picture = observations_of(puzzle), puzzle.picture
    observation = choice("observation", next(iter(known)) if observation is None else observation, known)
    if observation != PIXELS or picture is None:
        if tile is not None:
            raise ValueError(f"tile={quote(tile)}: only observation='pixels' has squares of pixels")
        return observation, None
    tile = integer("tile", picture.tile if tile is None else tile, picture.least_tile, LARGEST_TILE, " pixels")
    height, width = extent[0] * tile, extent[1] * tile
    if height * width > MOST_PIXELS:
        raise ValueError(f"tile={tile}: a picture would have {width}x{height} pixels; the maximum is {MOST_PIXELS:,}")
    return observation, tile


@rule
def observe_rows(level, state, view):
    """Fill ``view``, int16[L + S], with both rows."""
    copy_row(level, view[: level.shape[0]])
    copy_row(state, view[level.shape[0] :])


@rule
def refresh_rows(level, before, state, view):
    """Write the state, as the level does not change."""
    copy_row(state, view[level.shape[0] :])


def observation_of(puzzle: Puzzle, name: str, tile: int | None = None) -> Observation:
    """Return an observation of a puzzle by its name; the rules of that in pixels write rows.

    Args:
        puzzle: The puzzle.
        name: Its name.
        tile: The width of a square, in pixels; needed only for the space of that in pixels.
    """
    if name != PIXELS or puzzle.picture is None:
        return puzzle.observations[name]

    def space(extent: Extent) -> gym.spaces.Box:
        assert tile is not None
        return gym.spaces.Box(0, 255, (extent[0] * tile, extent[1] * tile, 3), np.uint8)

    return Observation(lambda extent: ("red", "green", "blue"), space, observe_rows, refresh_rows)


# -- the kernel -----------------------------------------------------------------------------------------

FRAME: dict[str, tuple[Any, int]] = {
    "rows": (np.int16, 2),
    "drawn": (np.int16, 2),
    "pixels": (np.uint8, 3),
    "grounds": (np.uint8, 3),
    "places": (np.int32, 3),
    "items": (np.int32, 2),
    "dirty": (np.uint8, 2),
    "scene": (np.int64, 1),
    "sizes": (np.int64, 1),
    "kinds": (np.int32, 2),
    "strengths": (np.uint8, 2),
    "fades": (np.int32, 3),
    "table": (np.int32, 2),
    "colors": (np.uint8, 1),
    "alphas": (np.uint8, 1),
    "wanted": (np.int32, 1),
}
"""The arrays of the kernel, in the order of its frame, with their dtypes and numbers of axes."""
arrays_of = frame_reader(FRAME.values())

KEYS = 7
"""A key of the atlas: sprite, number, quarter, opacity, width, height (both in pixels) and angle."""
USED, START, WIDE, HIGH, RIGHT, DOWN, WHOLE_WIDE, WHOLE_HIGH, MODE = range(KEYS, KEYS + 9)
"""An entry of the atlas after its key: whether it is one; where its pixels begin; its width and height; where it
begins in the whole sprite, and the size of that; how it is blended."""
ENTRY = MODE + 1
BLEND, ADD, FLAT, SOFT = range(4)
"""How colours are blended: as pygame blends surfaces with an opacity for each pixel; by adding them; as it blends those
with one opacity; and with soft edges."""
LEFT, TOP, ITEM_WIDE, ITEM_HIGH, ITEM_START, ITEM_MODE = range(6)
"""An item: where its upper left pixel is in the picture, its size, its pixels, and how they are blended. For SOFT, the
pixels are those of the rows of placements from LEFT to TOP."""
ITEM = ITEM_MODE + 1
SHOWN = ANGLE + 1
"""The number of a placement's columns that matter once every movement has ended."""


@rule
def same(one, other):
    """Whether two rows are equal: :func:`..board.checking.same` without branches, which is faster."""
    differ = 0
    for k in range(one.shape[0]):
        differ |= one[k] ^ other[k]
    return differ == 0


@rule
def slot_of(key, table):
    """Return the place of a key in the table, or the free place where it would be."""
    mixed = 0
    for k in range(KEYS):
        mixed = (mixed * 31 + int(key[k])) & 0xFFFFFFF
    place = mixed & (table.shape[0] - 1)
    while table[place, USED]:
        equal = True
        for k in range(KEYS):
            equal &= table[place, k] == key[k]
        if equal:
            break
        place = (place + 1) & (table.shape[0] - 1)
    return place


@routine
def find(row, tile, board, table, key, item):
    """Write what a row of placements shows as an item; False if it is not in the atlas.

    Args:
        row: The row.
        tile: The width of a square.
        board: The (height, width) of the board, in squares.
        table: The atlas.
        key: int32[KEYS], to which the row's key is written.
        item: int32[ITEM].
    """
    x = row[SQUARE] % board[1] * tile + row[X] * tile / UNIT
    y = row[SQUARE] // board[1] * tile + row[Y] * tile / UNIT
    key[0], key[1], key[2], key[3] = row[SPRITE], row[NUMBER], row[QUARTER], row[OPACITY]
    key[4] = max(1, int(np.rint(row[WIDTH] * tile / UNIT)))
    key[5] = max(1, int(np.rint(row[HEIGHT] * tile / UNIT)))
    key[6] = row[ANGLE]
    if row[NUMBER] >= 0:
        inside = 0 <= row[X] <= UNIT and 0 <= row[Y] <= UNIT
        inside = inside or (0 <= x < board[1] * tile and 0 <= y < board[0] * tile)
        key[4], key[5] = 0, digit_height(key[5], tile, inside)
    place = slot_of(key, table)
    if not table[place, USED]:
        return False
    entry = table[place]
    if entry[MODE] == ADD and row[QUARTER] < 0:
        item[LEFT], item[TOP] = int(x) - entry[WIDE] // 2, int(y) - entry[HIGH] // 2
    else:
        item[LEFT] = int(np.rint(x - entry[WHOLE_WIDE] / 2)) + entry[RIGHT]
        item[TOP] = int(np.rint(y - entry[WHOLE_HIGH] / 2)) + entry[DOWN]
    item[ITEM_WIDE], item[ITEM_HIGH], item[ITEM_START] = entry[WIDE], entry[HIGH], entry[START]
    item[ITEM_MODE] = entry[MODE]
    return True


@rule
def mark(top, left, bottom, right, dirty):
    """Mark the squares from one to another that are on the board."""
    for row in range(max(top, 0), min(bottom + 1, dirty.shape[0])):
        for column in range(max(left, 0), min(right + 1, dirty.shape[1])):
            dirty[row, column] = 1


@rule
def mark_row(row, tile, kinds, table, key, item, dirty):
    """Mark the squares on which a row of placements is seen, which the atlas has if it has been drawn before."""
    if kinds[row[SPRITE], 0] == SOFT:
        down, right = row[SQUARE] // dirty.shape[1], row[SQUARE] % dirty.shape[1]
        mark(down - 1, right - 1, down + 1, right + 1, dirty)
    elif find(row, tile, dirty.shape, table, key, item):
        left, top = item[LEFT], item[TOP]
        if item[ITEM_WIDE]:
            end = left + item[ITEM_WIDE] - 1, top + item[ITEM_HIGH] - 1
            mark(top // tile, left // tile, end[1] // tile, end[0] // tile, dirty)


@routine
def find_items(places, count, tile, kinds, table, key, items, board):
    """Write the items that rows of placements show; consecutive rows of the same soft colour are one.

    Returns:
        The number of items; -1 if one is not in the atlas.
    """
    n = 0
    for k in range(count):
        row = places[k]
        if kinds[row[SPRITE], 0] == SOFT:
            follows = k > 0 and places[k - 1, SPRITE] == row[SPRITE]
            if not follows:
                items[n, LEFT], items[n, ITEM_MODE] = k, SOFT
                n += 1
            items[n - 1, TOP] = k + 1
        elif row[SEEN] != DURING:
            if not find(row, tile, board, table, key, items[n]):
                return -1
            n += items[n, ITEM_WIDE] > 0
    return n


@routine
def blit(item, left, top, right, bottom, target, colors, alphas):
    """Draw the part of an item that is in a rectangle of a picture."""
    x, y, wide = item[LEFT], item[TOP], item[ITEM_WIDE]
    left, right = max(left, x), min(right, x + wide)
    top, bottom = max(top, y), min(bottom, y + item[ITEM_HIGH])
    if left >= right:
        return
    mode, count = item[ITEM_MODE], 3 * (right - left)
    for line in range(top, bottom):
        start = item[ITEM_START] + 3 * ((line - y) * wide + left - x)
        into = target[line, 3 * left : 3 * right]
        color, alpha = colors[start : start + count], alphas[start : start + count]
        if mode == BLEND:
            for k in range(count):
                into[k] = blended(np.int32(into[k]), np.int32(color[k]), np.int32(alpha[k]))
        elif mode == ADD:
            for k in range(count):
                into[k] = min(np.int32(into[k]) + np.int32(color[k]), 255)
        else:
            for k in range(count):
                below = np.int32(into[k])
                into[k] = (((np.int32(color[k]) - below) * np.int32(alpha[k])) >> 8) + below


@rule
def blended(below, above, alpha):
    """Return a colour with another one above it, as pygame rounds."""
    return (((above - below) * alpha + above) >> 8) + below


@routine
def blit_soft(places, item, left, top, right, bottom, target, tile, kinds, fades, strengths):
    """Draw the part of a soft colour that is in a rectangle of a picture."""
    strengths[:, :] = 0
    for k in range(item[LEFT], item[TOP]):
        if places[k, SEEN] != DURING:
            square = places[k, SQUARE]
            strengths[square // strengths.shape[1], square % strengths.shape[1]] = places[k, OPACITY]
    color = kinds[places[item[LEFT], SPRITE]]
    for y in range(top, bottom):
        upper, lower = strengths[fades[1, 0, y]], strengths[fades[1, 1, y]]
        down = fades[1, 2, y]
        for x in range(left, right):
            one, other, over = fades[0, 0, x], fades[0, 1, x], fades[0, 2, x]
            above = (upper[one] * (256 - over) + upper[other] * over) >> 8
            below = (lower[one] * (256 - over) + lower[other] * over) >> 8
            alpha = (above * (256 - down) + below * down) >> 8
            for k in range(3):
                target[y, 3 * x + k] = blended(np.int32(target[y, 3 * x + k]), color[1 + k], alpha)


@routine
def draw_items(items, n, places, box, target, tile, kinds, strengths, fades, colors, alphas):
    """Draw the part of items that is in a rectangle of a picture, (left, top, right, bottom)."""
    left, top, right, bottom = box
    for j in range(n):
        if items[j, ITEM_MODE] == SOFT:
            blit_soft(places, items[j], left, top, right, bottom, target, tile, kinds, fades, strengths)
        else:
            blit(items[j], left, top, right, bottom, target, colors, alphas)


@rule
def mark_changes(places, counts, tile, kinds, table, key, item, dirty):
    """Mark the squares on which one of two lists of placements shows something else than the other."""
    for k in range(max(counts[0], counts[1])):
        if k >= counts[0] or k >= counts[1] or not same(places[0, k, :SHOWN], places[1, k, :SHOWN]):
            for part in range(2):
                if k < counts[part]:
                    mark_row(places[part, k], tile, kinds, table, key, item, dirty)


@functools.cache
def make_paint_batch(puzzle: Any) -> Callable[..., int]:
    """Make the kernel that draws the pictures of a batch.

    Returns:
        ``paint_batch(frame, first) -> int``: bring the pictures from the first up to date, and return the number of
        pictures; or, if the atlas lacks something, which is written to ``wanted``, the number of the picture that needs
        it; or -1, if a rule writes more rows than it may. The arrays are described at the top of this file.
    """
    ground, pieces = puzzle.picture.ground, puzzle.picture.pieces

    def paint_batch(frame, first):
        arrays = arrays_of(frame)
        rows, drawn, pixels, grounds, places, items, dirty, scene, sizes, kinds = arrays[:10]
        strengths, fades, table, colors, alphas, wanted = arrays[10:]
        rows, drawn, pixels, grounds = from_front(rows), from_front(drawn), from_front(pixels), from_front(grounds)
        colors, alphas = from_front(colors), from_front(alphas)
        size, tile, board = sizes[0], sizes[1], dirty.shape
        counts = np.zeros(2, np.int64)
        for i in range(first, rows.shape[0]):
            if same(rows[i], drawn[i]):
                continue
            level, below, target = rows[i, :size], grounds[i], pixels[i]
            fresh = not same(level, drawn[i, :size])
            if fresh:
                count = ground(level, scene, places[0])
                if count == places.shape[1]:
                    return -1
                n = find_items(places[0], count, tile, kinds, table, wanted, items, board)
                if n < 0:
                    return i
                below[:, :] = 0
                box = 0, 0, board[1] * tile, board[0] * tile
                draw_items(items, n, places[0], box, below, tile, kinds, strengths, fades, colors, alphas)
            for part in range(2):
                state = rows[i, size:] if part else drawn[i, size:]
                counts[part] = pieces(level, state, state, state, scene, places[part]) if part or not fresh else 0
                if counts[part] == places.shape[1]:
                    return -1
            dirty[:, :] = fresh
            if not fresh:
                mark_changes(places, counts, tile, kinds, table, wanted, items[0], dirty)
            n = find_items(places[1], counts[1], tile, kinds, table, wanted, items, board)
            if n < 0:
                return i
            for row in range(board[0]):
                end = 0
                while end < board[1]:
                    column = end
                    end += 1
                    if dirty[row, column]:
                        while end < board[1] and dirty[row, end]:
                            end += 1
                        box = column * tile, row * tile, end * tile, (row + 1) * tile
                        for line in range(box[1], box[3]):
                            for k in range(3 * box[0], 3 * box[2]):
                                target[line, k] = below[line, k]
                        draw_items(items, n, places[1], box, target, tile, kinds, strengths, fades, colors, alphas)
            copy_row(rows[i], drawn[i])
        return rows.shape[0]

    return compiled(paint_batch, f"{puzzle.name}-pixels-paint", title=f"the picture of {puzzle.title}")


class Atlas:
    """The sprites of a picture in the sizes, angles and opacities in which they have been wanted.

    Args:
        sprites: The picture's sprites.
        files: The file of each.
        tile: The width of a square, in pixels.

    Attributes:
        kinds, table, colors, alphas: The arrays of those names.
    """

    def __init__(self, sprites: Sequence[str], files: Sequence[Path], tile: int) -> None:
        self._sprites, self._files, self._tile = sprites, files, tile
        soft = {name: [SOFT, *bytes.fromhex(name[2:])] for name in sprites if name[0] == "~"}
        self.kinds = np.array([soft.get(name, [BLEND, 0, 0, 0]) for name in sprites], np.int32)
        self.table = np.zeros((64, ENTRY), np.int32)
        self.colors = np.zeros(0, np.uint8)
        self.alphas = np.zeros(0, np.uint8)

    def add(self, key: npt.NDArray[np.int32]) -> None:
        """Render what a key, int32[KEYS], stands for."""
        from .canvas import look, pixels_of, quarter_of

        sprite, number, quarter, opacity, width, height, angle = key.tolist()
        name = self._sprites[sprite]
        shown = look(name, self._files[sprite], number, (width, height), angle, opacity, self._tile)
        entry = np.zeros(ENTRY, np.int32)
        entry[:KEYS] = key
        entry[USED:] = 1, self.colors.size, 0, 0, 0, 0, 0, 0, BLEND
        if shown is not None:
            part = shown.get_rect() if quarter < 0 else quarter_of(shown.get_size(), quarter)
            colors, alphas, flat = pixels_of(shown, part)
            mode = ADD if name[0] == "+" else FLAT if flat else BLEND
            entry[USED + 2 :] = *part.size, *part.topleft, *shown.get_size(), mode
            self.colors = np.concatenate([self.colors, colors.ravel()])
            self.alphas = np.concatenate([self.alphas, alphas.ravel()])
        if 2 * np.count_nonzero(self.table[:, USED]) >= len(self.table):
            entries = self.table[self.table[:, USED] == 1]
            self.table = np.zeros((2 * len(self.table), ENTRY), np.int32)
            for each in entries:
                self.table[slot_of(each, self.table)] = each
        self.table[slot_of(entry, self.table)] = entry


class Painter:
    """Draws the pictures of a batch.

    Args:
        puzzle: The puzzle.
        options: Its options.
        extent: The extent of its boards.
        tile: The width of a square, in pixels.
        count: N, the number of pictures.

    Attributes:
        rows: int16[N, L + S], the level and the state of each. A picture whose row is all zeros is not drawn.
        pixels: uint8[N, H*T, W*T, 3], the pictures.
    """

    def __init__(self, puzzle: Puzzle, options: Any, extent: Extent, tile: int, count: int) -> None:
        from .canvas import sprite_files

        picture: Any = puzzle.picture
        height, width = extent[:2]
        nothing = np.zeros(0, np.int16)
        scene = puzzle.concealed(Scene(nothing, nothing, options))
        self.rows = np.zeros((count, sum(puzzle.row_lengths(extent))), np.int16)
        try:
            self.pixels, grounds = np.zeros((2, count, height * tile, width * tile, 3), np.uint8)
        except MemoryError:
            size = f"{width * tile}x{height * tile}"
            raise ValueError(f"there is no memory for {count:,} pictures of {size} pixels") from None
        limit = placement_limit(height * width) + 1
        self._picture = picture
        self._kernel: Any = make_paint_batch(puzzle)
        self._atlas = Atlas(picture.sprites, sprite_files(picture, scene.options), tile)
        self._arrays = {
            "rows": self.rows,
            "drawn": np.zeros_like(self.rows),
            "pixels": self.pixels.reshape(count, height * tile, -1),
            "grounds": grounds.reshape(count, height * tile, -1),
            "places": np.zeros((2, limit, COLUMNS), np.int32),
            "items": np.zeros((limit, ITEM), np.int32),
            "dirty": np.zeros((height, width), np.uint8),
            "scene": picture.numbers(scene),
            "sizes": np.array([puzzle.row_lengths(extent)[0], tile], np.int64),
            "strengths": np.zeros((height, width), np.uint8),
            "fades": np.array([_fades(side, max(height, width), tile) for side in (width, height)], np.int32),
            "wanted": np.zeros(KEYS, np.int32),
        }
        self._paint: Callable[..., Any] = self._first_calls
        self._connect()

    def _connect(self) -> None:
        atlas = self._atlas
        self._arrays |= {"kinds": atlas.kinds, "table": atlas.table, "colors": atlas.colors, "alphas": atlas.alphas}
        self._frame = frame_of(self._arrays[name] for name in FRAME)

    def _first_calls(self, *arguments: Any) -> Any:
        """Compile, but for a single picture not before it is worth it."""
        if len(self.pixels) == 1 and not is_worth_compiling(self._kernel, *arguments):
            return self._kernel.interpret(*arguments)
        self._paint = entry(self._kernel, *arguments)
        return self._paint(*arguments)

    def following(self, step: Callable[..., Any]) -> Callable[..., Any]:
        """Return a step that is followed by :meth:`paint`."""

        def step_and_paint(*arguments: Any) -> Any:
            result = step(*arguments)
            self.paint()
            return result

        return step_and_paint

    def paint(self) -> None:
        """Bring the pictures up to date."""
        done = self._paint(self._frame, 0)
        while done < len(self.pixels):
            if done < 0:
                raise too_many_rows(self._picture, "a rule", self._arrays["places"].shape[1] - 1)
            self._atlas.add(self._arrays["wanted"])
            self._connect()
            done = self._paint(self._frame, done)


def _fades(count: int, most: int, tile: int) -> npt.NDArray[np.int64]:
    """Return how the strengths of squares in a row become those of pixels, int64[3, most * tile].

    As pygame enlarges a picture with SOFTNESS pixels in each square, smoothly: a pixel mixes the strengths of two
    squares, whose numbers come first; the third row is the share of the second, in 1/256.
    """
    size, pixel = count * SOFTNESS, np.arange(most * tile)
    place, share = np.divmod(pixel * (size - 1), count * tile)
    share = 256 * share // (count * tile)
    if tile == SOFTNESS:
        place, share = pixel, 0 * pixel
    return np.stack([place // SOFTNESS, np.minimum(place + 1, size - 1) // SOFTNESS, share])
