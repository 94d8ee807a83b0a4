"""Observations in pixels: ``observation="pixels"``, the picture of a state as people see it, without rim and panel.

They are uint8[H*T, W*T, 3] for a board of H by W squares of T pixels, of all puzzles that have a picture. A picture
shows what a player knows, and a state alone: no trace of the last action. It equals what pygame draws, but a compiled
loop draws it, from sprites that pygame has rendered once, and only the squares that have changed.

The kernel of a step does not draw: its observation is the two rows of an environment, from which :class:`Painter` makes
the pictures.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from ..arguments import choice, integer
from ..compile.compilation import entry, is_worth_compiling, rule
from ..compile.memory import copy_row, frame_of
from ..messages import quote
from ..puzzle import Extent, Observation, Puzzle
from ..scene import Scene
from .blitting import FRAME, ITEM, KEYS, make_paint_batch
from .picture import placement_limit, too_many_rows
from .placement import COLUMNS, SOFTNESS

PIXELS = "pixels"
"""The name of the observation."""
LEAST_TILE, LARGEST_TILE = 4, 128
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
        from .atlas import Atlas
        from .sprites import sprite_files

        picture: Any = puzzle.picture
        height, width = extent[:2]
        nothing = np.zeros(0, np.int16)
        scene = puzzle.concealed(Scene(nothing, nothing, options))
        self.rows = np.zeros((count, sum(puzzle.sizes(extent))), np.int16)
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
            "sizes": np.array([puzzle.sizes(extent)[0], tile], np.int64),
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
