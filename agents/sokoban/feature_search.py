"""Feature-space search: many kinds of progress at once, so that no single estimate can lead astray.

Y. Shoham and J. Schaeffer, "The FESS Algorithm: A Feature Based Approach to Single-Agent Search", 2020. A step takes
one box anywhere it can be pushed while all others stay. Positions are sorted into cells by a few features; cells take
turns, and each expands its position of least weight. A step that an advisor recommends, since it is the best one by
some measure, weighs nothing; all others weigh 1.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import int16, int32, int64, types, uint8, uint64

from gridpuzzles_gym.engine.compilation import borrowed, compiled, rule

from ..search import loops
from .board import BOARD, FAR, SIDES, Board
from .corrals import LOST, NO_CORRAL, find_corral, ways_in
from .flood import walk
from .freezing import freezes, movable
from .matching import augment, match_again, match_all, total
from .nodes import NO_NODE, NODES, pack, position_of, slot_of, unpack
from .packing import PLAN

# control, behind what every search loop has. COUNT: nodes made. CELL: whose turn it is.
COUNT, CELL, OWN_END = range(loops.OWN, loops.OWN + 3)

REGIONS, OUTCASTS, WEIGHTS = 8, 6, 48
"""Features are cut off at these, less 1; so are weights."""
ADVISORS = 6


class Room(NamedTuple):
    """Room for the work on one position; n squares, k boxes, c cells."""

    boxes: npt.NDArray[np.int16]
    """int16[k]"""
    squares: npt.NDArray[np.int16]
    """int16[6, n]: the player's steps, a queue, corrals, their rims; the steps after a push; boxes in a queue."""
    sides: npt.NDArray[np.uint8]
    """uint8[n, 4]: 1 where the box on its way has been, the player on that side."""
    flags: npt.NDArray[np.uint8]
    """uint8[2, n]: where boxes are; those held fast."""
    match: npt.NDArray[np.int32]
    """int32[2, 5, k]: the matching of the position, and of the one after a push."""
    bits: npt.NDArray[np.uint64]
    """uint64[w]"""
    way: npt.NDArray[np.int32]
    """int32[4n]: positions of the box on its way."""
    heads: npt.NDArray[np.int32]
    """int32[c, WEIGHTS]: the node last put in each queue, or NO_NODE."""
    found: npt.NDArray[np.int32]
    """int32[4nk, 2]: nodes made in one expansion, and their cells."""


ROOM = types.NamedTuple(
    (
        int16[::1],
        types.Array(int16, 2, "C"),
        types.Array(uint8, 2, "C"),
        types.Array(uint8, 2, "C"),
        types.Array(int32, 3, "C"),
        uint64[::1],
        int32[::1],
        types.Array(int32, 2, "C"),
        types.Array(int32, 2, "C"),
    ),
    Room,
)


