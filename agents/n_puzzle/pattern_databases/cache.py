"""Pattern databases on disk: built once, then mapped into memory.

    one file per partition, in ``pattern-databases/`` under :func:`.cache_root`
    uint8[HEADER]   a description as text: format, board, patterns, CRC-32 of the rest; padded with zeros
    uint8[…]        the distances of each pattern's placements, by rank, one pattern after the other

Files are written atomically: an interrupted process never leaves a partial one. Processes that need the same one at
the same time wait for the first, which builds it. An invalid file is built again; if no file can be written, the
databases stay in memory.
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


def header(kind: str, version: int, contents: object, arrays: Sequence[Tables]) -> bytes:
    """Return the first HEADER bytes of a file of databases.

    Args:
        kind: What the arrays are.
        version: Version of the format and of the order of placements.
        contents: A dataclass that says which databases they are.
        arrays: The rest of the file, for its checksum.
    """
    checksum = functools.reduce(lambda before, array: zlib.crc32(array.data, before), arrays, 0)
    about = {"format": f"gridpuzzles_gym pattern {kind}", "version": version}
    text = json.dumps({**about, **dataclasses.asdict(contents), "crc32": checksum})  # type: ignore[call-overload]
    return text.encode().ljust(HEADER, b"\0")


def write(path: Path, head: bytes, arrays: Sequence[Tables]) -> None:
    """Write a file of databases atomically; warn if that is not possible."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with replacing(path) as unfinished, unfinished.open("wb") as file:
            file.write(head)
            for array in arrays:
                file.write(array.data)
    except OSError as error:
        warnings.warn(f"pattern database {path} cannot be saved ({error}); it stays in memory", stacklevel=4)


def _header(partition: Partition, patterns: Sequence[Tables]) -> bytes:
    return header("databases", VERSION, partition, patterns)


def _load(path: Path | None, partition: Partition) -> Tables | None:
    """Return the tables in a file; None if there is none, with a warning if the file is invalid."""
    if path is None:
        return None
    try:
        tables: Tables = np.asarray(np.memmap(path, np.uint8, "c"))
        if len(tables) != offsets(partition)[-1]:
            raise ValueError(f"{len(tables):,} bytes instead of {offsets(partition)[-1]:,}")
        if tables[:HEADER].tobytes() != _header(partition, [tables[HEADER:]]):
            raise ValueError("its checksum or its header is wrong")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        warnings.warn(f"pattern database {path} cannot be used ({error}); it is built again", stacklevel=3)
        return None
    return tables


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


def _patterns(partition: Partition, progress: bool, executor: TaskExecutor) -> list[Tables]:
    """Build the patterns of a partition; return the distances of each."""
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    times = (TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, *times, console=Console(stderr=True), disable=not progress) as bar:
        what = f"pattern database {{}} of {len(partition.patterns)}: {{}} tiles"
        rows = [
            bar.add_task(what.format(k + 1, len(pattern)), total=partition.entries[k])
            for k, pattern in enumerate(partition.patterns)
        ]

        def report(number: int, reached: int) -> None:
            bar.update(rows[number], completed=reached)

        # Progress can be reported from this process only.
        work = _Build(partition, report if isinstance(executor, SerialExecutor) else None)
        found = []
        for number, distances in ordered(executor, work, range(len(rows))):
            found.append(distances)
            report(number, len(distances))
    return found


def _combined(path: Path | None, partition: Partition, patterns: Sequence[Tables]) -> Tables:
    """Return the tables of all patterns, after writing them into one file if that is possible."""
    head = _header(partition, patterns)
    if path is not None:
        write(path, head, patterns)
        if (tables := _load(path, partition)) is not None:
            return tables
    return np.concatenate([np.frombuffer(head, np.uint8), *patterns])
