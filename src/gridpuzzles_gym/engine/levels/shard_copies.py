"""The rows of level folders that environments play: copies in the folder of the disk cache, checked once.

    levels/SHA256.rows            a shard's rows, by their checksum
    levels/SHA256-CHECK.valid     an empty file: this check has accepted them

A level folder may come from anyone and its files may change at any time, while kernels check no array bounds. So they
are copied first, and only the checked copies are played. No other user can write to the folder of the disk cache.
"""

import contextlib
import hashlib
import io
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from ..compile.cache_folder import cache_root, is_private
from ..puzzle import Extent, LevelError, Puzzle
from ..system.files import replacing, write_bytes
from ..system.stores import Store
from .row_check import check_digest, first_invalid, slice_length

Rows = npt.NDArray[np.int16]

LIFETIME_SECONDS = 30 * 24 * 3600
"""The time after which a copy that has not been opened is removed."""
_SLICE_BYTES = 2**22


class ShardCopies:
    """The copies of the shards of one puzzle's levels.

    Args:
        puzzle: The puzzle.
        extent: The extent of the boards.
        options: The options with which the rows were made.
        count: The number of all levels, roughly.

    Raises:
        LevelError: There is no folder for them.
    """

    def __init__(self, puzzle: Puzzle, extent: Extent, options: Any, count: int) -> None:
        self.puzzle, self.extent, self.options, self.count = puzzle, extent, options, count
        root = cache_root()
        if root is None:
            raise LevelError("there is no folder for a copy of the levels; set XDG_CACHE_HOME to one")
        self._folder = root / "levels"
        self._folder.mkdir(exist_ok=True, mode=0o700)
        if not is_private(self._folder):
            raise LevelError(f"{self._folder} must belong to this user, and no other user may write to it")
        self._check = _check_key(puzzle, extent, options)

    def rows(self, store: Store, name: str, levels: int, checksum: str) -> Rows:
        """Return the rows of a shard, which stay on disk; they are copied and checked unless that has been done.

        Args:
            store: The level folder.
            name: The name of the file with the rows.
            levels: The number of its levels.
            checksum: Its SHA-256 in hexadecimal digits.

        Raises:
            LevelError: The file has another size or checksum, or rows in it are invalid.
            OSError: It cannot be read, or the copy cannot be written.
        """
        shape = levels, sum(self.puzzle.sizes(self.extent))
        size = 2 * shape[0] * shape[1]
        copy = self._folder / f"{checksum}.rows"
        valid = None if self._check is None else self._folder / f"{checksum}-{self._check}.valid"
        if not (copy.is_file() and copy.stat().st_size == size):
            self._remove_old()
            with store.open(name) as stream, replacing(copy, mode=0o600) as unfinished:
                _copy(stream, unfinished, size, checksum, f"{store}/{name}")
        if valid is None or not valid.exists():
            self._validate(copy, shape[1], f"{store}/{name}")
            if valid is not None:
                write_bytes(valid, b"", mode=0o600)
        with contextlib.suppress(OSError):
            os.utime(copy)
        return np.memmap(copy, "<i2", "r", shape=shape)

    def _validate(self, copy: Path, row: int, name: str) -> None:
        """Raise LevelError unless all rows are valid."""
        with copy.open("rb") as file:
            slices = _read_slices(file, row)
            found = first_invalid(self.puzzle, slices, self.count, self.extent, self.options)
        if found is not None:
            copy.unlink(missing_ok=True)
            raise LevelError(f"{name}: level {found[0] + 1:,} in it is invalid: {found[1]}")

    def _remove_old(self) -> None:
        """Remove copies that have not been opened for long; a process that has one open can still read it."""
        oldest = time.time() - LIFETIME_SECONDS
        with contextlib.suppress(OSError):
            for copy in self._folder.glob("*.rows"):
                if copy.stat().st_mtime < oldest:
                    for file in self._folder.glob(f"{copy.stem}*"):
                        file.unlink(missing_ok=True)


def _check_key(puzzle: Puzzle, extent: Extent, options: Any) -> str | None:
    """Return what identifies the check of such rows; None if an edit of it could go unnoticed."""
    digest = check_digest(puzzle)
    if puzzle.row_check is None or digest is None:
        return None
    try:
        settings = puzzle.row_check.settings(options, extent)
    except ValueError:  # no row is valid
        return None
    words = digest, puzzle.module, puzzle.sizes(extent), settings.tolist()
    return hashlib.sha256(repr(words).encode()).hexdigest()[:32]


def _read_slices(file: BinaryIO, row: int) -> Iterator[Rows]:
    """Yield the rows in a file, some at a time."""
    while len(some := np.fromfile(file, "<i2", slice_length(row) * row)):
        yield some.reshape(-1, row)


def _copy(stream: BinaryIO, path: Path, size: int, checksum: str, name: str) -> None:
    """Write a copy of a file; raises LevelError if it has another size or another checksum."""
    found = stream.seek(0, io.SEEK_END)
    if found != size:
        raise LevelError(f"{name} has {found:,} bytes, must have {size:,}: it is damaged")
    stream.seek(0)
    digest = hashlib.sha256()
    with path.open("wb") as copy:
        while size > 0 and (some := stream.read(min(size, _SLICE_BYTES))):
            digest.update(some)
            copy.write(some)
            size -= len(some)
    if size or digest.hexdigest() != checksum:
        raise LevelError(f"{name} is damaged: its checksum is not the one in levels.json")