def make_room(board: Board, count: int) -> Room:
    """Room for the work on positions of a board with ``count`` boxes."""
    squares = len(board.beside)
    return Room(
        np.zeros(count, np.int16),
        np.zeros((6, squares), np.int16),
        np.zeros((squares, SIDES), np.uint8),
        np.zeros((2, squares), np.uint8),
        np.zeros((2, 5, count), np.int32),
        np.zeros(-(-board.live // 64), np.uint64),
        np.zeros(squares * SIDES, np.int32),
        np.full(((count + 1) * REGIONS * OUTCASTS, WEIGHTS), NO_NODE, np.int32),
        np.zeros((SIDES * squares * count + 1, 2), np.int32),
    )


@rule
def count_packed(plan, goals, box_at):
    """How many goals, in the packing order, are filled."""
    packed = 0
    while packed < goals.shape[0] and box_at[goals[plan.order[packed]]]:
        packed += 1
    return packed


@rule
def count_regions(beside, box_at, steps, queue):
    """How many parts the boxes divide the floor into; the player's is told by ``steps``, the others are added."""
    regions = 1
    for start in range(steps.shape[0]):
        if steps[start] >= 0 or box_at[start]:
            continue
        regions += 1
        steps[start] = 30000
        queue[0] = start
        head, tail = 0, 1
        while head < tail:
            here = queue[head]
            head += 1
            for action in range(SIDES):
                there = beside[here, action]
                if there >= 0 and steps[there] < 0 and not box_at[there]:
                    steps[there] = 30000
                    queue[tail] = there
                    tail += 1
    return regions


@rule
def count_outcasts(plan, boxes, goals, packed):
    """How many boxes will be shut off from the goals left, by filling the next goal."""
    count = boxes.shape[0]
    soon = min(packed + 1, count)
    outcasts = 0
    for k in range(count):
        outcasts += plan.shut[soon, boxes[k]]
    if soon == count:
        return 0
    for turn in range(packed):  # these are in their places
        outcasts -= plan.shut[soon, goals[plan.order[turn]]]
    return outcasts


@rule
def count_pushes(beside, live, boxes, box_at, steps):
    """How many pushes the player can make."""
    pushes = 0
    for k in range(boxes.shape[0]):
        for action in range(SIDES):
            stands, there = beside[boxes[k], action ^ 1], beside[boxes[k], action]
            if stands >= 0 and there >= 0 and there < live and 0 <= steps[stands] < 30000 and not box_at[there]:
                pushes += 1
    return pushes


@rule
def cell_of(packed, regions, outcasts):
    """The cell of these features."""
    return (packed * REGIONS + min(regions, REGIONS) - 1) * OUTCASTS + min(outcasts, OUTCASTS - 1)


@rule
def next_way(plan, boxes, goals, packed):
    """The fewest pushes of any box that is not in its place to the goal that is filled next."""
    if packed == goals.shape[0]:
        return 0
    least = FAR
    for k in range(boxes.shape[0]):
        least = min(least, plan.way[packed, boxes[k]])
    return least


@rule
def enqueue(nodes, heads, node, cell):
    """Put a position last into the queue of its cell and weight."""
    weight = min(nodes.cost[node], WEIGHTS - 1)
    nodes.after[node] = heads[cell, weight]
    heads[cell, weight] = node


@rule
def take(nodes, heads, control):
    """Take the lightest position of the next cell that has one."""
    cells = heads.shape[0]
    cell = control[CELL]
    for _ in range(cells):
        cell += 1
        if cell == cells:
            cell = 0
        for weight in range(WEIGHTS):
            node = heads[cell, weight]
            if node != NO_NODE:
                heads[cell, weight] = nodes.after[node]
                control[CELL] = cell
                return node
    return NO_NODE


@rule
def put_first(board, nodes, plan, room, player, control):
    """Make the first node from ``room.boxes``; False where the matching shows that there is no solution."""
    box_at, steps = room.flags[0], room.squares[0]
    for k in range(box_at.shape[0]):
        box_at[k] = 0
    word = np.uint64(0)
    for k in range(room.boxes.shape[0]):
        box_at[room.boxes[k]] = 1
        word ^= board.code[room.boxes[k]]
    player = walk(board.beside, box_at, player, steps, room.squares[1])
    pack(room.boxes, nodes.boxes[0])
    nodes.word[0] = word ^ board.code[board.beside.shape[0] + player]
    nodes.player[0] = player
    nodes.parent[0] = NO_NODE
    nodes.cost[0] = 0
    nodes.estimate[0] = match_all(board.distance, room.boxes, room.match[0])
    control[COUNT] = 1
    control[loops.LEAST], control[loops.BEST] = nodes.estimate[0], 0
    if nodes.estimate[0] >= FAR:
        return False
    nodes.table[slot_of(nodes, nodes.boxes[0], nodes.word[0], player)] = 0
    enqueue(nodes, room.heads, 0, 0)
    return True


def make_feature_search() -> Callable[..., int]:
    """``feature_search(board, plan, nodes, room, player, control) -> int``: why it stopped."""

    def feature_search(board, plan, nodes, room, player, control):  # type: ignore[no-untyped-def]
        board, plan, nodes = borrowed(board), borrowed(plan), borrowed(nodes)
        room, control = borrowed(room), borrowed(control)
        if control[loops.BUDGET] <= 0:
            return loops.PAUSED
        if control[COUNT] == 0 and not put_first(board, nodes, plan, room, player, control):
            return loops.EMPTIED
        beside, live, goal_at, goals = board.beside, board.live, board.goal_at, board.goals
        boxes, box_at, held, sides, way = room.boxes, room.flags[0], room.flags[1], room.sides, room.way
        steps, queue, region, rim = room.squares[0], room.squares[1], room.squares[2], room.squares[3]
        after, found = room.squares[4], room.found
        match, matched = room.match[0], room.match[1]
        capacity = nodes.word.shape[0]
        best = np.empty(ADVISORS, np.int64)
        advised = np.empty(ADVISORS, np.int64)
        while control[loops.BUDGET] > 0:
            if control[COUNT] + SIDES * boxes.shape[0] * live > capacity:
                return loops.FULL
            node = take(nodes, room.heads, control)
            if node == NO_NODE:
                return loops.EMPTIED
            weight = nodes.cost[node]
            nodes.cost[node] = -1 - weight
            control[loops.EXPANDED] += 1
            control[loops.BUDGET] -= 1
            unpack(nodes.boxes[node], boxes, box_at)
            walk(beside, box_at, nodes.player[node], steps, queue)
            corral = find_corral(beside, live, goal_at, boxes, box_at, steps, region, rim, queue)
            if corral == LOST:
                continue
            match_all(board.distance, boxes, match)
            packed_now = count_packed(plan, goals, box_at)
            best[0] = -packed_now
            for square in range(after.shape[0]):
                after[square] = steps[square]
            best[1] = count_regions(beside, box_at, after, queue)
            best[2] = count_outcasts(plan, boxes, goals, packed_now)
            best[3] = next_way(plan, boxes, goals, packed_now)
            best[4] = nodes.estimate[node]
            best[5] = -count_pushes(beside, live, boxes, box_at, steps)
            for k in range(ADVISORS):
                advised[k] = NO_NODE
            word = nodes.word[node] ^ board.code[beside.shape[0] + nodes.player[node]]
            made = 0
            for k in range(boxes.shape[0]):
                box = boxes[k]
                for square in range(sides.shape[0]):
                    for side in range(SIDES):
                        sides[square, side] = 0
                head = tail = 0
                for side in range(SIDES):
                    if beside[box, side] >= 0 and steps[beside[box, side]] >= 0:
                        sides[box, side] = 1
                        way[tail] = box * SIDES + side
                        tail += 1
                box_at[box] = 0
                while head < tail:
                    here, side = way[head] // SIDES, way[head] % SIDES
                    head += 1
                    there = beside[here, side ^ 1]
                    if there < 0 or there >= live or box_at[there] or sides[there, side]:
                        continue
                    if corral != NO_CORRAL and here == box and region[there] != corral:
                        continue
                    box_at[there] = 1
                    boxes[k] = there
                    stood = walk(beside, box_at, here, after, queue)
                    for other in range(SIDES):
                        if beside[there, other] >= 0 and after[beside[there, other]] >= 0 and not sides[there, other]:
                            sides[there, other] = 1
                            way[tail] = there * SIDES + other
                            tail += 1
                    control[loops.GENERATED] += 1
                    new = word ^ board.code[box] ^ board.code[there] ^ board.code[beside.shape[0] + stood]
                    pack(boxes, room.bits)
                    slot = slot_of(nodes, room.bits, new, stood)
                    estimate = FAR
                    if (
                        nodes.table[slot] == NO_NODE
                        and there != box
                        and not freezes(beside, live, goal_at, boxes, box_at, held, there)
                    ):
                        estimate = match_again(board.distance, boxes, match, matched, k)
                    if estimate < FAR:
                        child = control[COUNT]
                        control[COUNT] += 1
                        nodes.table[slot] = child
                        for w in range(room.bits.shape[0]):
                            nodes.boxes[child, w] = room.bits[w]
                        nodes.word[child], nodes.player[child] = new, stood
                        nodes.parent[child] = node
                        nodes.push[child, 0], nodes.push[child, 1] = box, there
                        nodes.cost[child], nodes.estimate[child] = weight + 1, estimate
                        if estimate < control[loops.LEAST]:
                            control[loops.LEAST], control[loops.BEST] = estimate, child
                        if estimate == 0:
                            control[loops.AT] = child
                            return loops.REACHED
                        pushes = count_pushes(beside, live, boxes, box_at, after)
                        packed = count_packed(plan, goals, box_at)
                        regions = count_regions(beside, box_at, after, queue)
                        outcasts = count_outcasts(plan, boxes, goals, packed)
                        found[made, 0], found[made, 1] = child, cell_of(packed, regions, outcasts)
                        made += 1
                        if packed >= packed_now:
                            if -packed < best[0]:
                                best[0], advised[0] = -packed, child
                            if regions < best[1]:
                                best[1], advised[1] = regions, child
                            if outcasts < best[2]:
                                best[2], advised[2] = outcasts, child
                            nigh = next_way(plan, boxes, goals, packed)
                            if packed == packed_now and nigh < best[3]:
                                best[3], advised[3] = nigh, child
                            if estimate < best[4]:
                                best[4], advised[4] = estimate, child
                            if -pushes < best[5]:
                                best[5], advised[5] = -pushes, child
                    box_at[there] = 0
                boxes[k] = box
                box_at[box] = 1
            for k in range(ADVISORS):
                if advised[k] != NO_NODE:
                    nodes.cost[advised[k]] = weight
            for k in range(made):
                enqueue(nodes, room.heads, found[k, 0], found[k, 1])
        return loops.PAUSED

    parts = [
        put_first, enqueue, take, walk, find_corral, ways_in, freezes, movable, match_all, match_again, augment, total,
        pack, unpack, position_of, slot_of, count_packed, count_regions, count_outcasts, count_pushes, cell_of, next_way,
    ]  # fmt: skip
    signature = int64(BOARD, PLAN, NODES, ROOM, int64, int64[::1])
    return compiled(feature_search, parts, "sokoban-feature-search", signature)
