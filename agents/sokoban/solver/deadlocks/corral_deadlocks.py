"""Corrals that can never be opened, found by searches with only the boxes around them.

The player must be able to go everywhere in the zone around a corral, or the boxes in it must all get to goals. A box
pushed out of the zone is taken away: whatever it does later, without it the player and the other boxes can do no less.
If neither can be achieved, even without all other boxes, the level is lost. The same few boxes are on the same squares
in many positions, so results are stored; a search that was cut short is repeated with more positions when its result is
often requested. YASS, Festival and other solvers look for such deadlocks too.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.compile.compilation import routine, rule

from ..board import SIDES, is_step, step_of
from ..flood import walk
from ..nodes import NO_NODE, pack, unpack
from ..position import REGION, STEPS, word_of
from .freezing import freezes_off_goals
from .subset_search import (
    AT,
    FACTOR,
    FIRST,
    FROZEN,
    OPENED,
    QUEUE,
    REACH,
    REACH_AFTER,
    REPEATS,
    SHUT,
    UNKNOWN,
    ZONE,
    add_position,
)

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
    mark_zone(board, work, number)
    count = off_goals = 0
    for box in work.boxes:
        if subset.flags[ZONE, box]:
            subset.boxes[count] = box
            count += 1
            off_goals += board.goal_at[box] < 0
    if off_goals == 0:
        return False
    if not board.pushed:  # the player could pull nearly every box out of the zone
        subset.flags[ZONE] = 1
    boxes, at = subset.boxes[:count], subset.flags[AT]
    word, at[:] = np.uint64(0), 0
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
        subset.key[entry], subset.result[entry] = key, UNKNOWN
    if UNKNOWN <= subset.result[entry] < REPEATS[-1]:
        subset.result[entry] += 1
        requests = np.int64(subset.result[entry])
        if requests == 1 or requests in REPEATS:
            limit = FIRST if requests == 1 else FACTOR * requests
            result = search_alone(board, work, boxes, word, player, limit)
            if result != UNKNOWN:
                subset.result[entry] = result
    return subset.result[entry] == SHUT


@rule
def mark_zone(board, work, number):
    """Mark in ZONE a corral and all squares around it, also diagonally."""
    neighbours, region, zone = board.neighbours, work.squares[REGION], work.subset.flags[ZONE]
    zone[:] = 0
    for square in range(zone.shape[0]):
        if region[square] != number:
            continue
        zone[square] = 1
        for side in range(SIDES):
            there = neighbours[square, side]
            if there < 0:
                continue
            zone[there] = 1
            for turn in range(2):
                corner = neighbours[there, 2 - (side & 2) + turn]
                if corner >= 0:
                    zone[corner] = 1


@rule
def first_in(row, value):
    """Return the lowest square that has at least this value."""
    square = 0
    while row[square] < value:
        square += 1
    return square


@routine
def search_alone(board, work, boxes, word, player, limit):
    """Search with some boxes alone; positions with the fewest boxes left come first.

    Args:
        board: The board.
        work: The position.
        boxes: int16[…]: the boxes of the subset; used as a scratch array.
        word: The hash of the first position.
        player: The lowest square that the player can reach there.
        limit: The maximum number of positions.

    Returns:
        OPENED if there is a position in which the player can go everywhere in the zone, or all boxes left are on goals;
        SHUT if there is none; UNKNOWN if the search was cut short.
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
            return SHUT
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
            if count == limit:
                return UNKNOWN
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
                if count > known and (is_open(zone, at, after) or all_on_goals(board, rest)):
                    return OPENED
            at[box], at[there], boxes[k] = 1, 0, box


@rule
def is_open(zone, at, reach):
    """Whether the player's reach includes all squares of a zone that are free."""
    inside = True
    for square in range(zone.shape[0]):
        inside &= zone[square] == 0 or at[square] != 0 or reach[square] >= 0
    return inside


@rule
def all_on_goals(board, boxes):
    """Whether all these boxes are on goals."""
    home = True
    for box in boxes:
        home &= board.goal_at[box] >= 0
    return home
