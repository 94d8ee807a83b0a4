"""Work on one position: the scratch arrays of every push search, the first node, and new nodes."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import int16, int32, types, uint8, uint64

from gridpuzzles_gym.engine.compile.compilation import routine, rule

from ...search import loops
from .areas import AREA, FIELDS, MOVE_SIZE, area_after, divide
from .board import FAR, NOWHERE, Board
from .deadlocks.layouts import LAYOUTS_TYPE, Layouts, layouts_bytes, make_layouts
from .deadlocks.subset_search import RESULTS, SUBSET_SEARCH, SubsetSearch, make_subset_search, subset_search_bytes
from .matching import MATCH_ROWS, match_all
from .nodes import BITS, NO_NODE, pack, put_node, slot_of

# control, after the entries common to all search loops. COUNT: number of nodes.
COUNT, OWN = range(loops.OWN, loops.OWN + 2)
ANYWHERE = -1
"""Value of END: the player may end anywhere."""

# work.squares: the player's reach; a queue; corrals and their rims; 1 where boxes can still be moved to.
STEPS, QUEUE, REGION, RIM, REACHED = range(5)
# work.flags: boxes; frozen boxes.
BOX_AT, FROZEN = range(2)


class Work(NamedTuple):
    """Scratch arrays for work on one position; n squares, k boxes."""

    boxes: npt.NDArray[np.int16]
    """int16[k]: the square of each box."""
    squares: npt.NDArray[np.int16]
    """int16[5, n]: see above."""
    flags: npt.NDArray[np.uint8]
    """uint8[2, n]"""
    match: npt.NDArray[np.int32]
    """int32[7, k]: the matching of the position: see :mod:`.matching`."""
    bits: npt.NDArray[np.uint64]
    """uint64[w]: boxes encoded as in nodes."""
    areas: npt.NDArray[np.int16]
    """int16[8, n]: see :mod:`.areas`."""
    move: npt.NDArray[np.int16]
    """int16[7]: the move that is examined."""
    subset: SubsetSearch
    """For searches with a subset of the boxes."""
    layouts: Layouts
    """What is known about frozen boxes."""


WORK = types.NamedTuple(
    (
        int16[::1],
        types.Array(int16, 2, "C"),
        types.Array(uint8, 2, "C"),
        types.Array(int32, 2, "C"),
        uint64[::1],
        types.Array(int16, 2, "C"),
        int16[::1],
        SUBSET_SEARCH,
        LAYOUTS_TYPE,
    ),
    Work,
)


@routine
def make_work(board: Board, boxes: npt.NDArray[np.int16], results: int = RESULTS) -> Work:
    """Return scratch arrays for positions of a board, starting with these boxes."""
    squares = board.neighbours.shape[0]
    return Work(
        boxes.copy(),
        np.zeros((5, squares), np.int16),
        np.zeros((2, squares), np.uint8),
        np.zeros((MATCH_ROWS, len(boxes)), np.int32),
        np.zeros(-(-board.live // BITS), np.uint64),
        np.zeros((FIELDS, squares), np.int16),
        np.zeros(MOVE_SIZE, np.int16),
        make_subset_search(board, len(boxes), results),
        make_layouts(board, len(boxes)),
    )


def work_bytes(board: Board, count: int) -> int:
    """Return the size of :func:`make_work` in bytes, for positions with ``count`` boxes."""
    squares = len(board.neighbours)
    rows = 2 * count + (2 * 5 + 2 + 2 * FIELDS) * squares + 4 * MATCH_ROWS * count + 8 * -(-board.live // BITS)
    return rows + 2 * MOVE_SIZE + subset_search_bytes(board, count, RESULTS) + layouts_bytes(board, count)


@rule
def mark_reach(work, player):
    """Fill STEPS with 0 where the player can go, else -1, from the areas of the position."""
    steps, areas = work.squares[STEPS], work.areas
    for square in range(steps.shape[0]):
        steps[square] = 0 if areas[AREA, square] == areas[AREA, player] else -1


@rule
def reaches(neighbours, work, reach, square):
    """Whether a square is free, and in this area, after the move that is examined."""
    return not work.flags[BOX_AT, square] and area_after(neighbours, work.areas, work.move, square) == reach


@rule
def can_finish(neighbours, work, reach, end):
    """Whether the player, in this area after the move that is examined, can reach the square where he must end."""
    return end == ANYWHERE or reaches(neighbours, work, reach, end)


@rule
def word_of(board, player):
    """Return the player's part of a position's hash."""
    return board.code[board.neighbours.shape[0] + np.int64(player)]


@routine
def put_first(board, nodes, work, player, exact, control):
    """Create the first node, from ``work.boxes``; False if the matching shows that there is no solution.

    If the player may start anywhere, each area that he may be in gets a node.

    Args:
        board: The board.
        nodes: An empty store.
        work: Scratch arrays.
        player: The player's square, or ANYWHERE.
        exact: Whether the player's exact square is part of a position, not only his reach.
        control: The search's control array.
    """
    box_at = work.flags[BOX_AT]
    for square in range(box_at.shape[0]):
        box_at[square] = 0
    word = np.uint64(0)
    for k in range(work.boxes.shape[0]):
        box_at[work.boxes[k]] = 1
        word ^= board.code[work.boxes[k]]
    divide(board.neighbours, box_at, work.areas)
    zones = player == ANYWHERE
    if zones:
        player = 0
        while work.areas[AREA, player] == NOWHERE:
            player += 1
    stood = player if exact else np.int64(work.areas[AREA, player])
    pack(work.boxes, work.bits)
    word ^= word_of(board, stood)
    estimate = match_all(board.distance, work.boxes, work.match)
    slot = slot_of(nodes, work.bits, word, stood)
    add_node(nodes, work, slot, word, stood, NO_NODE, 0, 0, 0, estimate, control)
    control[loops.LEAST], control[loops.BEST] = estimate, 0
    if zones:
        put_zones(board, nodes, work, control)
    return estimate < FAR


@routine
def put_zones(board, nodes, work, control):
    """Create a node for every other area where the player may be with the boxes of the first node."""
    for start in range(work.areas.shape[1]):
        if work.areas[AREA, start] != start or start == nodes.player[0]:
            continue
        word = nodes.word[0] ^ word_of(board, nodes.player[0]) ^ word_of(board, start)
        slot = slot_of(nodes, work.bits, word, start)
        add_node(nodes, work, slot, word, start, NO_NODE, 0, 0, 0, nodes.estimate[0], control)


@rule
def look_up(nodes, boxes, bits, word, player):
    """Return the slot of the position with these boxes, which are encoded in ``bits``."""
    pack(boxes, bits)
    return slot_of(nodes, bits, word, player)


@rule
def add_node(nodes, work, slot, word, player, parent, source, target, cost, estimate, control):
    """Create a node from the boxes in ``work.bits``, and put it into its slot of the table; return its number."""
    node = control[COUNT]
    control[COUNT] += 1
    put_node(nodes, slot, node, work.bits, word, player, parent, source, target)
    nodes.cost[node], nodes.estimate[node] = cost, estimate
    if estimate < control[loops.LEAST]:
        control[loops.LEAST], control[loops.BEST] = estimate, node
    return node
