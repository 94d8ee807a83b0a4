"""Corrals: areas the player cannot reach because of the boxes around them.

If boxes can only be pushed into a corral, never away from it, and the player can make each of these pushes now,
no other push has to be tried first: whatever a solution does elsewhere can be done later. (B. Damgaard, the YASS
solver: "PI-corral pruning".)
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from gridpuzzles_gym.engine.compile.compilation import routine, rule

from ..board import SIDES
from ..position import BOX_AT, QUEUE, REGION, RIM, STEPS
from .corral_deadlocks import is_corral_deadlock

NO_CORRAL, LOST = 0, -1


@routine
def find_corral(board, work, corral_deadlocks):
    """Return the number of the corral to push into next; NO_CORRAL, or LOST if one cannot be solved.

    Args:
        board: The board.
        work: The position: its boxes, and the player's reach. REGION is filled with the number of the corral that
            each square belongs to, from 1, else 0; RIM, at each box, with that of the last corral it borders.
        corral_deadlocks: Whether to look for corrals that can never be opened.
    """
    neighbours = board.neighbours
    boxes, box_at, steps = work.boxes, work.flags[BOX_AT], work.squares[STEPS]
    region, rim, queue = work.squares[REGION], work.squares[RIM], work.squares[QUEUE]
    for square in range(region.shape[0]):
        region[square] = rim[square] = 0
    number = 0
    chosen, fewest = NO_CORRAL, 1 << 30
    for k in range(boxes.shape[0]):
        for action in range(SIDES):
            start = neighbours[boxes[k], action]
            if start < 0 or steps[start] >= 0 or box_at[start] or region[start]:
                continue
            number += 1
            wanted = mark_corral(board, box_at, start, number, region, rim, queue)
            if not wanted:
                continue
            if corral_deadlocks and is_corral_deadlock(board, work, number):
                return LOST
            if not board.pushed:
                continue
            pushes = ways_in(board, work, number)
            if pushes == 0:
                return LOST
            if 0 < pushes < fewest:
                chosen, fewest = number, pushes
    return chosen


@rule
def mark_corral(board, box_at, start, number, region, rim, queue):
    """Write a corral's number into ``region`` at its squares, and into ``rim`` at the boxes around it.

    Returns:
        Whether something has to be moved there: it has an empty goal, or a box around it is not on a goal.
    """
    neighbours, goal_at = board.neighbours, board.goal_at
    region[start] = number
    queue[0] = start
    head, tail = 0, 1
    wanted = False
    while head < tail:
        here = queue[head]
        head += 1
        wanted |= goal_at[here] >= 0
        for step in range(SIDES):
            there = neighbours[here, step]
            if there < 0:
                continue
            if box_at[there]:
                rim[there] = number
                wanted |= goal_at[there] < 0
            elif region[there] != number:
                region[there] = number
                queue[tail] = there
                tail += 1
    return wanted


@routine
def ways_in(board, work, number):
    """Return the number of pushes into a corral; -1 if a push leads elsewhere, or the player cannot make one now."""
    neighbours, boxes, box_at = board.neighbours, work.boxes, work.flags[BOX_AT]
    steps, region, rim = work.squares[STEPS], work.squares[REGION], work.squares[RIM]
    pushes = 0
    for k in range(boxes.shape[0]):
        box = boxes[k]
        if rim[box] != number:
            continue
        for action in range(SIDES):
            player_at, there = neighbours[box, action ^ 1], neighbours[box, action]
            if player_at < 0 or there < 0 or there >= board.live or region[player_at] == number:
                continue
            if (box_at[player_at] and rim[player_at] == number) or (box_at[there] and rim[there] == number):
                continue
            if region[there] != number or steps[player_at] < 0:
                return -1
            pushes += 1
    return pushes
