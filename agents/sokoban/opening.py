"""Deadlocks around corrals, found by small searches.

A corral must be opened by moving the boxes around it, or those must all come to goals. A search with these boxes alone
is short, and if it ends without either, the level is lost: more boxes would only be in the way. If it finds a way in
that other boxes block, those beside take part as well. (YASS and other solvers search for such deadlocks too.)
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.compilation import routine, rule
from gridpuzzles_gym.engine.memory import copy_row

from .board import SIDES, step_of
from .flood import walk
from .freezing import count_astray
from .nodes import NO_NODE, pack, slot_of, unpack
from .position import BOX_AT, LONGEST, MOST_TRIED, word_of

# trial.flags: the boxes that take part; where they are; frozen ones; all boxes.
PART, AT, FROZEN, ALL = range(4)
# trial.squares: the player's reach, and after a push; a queue.
REACH, REACH_AFTER, QUEUE = range(3)
NONE, CUT = -1, -2


@routine
def stays_shut(board, work, steps, region, rim, number):
    """Can a corral never be opened, and the boxes around it never all come to goals?

    Args:
        board: The board.
        work: The position: its boxes.
        steps: The player's reach.
        region: The corral's number at its squares.
        rim: The corral's number at the boxes around it.
        number: The corral.
    """
    trial = work.trial
    part = trial.flags[PART]
    for square in range(part.shape[0]):
        part[square] = 0
    for box in work.boxes:
        part[box] = rim[box] == number
    left = MOST_TRIED
    while True:
        count = gather(board, work)
        if count == 0:
            return False
        slot = open_corral(board, work, steps, region, number, trial.boxes[:count], left)
        if trial.length[slot] == NONE:
            return True
        if trial.length[slot] == CUT or is_way(board, work, steps, slot) or not widen(board, work):
            return False


@rule
def gather(board, work):
    """List the boxes that take part; return how many, 0 if all are on goals."""
    trial = work.trial
    count = astray = 0
    for box in work.boxes:
        if trial.flags[PART, box]:
            trial.boxes[count] = box
            count += 1
            astray += board.goal_at[box] < 0
    return count if astray else 0


@rule
def widen(board, work):
    """Let boxes take part that are beside one that does; False if there are none."""
    part = work.trial.flags[PART]
    more = False
    for box in work.boxes:
        if part[box]:
            continue
        for action in range(SIDES):
            there = board.beside[box, action]
            if there >= 0 and part[there] == 1:
                part[box] = 2
                more = True
    for box in work.boxes:
        part[box] = part[box] > 0
    return more


@rule
def is_open(region, number, reach):
    """Can the player enter the corral?"""
    for square in range(region.shape[0]):
        if region[square] == number and reach[square] >= 0:
            return True
    return False


@rule
def are_home(board, boxes):
    """Are all boxes on goals?"""
    for box in boxes:
        if board.goal_at[box] < 0:
            return False
    return True


@rule
def try_node(nodes, bits, word, player, parent, source, target, count):
    """Add a position to the trial, unless it is known; return the number of positions."""
    slot = slot_of(nodes, bits, word, player)
    if nodes.table[slot] != NO_NODE:
        return count
    nodes.table[slot] = count
    for w in range(bits.shape[0]):
        nodes.boxes[count, w] = bits[w]
    nodes.word[count], nodes.player[count], nodes.parent[count] = word, player, parent
    nodes.push[count, 0], nodes.push[count, 1] = source, target
    return count + 1


@rule
def remember(trial, slot, key, length):
    """Keep the result of a trial; return its slot."""
    trial.known[slot], trial.length[slot] = key, length
    return slot


@rule
def remember_way(trial, slot, key, node):
    """Keep the way to a node of the trial."""
    nodes = trial.nodes
    length = 0
    last = node
    while nodes.parent[last] != NO_NODE:
        last = nodes.parent[last]
        length += 1
    if length > LONGEST:
        return remember(trial, slot, key, CUT)
    for k in range(length - 1, -1, -1):
        trial.way[slot, k, 0], trial.way[slot, k, 1] = nodes.push[node, 0], nodes.push[node, 1]
        node = nodes.parent[node]
    return remember(trial, slot, key, length)


@routine
def open_corral(board, work, steps, region, number, boxes, left):
    """Search for a way into a corral with some boxes alone.

    Returns:
        The slot of the result: a way to the first position where the corral is open or all boxes are on goals; NONE if
        there is no such position, CUT if it was not found among the first ``left``.
    """
    trial, beside = work.trial, board.beside
    nodes, at, frozen = trial.nodes, trial.flags[AT], trial.flags[FROZEN]
    reach, after, queue = trial.squares[REACH], trial.squares[REACH_AFTER], trial.squares[QUEUE]
    for square in range(at.shape[0]):
        at[square] = 0
    word = np.uint64(0)
    for box in boxes:
        at[box] = 1
        word ^= board.code[box]
    player = 0
    while steps[player] < 0:
        player += 1
    player = walk(beside, at, player, reach, queue)
    word ^= word_of(board, player)
    first = 0
    while region[first] != number:
        first += 1
    key = word + word_of(board, first)
    slot = np.int64(key & np.uint64(trial.known.shape[0] - 1))
    if trial.known[slot] == key:
        return slot
    for place in range(nodes.table.shape[0]):
        nodes.table[place] = NO_NODE
    pack(boxes, trial.bits)
    count = try_node(nodes, trial.bits, word, player, NO_NODE, 0, 0, 0)
    node = 0
    while node < count:
        unpack(nodes.boxes[node], boxes, at)
        walk(beside, at, nodes.player[node], reach, queue)
        for k in range(boxes.shape[0]):
            box = boxes[k]
            word = nodes.word[node] ^ word_of(board, nodes.player[node]) ^ board.code[box]
            for action in range(SIDES):
                stands, there, ends = step_of(board, box, action)
                if stands < 0 or there < 0 or there >= board.live or reach[stands] < 0 or at[there] or ends < 0:
                    continue
                if ends != box and at[ends]:
                    continue
                if count == left:
                    return remember(trial, slot, key, CUT)
                at[box], at[there], boxes[k] = 0, 1, there
                if not (board.pushed and count_astray(board, boxes, at, frozen, there) > 0):
                    player = walk(beside, at, ends, after, queue)
                    pack(boxes, trial.bits)
                    new = word ^ board.code[there] ^ word_of(board, player)
                    known = count
                    count = try_node(nodes, trial.bits, new, player, node, box, there, count)
                    if count > known and (is_open(region, number, after) or are_home(board, boxes)):
                        return remember_way(trial, slot, key, known)
                at[box], at[there], boxes[k] = 1, 0, box
        node += 1
    return remember(trial, slot, key, NONE)


@routine
def is_way(board, work, steps, slot):
    """Is the way found in the trial free when all boxes are there?"""
    trial, beside = work.trial, board.beside
    box_at, reach, queue = trial.flags[ALL], trial.squares[REACH], trial.squares[QUEUE]
    copy_row(work.flags[BOX_AT], box_at)
    copy_row(steps, reach)
    for k in range(trial.length[slot]):
        source, target = trial.way[slot, k]
        action = 0
        while beside[source, action] != target:
            action += 1
        stands, there, ends = step_of(board, source, action)
        if reach[stands] < 0 or box_at[there] or (ends != source and box_at[ends]):
            return False
        box_at[source], box_at[there] = 0, 1
        walk(beside, box_at, ends, reach, queue)
    return True
