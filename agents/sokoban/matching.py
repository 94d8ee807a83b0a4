"""A minimum-cost matching of boxes and goals: a lower bound on the remaining pushes.

The Hungarian method by shortest augmenting paths (H. Kuhn, 1955; R. Jonker and A. Volgenant, 1987). Prices of boxes
and goals prove that a matching is cheapest, and stay valid for all other boxes when one has moved; so after a push
one augmenting path is enough.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.compilation import routine, rule

UNMATCHED = -1
# match int32[6, k]: prices of boxes and of goals, the box of each goal, the goal of each box; scratch rows for the path
# search: the lowest cost to each goal so far, and the previous goal on the path.
BOX_PRICE, GOAL_PRICE, BOX_OF, GOAL_OF, LEAST, BEFORE, MATCH_ROWS = range(7)
SETTLED = 1 << 30
LOWEST_PRICE = -(1 << 20)


@routine
def augment(distance, boxes, match, box):
    """Assign one more box a goal, by the cheapest chain of boxes that change theirs; return how much that costs."""
    count = boxes.shape[0]
    for goal in range(count):
        match[LEAST, goal] = SETTLED - 1
    goal = UNMATCHED  # the goal at the end of the chain so far
    moving = box
    cost = np.int64(0)
    # Goals in the tree are marked by adding SETTLED to their lowest cost.
    while True:
        square = boxes[moving]
        price = match[BOX_PRICE, moving]
        best, nearest = SETTLED, 0
        for other in range(count):
            least = match[LEAST, other]
            if least < SETTLED:
                paid = distance[square, other] - price - match[GOAL_PRICE, other]
                if paid < least:
                    match[LEAST, other] = least = paid
                    match[BEFORE, other] = goal
                if least < best:
                    best, nearest = least, other
        # Raise the prices so that the nearest goal costs nothing.
        cost += best
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
    while goal != UNMATCHED:
        before = match[BEFORE, goal]
        moving = box if before == UNMATCHED else match[BOX_OF, before]
        match[BOX_OF, goal], match[GOAL_OF, moving] = moving, goal
        goal = before
    return cost


@rule
def least_cost(distance, square, match):
    """The cost of the cheapest goal for a box on a square, at the prices of the goals."""
    least = np.int32(SETTLED)
    for goal in range(match.shape[1]):  # in the arrays' own type, for several goals at once
        least = min(least, np.int32(distance[square, goal] - match[GOAL_PRICE, goal]))
    return np.int64(least)


@routine
def match_all(distance, boxes, match):
    """Find a cheapest matching of all boxes; return its cost, FAR or more if there is none."""
    for goal in range(boxes.shape[0]):
        match[GOAL_PRICE, goal] = 0
    return match_priced(distance, boxes, match)


@routine
def match_priced(distance, boxes, match):
    """Do what :func:`match_all` does, starting with any prices of goals: those of a similar position save work."""
    count = boxes.shape[0]
    highest = match[GOAL_PRICE, 0]
    for goal in range(1, count):
        highest = max(highest, match[GOAL_PRICE, goal])
    cost = np.int64(0)
    for k in range(count):
        # Only differences count; kept small, prices never overflow.
        match[GOAL_PRICE, k] = max(match[GOAL_PRICE, k] - highest, LOWEST_PRICE)
        match[BOX_OF, k] = match[GOAL_OF, k] = UNMATCHED
        cost += match[GOAL_PRICE, k]
    for box in range(count):
        square = boxes[box]
        match[BOX_PRICE, box] = least = least_cost(distance, square, match)
        cost += least
        for goal in range(count):
            if distance[square, goal] - match[GOAL_PRICE, goal] == least and match[BOX_OF, goal] == UNMATCHED:
                match[BOX_OF, goal], match[GOAL_OF, box] = box, goal
                break
    for box in range(count):
        if match[GOAL_OF, box] == UNMATCHED:
            cost += augment(distance, boxes, match, box)
    return cost


@routine
def match_again(distance, boxes, source, match, moved, cost):
    """The cost of a cheapest matching after one box has moved, computed from the previous prices.

    Args:
        distance: From the board.
        boxes: int16[k]: the current squares of the boxes.
        source: The matching before the move; not modified.
        match: Scratch array for the new matching.
        moved: The box that moved.
        cost: The cost of the matching before.
    """
    least = least_cost(distance, boxes[moved], source)
    cost += least - source[BOX_PRICE, moved]
    goal = source[GOAL_OF, moved]
    if distance[boxes[moved], goal] - source[GOAL_PRICE, goal] == least:
        return cost  # the same matching is still the cheapest
    for k in range(boxes.shape[0]):
        match[BOX_PRICE, k], match[GOAL_PRICE, k] = source[BOX_PRICE, k], source[GOAL_PRICE, k]
        match[BOX_OF, k] = source[BOX_OF, k]
    match[BOX_PRICE, moved] = least
    match[BOX_OF, goal] = UNMATCHED
    return cost + augment(distance, boxes, match, moved)
