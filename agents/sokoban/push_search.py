"""Best-first search over single pushes: A* with a proof, or greedy for any solution.

A position is where the boxes are and which squares the player can walk to; a step is one push. Its estimate is the
cheapest matching of boxes and goals. With ``BY_MOVES`` the player's square counts as well, and a step costs the walk
to the box too.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import int16, int32, int64, types, uint8

from gridpuzzles_gym.engine.compilation import borrowed, compiled, rule

from ..search import loops
from .board import BOARD, FAR, Board
from .corrals import LOST, NO_CORRAL, find_corral, ways_in
from .flood import walk
from .freezing import freezes, movable
from .matching import BOX_OF, augment, match_again, match_all, total
from .nodes import NO_NODE, NODES, Nodes, pack, position_of, rehash, slot_of, unpack

# control, behind what every search loop has. COUNT: nodes made. COST_WEIGHT, WEIGHT: a position's place in the
# queue is COST_WEIGHT * cost + WEIGHT * estimate. BY_MOVES: see above. LOWEST: no queue below it has anyone.
COUNT, COST_WEIGHT, WEIGHT, BY_MOVES, LOWEST, OWN_END = range(loops.OWN, loops.OWN + 6)


class Room(NamedTuple):
    """Room for the work on one position; n squares, k boxes."""

    boxes: npt.NDArray[np.int16]
    """int16[k]"""
    squares: npt.NDArray[np.int16]
    """int16[5, n]: the player's steps, a queue, corrals, their rims; the steps after a push."""
    flags: npt.NDArray[np.uint8]
    """uint8[2, n]: where boxes are; those held fast."""
    match: npt.NDArray[np.int32]
    """int32[2, 5, k]: the matching of the position, and of the one after a push."""
    bits: npt.NDArray[np.uint64]
    """uint64[w]"""
    heads: npt.NDArray[np.int32]
    """int32[q]: the node last put in each queue, or NO_NODE."""


ROOM = types.NamedTuple(
    (
        int16[::1],
        types.Array(int16, 2, "C"),
        types.Array(uint8, 2, "C"),
        types.Array(int32, 3, "C"),
        types.Array(types.uint64, 1, "C"),
        int32[::1],
    ),
    Room,
)
QUEUES = 1 << 16


