"""Best-first search over single pushes: A* with a proof, or greedy search for any solution.

A position is the squares of the boxes and the squares the player can reach; a step is one push. Its estimate is the
cheapest matching of boxes and goals. With ``BY_MOVES`` the player's square is part of a position as well, and a step
costs the walk to the box too.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import int32, int64, types

from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled, routine, rule

from ...search import loops
from . import position
from .areas import area_after, divide, move_between
from .board import BOARD, FAR, SIDES, is_step, step_of
from .deadlocks.corrals import LOST, NO_CORRAL, find_corral
from .deadlocks.freezing import freezes, past_frozen
from .flood import walk
from .matching import match_again, match_priced
from .nodes import NO_NODE, NODES, unpack
from .position import (
    ANYWHERE,
    BOX_AT,
    COUNT,
    QUEUE,
    REGION,
    STEPS,
    WORK,
    add_node,
    can_finish,
    look_up,
    mark_reach,
    put_first,
    word_of,
)

# control, after the entries common to all push searches. LOWEST: all queues below it are empty.
LOWEST, OWN_END = range(position.OWN, position.OWN + 2)
QUEUES = 1 << 15
"""Number of queues; higher priorities go to the last."""


class Settings(NamedTuple):
    """What a push search does; a position's priority is ``cost_weight`` * cost + ``weight`` * estimate."""

    cost_weight: int
    weight: int
    by_moves: int
    """1 if the player's square is part of a position, and walks cost."""
    end: int
    """The square where the player must end (by moves) or that he must be able to reach; or ANYWHERE."""
    deadlocks: int
    """1 to look for deadlocks in every position, not only for boxes that a push freezes."""


SETTINGS = types.NamedUniTuple(int64, 5, Settings)


@rule
def enqueue(nodes, heads, settings, control, node):
    """Add a position to its queue."""
    priority = settings.cost_weight * nodes.cost[node] + settings.weight * nodes.estimate[node]
    place = min(priority, heads.shape[0] - 1)
    nodes.after[node] = heads[place]
    heads[place] = node
    control[LOWEST] = min(control[LOWEST], place)


@rule
def take(nodes, heads, settings, control):
    """Take a position from the lowest nonempty queue; NO_NODE if all are empty.

    The last queue, for all higher priorities, is not sorted: a search for a proof ends before it.
    """
    last = heads.shape[0] - 1
    for place in range(control[LOWEST], heads.shape[0]):
        if place == last and settings.cost_weight > 0 and heads[last] != NO_NODE:
            control[loops.CUT] = 1
            break
        while heads[place] != NO_NODE:
            node = heads[place]
            heads[place] = nodes.after[node]
            if nodes.cost[node] >= 0:
                control[LOWEST] = place
                return node
    control[LOWEST] = last
    return NO_NODE


@rule
def outdone(nodes, known, paid):
    """Whether a known position is now reached at lower cost."""
    spent = nodes.cost[known]
    return paid < (spent if spent >= 0 else -1 - spent)


@rule
def discard(nodes, known, control):
    """Discard the old node of a position that is reached at lower cost now."""
    if nodes.cost[known] < 0:
        control[loops.REOPENED] += 1
    else:
        nodes.cost[known] = -1 - nodes.cost[known]


@rule
def is_end(board, work, settings, player):
    """Whether the player may end on this square, after the move that is examined."""
    if settings.by_moves:
        return settings.end == ANYWHERE or player == settings.end
    reach = area_after(board.neighbours, work.areas, work.move, player)
    return can_finish(board.neighbours, work, reach, settings.end)


