"""Builds a pattern database of a board of up to 25 squares: moves in excess of the Manhattan distance.

R. E. Korf and A. Felner, "Disjoint pattern database heuristics", Artificial Intelligence 134, 2002: only moves of the
pattern's tiles count; other moves of the blank are free, so only the region of empty squares that it is in matters.

The search is breadth-first over *nodes*: a set of squares with the pattern's tiles on it, and one region of the other
squares, which has the blank. The regions are the same for all orders of the tiles, and so is the effect of a move on
orders: a node has a distance for each order, and an edge maps orders to orders.

The distance and the Manhattan distance have the same parity. Half of the difference is stored, in four bits, at the
placement's rank (:mod:`..pattern_databases.building`), which is computed without tables.

A placement of k tiles is numbered ``set * k! + order``. Sets of squares are numbered as increasing bit masks. An order
lists the tiles by square; orders are numbered as :func:`itertools.permutations` lists them. A move changes one square
of the set, and in the order moves a tile from one index to another; this is the same for all
placements with the same set.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import itertools
import math
import time
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compile.bits import lowest, popcount
from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled, rule
from gridpuzzles_gym.engine.kernels import kernel

from ..pattern_databases.building import Squares, weights_of

HALF = 13
"""Bits of the lower half of a mask, which have one table, and the upper half another."""
LOW = (1 << HALF) - 1
MOST_SQUARES = 25
MOST_TILES = 7


def set_numbers(squares: int, count: int) -> npt.NDArray[np.int64]:
    """Return int64[(1 + 1 + count) << HALF]: the contribution of each half of a mask to the number of its set.

    The first row is for lower halves, the others for upper halves, by the number of squares in the lower one.
    """
    tables = np.zeros((count + 2, 1 << HALF), np.int64)
    for below in range(-1, count + 1):
        first, start = (0, 0) if below < 0 else (HALF, below)
        for half in range(1 << max(0, min(HALF, squares - first))):
            members = [first + bit for bit in range(HALF) if half >> bit & 1]
            if start + len(members) <= count:
                tables[below + 1, half] = sum(math.comb(member, start + 1 + i) for i, member in enumerate(members))
    return tables.reshape(-1)


@rule
def set_number(numbers, mask):
    """Return the number of a set of squares, given as a mask."""
    low = mask & LOW
    return numbers[low] + numbers[((1 + popcount(low)) << HALF) + (mask >> HALF)]


def order_moves(count: int) -> npt.NDArray[np.int64]:
    """Return int64[count * count * count!]: by two indices and an order, the order after a tile moves between them."""
    orders = list(itertools.permutations(range(count)))
    number = {order: k for k, order in enumerate(orders)}
    moves = np.zeros((count, count, len(orders)), np.int64)
    for here, there in itertools.product(range(count), repeat=2):
        for k, order in enumerate(orders):
            others = order[:here] + order[here + 1 :]
            moves[here, there, k] = number[(*others[:there], order[here], *others[there:])]
    return moves.reshape(-1)


def placement(squares: Sequence[int]) -> tuple[int, int]:
    """Return the mask of a placement, and the number of its order.

    Args:
        squares: The square of each tile of the pattern.
    """
    tiles = np.argsort(squares).tolist()
    order = sum(sum(later < tile for later in tiles[i + 1 :]) * math.factorial(len(tiles) - 1 - i)
                for i, tile in enumerate(tiles))  # fmt: skip
    return sum(1 << square for square in squares), order


UNKNOWN = 255
"""The distance of a placement not reached yet."""
MOST_EXTRA = 15
"""Larger values are stored as this one, which only lowers the estimate."""
_SLICE_SECONDS = 0.05
"""Seconds per slice: between slices Ctrl-C is handled."""

# control int64[3]: process nodes or sets from AT to STOP. DISTANCE: of this level.
AT, STOP, DISTANCE, CONTROL = range(4)


@rule
def _neighbours(squares, everything, left_edge, width):
    """Return the squares next to those in a mask."""
    right_edge = left_edge << (width - 1)
    found = (squares << width) | (squares >> width)
    found |= ((squares & ~right_edge) << 1) | ((squares & ~left_edge) >> 1)
    return found & everything


@rule
def _region(empty, square, everything, left_edge, width):
    """Return the squares that the blank can reach from a square."""
    whole, grown = 0, 1 << square
    while grown != whole:
        whole = grown
        grown |= _neighbours(grown, everything, left_edge, width) & empty
    return whole


def _left_edge(width: int, squares: int) -> int:
    return sum(1 << square for square in range(0, squares, width))


def _count_nodes(masks, firsts, everything, left_edge, width):
    """Fill ``firsts`` [S + 1] with the first node of each set."""
    firsts[0] = 0
    for k in range(masks.shape[0]):
        rest, count = everything & ~masks[k], 0
        while rest:
            rest &= ~_region(rest, lowest(rest), everything, left_edge, width)
            count += 1
        firsts[k + 1] = firsts[k] + count


def _connect(masks, firsts, numbers, targets, moves, ends, count, everything, left_edge, width):
    """Fill ``targets`` and ``moves`` (pairs of indices) of all edges, and ``ends`` with the end of each node's."""
    node, edges = 0, 0
    for k in range(masks.shape[0]):
        mask = np.int64(masks[k])
        rest = everything & ~mask
        while rest:
            region = _region(rest, lowest(rest), everything, left_edge, width)
            rest &= ~region
            movable = mask & _neighbours(region, everything, left_edge, width)
            while movable:
                square = lowest(movable)
                movable &= movable - 1
                open_squares = region & _neighbours(1 << square, everything, left_edge, width)
                while open_squares:
                    target = lowest(open_squares)
                    open_squares &= open_squares - 1
                    after = mask ^ (1 << square) ^ (1 << target)
                    here = popcount(mask & ((1 << square) - 1))
                    there = popcount(after & ((1 << target) - 1))
                    other = firsts[set_number(numbers, after)]
                    empty = everything & ~after
                    while True:
                        reached = _region(empty, lowest(empty), everything, left_edge, width)
                        if (reached >> square) & 1:
                            break
                        empty &= ~reached
                        other += 1
                    targets[edges] = other
                    moves[edges] = here * count + there
                    edges += 1
            ends[node] = edges
            node += 1
    return edges


