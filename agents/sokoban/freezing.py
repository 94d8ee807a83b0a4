"""Boxes that can never move again."""

from gridpuzzles_gym.engine.compilation import routine, rule


@rule
def movable(board, box_at, square):
    """Could a box be pushed along some line, were the player where he likes, in at least one direction usefully?"""
    for action in (0, 2):
        one, other = board.beside[square, action], board.beside[square, action + 1]
        if one >= 0 and other >= 0 and not box_at[one] and not box_at[other] and min(one, other) < board.live:
            return True
    return False


@routine
def freezes(board, boxes, box_at, held, moved):
    """Does the box that has just moved to a square freeze, with others, and one of them off the goals?

    Boxes that could move are lifted off the board until all that is left holds itself fast.

    Args:
        board: The board.
        boxes: int16[k]: where boxes are.
        box_at: uint8[n]: 1 where a box is.
        held: uint8[n]: room; where this is called and boxes are stuck, 1 where one is frozen.
        moved: The square.
    """
    if movable(board, box_at, moved):
        return False
    for k in range(box_at.shape[0]):
        held[k] = box_at[k]
    lifted = True
    while lifted:
        lifted = False
        for k in range(boxes.shape[0]):
            if held[boxes[k]] and movable(board, held, boxes[k]):
                held[boxes[k]] = 0
                lifted = True
    astray = 0
    for k in range(boxes.shape[0]):
        astray += held[boxes[k]] and board.goal_at[boxes[k]] < 0
    return astray > 0
