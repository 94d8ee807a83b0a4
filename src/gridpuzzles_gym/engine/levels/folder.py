"""Folders with any number of levels, in shards: read without loading them, and played as if they were in memory.

    levels.json        which puzzle, which shards, and the SHA-256 of each file
    000000.txt         the level text of the first shard, and what else its maker writes
    000000.rows        its rows: for each level its level row, then its start row, as int16, little-endian
    000001.txt …

The rows are those of an environment with the puzzle's default options, for boards of one extent. Options that change
only :attr:`.Puzzle.option_places` need a copy in memory; with other options, the levels are encoded again. What is
played is a checked copy of the rows, see :mod:`.shard_copies`, so a folder may come from anyone.
"""

import dataclasses
import hashlib
import json
import os
import re
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..compile.compile_notice import notice
from ..messages import quote
from ..puzzle import Extent, LevelError, Puzzle
from ..system.json_text import read_json
from ..system.stores import Store, is_url, open_store
from .shard_copies import ShardCopies
from .stored_levels import Rows, StoredLevels

CONTENTS = "levels.json"
"""The file that makes a folder a level folder."""
ROWS = ".rows"
FORMAT = 1
MOST_LEVELS = 2**31 - 1
"""The maximum number of levels in a folder, because kernels number them with 32 bits."""
MOST_NUMBERS = 2**20
"""The maximum length of a row, more than that of the largest boards."""
_SUFFIX, _CHECKSUM = re.compile(r"\.\w+"), re.compile(r"[0-9a-f]{64}")

_OPEN: "weakref.WeakValueDictionary[tuple[Any, ...], Rows]" = weakref.WeakValueDictionary()
"""The rows of shards in use, by puzzle, extent and checksum: each is one open file for any number of environments."""


@dataclasses.dataclass(frozen=True)
class Shard:
    """One shard of a level folder."""

    levels: int
    """The number of its levels."""
    rejected: Mapping[str, int]
    """How many candidates its maker had rejected at its end, since the first shard, by reason."""
    files: Mapping[str, str]
    """The SHA-256 of each of its files, in hexadecimal digits, by suffix."""


@dataclasses.dataclass(frozen=True)
class Contents:
    """What a level folder has: its ``levels.json``."""

    puzzle: str
    """The name of the puzzle."""
    extent: Extent
    """The extent of its boards."""
    row: int
    """The length of a row."""
    shard_size: int
    """The number of levels of every shard but the last, which may have fewer."""
    request: Mapping[str, Any]
    """The arguments that it was made with."""
    shards: tuple[Shard, ...] = ()

    @property
    def levels(self) -> int:
        """The number of its levels."""
        return sum(shard.levels for shard in self.shards)

    def text(self) -> str:
        """Return the content of the file."""
        return json.dumps({"format": FORMAT, **dataclasses.asdict(self)}, indent=1) + "\n"


def shard_file(number: int, suffix: str) -> str:
    """Return the name of a file of a shard, counted from 0."""
    return f"{number:06d}{suffix}"