def _level(distances, active, following, targets, moves, ends, changes, found, control):
    """Expand the placements at one distance of some nodes."""
    distances, active, following = borrowed(distances), borrowed(active), borrowed(following)
    targets, moves, ends = borrowed(targets), borrowed(moves), borrowed(ends)
    changes, found = borrowed(changes), borrowed(found)
    orders = found.shape[0]
    distance = control[DISTANCE]
    for node in range(control[AT], control[STOP]):
        if active[node] == 0:
            continue
        active[node] = 0
        first, count = node * orders, 0
        for order in range(orders):
            found[count] = order
            count += distances[first + order] == distance
        for edge in range(ends[node - 1] if node else 0, ends[node]):
            start, move = np.int64(targets[edge]) * orders, np.int64(moves[edge]) * orders
            new = False
            for k in range(count):
                at = start + changes[move + found[k]]
                if distances[at] == UNKNOWN:
                    distances[at] = distance + 1
                    new = True
            if new:
                following[targets[edge]] = 1
    control[AT] = control[STOP]


def _pack(distances, masks, firsts, orders, weights, manhattan, packed, control):
    """Store (distance − Manhattan distance) / 2 for some sets of squares, indexed by rank."""
    distances, packed = borrowed(distances), borrowed(packed)
    number, count = orders.shape
    squares = np.zeros(count, np.int64)
    places = np.zeros(count, np.int64)
    for k in range(control[AT], control[STOP]):
        rest = np.int64(masks[k])
        for i in range(count):
            squares[i] = lowest(rest)
            rest &= rest - 1
        for order in range(number):
            distance = np.int64(UNKNOWN)
            for node in range(firsts[k], firsts[k + 1]):
                distance = min(distance, np.int64(distances[node * number + order]))
            for i in range(count):
                distance -= manhattan[orders[order, i], squares[i]]
                places[orders[order, i]] = squares[i]
            rank, used = 0, 0
            for tile in range(count):
                bit = 1 << places[tile]
                rank += weights[tile] * (places[tile] - popcount(used & (bit - 1)))
                used |= bit
            packed[rank >> 1] |= min(distance >> 1, np.int64(MOST_EXTRA)) << (4 * (rank & 1))
    control[AT] = control[STOP]


