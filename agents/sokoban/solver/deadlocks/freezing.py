"""Boxes that can never move again."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from gridpuzzles_gym.engine.compile.compilation import routine, rule
from gridpuzzles_gym.engine.compile.memory import copy_row

from ..board import SIDES
from ..position import BOX_AT, FROZEN, QUEUE, REACHED


@rule
def movable(board, box_at, square):
    """Whether a box could be pushed in at least one useful direction, if the player could be anywhere."""
    for action in (0, 2):
        one, other = board.neighbours[square, action], board.neighbours[square, action + 1]
        if one >= 0 and other >= 0 and not box_at[one] and not box_at[other] and min(one, other) < board.live:
            return True
    return False


@routine
def freezes(board, work, moved):
    """Whether frozen boxes make the level unsolvable, now that one has been pushed to a square.

    Movable boxes are removed from the board until all remaining ones are frozen. The level is lost if one of
    those is off the goals, or they isolate another box or goal.
    """
    off_goals = count_frozen_off_goals(board, work.boxes, work.flags[BOX_AT], work.flags[FROZEN], moved)
    return off_goals > 0 or (off_goals == 0 and isolates(board, work))


@routine
def count_frozen_off_goals(board, boxes, box_at, frozen, moved):
    """Mark the frozen boxes in ``frozen``; return how many are off the goals, -1 if the one on ``moved`` can move."""
    if movable(board, box_at, moved):
        return -1
    copy_row(box_at, frozen)
    removed = True
    while removed:
        removed = False
        for k in range(boxes.shape[0]):
            if frozen[boxes[k]] and movable(board, frozen, boxes[k]):
                frozen[boxes[k]] = 0
                removed = True
        if movable(board, frozen, moved):
            return -1
    off_goals = 0
    for k in range(boxes.shape[0]):
        off_goals += frozen[boxes[k]] and board.goal_at[boxes[k]] < 0
    return off_goals


@routine
def isolates(board, work):
    """Whether frozen boxes leave a box that can reach no remaining goal, or a goal that no other box can reach."""
    boxes, frozen, reached = work.boxes, work.flags[FROZEN], work.squares[REACHED]
    spread(board, frozen, board.goals, False, reached, work.squares[QUEUE])
    for box in boxes:
        if not frozen[box] and not reached[box]:
            return True
    spread(board, frozen, boxes, True, reached, work.squares[QUEUE])
    left = 0
    for goal in board.goals:
        left += not frozen[goal] and not reached[goal]
    return left > 0


@routine
def spread(board, frozen, sources, pushed, reached, queue):
    """Mark in ``reached`` where boxes can be pushed, or pulled, from the sources without frozen boxes.

    Only frozen boxes are in the way, and the player may be anywhere.
    """
    for square in range(reached.shape[0]):
        reached[square] = 0
    head = tail = 0
    for k in range(sources.shape[0]):
        if not frozen[sources[k]]:
            reached[sources[k]] = 1
            queue[tail] = sources[k]
            tail += 1
    while head < tail:
        here = queue[head]
        head += 1
        for action in range(SIDES):
            there = board.neighbours[here, action]
            if there < 0 or frozen[there] or reached[there]:
                continue
            player_at = board.neighbours[here, action ^ 1] if pushed else board.neighbours[there, action]
            if player_at >= 0 and not frozen[player_at]:
                reached[there] = 1
                queue[tail] = there
                tail += 1
