"""Builds a pattern database: breadth-first over the positions of the pattern's tiles and of the blank.

R. E. Korf and A. Felner, "Disjoint pattern database heuristics", Artificial Intelligence 134, 2002: only
moves of the pattern's tiles count, so that the estimates of disjoint patterns add up. Other moves of the blank
are free; only the *region* of the squares without pattern tiles that it is in matters.

**Rank.** A placement of k tiles on N squares is a number below N!/(N-k)!: digit i is tile i's square minus
the number of earlier tiles on lower squares. Sliding a tile to the next square changes only its own digit;
sliding it to the next row also those of the tiles between the two squares: the rank is updated, not computed again.

**Levels.** For each placement, one byte holds the regions reached, one those to expand in this level,
one those in the next. No placement has more than 8 regions on up to 16 squares.

**Partitions** of the tiles are given by the tiles' goal squares. A database does not depend on the names of tiles, nor
on rotations or reflections of the board. So it is built for the *standard* board: no higher than wide, and of all its
rotations and reflections the one whose blank's goal square is lowest. Often two symmetries make a board standard (the
blank's goal on a diagonal): then each state can be looked up twice, and the larger estimate counts.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import dataclasses
import itertools
import math
import time
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compile.bits import lowest
from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled, rule
from gridpuzzles_gym.engine.kernels import kernel
from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.n_puzzle.rules import HEIGHT, WIDTH

from ..estimates import homes_of

Squares = tuple[int, ...]

_CORNER = {
    (5, 5, 5): ((9, 12, 13, 14, 15), (3, 6, 7, 10, 11), (1, 2, 4, 5, 8)),
    (6, 6, 3): ((3, 6, 7, 10, 11, 15), (1, 2, 4, 5, 8, 9), (12, 13, 14)),
    (7, 8): ((1, 2, 3, 4, 5, 6, 7), (8, 9, 10, 11, 12, 13, 14, 15)),
}
"""The homes of each pattern's tiles on 4×4 squares, the blank's on square 0: R. E. Korf and A. Felner,
"Disjoint pattern database heuristics", Artificial Intelligence 134, 2002."""


@dataclasses.dataclass(frozen=True)
class Partition:
    """Disjoint patterns on a standard board: together all tiles."""

    height: int
    width: int
    blank: int
    """The blank's home."""
    patterns: tuple[Squares, ...]
    """The homes of each pattern's tiles, ascending."""

    @property
    def squares(self) -> int:
        """The number of squares."""
        return self.height * self.width

    @property
    def entries(self) -> tuple[int, ...]:
        """The number of placements of each pattern's tiles."""
        return tuple(math.perm(self.squares, len(pattern)) for pattern in self.patterns)


def make_partition(height: int, width: int, blank: int, sizes: Squares) -> Partition:
    """Return patterns of these sizes on a standard board.

    These are the published ones, if any, or else segments of a path that winds down the board row by row.
    """
    patterns = _CORNER.get(sizes) if (height, width, blank) == (4, 4, 0) else None
    if patterns is None:
        rows = np.arange(height * width).reshape(height, width)
        rows[1::2] = rows[1::2, ::-1]
        way = [square for square in rows.reshape(-1).tolist() if square != blank]
        ends = np.cumsum([0, *sizes]).tolist()
        patterns = tuple(tuple(sorted(way[start:end])) for start, end in itertools.pairwise(ends))
    return Partition(height, width, blank, patterns)


def standard(level: Row) -> tuple[tuple[int, int, int], list[Squares]]:
    """Return the standard board of a board, and the symmetries that map to it.

    Returns:
        Height, width and blank's home of the standard board, and the symmetries: for each square of the
        board, the square on the standard one.
    """
    height, width, home = int(level[HEIGHT]), int(level[WIDTH]), int(homes_of(level)[0])
    board = np.arange(height * width).reshape(height, width)
    found: dict[Squares, tuple[int, int, int]] = {}
    for turned in (board, board.T):
        for rows in (1, -1):
            for columns in (1, -1):
                seen = turned[::rows, ::columns]
                if seen.shape[0] <= seen.shape[1]:
                    places = tuple(np.argsort(seen.reshape(-1)).tolist())
                    found[places] = (*seen.shape, places[home])
    least = min(found.values())
    return least, [places for places, board_and_blank in found.items() if board_and_blank == least]