@rule
def push_box(board, nodes, work, heads, node, k, corral, distance, matched, settings, control):
    """Generate the positions after one push, or pull, of one box, and add them to their queues.

    Args:
        board: The board.
        nodes: The node store.
        work: The position; restored at the end.
        heads: The queues.
        node: The position's node.
        k: The index of the box.
        corral: The corral it must be pushed into, or NO_CORRAL.
        distance: The distances that are matched.
        matched: The cost of the position's matching.
        settings: What the search does.
        control: The search's control array; AT is set to a new position that is solved, or that a search in the
            other direction has found, if any solution is enough.
    """
    neighbours, boxes, box_at = board.neighbours, work.boxes, work.flags[BOX_AT]
    steps, by_moves, proving = work.squares[STEPS], settings.by_moves != 0, settings.cost_weight > 0
    cost = -1 - nodes.cost[node]
    box = boxes[k]
    word = nodes.word[node] ^ word_of(board, nodes.player[node]) ^ board.code[box]
    for action in range(SIDES):
        player_at, there, ends = step_of(board, box, action)
        if not is_step(board, box_at, box, player_at, there, ends) or steps[player_at] < 0:
            continue
        if corral != NO_CORRAL and work.squares[REGION, there] != corral:
            continue
        control[loops.GENERATED] += 1
        box_at[box], box_at[there], boxes[k] = 0, 1, there
        paid = cost + 1 + (steps[player_at] if by_moves else 0)
        stood = np.int64(ends)
        if not by_moves:
            move_between(neighbours, work.areas, box, there, work.move)
            stood = np.int64(area_after(neighbours, work.areas, work.move, ends))
        new = word ^ board.code[there] ^ word_of(board, stood)
        slot = look_up(nodes, boxes, work.bits, new, stood)
        known, estimate = nodes.table[slot], FAR
        wanted = known == NO_NODE or (proving and outdone(nodes, known, paid))
        if wanted and not (board.pushed and freezes(board, work, there)):
            estimate = match_again(distance, boxes, work.match, k, matched)
        if estimate < FAR:
            if known != NO_NODE:
                discard(nodes, known, control)
            child = add_node(nodes, work, slot, new, stood, node, box, there, paid, estimate, control)
            enqueue(nodes, heads, settings, control, child)
            if not proving and estimate == 0 and is_end(board, work, settings, ends):
                control[loops.AT] = child
        box_at[box], box_at[there], boxes[k] = 1, 0, box


@rule
def expand(board, nodes, work, heads, node, settings, control):
    """Generate all successors; return 1 if this position solves the level, or a new one if any solution is enough."""
    unpack(nodes.boxes[node], work.boxes, work.flags[BOX_AT])
    player = np.int64(nodes.player[node])
    if settings.by_moves:
        walk(board.neighbours, work.flags[BOX_AT], player, work.squares[STEPS], work.squares[QUEUE])
    else:
        divide(board.neighbours, work.flags[BOX_AT], work.areas)
        mark_reach(work, player)
        move_between(board.neighbours, work.areas, work.boxes[0], work.boxes[0], work.move)
    if nodes.estimate[node] == 0 and is_end(board, work, settings, player):
        control[loops.AT] = node
        return 1
    distance = past_frozen(board, work) if settings.deadlocks and board.pushed else board.distance
    matched = match_priced(distance, work.boxes, work.match)
    if matched >= FAR:
        return 0
    corral = find_corral(board, work, settings.deadlocks)
    if corral == LOST:
        return 0
    if settings.by_moves or settings.end != ANYWHERE:  # then the order of pushes matters
        corral = NO_CORRAL
    for k in range(work.boxes.shape[0]):
        push_box(board, nodes, work, heads, node, k, corral, distance, matched, settings, control)
    return 1 if control[loops.AT] != NO_NODE else 0


@routine
def search_on(board, nodes, work, heads, player, settings, control):
    """Search until the budget is used up or the search ends; return why: see :func:`make_push_search`."""
    board, nodes, work = borrowed(board), borrowed(nodes), borrowed(work)
    heads, control = borrowed(heads), borrowed(control)
    if control[loops.BUDGET] <= 0:
        return loops.PAUSED
    if control[COUNT] == 0:
        control[loops.AT] = NO_NODE
        if not put_first(board, nodes, work, player, settings.by_moves, control):
            return loops.EMPTIED
        for node in range(control[COUNT]):
            enqueue(nodes, heads, settings, control, node)
    while control[loops.BUDGET] > 0:
        if control[COUNT] + SIDES * work.boxes.shape[0] > nodes.word.shape[0]:
            return loops.FULL
        node = take(nodes, heads, settings, control)
        if node == NO_NODE:
            return loops.EMPTIED
        nodes.cost[node] = -1 - nodes.cost[node]
        control[loops.EXPANDED] += 1
        control[loops.BUDGET] -= 1
        if expand(board, nodes, work, heads, node, settings, control):
            return loops.REACHED
    return loops.PAUSED


def make_push_search() -> Callable[..., int]:
    """``push_search(board, nodes, work, heads, player, settings, control) -> int``: why it stopped.

    The return values are those of :mod:`..search.loops`; ``heads`` (int32[QUEUES]) are the nodes last added to each
    queue; ``own`` and ``other`` are what all searches in this and in the other direction have found. At the first call
    ``work.boxes`` are those of the start; with a budget of 0 nothing is done.
    """

    def push_search(board, nodes, work, heads, player, settings, control):
        return search_on(board, nodes, work, heads, player, settings, control)

    signature = int64(BOARD, NODES, WORK, int32[::1], int64, SETTINGS, int64[::1])
    return compiled(push_search, "sokoban-push-search", signature)
