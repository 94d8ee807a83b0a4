"""Boxes that can never move again."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from gridpuzzles_gym.engine.compile.compilation import routine, rule
from gridpuzzles_gym.engine.compile.memory import copy_row

from ..board import SIDES
from ..position import BOX_AT, HELD, QUEUE, REACHED


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
    astray = count_astray(board, work.boxes, work.flags[BOX_AT], work.flags[HELD], moved)
    return astray > 0 or (astray == 0 and shuts_off(board, work))


@routine
def count_astray(board, boxes, box_at, held, moved):
    """The number of frozen boxes off the goals, -1 if the one on the square ``moved`` can move; ``held`` marks them."""
    if movable(board, box_at, moved):
        return -1
    copy_row(box_at, held)
    lifted = True
    while lifted:
        lifted = False
        for k in range(boxes.shape[0]):
            if held[boxes[k]] and movable(board, held, boxes[k]):
                held[boxes[k]] = 0
                lifted = True
        if movable(board, held, moved):
            return -1
    astray = 0
    for k in range(boxes.shape[0]):
        astray += held[boxes[k]] and board.goal_at[boxes[k]] < 0
    return astray


@routine
def shuts_off(board, work):
    """Do the frozen boxes leave a box that can reach no remaining goal, or a goal that no other box can reach?"""
    boxes, held, reached = work.boxes, work.flags[HELD], work.squares[REACHED]
    spread(board, held, board.goals, False, reached, work.squares[QUEUE])
    for box in boxes:
        if not held[box] and not reached[box]:
            return True
    spread(board, held, boxes, True, reached, work.squares[QUEUE])
    left = 0
    for goal in board.goals:
        left += not held[goal] and not reached[goal]
    return left > 0


@routine
def spread(board, held, sources, pushed, reached, queue):
    """Mark in ``reached`` where boxes can be pushed, or pulled, from the sources that are not held by frozen boxes.

    Only frozen boxes are in the way, and the player may be anywhere.
    """
    for square in range(reached.shape[0]):
        reached[square] = 0
    head = tail = 0
    for k in range(sources.shape[0]):
        if not held[sources[k]]:
            reached[sources[k]] = 1
            queue[tail] = sources[k]
            tail += 1
    while head < tail:
        here = queue[head]
        head += 1
        for action in range(SIDES):
            there = board.beside[here, action]
            if there < 0 or held[there] or reached[there]:
                continue
            stands = board.beside[here, action ^ 1] if pushed else board.beside[there, action]
            if stands >= 0 and not held[stands]:
                reached[there] = 1
                queue[tail] = there
                tail += 1
