"""The bundled packs: their names, texts and levels.

    NAME.txt    level text
    NAME.npz    the rows of a large pack, and what they were made from

To read and check a thousand levels takes longer than everything else before the first step, so large packs come with
their rows, which ``make rows`` writes. Rows that were made from another text are not used, nor
those made by other rules, as far as this Python can tell: digests of byte code are only compared with those of the same
minor version.
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

from ..compile.kernel_digest import PYTHON, kernel_digest
from ..puzzle import Extent, Level, Puzzle
from .pool import pool_rows
from .stored_levels import Rows, StoredLevels

MANY = 1000
"""Packs with so many levels come with their rows."""


class PackRows(StoredLevels):
    """The levels of a bundled pack, by their rows.

    Args:
        puzzle: The puzzle.
        pack: The name of the pack.
        extent: The extent of its largest level.
        rows: Its rows, with the puzzle's default options.
        titles: The titles of its levels.
    """

    def __init__(self, puzzle: Puzzle, pack: str, extent: Extent, rows: Rows, titles: Sequence[str]) -> None:
        super().__init__(puzzle, extent, _default_options(puzzle, extent), [rows])
        self._pack, self._titles = pack, titles

    def name(self, place: int) -> str:
        """Return the title of a level."""
        return str(self._titles[place])

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy by name."""
        return pack_levels, (self.puzzle, self._pack)


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


def _read_rows(puzzle: Puzzle, name: str, text: bytes, stream: IO[bytes]) -> PackRows | None:
    """Read the rows of a pack; None if another text or, where that can be compared, other rules made them."""
    with np.load(stream, allow_pickle=False) as saved:
        extent = tuple(saved["extent"].tolist())
        same_python = saved["python"] == PYTHON
        if saved["text"] != _checksum(text) or (same_python and saved["rules"] != _rules_digest(puzzle, extent)):
            return None
        rows = saved["rows"]
        rows.flags.writeable = False
        return PackRows(puzzle, name, extent, rows, saved["titles"])


def write_rows(puzzle: Puzzle, name: str, stream: IO[bytes]) -> None:
    """Write the rows of a bundled pack."""
    levels = bundled_levels(puzzle, name)
    extent = tuple(max(sizes) for sizes in zip(*(level.extent for level in levels), strict=True))
    np.savez_compressed(
        stream,
        rows=pool_rows(puzzle, levels, extent, _default_options(puzzle, extent)),
        titles=np.array([level.name for level in levels]),
        extent=np.array(extent),
        text=np.array(_checksum(bundled_files(puzzle)[name].read_bytes())),
        python=np.array(PYTHON),
        rules=np.array(_rules_digest(puzzle, extent)),
    )


def _default_options(puzzle: Puzzle, extent: Extent) -> Any:
    return puzzle.resolve_options(puzzle.read_options(), extent, ())


def _checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _rules_digest(puzzle: Puzzle, extent: Extent) -> str:
    """Return a digest of the check of rows, which accepts only what ``encode`` makes."""
    assert puzzle.row_check is not None, f"{puzzle.title} has no row_check"
    settings = puzzle.row_check.settings(_default_options(puzzle, extent), extent).tolist()
    return kernel_digest(puzzle.row_check.is_level, (puzzle.sizes(extent), settings), PYTHON)
