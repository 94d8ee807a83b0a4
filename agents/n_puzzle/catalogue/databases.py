"""A catalogue of pattern databases for boards of up to 25 squares: a partition of the tiles for each goal of the blank.

A two-sided search needs estimates between any two boards. Named by their squares on one board, the tiles of the other
have that board as their goal, so a database serves all boards that have the blank in one region. For each square that
the blank can have there is one partition of the other squares; boards that are rotated or reflected share databases.

On 5×5 squares, the patterns next to a blank at an edge surround it, so that the blank cannot avoid them on its way
home, and the others are compact: both increase their estimates. The first partition is by R. E. Korf and A. Felner,
"Disjoint pattern database heuristics", Artificial Intelligence 134, 2002.

Databases are one file each on disk, written as those of partitions are (:mod:`..pattern_databases.cache`):

    uint8[HEADER]   a description as text: format, board, pattern, CRC-32 of the rest; padded with zeros
    uint8[…]        (distance − Manhattan distance) / 2 of each placement, in 4 bits: :mod:`.building`

In memory they are one array, the tables. These begin with uint32[…] numbers; the first are counts and the indices of
the others::

    DISTANCES [N, N]  moves between two squares
    MEMBERS   [N, N]  by the blank's square and another square: the pattern of the blank's partition that contains it
    LOOKUPS   [N, PATTERNS, LOOKUP]  by the blank's square and pattern: the page of its database, the indices of its
              places and of its tiles' weights, and its squares; short patterns repeat a square, with weight 0
    places    [N]  for each square, the square of the database's board
    weights   [MOST_TILES]  the factor of a tile's digit in the rank: :mod:`..pattern_databases.building`

**Estimates.** Two boards, *sides* 0 and 1, are a permutation of squares, whatever their tiles are called:

    squares uint8[2 * N]   for each side, by square of the other side: the square of the same tile

The blank is among the tiles. The tiles of a side have their squares on the other side as homes. The estimate of a side
is the Manhattan distance, which is the same for both, plus twice the sum of its databases' entries. The larger of the
two estimates counts: moves can be made on either side.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import contextlib
import dataclasses
import functools
import itertools
import math
import mmap
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from gridpuzzles_gym.engine.compile.bits import popcount
from gridpuzzles_gym.engine.compile.compilation import borrowed, rule
from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.engine.system.files import cache_root
from gridpuzzles_gym.puzzles.n_puzzle.rules import BLANK, HEIGHT, TILES, WIDTH, home

from ...parallel import SerialExecutor, TaskExecutor, ordered
from ...search.heuristic import Tables
from ..pattern_databases.building import Squares, make_partition, weights_of
from ..pattern_databases.cache import HEADER, alone, header, write
from .building import MOST_SQUARES, Builder

MOST_TILES = 6
"""Maximum number of tiles of a pattern."""

_DIAGRAMS = {
    text.replace("/", "").index("."): text.replace("/", "")
    for text in (
        ".AABB/AAABB/CCABB/CCDDD/CCDDD",
        "A.AAB/AAABB/CCBBB/CCDDD/CCDDD",
        "AA.AB/AAABB/CCBBB/CCDDD/CCDDD",
        "AABBB/A.BBB/AAADD/CCCDD/CCCDD",
        "BAAAA/BB.AA/BBBDD/CCCDD/CCCDD",
        "AABBB/AABBB/AA.DD/CCCDD/CCCDD",
    )
}
"""Partitions of 5×5 squares by the square of the blank. Other squares are rotations or reflections of these."""


@dataclasses.dataclass(frozen=True)
class Shape:
    """A database: a pattern on a board, and the region from which the blank can reach its home."""

    height: int
    width: int
    pattern: Squares
    """The homes of the pattern's tiles, ascending."""
    blank: int
    """The first square of the blank's region in the goal."""


@dataclasses.dataclass(frozen=True)
class Lookup:
    """The database of a pattern, and the symmetry that maps the board to it."""

    shape: Shape
    places: Squares
    """For each square of the board, the square on the board of the database."""

    @property
    def homes(self) -> Squares:
        """The squares of the pattern, in the order of the database."""
        return tuple(map(self.places.index, self.shape.pattern))


@dataclasses.dataclass(frozen=True)
class Catalogue:
    """The partitions of a board."""

    height: int
    width: int
    partitions: tuple[tuple[Lookup, ...], ...]
    """By the square of the blank."""

    def shapes(self) -> tuple[Shape, ...]:
        """Return all databases, each once."""
        found = {lookup.shape for partition in self.partitions for lookup in partition}
        return tuple(sorted(found, key=dataclasses.astuple))


