"""A puzzle as a module of WebAssembly, and the description that a page needs to play it.

The module exports (see :mod:`.target` for how they are called)

    step(frame, views)          the engine's own ``step_batch``, for one environment: it steps, resets, generates,
                                counts, and updates the mask, as the frame's ``control`` says; it writes no observation
    observe_NAME(level, state, view)   each of the puzzle's observations
    area, ground, pieces, status       the puzzle's picture, as placements, and what is said next to it
    click, drag                        the actions of the mouse
    sizes(extent, lengths)      the lengths of level and state rows for boards of an extent

Everything else is data: :func:`describe` makes it from the puzzle's record, the registered environments, and the
variants that the page generates instances of. A puzzle's ``web/variants.json`` has the keyword arguments of each, by
the id of the environment and the name of the variant::

    {"Wumpus-v0": {"4 × 4, 3 pits": {}, "6 × 6, 6 pits": {"size": 6, "pits": 6}}}
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import dataclasses
import importlib
import importlib.resources
import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from numba.core import types
from numba.np.numpy_support import from_dtype
from numba.np.unsafe.ndarray import to_fixed_tuple

from gridpuzzles_gym.engine import kernels
from gridpuzzles_gym.engine.board.touch import Touch
from gridpuzzles_gym.engine.compile.compilation import plain, rule
from gridpuzzles_gym.engine.levels.sources import level_source
from gridpuzzles_gym.engine.pictures.canvas import rim_color, sprite_files
from gridpuzzles_gym.engine.pictures.picture import Frame, Picture, kernel_functions
from gridpuzzles_gym.engine.pictures.status import Status
from gridpuzzles_gym.engine.puzzle import Extent, Observation, Outcome, Puzzle
from gridpuzzles_gym.engine.system.files import read_json

from .target import Export

_ROW = types.Array(types.int16, 1, "C")
_NUMBERS, _FRAME = types.Array(types.int64, 1, "C"), types.Array(types.int64, 2, "C")
_PLACEMENTS = types.Array(types.int32, 2, "C")
_VIEWS = types.Array(types.uint8, 3, "C")
_NAMES = {
    "control": ("COMMAND", "ACTIONS", "LIMIT", "AUTORESET", "POOL", "BLOCK", "SETTINGS"),
    "command": ("STEP", "RESET", "OBSERVE"),
    "counters": ("PLACE", "ELAPSED", "ENDED", "QUEUED", "FINAL_LENGTH", "SEEDED"),
    "scores": ("REWARD", "RETURN", "FINAL_RETURN"),
    "ends": ("TERMINATED", "TRUNCATED", "OUTCOME", "EITHER", "SUCCESS"),
}
"""The names in :mod:`~gridpuzzles_gym.engine.kernels` of the indices into a frame's arrays."""


@rule
def _see_nothing(level, state, view):
    """An observation of nothing: pages observe when they need to."""


def exports(puzzle: Puzzle) -> list[Export]:
    """Return the exports of a puzzle's module."""
    blind = Observation(lambda extent: (), lambda extent: gym.spaces.Box(0, 1, (1, 1, 1), np.uint8), _see_nothing)
    stepping = dataclasses.replace(puzzle, observations={"nothing": blind})
    row = {"level": _ROW, "state": _ROW}
    observing = [
        Export(f"observe_{name}", _observing(seen.observe), {**row, "view": _view_type(puzzle, seen)})
        for name, seen in puzzle.observations.items()
    ]
    step, sizes = kernels.make_step_batch(stepping, "nothing"), _make_sizes(puzzle)
    return [
        Export("step", plain(step), {"frame": _FRAME, "views": _VIEWS}),
        *observing,
        *looks(puzzle),
        Export("sizes", sizes, {"extent": _NUMBERS, "lengths": _NUMBERS}),
    ]


def _observing(observe: Any) -> Callable[..., None]:
    def see(level, state, view):
        observe(level, state, view)

    return see


def _make_sizes(puzzle: Puzzle) -> Callable[..., None]:
    sizes, count = rule(puzzle.row_lengths), len(_some_extent(puzzle))

    def fill(extent, lengths):
        lengths[0], lengths[1] = sizes(to_fixed_tuple(extent, count))  # type: ignore[call-arg]  # numba adds the context

    return fill