def make_room(board: Board, count: int) -> Room:
    """Room for the work on positions of a board with ``count`` boxes."""
    squares = len(board.beside)
    return Room(
        np.zeros(count, np.int16),
        np.zeros((5, squares), np.int16),
        np.zeros((2, squares), np.uint8),
        np.zeros((2, 5, count), np.int32),
        np.zeros(-(-board.live // 64), np.uint64),
        np.full(QUEUES, NO_NODE, np.int32),
    )


@rule
def enqueue(nodes, heads, control, node):
    """Put a position into its queue."""
    place = control[COST_WEIGHT] * nodes.cost[node] + control[WEIGHT] * nodes.estimate[node]
    place = min(place, heads.shape[0] - 1)
    nodes.after[node] = heads[place]
    heads[place] = node
    control[LOWEST] = min(control[LOWEST], place)


@rule
def take(nodes, heads, control):
    """Take a position from the lowest queue that has one; NO_NODE where none has."""
    for place in range(control[LOWEST], heads.shape[0]):
        while heads[place] != NO_NODE:
            node = heads[place]
            heads[place] = nodes.after[node]
            if nodes.cost[node] >= 0:
                control[LOWEST] = place
                return node
    control[LOWEST] = heads.shape[0]
    return NO_NODE


@rule
def put_first(board, nodes, room, player, control):
    """Make the first node from ``room.boxes``; False where the matching shows that there is no solution."""
    box_at, steps = room.flags[0], room.squares[0]
    for k in range(box_at.shape[0]):
        box_at[k] = 0
    word = np.uint64(0)
    for k in range(room.boxes.shape[0]):
        box_at[room.boxes[k]] = 1
        word ^= board.code[room.boxes[k]]
    lowest = walk(board.beside, box_at, player, steps, room.squares[1])
    if not control[BY_MOVES]:
        player = lowest
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
    enqueue(nodes, room.heads, control, 0)
    return True


def make_push_search() -> Callable[..., int]:
    """``push_search(board, nodes, room, player, control) -> int``: why it stopped, as :mod:`..search.loops` names it.

    At the first call ``room.boxes`` are those of the start; with no budget nothing is done.
    """

    def push_search(board, nodes, room, player, control):  # type: ignore[no-untyped-def]
        board, nodes, room, control = borrowed(board), borrowed(nodes), borrowed(room), borrowed(control)
        if control[loops.BUDGET] <= 0:
            return loops.PAUSED
        if control[COUNT] == 0 and not put_first(board, nodes, room, player, control):
            return loops.EMPTIED
        beside, live, goal_at = board.beside, board.live, board.goal_at
        boxes, box_at, held = room.boxes, room.flags[0], room.flags[1]
        steps, queue, region, rim, after = (
            room.squares[0],
            room.squares[1],
            room.squares[2],
            room.squares[3],
            room.squares[4],
        )
        match, matched = room.match[0], room.match[1]
        proving = control[COST_WEIGHT] > 0 and control[COST_WEIGHT] == control[WEIGHT]
        by_moves = control[BY_MOVES] != 0
        capacity = nodes.word.shape[0]
        while control[loops.BUDGET] > 0:
            if control[COUNT] + 4 * boxes.shape[0] > capacity:
                return loops.FULL
            node = take(nodes, room.heads, control)
            if node == NO_NODE:
                return loops.EMPTIED
            if nodes.estimate[node] == 0:
                control[loops.AT] = node
                return loops.REACHED
            cost = nodes.cost[node]
            nodes.cost[node] = -1 - cost
            control[loops.EXPANDED] += 1
            control[loops.BUDGET] -= 1
            unpack(nodes.boxes[node], boxes, box_at)
            walk(beside, box_at, nodes.player[node], steps, queue)
            corral = find_corral(beside, live, goal_at, boxes, box_at, steps, region, rim, queue)
            if corral == LOST:
                continue
            if by_moves:
                corral = NO_CORRAL
            match_all(board.distance, boxes, match)
            word = nodes.word[node] ^ board.code[beside.shape[0] + nodes.player[node]]
            for k in range(boxes.shape[0]):
                box = boxes[k]
                for action in range(4):
                    stands, there = beside[box, action ^ 1], beside[box, action]
                    if stands < 0 or there < 0 or there >= live or steps[stands] < 0 or box_at[there]:
                        continue
                    if corral != NO_CORRAL and region[there] != corral:
                        continue
                    control[loops.GENERATED] += 1
                    box_at[box], box_at[there], boxes[k] = 0, 1, there
                    estimate = FAR
                    if not freezes(beside, live, goal_at, boxes, box_at, held, there):
                        estimate = match_again(board.distance, boxes, match, matched, k)
                    if estimate < FAR:
                        stood = box
                        paid = cost + 1
                        if by_moves:
                            paid += steps[stands]
                        else:
                            stood = walk(beside, box_at, box, after, queue)
                        child = control[COUNT]
                        new = word ^ board.code[box] ^ board.code[there] ^ board.code[beside.shape[0] + stood]
                        pack(boxes, room.bits)
                        slot = slot_of(nodes, room.bits, new, stood)
                        known = nodes.table[slot]
                        better = known == NO_NODE
                        if not better and proving:
                            spent = nodes.cost[known] if nodes.cost[known] >= 0 else -1 - nodes.cost[known]
                            better = paid < spent
                            if better:
                                control[loops.REOPENED] += nodes.cost[known] < 0
                                nodes.cost[known] = -1 - spent
                        if better:
                            nodes.table[slot] = child
                            for w in range(room.bits.shape[0]):
                                nodes.boxes[child, w] = room.bits[w]
                            nodes.word[child], nodes.player[child] = new, stood
                            nodes.parent[child] = node
                            nodes.push[child, 0], nodes.push[child, 1] = box, there
                            nodes.cost[child], nodes.estimate[child] = paid, estimate
                            control[COUNT] += 1
                            enqueue(nodes, room.heads, control, child)
                            if estimate < control[loops.LEAST]:
                                control[loops.LEAST], control[loops.BEST] = estimate, child
                    box_at[box], box_at[there], boxes[k] = 1, 0, box
        return loops.PAUSED

    parts = [
        put_first, enqueue, take, walk, find_corral, ways_in, freezes, movable, match_all, match_again, augment, total,
        pack, unpack, position_of, slot_of, rehash,
    ]  # fmt: skip
    signature = int64(BOARD, NODES, ROOM, int64, int64[::1])
    return compiled(push_search, parts, "sokoban-push-search", signature)