@functools.cache
def make_catalogue(height: int, width: int) -> Catalogue:
    """Return the catalogue of a board."""
    partitions = []
    for blank in range(height * width):
        seen = [(rows, columns, places[blank], places) for rows, columns, places in symmetries(height, width)]
        rows, columns, home, places = min(seen)
        patterns = [tuple(map(places.index, pattern)) for pattern in _partition(rows, columns, home)]
        partitions.append(tuple(_lookup(height, width, blank, pattern) for pattern in patterns))
    return Catalogue(height, width, tuple(partitions))


def symmetries(height: int, width: int) -> Iterator[tuple[int, int, Squares]]:
    """Yield the rotations and reflections of a board: height, width, and for each square its new square."""
    board = np.arange(height * width).reshape(height, width)
    for turned in (board, board.T):
        for rows, columns in itertools.product((1, -1), repeat=2):
            seen = turned[::rows, ::columns]
            yield (*seen.shape, tuple(np.argsort(seen.reshape(-1)).tolist()))


def _partition(height: int, width: int, blank: int) -> tuple[Squares, ...]:
    """Return the patterns of the diagrams above, or patterns of about equal sizes."""
    if (height, width) == (5, 5):
        diagram = _DIAGRAMS[blank]
        return tuple(
            tuple(square for square, letter in enumerate(diagram) if letter == name)
            for name in sorted(set(diagram) - {"."})
        )
    tiles = height * width - 1
    count = -(-tiles // MOST_TILES)
    return make_partition(height, width, blank, tuple((tiles + k) // count for k in reversed(range(count)))).patterns


def _lookup(height: int, width: int, blank: int, pattern: Squares) -> Lookup:
    """Return the database of a pattern: of all rotations and reflections, the first."""
    region = _reach(blank, set(range(height * width)) - set(pattern), width)
    found = []
    for rows, columns, places in symmetries(height, width):
        squares = tuple(sorted(places[square] for square in pattern))
        found.append((rows, columns, squares, min(places[square] for square in region), places))
    rows, columns, squares, home, places = min(found)
    return Lookup(Shape(rows, columns, squares, home), places)


def _reach(start: int, squares: set[int], width: int) -> set[int]:
    """Return the squares of a set that can be reached from one of them."""
    reached, waiting = {start}, [start]
    while waiting:
        square = waiting.pop()
        row = {square - 1} if square % width else set()
        neighbours = {square - width, square + width} | row | ({square + 1} if (square + 1) % width else set())
        new = (neighbours & squares) - reached
        reached |= new
        waiting.extend(new)
    return reached


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
        for shape, database in ordered(executor, _build, missing):
            _save(shape, database)
            bar.advance(row)


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


def _header(shape: Shape, database: Tables) -> bytes:
    return header("database of extra moves", VERSION, shape, [database])


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
            head = file.read(HEADER)
            if file.readinto(place.data) == len(place) and head == _header(shape, place):
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
    if path is not None:
        write(path, _header(shape, database), [database])


SQUARES, PATTERNS, END, DISTANCES, MEMBERS, LOOKUPS, COUNTS = range(7)
PAGE, PLACES_AT, WEIGHTS_AT, HOMES = range(4)
LOOKUP = HOMES + MOST_TILES

SMALLEST = 6
"""Minimum number of squares of a board."""


def catalogue_tables(level: Row, progress: bool = False) -> Tables:
    """Return the tables described above; databases are read from the cache, or built.

    Args:
        level: The board; its goal does not matter.
        progress: Show a bar while databases are built.

    Raises:
        ValueError: The board is too small or too large.
    """
    catalogue = _catalogue_of(level)
    if catalogue not in _LOADED:
        _LOADED.clear()
        _LOADED[catalogue] = fill_tables(
            catalogue.shapes(), lambda pages: _numbers(catalogue, pages).view(np.uint8), progress
        )
    return _LOADED[catalogue]


def build_catalogue(level: Row, executor: TaskExecutor, progress: bool = False) -> None:
    """Build the databases for :func:`catalogue_tables`, which are stored on disk, one per task.

    Args:
        level: The board; its goal does not matter.
        executor: Runs the tasks; it does not affect the databases.
        progress: Show a bar.

    Raises:
        ValueError: The board is too small or too large.
    """
    build_databases(_catalogue_of(level).shapes(), executor, progress)


def _catalogue_of(level: Row) -> Catalogue:
    height, width = int(level[HEIGHT]), int(level[WIDTH])
    if not SMALLEST <= height * width <= MOST_SQUARES:
        raise ValueError(
            f"pdb-catalogue supports boards of {SMALLEST} to {MOST_SQUARES} squares; this one has {width}x{height}"
        )
    return make_catalogue(height, width)


_LOADED: dict[Any, Tables] = {}
"""The tables in use: the next search on the same board does not have to read them again."""


def _numbers(catalogue: Catalogue, pages: dict[Shape, int]) -> npt.NDArray[np.uint32]:
    """Return the numbers described above, given the page where each database begins."""
    squares, patterns = len(catalogue.partitions), len(catalogue.partitions[0])
    counts = np.zeros(COUNTS, np.uint32)
    rows, columns = np.divmod(np.arange(squares), catalogue.width)
    distances = abs(rows[:, None] - rows) + abs(columns[:, None] - columns)
    members = np.zeros((squares, squares), np.uint32)
    lookups = np.zeros((squares, patterns, LOOKUP), np.uint32)
    parts, end = [counts], COUNTS
    placed: dict[tuple[int, ...], int] = {}

    def add(numbers: npt.ArrayLike) -> int:
        """Append numbers; return where they begin."""
        nonlocal end
        parts.append(np.asarray(numbers, np.uint32).reshape(-1))
        end += len(parts[-1])
        return end - len(parts[-1])

    def place(numbers: tuple[int, ...]) -> int:
        """Append numbers unless they are there already; return where they begin."""
        if numbers not in placed:
            placed[numbers] = add(numbers)
        return placed[numbers]

    for blank, partition in enumerate(catalogue.partitions):
        for number, lookup in enumerate(partition):
            homes = lookup.homes
            members[blank, list(homes)] = number
            missing = MOST_TILES - len(homes)
            weights = (*weights_of(squares, len(homes)).tolist(), *[0] * missing)
            row = pages[lookup.shape], place(lookup.places), place(weights), *homes, *homes[:1] * missing
            lookups[blank, number] = row
    counts[[SQUARES, PATTERNS]] = squares, patterns
    counts[[DISTANCES, MEMBERS, LOOKUPS]] = add(distances), add(members), add(lookups)
    counts[END] = end
    return np.concatenate(parts)


POSITIVE = (1 << 24) - 1


@rule
def entry_of(numbers, squares, own, row):
    """Return the index of the entry, in half bytes, of a pattern of a side.

    Args:
        numbers: The numbers of the tables.
        squares: The permutation.
        own: The index in ``squares`` where the side begins.
        row: The index of the pattern in LOOKUPS.
    """
    own, row = own & POSITIVE, row & POSITIVE  # shows the compiler that no index is negative
    places, weights, used = np.int64(numbers[row + PLACES_AT]), np.int64(numbers[row + WEIGHTS_AT]), np.int64(0)
    entry = np.int64(numbers[row + PAGE]) << (PAGE_BITS + 1)
    for k in range(MOST_TILES):
        place = np.int64(numbers[places + np.int64(squares[own + np.int64(numbers[row + HOMES + k])])])
        bit = np.int64(1) << place
        entry += np.int64(numbers[weights + k]) * (place - popcount(used & (bit - 1)))
        used |= bit
    return entry


@rule
def look_up(tables, entry):
    """Return an entry: (distance − Manhattan distance) / 2."""
    return (np.int64(tables[entry >> 1]) >> ((entry & 1) << 2)) & 15


@rule
def sides_distance(numbers, squares, blank):
    """Return the Manhattan distance between the sides, given the blank's square on the second side."""
    count, total = squares.shape[0] >> 1, np.int64(0)
    for square in range(count):
        if square != blank:
            row = np.int64(numbers[DISTANCES]) + square * count
            total += np.int64(numbers[row + np.int64(squares[square])])
    return total


@rule
def catalogue_estimate(level, state, tables):
    """Return the larger of the estimates from the state to the goal and back."""
    tables = borrowed(tables)
    numbers = tables[: (tables.shape[0] >> 2) << 2].view(np.uint32)
    count = state.shape[0] - TILES
    squares = np.zeros(2 * count, np.uint8)
    for square in range(count):
        goal = np.int64(home(level, state[TILES + square]))
        squares[goal], squares[count + square] = square, goal
    patterns, most = np.int64(numbers[PATTERNS]), np.int64(0)
    for side in range(2):
        facing = np.int64(state[BLANK]) if side == 1 else np.int64(home(level, 0))
        extra = np.int64(0)
        for pattern in range(patterns):
            row = np.int64(numbers[LOOKUPS]) + (facing * patterns + pattern) * LOOKUP
            extra += look_up(tables, entry_of(numbers, squares, side * count, row))
        most = max(most, extra)
    return sides_distance(numbers, squares, np.int64(home(level, 0))) + 2 * most
