"""The looks of a puzzle: the record of its ``picture.py``, and the placements of its scenes."""

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..compile.compilation import compiled, tiered
from ..scene import Row, Scene
from . import placement

Placements = npt.NDArray[np.int32]
"""int32[n, COLUMNS], from back to front; see :mod:`.placement`."""
ENGINE_ART = Path(__file__).with_name("art")
"""The folder of the sprites of all puzzles, such as ``shadow``."""


class Frame(NamedTuple):
    """The rim around a board."""

    fill: str
    """Its colour, ``"#rrggbb"``, or the name of a sprite, whose average colour it is."""
    edge: str
    """The colour of its outer edge."""
    share: float
    """Its width, as a share of a square's."""
    least: int
    most: int
    """The minimum and maximum width in windows, in pixels."""
    numbers: str = ""
    """The colour of numbers on it, of columns and of rows, from the lower left; empty for none. On large boards it is
    wider, so that they can be read."""


class Inset(NamedTuple):
    """A second, small picture next to the board, with squares as many as the board's, such as the goal."""

    name: str
    """Its heading."""
    rule: Callable[..., Any]
    """``rule(level, scene, out) -> n``: all of it; of ``scene`` it reads only the settings."""
    fill: str
    """The colour of its rim, ``"#rrggbb"``."""


@dataclasses.dataclass(frozen=True, eq=False)
class Picture:
    """The looks of a puzzle.

    Its rules get rows and the numbers of a scene, ``scene`` (see :mod:`.placement`), write rows of placements, and
    return their number. ``start`` is the state at the start of the level; where it is unknown, it is ``before``, and
    where that is unknown, it is ``state``.
    """

    package: str
    """The dotted name of the puzzle's package, whose folder ``art`` has its sprites."""
    sprites: tuple[str, ...]
    """What SPRITE is an index of: the name of a sprite; a colour ``"#rrggbb"``, for rectangles and numbers; ``"+name"``
    for a sprite that adds light; ``"~#rrggbb"`` for a colour with soft edges: adjacent squares of it are one shape."""
    area: Callable[..., Any]
    """``area(level, out)``: write the board's size and the part of it that is drawn, int64[6]."""
    ground: Callable[..., Any]
    """``ground(level, scene, out) -> n``: what never moves, drawn once for each level; of ``scene`` it reads only the
    settings."""
    pieces: Callable[..., Any]
    """``pieces(level, start, before, state, scene, out) -> n``: everything else. Each rule writes at most
    :func:`placement_limit` rows; if it writes more, drawing raises RuntimeError."""
    frame: Frame
    cut: float = 0.0
    """The share of the outermost drawn squares that is cut off, on each side."""
    solved_frame: Frame | None = None
    """The frame while the status is good; None: the same."""
    inset: Inset | None = None
    settings: Mapping[str, Sequence[Any]] = dataclasses.field(default_factory=dict)
    """The options that the rules read, each with its possible values: a rule reads the index of the value."""
    metrics: tuple[str, ...] = ()
    """The metrics that the rules read, by name; outside an episode they are 0."""
    tile: int = 8
    """The width of a square in observations in pixels, if no other is asked for; boards of 36 or more pixels a side
    suit the convolutional network that is customary for them."""
    least_tile: int = 4
    """The minimum width, with which what is written on squares can still be read."""
    file: Callable[[Any, str], Path] | None = None
    """``file(options, name)``: the file of a sprite; None: ``art/NAME.svg``, or the engine's."""

    def art(self, name: str, options: Any = None) -> Path:
        """Return the file of a sprite."""
        if self.file is not None:
            return self.file(options, name)
        return default_art(self.package, name)

    def numbers(self, scene: Scene) -> npt.NDArray[np.int64]:
        """Return the numbers of a scene that rules read; see :mod:`.placement`."""
        action = -1 if scene.action is None else scene.action
        settings = [list(values).index(getattr(scene.options, name)) for name, values in self.settings.items()]
        metrics = [int(scene.metrics.get(name, 0)) for name in self.metrics]
        return np.array([action, scene.before is not None, scene.steps, *settings, *metrics], np.int64)

    def area_of(self, level: Row) -> tuple[int, int, int, int, int, int]:
        """Return the board's height and width, then top, left, height and width of what is drawn of it."""
        return _area(self, level.tobytes())

    def ground_of(self, level: Row, numbers: npt.NDArray[np.int64]) -> Placements:
        """Return the placements of what never moves."""
        return _written(self, "ground", level, numbers)

    def inset_of(self, level: Row, numbers: npt.NDArray[np.int64]) -> Placements:
        """Return the placements of the second picture; none if there is none."""
        if self.inset is None:
            return np.empty((0, placement.COLUMNS), np.int32)
        return _written(self, "inset", level, numbers)

    def pieces_of(self, scene: Scene) -> Placements:
        """Return the placements of everything else; they are the same during a whole movement, so they are cached."""
        rows = [row.tobytes() for row in (scene.level, *rows_of(scene))]
        return _pieces(self, *rows, self.numbers(scene).tobytes())