def checksum(content: bytes) -> str:
    """Return the SHA-256 of a file's content in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def is_level_folder(path: str | os.PathLike[str]) -> bool:
    """Whether there is a level folder at a path, or at a URL that must then be one."""
    return is_url(path) or os.path.isfile(os.path.join(path, CONTENTS))


def read_contents(store: Store) -> Contents:
    """Read what a level folder has.

    Raises:
        LevelError: It is damaged, or was written by another version.
        OSError: It cannot be read.
    """
    content = store.read(CONTENTS)
    try:
        fields = read_json(content)
        version = fields.pop("format")
        if version != FORMAT:
            raise LevelError(f"{store}/{CONTENTS} has format {quote(version)}; this version reads format {FORMAT}")
        shards = tuple(Shard(**shard) for shard in fields.pop("shards"))
        found = Contents(**fields | {"extent": tuple(fields["extent"]), "shards": shards})
        numbers = [*found.extent, found.row, found.shard_size, *(shard.levels for shard in shards)]
        files = [file for shard in shards for file in shard.files.items()]
        counts = [number for shard in shards for number in shard.rejected.values()]
        if len(found.extent) < 2 or any(type(number) is not int or number < 0 for number in numbers + counts):
            raise ValueError
        if not isinstance(found.request, dict) or found.row > MOST_NUMBERS or found.levels > MOST_LEVELS:
            raise ValueError
        if not all(_SUFFIX.fullmatch(suffix) and _CHECKSUM.fullmatch(digits) for suffix, digits in files):
            raise ValueError
        if not all(ROWS in shard.files for shard in shards):
            raise ValueError
        full = all(shard.levels == found.shard_size for shard in shards[:-1])
        if not full or any(not 0 < shard.levels <= found.shard_size for shard in shards[-1:]):
            raise ValueError
        return found
    except LevelError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError):
        raise LevelError(f"{store}/{CONTENTS} is damaged: it is not a description of levels") from None


class LevelFolder(StoredLevels):
    """The levels of a folder, as a sequence; a level is read when it is accessed.

    Args:
        puzzle: The puzzle.
        path: The folder, or its URL; of a folder elsewhere, the rows are copied to the folder of the disk cache.

    Raises:
        LevelError: There is no such folder, it has levels of another puzzle or none at all, or it is damaged.
    """

    def __init__(self, puzzle: Puzzle, path: str | os.PathLike[str]) -> None:
        self.path = str(path) if is_url(path) else os.path.abspath(path)
        try:
            store = open_store(path)
            self.contents = contents = read_contents(store)
            if contents.puzzle != puzzle.name:
                raise LevelError(f"{path} has levels of the puzzle {quote(contents.puzzle)}, not of {puzzle.title}")
            if not contents.shards:
                raise LevelError(f"{path} has no complete shard yet")
            extent = contents.extent
            try:
                row = sum(puzzle.sizes(extent))
            except ValueError:  # too many numbers
                raise LevelError(f"{path}/{CONTENTS} is damaged: there are no boards of extent {extent}") from None
            if contents.row != row:
                raise LevelError(f"{path} has rows of {contents.row} numbers; this version has {row}")
            made_with = puzzle.resolve_options(puzzle.read_options(), extent, ())
            copies = ShardCopies(puzzle, extent, made_with, contents.levels)
            with notice(f"checking the levels of {path}, once"):
                rows = [_opened(store, copies, number, shard) for number, shard in enumerate(contents.shards)]
            super().__init__(puzzle, extent, made_with, rows)
        except OSError as error:
            raise LevelError(f"{path} cannot be read: {error.strerror or error}") from None

    def name(self, place: int) -> str:
        """Return the title of a level: the name of the folder and its number."""
        return f"{Path(self.path).name} {place + 1}"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy by path."""
        return LevelFolder, (self.puzzle, self.path)


def _opened(store: Store, copies: ShardCopies, number: int, shard: Shard) -> Rows:
    """The rows of a shard, which stay on disk."""
    key = copies.puzzle, copies.extent, shard.levels, shard.files[ROWS]
    rows = _OPEN.get(key)
    if rows is None:
        rows = _OPEN[key] = copies.rows(store, shard_file(number, ROWS), shard.levels, shard.files[ROWS])
    return rows


def damages(store: Store) -> list[str]:
    """Compare all files of a level folder with their checksums; returns a line for each that differs.

    Raises:
        LevelError, OSError: As :func:`read_contents`.
    """
    found = []
    for number, shard in enumerate(read_contents(store).shards):
        for suffix, wanted in shard.files.items():
            name = shard_file(number, suffix)
            try:
                same = checksum(store.read(name)) == wanted
            except FileNotFoundError:
                found.append(f"{store}/{name} is missing")
                continue
            if not same:
                found.append(f"{store}/{name} is damaged: its checksum is not the one in {CONTENTS}")
    return found
