"""Pattern databases on disk: built once, then mapped into memory.

    one file per partition, in ``pattern-databases/`` under :func:`.cache_root`
    uint8[HEADER]   a description as text: format, board, patterns, CRC-32 of the rest; padded with zeros
    uint8[…]        the distances of each pattern's placements, by rank, one pattern after the other

Files are written atomically: an interrupted process never leaves a partial one. Processes that need the same one at
the same time wait for the first, which builds it. Until all patterns of a
partition are built, each has a file of its own, so an interruption loses only those in progress. An invalid file is
built again; if no file can be written, the databases stay in memory.
"""

import contextlib
import dataclasses
import functools
import json
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from gridpuzzles_gym.engine.system.files import cache_root, locked, replacing

from ...parallel import SerialExecutor, TaskExecutor, ordered
from ...search.heuristic import Tables
from .building import Partition, build

HEADER = 4096
VERSION = 1
"""Version of the format and of the order of placements."""


def load_or_build(partition: Partition, progress: bool = False, executor: TaskExecutor | None = None) -> Tables:
    """Return the databases of a partition, loaded from disk if they are there.

    Args:
        partition: The patterns and their board.
        progress: Show a bar while they are built.
        executor: Builds them, one pattern per task; it does not affect the result. None: this process.

    Returns:
        uint8[HEADER + …] as described above. Writing to it changes no file.
    """
    path = path_of(partition)
    tables = _load(path, partition)
    if tables is not None:
        return tables
    with alone(path, progress):
        tables = _load(path, partition)  # another process may have built them meanwhile
        if tables is None:
            tables = _combined(path, partition, _patterns(partition, progress, executor or SerialExecutor()))
    return tables


@contextlib.contextmanager
def alone(path: Path | None, progress: bool) -> Iterator[None]:
    """Wait while another process builds databases, which takes much memory; with ``progress``, show a message."""
    if path is None:
        yield
        return
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    status = Console(stderr=True, quiet=not progress).status("another process is building pattern databases; waiting")
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(locked(path.parent / "lock", status.start, remove=True))
        finally:
            status.stop()
        yield


def path_of(partition: Partition) -> Path | None:
    """Return the path of a partition's file; None if nothing can be written."""
    root = cache_root()
    if root is None:
        return None
    patterns = "_".join("-".join(map(str, pattern)) for pattern in partition.patterns)
    board = f"{partition.height}x{partition.width}-blank-{partition.blank}"
    return root / "pattern-databases" / f"{board}_{patterns}.pdb"


def offsets(partition: Partition) -> list[int]:
    """Return the offsets of each pattern's distances, and of the end."""
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


def _load(path: Path | None, partition: Partition) -> Tables | None:
    """Return the tables in a file; None if there is none, with a warning if the file is invalid."""
    if path is None:
        return None
    try:
        tables: Tables = np.asarray(np.memmap(path, np.uint8, "c"))
        if len(tables) != offsets(partition)[-1]:
            raise ValueError(f"{len(tables):,} bytes instead of {offsets(partition)[-1]:,}")
        if tables[:HEADER].tobytes() != _header(partition, _checksum([tables[HEADER:]])):
            raise ValueError("its checksum or its header is wrong")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        warnings.warn(f"pattern database {path} cannot be used ({error}); it is built again", stacklevel=3)
        return None
    return tables


def _checksum(patterns: Sequence[Tables]) -> int:
    checksum = 0
    for distances in patterns:
        checksum = zlib.crc32(distances.data, checksum)
    return checksum


@dataclasses.dataclass(frozen=True)
class _Build:
    """Builds a pattern of a partition, in any process."""

    partition: Partition
    report: Callable[[int, int], None] | None = None
    """``report(number, reached)``: called in this process with the number of placements reached."""

    def __call__(self, number: int) -> Tables:
        """Return the distances of the pattern with this number."""
        distances: Tables = np.empty(self.partition.entries[number], np.uint8)
        reporting = () if self.report is None else (functools.partial(self.report, number),)
        build(distances, self.partition.patterns[number], self.partition, *reporting)
        return distances


def _single(partition: Partition) -> list[Partition]:
    """Return a partition for each pattern, which has a file; empty if there is only one pattern."""
    patterns = partition.patterns
    return [dataclasses.replace(partition, patterns=(pattern,)) for pattern in patterns] if len(patterns) > 1 else []


def _patterns(partition: Partition, progress: bool, executor: TaskExecutor) -> list[Tables]:
    """Build the patterns that are not on disk; return the distances of all."""
    parts = _single(partition)
    found: dict[int, Tables] = {}
    for k, part in enumerate(parts):
        if (tables := _load(path_of(part), part)) is not None:
            found[k] = tables[HEADER:]
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    times = (TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, *times, console=Console(stderr=True), disable=not progress) as bar:
        what = f"pattern database {{}} of {len(partition.patterns)}: {{}} tiles"
        rows = [
            bar.add_task(what.format(k + 1, len(pattern)), total=partition.entries[k], completed=len(found.get(k, ())))
            for k, pattern in enumerate(partition.patterns)
        ]

        def report(number: int, reached: int) -> None:
            bar.update(rows[number], completed=reached)

        def save(number: int, distances: Tables) -> None:
            found[number] = distances
            report(number, len(distances))
            if parts and (path := path_of(parts[number])) is not None:
                with contextlib.suppress(OSError):  # then it stays in memory
                    _save(path, parts[number], [distances])

        # Progress can be reported from this process only.
        work = _Build(partition, report if isinstance(executor, SerialExecutor) else None)
        missing = [k for k in range(len(rows)) if k not in found]
        for item, result in ordered(executor, work, missing):
            save(item, result)
    return [found[k] for k in range(len(rows))]


def _combined(path: Path | None, partition: Partition, patterns: Sequence[Tables]) -> Tables:
    """Return the tables of all patterns, after writing them into one file; warn if that is not possible."""
    if path is not None:
        try:
            _save(path, partition, patterns)
            tables: Tables = np.asarray(np.memmap(path, np.uint8, "c"))
        except OSError as error:
            warnings.warn(f"pattern database {path} cannot be saved ({error}); it stays in memory", stacklevel=3)
        else:
            for part in _single(partition):
                if (done := path_of(part)) is not None:
                    with contextlib.suppress(OSError):
                        done.unlink(missing_ok=True)
            return tables
    header = np.frombuffer(_header(partition, _checksum(patterns)), np.uint8)
    return np.concatenate([header, *patterns])


def _save(path: Path, partition: Partition, patterns: Sequence[Tables]) -> None:
    """Write a file atomically.

    Raises:
        OSError: It cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with replacing(path) as unfinished, unfinished.open("wb") as file:
        file.write(_header(partition, _checksum(patterns)))
        for distances in patterns:
            file.write(distances.data)