def describe(puzzle: Puzzle, ids: Iterable[str]) -> dict[str, Any]:
    """Return the description of a puzzle and of some of its environments, for JSON.

    Args:
        puzzle: The puzzle.
        ids: The ids of registered environments; their puzzle is this one.
    """
    places = {array: {name: getattr(kernels, name) for name in names} for array, names in _NAMES.items()}
    return {
        "puzzle": puzzle.name,
        "title": puzzle.title,
        "keys": dict(puzzle.keys),
        "key_words": {str(action): words for action, words in puzzle.key_words.items()},
        "outcomes": [str(outcome) for outcome in Outcome],
        "options": dataclasses.asdict(puzzle.read_options()),  # for levels that a person chooses
        "rules": rules_of(puzzle),
        **describe_looks(puzzle),
        "places": places,
        "frame": [
            {"name": name, "dtype": np.dtype(dtype).name, "axes": axes} for name, (dtype, axes) in kernels.FRAME.items()
        ],
        "observations": {name: _describe_observation(puzzle, seen) for name, seen in puzzle.observations.items()},
        "exports": {export.name: export.describe() for export in exports(puzzle)},
        "environments": {id: describe_environment(id) for id in ids},
        "variants": {
            id: {name: describe_environment(id, **options) for name, options in variants.items()}
            for id, variants in variants_of(puzzle, ids).items()
        },
    }


def rules_of(puzzle: Puzzle) -> dict[str, int]:
    """Return the integer constants of a puzzle's rules by name, such as the indices into its rows."""
    module = importlib.import_module(puzzle.rules.step.__module__)
    return {name: value for name, value in vars(module).items() if name.isupper() and type(value) is int}


def describe_environment(id: str, **options: Any) -> dict[str, Any]:
    """Return the description of an environment, for JSON.

    Args:
        id: Its id.
        **options: Keyword arguments of ``gym.make``.
    """
    env: Any = gym.make(id, **options)
    batch = env.unwrapped.batch
    limit = env.spec.max_episode_steps if env.spec is not None else None
    description = {
        "actions": list(batch.action_names),
        "options": dataclasses.asdict(batch.options),
        "settings": batch.control[kernels.SETTINGS :].tolist(),
        "limit": limit or 0,
        "extent": list(batch.extent),
        "pool": len(batch.source.levels),
        "generated": batch.config.generated,
        "metrics": {name: kind.__name__ for name, kind in batch.metric_kinds.items()},
    }
    env.close()
    return description


def _describe_observation(puzzle: Puzzle, seen: Observation) -> dict[str, Any]:
    """Return the dtype and the shape of an observation; each length is a number, or axes of the extent to multiply."""
    return {"dtype": np.dtype(seen.space(_some_extent(puzzle)).dtype).name, "shape": _lengths(puzzle, seen)}


def _lengths(puzzle: Puzzle, seen: Observation) -> list[int | list[int]]:
    """Return how the lengths of an observation's axes depend on the extent, inferred from two examples.

    Raises:
        ValueError: A length is neither constant, nor an entry of the extent, nor the number of squares.
    """
    count = len(_some_extent(puzzle))
    examples: list[Extent] = [(7, 11, *(2,) * (count - 2)), (13, 8, *(3,) * (count - 2))]
    products = [*([axis] for axis in range(count)), [0, 1]]
    shapes = [seen.space(extent).shape or () for extent in examples]
    found: list[int | list[int]] = []
    for lengths in zip(*shapes, strict=True):
        if lengths[0] == lengths[1]:
            found.append(int(lengths[0]))
            continue
        fits = [axes for axes in products if lengths == tuple(_product(extent, axes) for extent in examples)]
        if not fits:
            raise ValueError(f"an observation of {puzzle.title} has a length that a page cannot compute")
        found.append(fits[0])
    return found


def _product(extent: Extent, axes: Iterable[int]) -> int:
    return math.prod(extent[axis] for axis in axes)


def _some_extent(puzzle: Puzzle) -> Extent:
    """Return the extent of the puzzle's boards with default options."""
    return level_source(puzzle, None, puzzle.read_options()).extent


def _view_type(puzzle: Puzzle, seen: Observation) -> Any:
    space = seen.space(_some_extent(puzzle))
    return types.Array(from_dtype(np.dtype(space.dtype)), 2 if len(space.shape or ()) == 3 else 1, "C")


