"""Boxes that can never move again."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from gridpuzzles_gym.engine.compile.compilation import routine, rule
from gridpuzzles_gym.engine.compile.memory import copy_row

from ..board import NOWHERE, SIDES
from ..position import BOX_AT, FROZEN, QUEUE, REACHED
from .layouts import distances_past, key_of


@rule
def movable(board, box_at, square):
    """Whether a box could be pushed in at least one useful direction, if the player could be anywhere."""
    for action in (0, 2):
        one, other = board.neighbours[square, action], board.neighbours[square, action + 1]
        if one >= 0 and other >= 0 and not box_at[one] and not box_at[other] and min(one, other) < board.live:
            return True
    return False


@routine
def mark_frozen(board, boxes, box_at, frozen, moved):
    """Mark the boxes in ``frozen`` (uint8[n]) that could not be moved even if the player could be anywhere.

    Movable boxes are removed until all remaining ones are frozen, or the one on ``moved`` is not; NOWHERE marks all.
    """
    copy_row(box_at, frozen)
    removed = True
    while removed and (moved == NOWHERE or frozen[moved]):
        removed = False
        for box in boxes:
            if frozen[box] and movable(board, frozen, box):
                frozen[box], removed = 0, True


@routine
def freezes_off_goals(board, boxes, box_at, frozen, moved):
    """Whether the box on ``moved`` is frozen now, and so is one off the goals; mark the frozen ones."""
    if movable(board, box_at, moved):
        return False
    mark_frozen(board, boxes, box_at, frozen, moved)
    off_goals = 0
    for box in boxes:
        off_goals += frozen[box] and board.goal_at[box] < 0
    return frozen[moved] and off_goals > 0


@routine
def freezes(board, work, moved):
    """Whether frozen boxes make the level unsolvable, now that one has been pushed to a square.

    It is lost if one of them is off the goals, or they isolate another box or goal.
    """
    frozen = work.flags[FROZEN]
    frozen[moved] = 0
    lost = freezes_off_goals(board, work.boxes, work.flags[BOX_AT], frozen, moved)
    return lost or (frozen[moved] and isolates(board, work))


@routine
def past_frozen(board, work):
    """Return the distances to the goals with all frozen boxes as walls."""
    layouts, frozen = work.layouts, work.flags[FROZEN]
    mark_frozen(board, work.boxes, work.flags[BOX_AT], frozen, NOWHERE)
    key = key_of(board, work.boxes, frozen)
    if key == 0 or layouts.key.shape[0] == 0:
        return board.distance
    return distances_past(board, layouts, key, frozen)


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
