"""Corrals that can never be opened, found by trials with the boxes around them.

The player must get into a corral, or the boxes around it must all come to goals. If there is no way to either with
these boxes alone, the level is lost. If there is one that other boxes block, the boxes beside them take part as well.
YASS and other solvers look for such deadlocks too.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.compile.compilation import routine, rule
from gridpuzzles_gym.engine.compile.memory import copy_row

from ..board import SIDES, is_step, step_of
from ..flood import walk
from ..nodes import NO_NODE, pack, unpack
from ..position import BOX_AT, REGION, RIM, STEPS, word_of
from .freezing import count_astray
from .subset_search import ALL, AT, CUT_SHORT, FROZEN, MOST, NO_WAY, PART, QUEUE, REACH, REACH_AFTER, add_tried, keep

ROUNDS = 2
"""Number of trials of one corral, with more boxes each time."""


@routine
def is_corral_deadlock(board, work, number):
    """Can the player never get into a corral, and the boxes around it never all come to goals?

    Args:
        board: The board.
        work: The position, with the player's reach; the corral's number is in REGION at its squares, and in RIM at the
            boxes around it.
        number: The corral.

    Returns:
        True if that is certain.
    """
    trial, rim = work.trial, work.squares[RIM]
    part = trial.flags[PART]
    for square in range(part.shape[0]):
        part[square] = 0
    for box in work.boxes:
        part[box] = rim[box] == number
    for _ in range(ROUNDS):
        count = list_part(board, work)
        if count == 0:
            return False
        place = try_boxes(board, work, trial.boxes[:count], number)
        if trial.length[place] == NO_WAY:
            return True
        if trial.length[place] == CUT_SHORT or is_free(board, work, place) or not widen(board, work):
            return False
    return False


@rule
def list_part(board, work):
    """List the boxes that take part; return how many, or 0 if they are all on goals."""
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
    """Let the boxes beside those that take part do so too; False if there are none."""
    part = work.trial.flags[PART]
    more = False
    for box in work.boxes:
        for action in range(SIDES):
            there = board.beside[box, action]
            if not part[box] and there >= 0 and part[there] == 1:
                part[box] = 2  # so that those beside it do not follow at once
                more = True
    for box in work.boxes:
        part[box] = part[box] > 0
    return more


@rule
def try_boxes(board, work, boxes, number):
    """Look for a way in with these boxes alone, unless that was done before; return the place of the result."""
    trial, at = work.trial, work.trial.flags[AT]
    word = np.uint64(0)
    for square in range(at.shape[0]):
        at[square] = 0
    for box in boxes:
        at[box] = 1
        word ^= board.code[box]
    stands = first_in(work.squares[STEPS], 0)
    player = walk(board.beside, at, stands, trial.squares[REACH], trial.squares[QUEUE])
    word ^= word_of(board, player)
    # Boxes, player and the corral's lowest square are all that the result depends on.
    key = word + word_of(board, first_in(work.squares[REGION], number))
    place = np.int64(key & np.uint64(trial.key.shape[0] - 1))
    if trial.key[place] != key:
        keep(trial, place, key, find_way(board, work, boxes, number, word, player))
    return place


@rule
def first_in(row, value):
    """The lowest square that has at least this value."""
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
        boxes: int16[…]: the boxes that take part; used as a scratch array.
        number: The corral.
        word: The hash of the first position.
        player: The lowest square that the player can reach there.

    Returns:
        The trial's node of the first position found that has the corral open, or all these boxes on goals; or NO_WAY,
        or CUT_SHORT.
    """
    trial, beside = work.trial, board.beside
    nodes, at, bits = trial.nodes, trial.flags[AT], trial.bits
    reach, after, queue = trial.squares[REACH], trial.squares[REACH_AFTER], trial.squares[QUEUE]
    nodes.table[:] = NO_NODE
    pack(boxes, bits)
    count = add_tried(nodes, bits, word, player, NO_NODE, 0, 0, 0)
    node = 0
    while node < count:
        unpack(nodes.boxes[node], boxes, at)
        walk(beside, at, nodes.player[node], reach, queue)
        for k in range(boxes.shape[0]):
            box = boxes[k]
            left = nodes.word[node] ^ word_of(board, nodes.player[node]) ^ board.code[box]
            for action in range(SIDES):
                stands, there, ends = step_of(board, box, action)
                if not is_step(board, at, box, stands, there, ends) or reach[stands] < 0:
                    continue
                if count == MOST:
                    return CUT_SHORT
                at[box], at[there], boxes[k] = 0, 1, there
                if not (board.pushed and count_astray(board, boxes, at, trial.flags[FROZEN], there) > 0):
                    lowest = walk(beside, at, ends, after, queue)
                    pack(boxes, bits)
                    new = left ^ board.code[there] ^ word_of(board, lowest)
                    known = count
                    count = add_tried(nodes, bits, new, lowest, node, box, there, count)
                    if count > known and (is_entered(work, number, after) or all_on_goals(board, boxes)):
                        return known
                at[box], at[there], boxes[k] = 1, 0, box
        node += 1
    return NO_WAY


@rule
def is_entered(work, number, reach):
    """Does the player's reach include a square of a corral?"""
    region, entered = work.squares[REGION], False
    for square in range(region.shape[0]):
        entered |= region[square] == number and reach[square] >= 0
    return entered


@rule
def all_on_goals(board, boxes):
    """Are all these boxes on goals?"""
    home = True
    for box in boxes:
        home &= board.goal_at[box] >= 0
    return home


@routine
def is_free(board, work, place):
    """Is the way in that is kept in a place open when all boxes are there?"""
    trial, beside = work.trial, board.beside
    box_at, reach, queue = trial.flags[ALL], trial.squares[REACH], trial.squares[QUEUE]
    copy_row(work.flags[BOX_AT], box_at)
    copy_row(work.squares[STEPS], reach)
    for step in range(trial.length[place]):
        source, target = trial.way[place, step, 0], trial.way[place, step, 1]
        action = 0
        while beside[source, action] != target:
            action += 1
        stands, there, ends = step_of(board, source, action)
        if not is_step(board, box_at, source, stands, there, ends) or reach[stands] < 0:
            return False
        box_at[source], box_at[there] = 0, 1
        walk(beside, box_at, ends, reach, queue)
    return True
