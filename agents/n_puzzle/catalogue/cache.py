"""The databases of a catalogue: one file each on disk, one array in memory.

    uint8[HEADER]   a description as text: format, board, pattern, CRC-32 of the rest; padded with zeros
    uint8[…]        (distance − Manhattan distance) / 2 of each placement, in 4 bits: :mod:`.building`

Files are written as those of partitions are (:mod:`.pattern_databases.cache`): an interruption loses only the database
in progress, and processes that need the same ones at the same time wait for the first.
"""

import contextlib
import dataclasses
import functools
import json
import math
import mmap
import warnings
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from gridpuzzles_gym.engine.system.files import cache_root, replacing

from ...parallel import SerialExecutor, TaskExecutor, ordered
from ...search.heuristic import Tables
from ..pattern_databases.cache import HEADER, alone
from .building import Builder
from .databases import Shape

VERSION = 2
"""Version of the format and of the order of placements."""
PAGE_BITS = 12
"""Databases begin at multiples of 2**PAGE_BITS bytes."""


def size_of(shape: Shape) -> int:
    """Return the size of a database in bytes."""
    return (math.perm(shape.height * shape.width, len(shape.pattern)) + 1) // 2


def pages_of(shapes: Sequence[Shape], first: int = 0) -> tuple[dict[Shape, int], int]:
    """Return the page where each database begins, and the page after the last."""
    pages, end = {}, first
    for shape in shapes:
        pages[shape] = end
        end += -(-size_of(shape) >> PAGE_BITS)
    return pages, end


def path_of(shape: Shape) -> Path | None:
    """Return the path of a database's file; None if nothing can be written."""
    root = cache_root()
    board = f"{shape.height}x{shape.width}-blank-{shape.blank}"
    return root and root / "pattern-databases" / f"{board}_{'-'.join(map(str, shape.pattern))}.extra"


def fill_tables(shapes: Sequence[Shape], numbers: Callable[[dict[Shape, int]], Tables], progress: bool) -> Tables:
    """Return the tables of a catalogue: numbers, then its databases, built if they are not on disk.

    Args:
        shapes: The databases.
        numbers: Returns the numbers, given the page of each database; their size does not depend on it.
        progress: Show a bar while databases are built.
    """
    build_databases(shapes, SerialExecutor(), progress)
    first = -(-len(numbers(dict.fromkeys(shapes, 0))) >> PAGE_BITS)
    pages, end = pages_of(shapes, first)
    tables = _allocate(end << PAGE_BITS)
    head = numbers(pages)
    tables[: len(head)] = head
    for shape, page in pages.items():
        place = tables[page << PAGE_BITS :][: size_of(shape)]
        if not _load(shape, place):  # no folder, a full disk, or an invalid file
            place[:] = _build(shape)
            _save(shape, place)
    return tables


def build_databases(shapes: Sequence[Shape], executor: TaskExecutor, progress: bool) -> None:
    """Build the databases that are not on disk, one per task."""
    missing = [shape for shape in shapes if _is_missing(shape)]
    path = path_of(shapes[0])
    if not missing or path is None:
        return
    columns = TextColumn("pattern databases"), BarColumn(), MofNCompleteColumn()
    times = TimeElapsedColumn(), TimeRemainingColumn()
    bar = Progress(*columns, *times, console=Console(stderr=True), disable=not progress)
    with alone(path, progress), bar:
        missing = [shape for shape in shapes if _is_missing(shape)]  # another process may have built some meanwhile
        row = bar.add_task("", total=len(shapes), completed=len(shapes) - len(missing))

        def save(shape: Shape, database: Tables) -> None:
            _save(shape, database)
            bar.advance(row)

        for item, result in ordered(executor, _build, missing):
            save(item, result)


def _build(shape: Shape) -> Tables:
    return _builder(shape.height, shape.width, len(shape.pattern)).build(shape.pattern, shape.blank)


@functools.lru_cache(1)
def _builder(height: int, width: int, count: int) -> Builder:
    return Builder(height, width, count)


def _allocate(size: int) -> Tables:
    """Return zeros, on huge pages if the system has them, which makes scattered look-ups faster."""
    if not hasattr(mmap, "MADV_HUGEPAGE"):  # not on macOS and Windows
        return np.zeros(size, np.uint8)
    memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with contextlib.suppress(OSError):  # a kernel without them
        memory.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(memory, np.uint8)


def _header(shape: Shape, checksum: int) -> bytes:
    text = json.dumps(
        {
            "format": "gridpuzzles_gym pattern database of extra moves",
            "version": VERSION,
            **dataclasses.asdict(shape),
            "crc32": checksum,
        }
    )
    return text.encode().ljust(HEADER, b"\0")


def _is_missing(shape: Shape) -> bool:
    path = path_of(shape)
    try:
        return path is None or path.stat().st_size != HEADER + size_of(shape)
    except OSError:
        return True


def _load(shape: Shape, place: Tables) -> bool:
    """Read a database; return whether it exists and is valid. An invalid file is removed, with a warning."""
    path = path_of(shape)
    if path is None:
        return False
    try:
        with path.open("rb") as file:
            header = file.read(HEADER)
            if file.readinto(place.data) == len(place) and header == _header(shape, zlib.crc32(place.data)):
                return True
        warnings.warn(f"pattern database {path} is invalid; it is built again", stacklevel=4)
    except OSError:
        pass
    with contextlib.suppress(OSError):
        path.unlink()
    return False


def _save(shape: Shape, database: Tables) -> None:
    """Write a file atomically; warn if that is not possible."""
    path = path_of(shape)
    if path is None:
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with replacing(path) as unfinished, unfinished.open("wb") as file:
            file.write(_header(shape, zlib.crc32(database.data)))
            file.write(database.data)
    except OSError as error:
        warnings.warn(f"pattern database {path} cannot be saved ({error}); it is built when it is used", stacklevel=4)
