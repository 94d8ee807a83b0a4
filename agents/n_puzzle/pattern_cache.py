"""Pattern databases on disk: built once, then mapped into memory.

    one file per partition, in ``pattern-databases/`` under :func:`~gridpuzzles_gym.engine.cache_folder.cache_root`
    uint8[HEADER]   a description as text: format, board, patterns, CRC-32 of the rest; padded with zeros
    uint8[…]        the distances of each pattern's placements, by rank, one pattern after the other

A file is written next to its place and then moved there atomically: processes that build the same one at
the same time, or are interrupted, never see half of it. An invalid file is
built again; if no file can be written, the databases are kept in memory.
"""

import json
import warnings
import zlib
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from gridpuzzles_gym.engine.cache_folder import cache_root
from gridpuzzles_gym.engine.files import write_bytes

from ..search.heuristic import Tables
from .partitions import Partition
from .pattern_building import build

HEADER = 4096
VERSION = 1
"""Version of the format and of the order of placements."""


def load_or_build(partition: Partition, progress: bool = False) -> Tables:
    """The databases of a partition, loaded from disk if they are there.

    Args:
        partition: The patterns and their board.
        progress: Show a bar while they are built.

    Returns:
        uint8[HEADER + …] as described above. It is private to the caller: writing to it changes no file.
    """
    path = path_of(partition)
    tables = None if path is None else _load(path, partition)
    if tables is None:
        tables = _build(partition, progress)
        if path is not None:
            _save(path, tables)
    return tables


def path_of(partition: Partition) -> Path | None:
    """Path of a partition's file; None if nothing can be written."""
    root = cache_root()
    if root is None:
        return None
    patterns = "_".join("-".join(map(str, pattern)) for pattern in partition.patterns)
    board = f"{partition.height}x{partition.width}-blank-{partition.blank}"
    return root / "pattern-databases" / f"{board}_{patterns}.pdb"


def offsets(partition: Partition) -> list[int]:
    """The offsets of each pattern's distances, and of the end."""
    return [HEADER + int(end) for end in np.cumsum([0, *partition.entries])]


def _header(partition: Partition, checksum: int) -> bytes:
    text = json.dumps(
        {
            "format": "gridpuzzles_gym pattern databases",
            "version": VERSION,
            "height": partition.height,
            "width": partition.width,
            "blank": partition.blank,
            "patterns": partition.patterns,
            "crc32": checksum,
        }
    )
    return text.encode().ljust(HEADER, b"\0")


def _load(path: Path, partition: Partition) -> Tables | None:
    """The tables in a file; None if there is none, with a warning if the file is invalid."""
    try:
        tables = _mapped(path)
        if len(tables) != offsets(partition)[-1]:
            raise ValueError(f"{len(tables):,} bytes instead of {offsets(partition)[-1]:,}")
        if tables[:HEADER].tobytes() != _header(partition, _checksum(tables)):
            raise ValueError("its checksum or its header is wrong")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        warnings.warn(f"pattern database {path} cannot be used ({error}); it is built again", stacklevel=2)
        return None
    return tables


def _mapped(path: Path) -> Tables:
    return np.asarray(np.memmap(path, np.uint8, "c"))


def _checksum(tables: Tables) -> int:
    return zlib.crc32(tables[HEADER:].data)


def _build(partition: Partition, progress: bool) -> Tables:
    ends = offsets(partition)
    tables: npt.NDArray[np.uint8] = np.empty(ends[-1], np.uint8)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    times = (TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, *times, console=Console(stderr=True), disable=not progress) as bar:
        for number, pattern in enumerate(partition.patterns):
            what = f"pattern database {number + 1} of {len(partition.patterns)}: {len(pattern)} tiles"
            task = bar.add_task(what, total=partition.entries[number])
            build(
                tables[ends[number] : ends[number + 1]],
                pattern,
                partition,
                lambda reached, task=task: bar.update(task, completed=reached),  # type: ignore[misc]  # no type is inferred
            )
    tables[:HEADER] = np.frombuffer(_header(partition, _checksum(tables)), np.uint8)
    return tables


def _save(path: Path, tables: Tables) -> None:
    """Write a file atomically; warns if that is not possible."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_bytes(path, tables.data)
    except OSError as error:
        warnings.warn(f"pattern database {path} cannot be saved ({error}); it is kept in memory", stacklevel=2)