def placement_limit(squares: int) -> int:
    """Return the maximum number of placements of a board; arrays have room for one more, to notice too many."""
    return 10 * squares + 100


def default_art(package: str, name: str) -> Path:
    """Return ``art/NAME.svg`` of a package; if there is none, that of the engine."""
    own = _folder(package) / f"{name}.svg"
    return own if own.is_file() else ENGINE_ART / f"{name}.svg"


@functools.cache
def _folder(package: str) -> Path:
    import importlib

    return Path(str(importlib.import_module(package).__file__)).with_name("art")


def rows_of(scene: Scene) -> tuple[Row, Row, Row]:
    """Return the rows (start, before, state) that rules get."""
    before = scene.state if scene.before is None else scene.before
    return (before if scene.start is None else scene.start), before, scene.state


def kernel_functions(picture: Picture) -> dict[str, Callable[..., Any]]:
    """Return the kernels of a picture's rules by name, as plain functions."""
    area_rule, ground_rule, pieces_rule = picture.area, picture.ground, picture.pieces

    def area(level: Any, out: Any) -> None:
        area_rule(level, out)

    def ground(level: Any, scene: Any, out: Any) -> Any:
        return ground_rule(level, scene, out)

    def pieces(level: Any, start: Any, before: Any, state: Any, scene: Any, out: Any) -> Any:
        return pieces_rule(level, start, before, state, scene, out)

    kernels: dict[str, Callable[..., Any]] = {"area": area, "ground": ground, "pieces": pieces}
    if picture.inset is not None:
        inset_rule = picture.inset.rule

        def inset(level: Any, scene: Any, out: Any) -> Any:
            return inset_rule(level, scene, out)

        kernels["inset"] = inset
    return kernels


@functools.cache
def _kernels(picture: Picture) -> dict[str, Callable[..., Any]]:
    name = picture.package.rpartition(".")[2]
    return {part: compiled(kernel, f"{name}-{part}") for part, kernel in kernel_functions(picture).items()}


@functools.lru_cache(64)
def _area(picture: Picture, level: bytes) -> tuple[int, int, int, int, int, int]:
    out = np.zeros(len(placement.AREA), np.int64)
    tiered(_kernels(picture)["area"], np.frombuffer(bytearray(level), np.int16), out)
    rows, columns, top, left, height, width = out.tolist()
    return rows, columns, top, left, height, width


@functools.lru_cache(32)
def _pieces(picture: Picture, level: bytes, start: bytes, before: bytes, state: bytes, scene: bytes) -> Placements:
    rows = [np.frombuffer(bytearray(row), np.int16) for row in (level, start, before, state)]
    return _written(picture, "pieces", *rows, np.frombuffer(bytearray(scene), np.int64)).copy()


def _written(picture: Picture, part: str, level: Row, *others: Any) -> Placements:
    """Return what a rule writes, a view of an array with room for one row more than it may write."""
    rows, columns = picture.area_of(level)[:2]
    most = placement_limit(rows * columns)
    out = np.empty((most + 1, placement.COLUMNS), np.int32)
    count = tiered(_kernels(picture)[part], level, *others, out)
    if count > most:
        raise too_many_rows(picture, f"the rule {part}", most)
    return out[:count]


def too_many_rows(picture: Picture, what: str, most: int) -> RuntimeError:
    """Return the error of a rule that writes more rows than it may."""
    return RuntimeError(f"{picture.package}: {what} of its picture writes over {most:,} rows, the maximum")
