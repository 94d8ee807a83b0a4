"""Boxes that can never move again."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from gridpuzzles_gym.engine.compilation import routine, rule
from gridpuzzles_gym.engine.memory import copy_row

from .board import SIDES
from .position import BOX_AT, HELD, QUEUE, REACHED


@rule
def movable(board, box_at, square):
    """Could a box be pushed along some line in at least one useful direction, if the player could be anywhere?"""
    for action in (0, 2):
        one, other = board.beside[square, action], board.beside[square, action + 1]
        if one >= 0 and other >= 0 and not box_at[one] and not box_at[other] and min(one, other) < board.live:
            return True
    return False


@routine
def freezes(board, work, moved):
    """Do frozen boxes make the level unsolvable, now that one has been pushed to a square?

    Movable boxes are removed from the board until all remaining ones are frozen. The level is lost if one of
    those is off the goals, or they shut off another box or goal.
    """
    boxes, held = work.boxes, work.flags[HELD]
    if movable(board, work.flags[BOX_AT], moved):
        return False
    copy_row(work.flags[BOX_AT], held)
    lifted = True
    while lifted:
        lifted = False
        for k in range(boxes.shape[0]):
            if held[boxes[k]] and movable(board, held, boxes[k]):
                held[boxes[k]] = 0
                lifted = True
        if movable(board, held, moved):
            return False
    astray = 0
    for k in range(boxes.shape[0]):
        astray += held[boxes[k]] and board.goal_at[boxes[k]] < 0
    return astray > 0 or shuts_off(board, work)


@routine
def shuts_off(board, work):
    """Do the frozen boxes leave a goal that no other box can reach, or a box that can reach no remaining goal?"""
    boxes, held, reached, queue = work.boxes, work.flags[HELD], work.squares[REACHED], work.squares[QUEUE]
    for square in range(reached.shape[0]):
        reached[square] = 0
    for goal in range(board.goals.shape[0]):
        if held[board.goals[goal]]:
            continue
        mark = goal + 1
        pull_free(board, held, board.goals[goal], mark, reached, queue)
        fetched = False
        for k in range(boxes.shape[0]):
            fetched |= reached[boxes[k]] == mark
        if not fetched:
            return True
    lost = 0
    for k in range(boxes.shape[0]):
        lost += not held[boxes[k]] and not reached[boxes[k]]
    return lost > 0


@rule
def pull_free(board, held, goal, mark, reached, queue):
    """Write ``mark`` to ``reached`` wherever a box can be pulled from a goal, wherever the player is."""
    reached[goal] = mark
    queue[0] = goal
    head, tail = 0, 1
    while head < tail:
        here = queue[head]
        head += 1
        for action in range(SIDES):
            there = board.beside[here, action]
            if there < 0 or held[there] or reached[there] == mark:
                continue
            stands = board.beside[there, action]
            if stands >= 0 and not held[stands]:
                reached[there] = mark
                queue[tail] = there
                tail += 1