def _make_count() -> Callable[..., None]:
    return compiled(_count_nodes, "n_puzzle-extra-nodes")


def _make_connect() -> Callable[..., int]:
    return compiled(_connect, "n_puzzle-extra-edges")


def _make_level() -> Callable[..., None]:
    return compiled(_level, "n_puzzle-extra-level")


def _make_pack() -> Callable[..., None]:
    return compiled(_pack, "n_puzzle-extra-pack")


class Builder:
    """Builds databases of patterns with one number of tiles, on one board.

    Args:
        height: Rows of the board.
        width: Squares in a row.
        count: Tiles of a pattern.
    """

    def __init__(self, height: int, width: int, count: int) -> None:
        self.squares, self.width, self.count = height * width, width, count
        self.everything, self.left_edge = (1 << self.squares) - 1, _left_edge(width, self.squares)
        self.numbers, self.changes = set_numbers(self.squares, count), order_moves(count).astype(np.int16)
        sets = itertools.combinations(range(self.squares), count)
        self.masks = np.sort(np.array([sum(1 << square for square in each) for each in sets], np.int32))
        self.firsts = np.zeros(len(self.masks) + 1, np.int64)
        board = self.everything, self.left_edge, width
        kernel(_make_count)(self.masks, self.firsts, *board)
        nodes = int(self.firsts[-1])
        targets, moves = np.zeros(nodes * 4 * count, np.int32), np.zeros(nodes * 4 * count, np.int8)
        self.ends = np.zeros(nodes, np.int64)
        edges = kernel(_make_connect)(self.masks, self.firsts, self.numbers, targets, moves, self.ends, count, *board)
        self.targets, self.moves = targets[:edges].copy(), moves[:edges].copy()

    def build(self, pattern: Squares, blank: int) -> npt.NDArray[np.uint8]:
        """Return (distance − Manhattan distance) / 2 of each placement, two in a byte; can be interrupted.

        Args:
            pattern: The homes of its tiles, ascending.
            blank: The blank's home.
        """
        orders = math.factorial(self.count)
        nodes = len(self.ends)
        distances = np.full(nodes * orders, UNKNOWN, np.uint8)
        active, following = np.zeros((2, nodes), np.uint8)
        mask, order = placement(pattern)
        start = int(self.firsts[self._set(mask)])
        rest = self.everything & ~mask
        while not (region := self._region_of(rest, (rest & -rest).bit_length() - 1)) >> blank & 1:
            rest &= ~region
            start += 1
        distances[start * orders + order] = 0
        active[start] = 1
        control, found = np.zeros(CONTROL, np.int64), np.zeros(orders, np.int64)
        level = kernel(_make_level)
        while active.any():
            work = distances, active, following, self.targets, self.moves, self.ends, self.changes, found, control
            _in_slices(level, work, control, nodes)
            control[DISTANCE] += 1
            active, following = following, active
        packed = np.zeros((len(self.masks) * orders + 1) // 2, np.uint8)
        rows, columns = np.divmod(np.arange(self.squares), self.width)
        homes = list(pattern)
        manhattan = abs(rows[homes, None] - rows) + abs(columns[homes, None] - columns)
        tiles = np.array(list(itertools.permutations(range(self.count))), np.int64)
        weights = weights_of(self.squares, self.count)
        rest_of_work = distances, self.masks, self.firsts, tiles, weights, manhattan, packed, control
        _in_slices(kernel(_make_pack), rest_of_work, control, len(self.masks))
        return packed

    def _set(self, mask: int) -> int:
        return int(np.searchsorted(self.masks, mask))

    def _region_of(self, empty: int, square: int) -> int:
        return int(_region(empty, square, self.everything, self.left_edge, self.width))


def _in_slices(
    work: Callable[..., None], arguments: tuple[object, ...], control: npt.NDArray[np.int64], end: int
) -> None:
    """Run a kernel in slices of a few hundredths of a second."""
    control[AT], at_once = 0, 64
    while control[AT] < end:
        control[STOP] = min(control[AT] + at_once, end)
        begun = time.perf_counter()
        work(*arguments)
        spent = time.perf_counter() - begun
        if spent < _SLICE_SECONDS / 2:
            at_once *= 2
        elif spent > _SLICE_SECONDS * 2:
            at_once = max(at_once // 2, 1)
