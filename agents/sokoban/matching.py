"""A minimum-cost matching of boxes and goals: a lower bound on the remaining pushes.

The Hungarian method by shortest augmenting paths (H. Kuhn, 1955; R. Jonker and A. Volgenant, 1987). Prices of boxes
and goals prove that a matching is cheapest, and stay valid for all other boxes when one has moved; so after a push
one augmenting path is enough.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.compilation import routine, rule

UNMATCHED = -1
# match int32[5, k]: prices of boxes and of goals, the box of each goal; scratch rows for the path search: the lowest
# cost to each goal so far, and the previous goal on the path.
BOX_PRICE, GOAL_PRICE, BOX_OF, LEAST, BEFORE = range(5)
SETTLED = 1 << 30


@routine
def augment(distance, boxes, match, box):
    """Assign one more box a goal, by the cheapest chain of boxes that change theirs."""
    count = boxes.shape[0]
    for goal in range(count):
        match[LEAST, goal] = SETTLED - 1
    goal = UNMATCHED  # the goal at the end of the chain so far
    moving = box
    # Goals in the tree are marked by adding SETTLED to their lowest cost.
    while True:
        square = boxes[moving]
        price = match[BOX_PRICE, moving]
        best, nearest = SETTLED, 0
        for other in range(count):
            least = match[LEAST, other]
            if least < SETTLED:
                cost = distance[square, other] - price - match[GOAL_PRICE, other]
                if cost < least:
                    match[LEAST, other] = least = cost
                    match[BEFORE, other] = goal
                if least < best:
                    best, nearest = least, other
        # Raise the prices so that the nearest goal costs nothing.
        match[BOX_PRICE, box] += best
        for other in range(count):
            if match[LEAST, other] >= SETTLED:
                match[BOX_PRICE, match[BOX_OF, other]] += best
                match[GOAL_PRICE, other] -= best
            else:
                match[LEAST, other] -= best
        match[LEAST, nearest] = SETTLED
        goal = nearest
        moving = match[BOX_OF, goal]
        if moving == UNMATCHED:
            break
    while True:
        before = match[BEFORE, goal]
        if before == UNMATCHED:
            match[BOX_OF, goal] = box
            break
        match[BOX_OF, goal] = match[BOX_OF, before]
        goal = before


@rule
def total(distance, boxes, match):
    """The cost of the matching; FAR or more if there is none."""
    cost = np.int64(0)
    for goal in range(boxes.shape[0]):
        cost += distance[boxes[match[BOX_OF, goal]], goal]
    return cost


@routine
def match_all(distance, boxes, match):
    """Find a cheapest matching of all boxes; return its cost."""
    count = boxes.shape[0]
    for k in range(count):
        match[BOX_PRICE, k] = match[GOAL_PRICE, k] = 0
        match[BOX_OF, k] = UNMATCHED
    # Initial prices, and goals for boxes that have one at that price.
    for box in range(count):
        least = distance[boxes[box], 0]
        nearest = 0
        for goal in range(1, count):
            if distance[boxes[box], goal] < least:
                least, nearest = distance[boxes[box], goal], goal
        match[BOX_PRICE, box] = least
        if match[BOX_OF, nearest] == UNMATCHED:
            match[BOX_OF, nearest] = box
    for box in range(count):
        placed = False
        for goal in range(count):
            if match[BOX_OF, goal] == box:
                placed = True
                break
        if not placed:
            augment(distance, boxes, match, box)
    return total(distance, boxes, match)


@routine
def match_again(distance, boxes, source, match, moved):
    """The cost of a cheapest matching after one box has moved, computed from the previous prices.

    Args:
        distance: From the board.
        boxes: int16[k]: the current squares of the boxes.
        source: The matching before the move; not modified.
        match: Output: the new matching.
        moved: The box that moved.
    """
    count = boxes.shape[0]
    square = boxes[moved]
    least = SETTLED
    for goal in range(count):
        match[BOX_PRICE, goal] = source[BOX_PRICE, goal]
        match[GOAL_PRICE, goal] = source[GOAL_PRICE, goal]
        match[BOX_OF, goal] = source[BOX_OF, goal]
        if match[BOX_OF, goal] == moved:
            match[BOX_OF, goal] = UNMATCHED
        least = min(least, distance[square, goal] - match[GOAL_PRICE, goal])
    match[BOX_PRICE, moved] = least
    augment(distance, boxes, match, moved)
    return total(distance, boxes, match)