MOST_SQUARES = 16
UNKNOWN = 255
"""The distance of a placement not reached yet."""
NO_TILE = 15
"""Represents "no tile of the pattern" and "no region" in a nibble."""
_LOW = 3
"""A block is all placements that differ only in this many last digits."""
_SLICE_SECONDS = 0.05
"""Seconds per slice: between slices Ctrl-C is handled and progress shown."""

# control int64[5]: expand the blocks from BLOCK to STOP, in the level of this DISTANCE. REACHED: placements
# reached so far. LOOKED: placements expanded so far in this level.
BLOCK, STOP, DISTANCE, REACHED, LOOKED = range(5)


@rule
def _without(squares, digit):
    """Return a list of squares, one nibble each, without the one at an index."""
    low = (1 << (4 * digit)) - 1
    return (squares & low) | ((squares >> 4) & ~low)


@rule
def _place(squares, tiles, digit, tile):
    """Place a tile on the digit-th free square: (free squares, the tile on each square), one nibble each."""
    square = (squares >> (4 * digit)) & 15
    return _without(squares, digit), tiles ^ ((NO_TILE ^ tile) << (4 * square)), 1 << square


@rule
def _between(tiles, first, count, tile, passes):
    """Return the change of the rank as a tile passes those on ``count`` squares from ``first`` on."""
    total = 0
    for square in range(first, first + count):
        total += passes[(tile << 4) | ((tiles >> (4 * square)) & 15)]
    return total


