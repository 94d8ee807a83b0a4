"""Boxes that can never move again."""

from gridpuzzles_gym.engine.compilation import routine, rule


@rule
def movable(beside, live, box_at, square):
    """Could a box be pushed along some line, were the player where he likes, in at least one direction usefully?"""
    for action in (0, 2):
        one, other = beside[square, action], beside[square, action + 1]
        if one >= 0 and other >= 0 and not box_at[one] and not box_at[other] and (one < live or other < live):
            return True
    return False


@routine
def freezes(beside, live, goal_at, boxes, box_at, held, moved):
    """Does the box that has just moved to a square freeze, with others, and one of them off the goals?

    Boxes that could move are lifted off the board until all that is left holds itself fast.

    Args:
        beside: Of the board.
        live: Of the board.
        goal_at: Of the board.
        boxes: int16[k]: where boxes are.
        box_at: uint8[n]: 1 where a box is.
        held: uint8[n]: room; where this is called and boxes are stuck, 1 where one is frozen.
        moved: The square.
    """
    if movable(beside, live, box_at, moved):
        return False
    for k in range(box_at.shape[0]):
        held[k] = box_at[k]
    lifted = True
    while lifted:
        lifted = False
        for k in range(boxes.shape[0]):
            if held[boxes[k]] and movable(beside, live, held, boxes[k]):
                held[boxes[k]] = 0
                lifted = True
    astray = 0
    for k in range(boxes.shape[0]):
        astray += held[boxes[k]] and goal_at[boxes[k]] < 0
    return astray > 0
