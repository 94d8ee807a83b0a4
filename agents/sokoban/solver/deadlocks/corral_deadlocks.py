"""Corrals that can never be opened, found by searches with only the boxes around them.

The player must be able to go everywhere in a corral, or the boxes around it must all get to goals. A box pushed out of
the zone around the corral is taken away: whatever it does later, without it the player and the other boxes can do no
less. If neither goal can be reached, the level is lost. If one can, but other boxes block the way, those next to the
first are included as well. YASS, Festival and other solvers look for such deadlocks too.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.compile.compilation import routine, rule
from gridpuzzles_gym.engine.compile.memory import copy_row

from ..board import SIDES, is_step, step_of
from ..flood import walk
from ..nodes import NO_NODE, pack, unpack
from ..position import BOX_AT, REGION, STEPS, word_of
from .freezing import freezes_off_goals
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
EXPANDED = -1
"""In ``nodes.estimate``, instead of the number of boxes left."""


@routine
def is_corral_deadlock(board, work, number):
    """Whether a corral can never be opened.

    Args:
        board: The board.
        work: The position, with the player's reach; the corral's number is in REGION at its squares.
        number: The corral.

    Returns:
        True if that is certain.
    """
    subset = work.subset
    mark_part(board, work, number)
    for _ in range(ROUNDS):
        count = list_part(board, work)
        if count == 0:
            return False
        entry = try_boxes(board, work, subset.boxes[:count], number)
        if subset.length[entry] == NO_WAY:
            return True
        if subset.length[entry] == CUT_SHORT or is_free(board, work, entry) or not widen(board, work):
            return False
    return False


@rule
def mark_part(board, work, number):
    """Mark in PART the boxes around a corral, also diagonally, and those behind them; in ZONE all squares around it.

    Backwards the zone is the whole board: the player could pull nearly every box out of a smaller one.
    """
    neighbours, box_at = board.neighbours, work.flags[BOX_AT]
    region, part, zone = work.squares[REGION], work.subset.flags[PART], work.subset.flags[ZONE]
    for square in range(part.shape[0]):
        part[square], zone[square] = 0, not board.pushed
    for square in range(part.shape[0]):
        if region[square] != number:
            continue
        zone[square] = 1
        for side in range(SIDES):
            there = neighbours[square, side]
            if there < 0:
                continue
            part[there], zone[there] = box_at[there], 1
            for turn in range(2):
                corner = neighbours[there, across(side) + turn]
                if corner >= 0:
                    part[corner], zone[corner] = box_at[corner], 1
            behind = neighbours[there, side]
            if box_at[there] and behind >= 0 and box_at[behind] and not gives_way(neighbours, box_at, behind, side):
                part[behind] = 1


@rule
def across(side):
    """Return the first of the two directions that are perpendicular to another."""
    return 2 - (side & 2)


@rule
def gives_way(neighbours, box_at, box, side):
    """Whether a box behind another one, in the direction ``side``, could be pushed sideways, by two squares one way."""
    free = 0
    for turn in range(2):
        one = neighbours[box, across(side) + turn]
        if one < 0 or box_at[one]:
            return False
        two = neighbours[one, across(side) + turn]
        free += two >= 0 and not box_at[two]
    return free > 0


@rule
def list_part(board, work):
    """List the boxes of the subset, and add them to the zone; return how many, or 0 if they are all on goals."""
    subset = work.subset
    count = off_goals = 0
    for box in work.boxes:
        if subset.flags[PART, box]:
            subset.boxes[count] = box
            subset.flags[ZONE, box] = 1
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
    # Boxes, player and the corral's lowest square are all that the result depends on: they determine the zone as well.
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
    """Search with some boxes alone; positions with the fewest boxes left come first.

    Args:
        board: The board.
        work: The position.
        boxes: int16[…]: the boxes of the subset; used as a scratch array.
        number: The corral.
        word: The hash of the first position.
        player: The lowest square that the player can reach there.

    Returns:
        The node of the first position found in which the corral is open or all boxes left are on goals; or NO_WAY, or
        CUT_SHORT.
    """
    subset, neighbours = work.subset, board.neighbours
    nodes, at, bits, zone = subset.nodes, subset.flags[AT], subset.bits, subset.flags[ZONE]
    reach, after, queue = subset.squares[REACH], subset.squares[REACH_AFTER], subset.squares[QUEUE]
    nodes.table[:] = NO_NODE
    pack(boxes, bits)
    count = add_position(nodes, bits, word, player, NO_NODE, 0, 0, 0)
    nodes.estimate[0] = boxes.shape[0]
    while True:
        node = NO_NODE
        for other in range(count):
            if nodes.estimate[other] != EXPANDED and (node == NO_NODE or nodes.estimate[other] < nodes.estimate[node]):
                node = other
        if node == NO_NODE:
            return NO_WAY
        nodes.estimate[node] = EXPANDED
        left = unpack(nodes.boxes[node], boxes, at)
        walk(neighbours, at, nodes.player[node], reach, queue)
        first, last = 0, SIDES * left
        for step in range(last):  # if a box can leave, nothing else has to be tried
            player_at, there, ends = step_of(board, boxes[step // SIDES], step % SIDES)
            can = is_step(board, at, boxes[step // SIDES], player_at, there, ends) and reach[player_at] >= 0
            if can and not zone[there]:
                first, last = step, step + 1
                break
        for step in range(first, last):
            k, box = step // SIDES, boxes[step // SIDES]
            player_at, there, ends = step_of(board, box, step % SIDES)
            if not is_step(board, at, box, player_at, there, ends) or reach[player_at] < 0:
                continue
            if count == MAX_NODES:
                return CUT_SHORT
            stays = zone[there]
            at[box], at[there], boxes[k] = 0, stays, there if stays else boxes[left - 1]
            rest = boxes[: left - 1 + stays]
            if not (stays and board.pushed and freezes_off_goals(board, rest, at, subset.flags[FROZEN], there)):
                lowest = walk(neighbours, at, ends, after, queue)
                pack(rest, bits)
                new = nodes.word[node] ^ word_of(board, nodes.player[node]) ^ word_of(board, lowest) ^ board.code[box]
                if stays:
                    new ^= board.code[there]
                known = count
                count = add_position(nodes, bits, new, lowest, node, box, there, count)
                nodes.estimate[known] = rest.shape[0]
                if count > known and (is_open(work, number, at, after) or all_on_goals(board, rest)):
                    return known
            at[box], at[there], boxes[k] = 1, 0, box


@rule
def is_open(work, number, at, reach):
    """Whether the player's reach includes all squares of a corral that are free."""
    region, inside = work.squares[REGION], True
    for square in range(region.shape[0]):
        inside &= region[square] != number or at[square] != 0 or reach[square] >= 0
    return inside


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