def _level(distances, reached, current, following, regions, lows, weights, passes, control, width, squares):
    """Expand the placements in some blocks into those of the next level."""
    distances, reached, current, following = borrowed((distances, reached, current, following))
    regions, lows, weights, passes = borrowed((regions, lows, weights, passes))
    count = weights.shape[0]
    block_size = lows.shape[0]
    low_digits = min(_LOW, count)
    everything = (1 << squares) - 1
    left_edge = 0
    for row in range(squares // width):
        left_edge |= 1 << (row * width)
    right_edge = left_edge << (width - 1)
    looked, new = 0, 0
    for block in range(control[BLOCK], control[STOP]):
        start = block * block_size
        some = 0
        for k in range(start, start + block_size):
            some |= current[k]
        if some == 0:
            continue
        block_free, block_tiles, block_taken = 0xEDCBA9876543210 | (-1 << 60), -1, 0
        rest = start
        for tile in range(count - low_digits):
            digit = rest // weights[tile]
            rest -= digit * weights[tile]
            block_free, block_tiles, bit = _place(block_free, block_tiles, digit, tile)
            block_taken |= bit
        for k in range(block_size):
            rank = start + k
            fresh = np.int64(current[rank]) & ~np.int64(reached[rank])
            if fresh == 0:
                continue
            looked += 1
            if reached[rank] == 0:
                distances[rank] = control[DISTANCE]
                new += 1
            reached[rank] |= fresh
            free, tiles, taken = block_free, block_tiles, block_taken
            for i in range(low_digits):
                digit = (lows[k] >> (4 * i)) & 15
                free, tiles, bit = _place(free, tiles, digit, count - low_digits + i)
                taken |= bit
            empty = everything ^ taken
            labels = regions[empty]
            open_squares = 0
            for square in range(squares):
                open_squares |= ((fresh >> ((labels >> (4 * square)) & 15)) & 1) << square
            for direction in range(4):  # of the tile: to the next or last square, a row down or up
                if direction == 0:
                    movable = taken & ~right_edge & (open_squares >> 1)
                elif direction == 1:
                    movable = taken & ~left_edge & (open_squares << 1)
                elif direction == 2:
                    movable = taken & (open_squares >> width)
                else:
                    movable = taken & (open_squares << width)
                while movable:
                    square = lowest(movable)
                    movable &= movable - 1
                    tile = (tiles >> (4 * square)) & 15
                    if direction == 0:
                        target, rank_after = square + 1, rank + weights[tile]
                    elif direction == 1:
                        target, rank_after = square - 1, rank - weights[tile]
                    elif direction == 2:
                        target = square + width
                        rank_after = rank + width * weights[tile]
                        rank_after += _between(tiles, square + 1, width - 1, tile, passes)
                    else:
                        target = square - width
                        rank_after = rank - width * weights[tile]
                        rank_after -= _between(tiles, target + 1, width - 1, tile, passes)
                    # The blank is now where the tile was.
                    region = (regions[empty ^ (1 << square) ^ (1 << target)] >> (4 * square)) & 15
                    following[rank_after] |= 1 << region
        for k in range(start, start + block_size):
            current[k] = 0
    control[BLOCK] = control[STOP]
    control[REACHED] += new
    control[LOOKED] += looked


def _label(regions, width, squares):
    """For each set of empty squares: the region of each, one nibble each, numbered by their lowest squares."""
    for empty in range(regions.shape[0]):
        labels, region, rest = -1, 0, empty
        while rest:
            grown = rest & -rest
            whole = 0
            while grown != whole:
                whole = grown
                for square in range(squares):
                    if (whole >> square) & 1:
                        grown |= (1 << (square + width)) | ((1 << square) >> width)
                        if square % width:
                            grown |= 1 << (square - 1)
                        if (square + 1) % width:
                            grown |= 1 << (square + 1)
                grown &= empty
            for square in range(squares):
                if (whole >> square) & 1:
                    labels ^= (NO_TILE ^ region) << (4 * square)
            rest &= ~whole
            region += 1
        regions[empty] = labels


def _make_level() -> Callable[..., None]:
    return compiled(_level, "n_puzzle-pattern-level")


def _make_label() -> Callable[..., None]:
    return compiled(_label, "n_puzzle-regions")


def weights_of(squares: int, count: int) -> npt.NDArray[np.int64]:
    """Return int64[k]: the place value of digit i of a rank."""
    return np.array([math.perm(squares - 1 - i, count - 1 - i) for i in range(count)], np.int64)


def passing(weights: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return int64[k, k]: the change of the rank as tile i, moving up, passes tile j."""
    later = np.arange(len(weights))[:, None] < np.arange(len(weights))
    return np.where(later, weights[None, :], -weights[:, None])


def build(
    distances: npt.NDArray[np.uint8],
    pattern: Squares,
    partition: Partition,
    report: Callable[[int], None] = lambda reached: None,
) -> None:
    """Compute the distance of every placement of a pattern's tiles.

    Needs three times as many additional bytes, and can be interrupted between slices.

    Args:
        distances: uint8[N!/(N-k)!], by rank.
        pattern: The homes of its tiles.
        partition: The board.
        report: Called repeatedly with the number of placements reached.
    """
    squares, count = partition.squares, len(pattern)
    if squares > MOST_SQUARES:
        raise ValueError(f"pattern databases support boards of up to {MOST_SQUARES} squares; this one has {squares}")
    regions = np.zeros(1 << squares, np.int64)
    kernel(_make_label)(regions, partition.width, squares)
    weights = weights_of(squares, count)
    passes = np.zeros((16, 16), np.int64)
    passes[:count, :count] = passing(weights)
    low = min(count, _LOW)
    radices = [squares - count + low - i for i in range(low)]
    lows = np.array(
        [sum(digit << 4 * i for i, digit in enumerate(digits)) for digits in np.ndindex(*radices)], np.int64
    )
    reached, current, following = (np.zeros(len(distances), np.uint8) for _ in range(3))
    distances[:] = UNKNOWN
    start = rank_of(pattern, weights)
    empty = (1 << squares) - 1 - sum(1 << square for square in pattern)
    current[start] = 1 << (int(regions[empty]) >> 4 * partition.blank & 15)
    advance, control = kernel(_make_level), np.zeros(5, np.int64)
    blocks, at_once = len(distances) // len(lows), 256
    while True:
        control[BLOCK] = control[LOOKED] = 0
        while control[BLOCK] < blocks:
            control[STOP] = min(control[BLOCK] + at_once, blocks)
            begun = time.perf_counter()
            advance(
                distances, reached, current, following, regions, lows, weights, passes.reshape(-1), control,
                partition.width, squares,
            )  # fmt: skip
            spent = time.perf_counter() - begun
            if spent < _SLICE_SECONDS / 2:
                at_once = min(at_once * 2, blocks)
            elif spent > _SLICE_SECONDS * 2:
                at_once = max(at_once // 2, 1)
            report(int(control[REACHED]))
        if control[LOOKED] == 0:
            return
        control[DISTANCE] += 1
        current, following = following, current


def rank_of(squares: Sequence[int], weights: npt.NDArray[np.int64]) -> int:
    """Return the rank of a placement: the square of each tile of the pattern, in order."""
    return sum(
        (square - sum(other < square for other in squares[:i])) * int(weights[i]) for i, square in enumerate(squares)
    )
