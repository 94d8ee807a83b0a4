"""Numbers of placements of a pattern's tiles: the set of their squares, and the order of the tiles on it.

A placement of k tiles is numbered ``set * k! + order``. Sets of squares are numbered as increasing bit masks. An order
lists the tiles by square; orders are numbered as :func:`itertools.permutations` lists them. A move changes one square
of the set, and in the order moves a tile from one index to another; this is the same for all
placements with the same set.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import itertools
import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compile.bits import popcount
from gridpuzzles_gym.engine.compile.compilation import rule

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
