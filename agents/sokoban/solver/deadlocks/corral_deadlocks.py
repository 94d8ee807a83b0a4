"""Corrals that can never be opened, found by searches with only the boxes around them.

The player must get into a corral, or the boxes around it must all get to goals. If neither is possible with these
boxes alone, the level is lost. If it is possible but other boxes block it, the boxes next to them are included as well.
YASS and other solvers look for such deadlocks too.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.compile.bits import lowest
from gridpuzzles_gym.engine.compile.compilation import routine, rule
from gridpuzzles_gym.engine.compile.memory import copy_row

from ..board import SIDES, is_step, step_of
from ..flood import walk
from ..nodes import NO_NODE, pack
from ..position import BOX_AT, REGION, STEPS, word_of
from .freezing import count_frozen_off_goals
from .subset_search import (
    ALL,
    AT,
    CUT_SHORT,
    FROZEN,
    MAX_NODES,
    NO_WAY,
    PART,
    QUEUE,
    REACH,
    REACH_AFTER,
    ZONE,
    add_position,
    store,
)

ROUNDS = 2
"""Maximum number of searches for one corral, with more boxes each time."""


@routine
def is_corral_deadlock(board, work, number):
    """Whether the player can never get into a corral, and the boxes around it can never all get to goals.

    Args:
        board: The board.
        work: The position, with the player's reach; the corral's number is in REGION at its squares, and in RIM at the
            boxes around it.
        number: The corral.

    Returns:
        True if that is certain.
    """
    subset = work.subset
    part = subset.flags[PART]
    for square in range(part.shape[0]):
        part[square] = 0
    mark_around(board, work, number)
    for _ in range(ROUNDS):
        count = list_part(board, work)
        mark_zone(work, number)
        if count == 0:
            return False
        entry = try_boxes(board, work, subset.boxes[:count], number)
        if subset.length[entry] == NO_WAY:
            return True
        if subset.length[entry] == CUT_SHORT or is_free(board, work, entry) or not widen(board, work):
            return False
    return False


@rule
def mark_around(board, work, number):
    """Mark in PART the boxes beside the squares of a corral, also diagonally."""
    region, part, box_at = work.squares[REGION], work.subset.flags[PART], work.flags[BOX_AT]
    zone = work.subset.flags[ZONE]
    for square in range(part.shape[0]):
        zone[square] = 0
    for square in range(part.shape[0]):
        if region[square] != number:
            continue
        zone[square] = 1
        for side in range(SIDES):
            there = board.neighbours[square, side]
            if there < 0:
                continue
            part[there] |= box_at[there]
            zone[there] = 1
            across = 2 - (side & 2)
            for turn in range(2):
                corner = board.neighbours[there, across + turn]
                if corner >= 0:
                    part[corner] |= box_at[corner]
                    zone[corner] = 1
            behind = board.neighbours[there, side]
            if box_at[there] and behind >= 0 and box_at[behind]:
                one, other = board.neighbours[behind, across], board.neighbours[behind, across + 1]
                free = one >= 0 and other >= 0 and not box_at[one] and not box_at[other]
                if free:
                    far, wide = board.neighbours[one, across], board.neighbours[other, across + 1]
                    free = (far >= 0 and not box_at[far]) or (wide >= 0 and not box_at[wide])
                if not free:
                    part[behind] = zone[behind] = 1


@rule
def mark_zone(work, number):
    """Mark in ZONE the squares of the boxes of the subset."""
    zone, part = work.subset.flags[ZONE], work.subset.flags[PART]
    for square in range(zone.shape[0]):
        zone[square] |= part[square] != 0


@rule
def list_part(board, work):
    """List the boxes of the subset; return how many, or 0 if they are all on goals."""
    subset = work.subset
    count = off_goals = 0
    for box in work.boxes:
        if subset.flags[PART, box]:
            subset.boxes[count] = box
            count += 1
            off_goals += board.goal_at[box] < 0
    return count if off_goals else 0


@rule
def widen(board, work):
    """Add the boxes next to those of the subset; return whether there are any."""
    part = work.subset.flags[PART]
    more = False
    for box in work.boxes:
        for action in range(SIDES):
            there = board.neighbours[box, action]
            if not part[box] and there >= 0 and part[there] == 1:
                part[box] = 2  # so that those next to it do not follow at once
                more = True
    for box in work.boxes:
        part[box] = part[box] > 0
    return more


@rule
def try_boxes(board, work, boxes, number):
    """Look for a way in with these boxes alone, unless the result is stored; return the index of the result."""
    subset, at = work.subset, work.subset.flags[AT]
    word = np.uint64(0)
    for square in range(at.shape[0]):
        at[square] = 0
    for box in boxes:
        at[box] = 1
        word ^= board.code[box]
    player_at = first_in(work.squares[STEPS], 0)
    player = walk(board.neighbours, at, player_at, subset.squares[REACH], subset.squares[QUEUE])
    word ^= word_of(board, player)
    # Boxes, player and the corral's lowest square are all that the result depends on.
    key = word + word_of(board, first_in(work.squares[REGION], number))
    entry = np.int64(key & np.uint64(subset.key.shape[0] - 1))
    if subset.key[entry] != key:
        store(subset, entry, key, find_way(board, work, boxes, number, word, player))
    return entry


@rule
def first_in(row, value):
    """Return the lowest square that has at least this value."""
    square = 0
    while row[square] < value:
        square += 1
    return square


@routine
def find_way(board, work, boxes, number, word, player):
    """Search with some boxes alone, breadth first.

    Args:
        board: The board.
        work: The position.
        boxes: int16[…]: the boxes of the subset; used as a scratch array.
        number: The corral.
        word: The hash of the first position.
        player: The lowest square that the player can reach there.

    Returns:
        The node of the first position found in which the corral is open or all these boxes are on goals; or NO_WAY, or
        CUT_SHORT.
    """
    subset, neighbours = work.subset, board.neighbours
    nodes, at, bits = subset.nodes, subset.flags[AT], subset.bits
    reach, after, queue = subset.squares[REACH], subset.squares[REACH_AFTER], subset.squares[QUEUE]
    nodes.table[:] = NO_NODE
    pack(boxes, bits)
    count = add_position(nodes, bits, word, player, NO_NODE, 0, 0, 0)
    nodes.cost[0] = boxes.shape[0]
    while True:
        node = NO_NODE
        for other in range(count):  # the one with the fewest boxes left
            if nodes.cost[other] >= 0 and (node == NO_NODE or nodes.cost[other] < nodes.cost[node]):
                node = other
        if node == NO_NODE:
            return NO_WAY
        nodes.cost[node] = -1
        left_on = unpack_some(nodes.boxes[node], boxes, at)
        walk(neighbours, at, nodes.player[node], reach, queue)
        found = leave(board, subset, boxes[:left_on], reach)
        if found != NO_WAY:
            box, action = boxes[found // SIDES], found % SIDES
            _, there, ends = step_of(board, box, action)
            if count == MAX_NODES:
                return CUT_SHORT
            at[box] = 0
            bits[:] = nodes.boxes[node]
            bits[box >> 6] &= ~(np.uint64(1) << np.uint64(box & 63))
            zone_at = walk(neighbours, at, ends, after, queue)
            new = nodes.word[node] ^ word_of(board, nodes.player[node]) ^ board.code[box] ^ word_of(board, zone_at)
            known = count
            count = add_position(nodes, bits, new, zone_at, node, box, there, count)
            if count > known:
                nodes.cost[known] = left_on - 1
                if left_on == 1 or is_entered(work, number, at, after):
                    return known
                boxes[found // SIDES] = boxes[left_on - 1]
                if all_on_goals(board, boxes[: left_on - 1]):
                    return known
            continue
        for k in range(left_on):
            box = boxes[k]
            left = nodes.word[node] ^ word_of(board, nodes.player[node]) ^ board.code[box]
            for action in range(SIDES):
                player_at, there, ends = step_of(board, box, action)
                if not is_step(board, at, box, player_at, there, ends) or reach[player_at] < 0:
                    continue
                if count == MAX_NODES:
                    return CUT_SHORT
                at[box], at[there], boxes[k] = 0, 1, there
                if not (
                    board.pushed and count_frozen_off_goals(board, boxes[:left_on], at, subset.flags[FROZEN], there) > 0
                ):
                    zone_at = walk(neighbours, at, ends, after, queue)
                    pack(boxes[:left_on], bits)
                    new = left ^ board.code[there] ^ word_of(board, zone_at)
                    known = count
                    count = add_position(nodes, bits, new, zone_at, node, box, there, count)
                    if count > known:
                        nodes.cost[known] = left_on
                        if is_entered(work, number, at, after) or all_on_goals(board, boxes[:left_on]):
                            return known
                at[box], at[there], boxes[k] = 1, 0, box


@rule
def unpack_some(bits, boxes, at):
    """Decode ``bits`` into the first ``boxes``, and ``at``; return how many there are."""
    found = 0
    for square in range(at.shape[0]):
        at[square] = 0
    for k in range(bits.shape[0]):
        rest = bits[k]
        while rest:
            square = (k << 6) + lowest(rest)
            boxes[found] = square
            at[square] = 1
            found += 1
            rest &= rest - np.uint64(1)
    return found


@rule
def leave(board, subset, boxes, reach):
    """Return the box, times SIDES, and the action of a step that leaves the zone; NO_WAY if there is none."""
    at, zone = subset.flags[AT], subset.flags[ZONE]
    for k in range(boxes.shape[0]):
        for action in range(SIDES):
            player_at, there, ends = step_of(board, boxes[k], action)
            if is_step(board, at, boxes[k], player_at, there, ends) and reach[player_at] >= 0 and not zone[there]:
                return k * SIDES + action
    return NO_WAY


@rule
def is_entered(work, number, at, reach):
    """Whether the player's reach includes all squares of a corral that are free."""
    region, entered = work.squares[REGION], number >= 0
    for square in range(region.shape[0]):
        entered &= region[square] != number or at[square] != 0 or reach[square] >= 0
    return entered


@rule
def all_on_goals(board, boxes):
    """Whether all these boxes are on goals."""
    home = True
    for box in boxes:
        home &= board.goal_at[box] >= 0
    return home


@routine
def is_free(board, work, entry):
    """Whether a stored way in is not blocked by any other box."""
    subset, neighbours = work.subset, board.neighbours
    box_at, reach, queue = subset.flags[ALL], subset.squares[REACH], subset.squares[QUEUE]
    copy_row(work.flags[BOX_AT], box_at)
    copy_row(work.squares[STEPS], reach)
    for step in range(subset.length[entry]):
        source, target = subset.way[entry, step, 0], subset.way[entry, step, 1]
        action = 0
        while neighbours[source, action] != target:
            action += 1
        player_at, there, ends = step_of(board, source, action)
        if not is_step(board, box_at, source, player_at, there, ends) or reach[player_at] < 0:
            return False
        box_at[source], box_at[there] = 0, 1
        walk(neighbours, box_at, ends, reach, queue)
    return True
