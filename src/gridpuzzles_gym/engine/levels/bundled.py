"""The bundled packs: their names, texts and levels.

    NAME.txt    level text
    NAME.npz    the rows of a large pack (:mod:`.rows`), and the checksum of the text that they were made from

To read and check a thousand levels takes longer than everything else before the first step, so large packs come with
their rows, which ``make rows`` writes. Rows that were made from another text are not used; that other rules made them,
a test finds.
"""

import functools
import hashlib
import importlib.resources
import os
from collections.abc import Iterator, Sequence
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import IO, Any

import numpy as np

from ..puzzle import Level, Puzzle
from .pool import pool_rows
from .rows import StoredLevels, default_options, write_rows

MANY = 1000
"""Packs with so many levels come with their rows."""


def pack_folder(puzzle: Puzzle) -> Traversable:
    """Return the folder of the puzzle's bundled packs, which need not exist."""
    return importlib.resources.files("gridpuzzles_gym.levels") / puzzle.name


def bundled(puzzle: Puzzle) -> list[str]:
    """Return the names of the puzzle's bundled packs, sorted."""
    return sorted(bundled_files(puzzle))


def bundled_files(puzzle: Puzzle) -> dict[str, Traversable]:
    """Return the text of each of the puzzle's bundled packs, by its name."""
    folder = pack_folder(puzzle)
    if not folder.is_dir():
        return {}
    return {Path(file.name).stem: file for file in folder.iterdir() if file.name.endswith(".txt")}


def is_bundled(puzzle: Puzzle, levels: Any) -> bool:
    """Whether this value of ``levels=`` is the name of a bundled pack: files of that name go first."""
    return isinstance(levels, str) and not os.path.exists(levels) and levels in bundled_files(puzzle)


@functools.lru_cache(maxsize=64)
def bundled_levels(puzzle: Puzzle, name: str) -> tuple[Level, ...]:
    """Return the levels of a bundled pack, parsed once, regardless of the files in the current folder."""
    pack = bundled_files(puzzle)[name]
    return tuple(puzzle.parse(pack.read_text(encoding="utf-8"), pack.name))


def all_bundled(puzzle: Puzzle) -> Iterator[Level]:
    """Yield the levels of all bundled packs."""
    for name in bundled(puzzle):
        yield from bundled_levels(puzzle, name)


@functools.lru_cache(maxsize=64)
def pack_levels(puzzle: Puzzle, name: str) -> Sequence[Level]:
    """Return the levels of a bundled pack, for environments: by their rows, if it comes with them."""
    text = bundled_files(puzzle)[name]
    file = pack_folder(puzzle) / f"{name}.npz"
    if file.is_file():
        with file.open("rb") as stream:
            found = _read_rows(puzzle, name, text.read_bytes(), stream)
        if found is not None:
            return found
    return bundled_levels(puzzle, name)


def _read_rows(puzzle: Puzzle, name: str, text: bytes, stream: IO[bytes]) -> StoredLevels | None:
    """Read the rows of a pack; None if another text made them."""
    with np.load(stream, allow_pickle=False) as saved:
        if saved["text"] != _checksum(text):
            return None
        rows, extent = saved["rows"], tuple(saved["extent"].tolist())
        rows.flags.writeable = False
        return StoredLevels(puzzle, extent, rows, saved["titles"], (pack_levels, (puzzle, name)))


def write_pack_rows(puzzle: Puzzle, name: str, stream: IO[bytes]) -> None:
    """Write the rows of a bundled pack."""
    levels = bundled_levels(puzzle, name)
    extent = tuple(max(sizes) for sizes in zip(*(level.extent for level in levels), strict=True))
    rows = pool_rows(puzzle, levels, extent, default_options(puzzle, extent))
    checksum = np.array(_checksum(bundled_files(puzzle)[name].read_bytes()))
    write_rows(stream, puzzle, extent, rows, [level.name for level in levels], text=checksum)


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