def looks(puzzle: Puzzle) -> list[Export]:
    """Return the exports of a puzzle's picture, status and touch, of those that it has."""
    picture, status = puzzle.picture, puzzle.status
    if picture is None:
        return []
    level, scene = {"level": _ROW}, {"scene": _NUMBERS}
    rows = {**level, "start": _ROW, "before": _ROW, "state": _ROW}
    placements, numbers = {"out": _PLACEMENTS}, {"out": _NUMBERS}
    kernels = kernel_functions(picture)
    found = [
        Export("area", kernels["area"], {**level, **numbers}),
        Export("ground", kernels["ground"], {**level, **scene, **placements}),
        Export("pieces", kernels["pieces"], {**rows, **scene, **placements}),
    ]
    if status is not None:
        found.append(Export("status", status.kernel(), {**rows, **scene, **numbers}))
    if "inset" in kernels:
        found.append(Export("inset", kernels["inset"], {**level, **scene, **placements}))
    played = {**level, "state": _ROW}
    squares = {"click": {"square": types.int64}, "drag": {"grabbed": types.int64, "square": types.int64}}
    if isinstance(puzzle.gestures, Touch):
        for name, kernel in puzzle.gestures.rules.functions().items():
            found.append(Export(name, kernel, {**played, **squares[name], **numbers}))
    return found


def describe_looks(puzzle: Puzzle) -> dict[str, Any]:
    """Return the tables of a puzzle's picture, in each of its styles, and of its status; nothing without a picture."""
    if puzzle.picture is None:
        return {}
    hidden, options = puzzle.hidden, puzzle.read_options()
    by_style = {style: dataclasses.replace(options, style=style) for style in puzzle.styles} or {"": options}
    return {
        "picture": _describe_picture(puzzle.picture, puzzle.status, by_style),
        "status": None if puzzle.status is None else puzzle.status.tables(),
        "hidden": None if hidden is None else {"playing": dict(hidden.playing), "revealed": dict(hidden.revealed)},
        "marks": [] if puzzle.gestures is None else list(puzzle.gestures.marks),
    }


def _describe_picture(picture: Picture, status: Status | None, by_style: Mapping[str, Any]) -> dict[str, Any]:
    """Return a picture's tables, for JSON; sprites are named by :func:`_path`, for each style."""
    icons = {} if status is None else dict.fromkeys(status.icons())

    def frame(given: Frame) -> dict[str, Any]:
        fills = {style: rim_color(picture, given, sprite_files(picture, own)) for style, own in by_style.items()}
        return {**given._asdict(), "fill": fills}

    return {
        "sprites": {style: [_path(picture, name, own) for name in picture.sprites] for style, own in by_style.items()},
        "icons": {style: {name: _path(picture, name, own) for name in icons} for style, own in by_style.items()},
        "frame": frame(picture.frame),
        "solved_frame": None if picture.solved_frame is None else frame(picture.solved_frame),
        "inset": None if picture.inset is None else {"name": picture.inset.name, "fill": picture.inset.fill},
        "cut": picture.cut,
        "settings": {name: list(values) for name, values in picture.settings.items()},
        "metrics": list(picture.metrics),
    }


def _path(picture: Picture, name: str, options: Any) -> str:
    """Return what a page needs to draw a sprite: the name of its file, see :func:`_path_of`, or its colour."""
    if name[0] in "#~":
        return name
    light = "+" if name[0] == "+" else ""
    return light + _path_of(picture.art(name.lstrip("+"), options))


def _path_of(file: Path) -> str:
    """Return a file's path below ``art`` without extension; of one elsewhere, only its name."""
    parts = file.with_suffix("").parts
    return "/".join(parts[len(parts) - parts[::-1].index("art") :]) if "art" in parts else file.stem


def variants_of(puzzle: Puzzle, ids: Iterable[str]) -> dict[str, Mapping[str, Mapping[str, Any]]]:
    """Return the keyword arguments of each variant, by the id of its environment and its name.

    Args:
        puzzle: The puzzle.
        ids: Ids of the puzzle's environments; without the file, each is its only variant.
    """
    file = importlib.resources.files(puzzle.module) / "web" / "variants.json"
    if not file.is_file():
        return {id: {id: {}} for id in ids}
    declared = read_json(file.read_bytes(), "variants.json")
    return {id: declared[id] for id in ids if id in declared}
