"""The looks of a puzzle on pages: its picture, status and touch rules as exports, and their tables for JSON."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numba.core import types

from gridpuzzles_gym.engine.board.touch import Touch
from gridpuzzles_gym.engine.pictures.canvas import rim_color, sprite_files
from gridpuzzles_gym.engine.pictures.picture import Frame, Picture, kernel_functions
from gridpuzzles_gym.engine.pictures.status import Status
from gridpuzzles_gym.engine.puzzle import Puzzle

from .exports import Export

_ROW, _NUMBERS = types.Array(types.int16, 1, "C"), types.Array(types.int64, 1, "C")
_PLACEMENTS = types.Array(types.int32, 2, "C")


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


def describe_looks(puzzle: Puzzle, options: Any = None) -> dict[str, Any]:
    """Return the tables of a puzzle's picture and status, for JSON; nothing if it has no picture.

    Args:
        puzzle: The puzzle.
        options: The options whose style is described; None: every bundled style is.
    """
    if puzzle.picture is None:
        return {}
    hidden = puzzle.hidden
    by_style = _bundled_styles(puzzle) if options is None else {str(getattr(options, "style", "")): options}
    return {
        "picture": _describe_picture(puzzle.picture, puzzle.status, by_style),
        "status": None if puzzle.status is None else puzzle.status.tables(),
        "hidden": None if hidden is None else {"playing": dict(hidden.playing), "revealed": dict(hidden.revealed)},
        "marks": [] if puzzle.gestures is None else list(puzzle.gestures.marks),
    }


def _bundled_styles(puzzle: Puzzle) -> dict[str, Any]:
    """Return the default options with each bundled style, by its name; of a puzzle without styles, by an empty name."""
    options, styles = puzzle.read_options(), puzzle.styles or ("",)
    return {style: dataclasses.replace(options, style=style) if style else options for style in styles}


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
