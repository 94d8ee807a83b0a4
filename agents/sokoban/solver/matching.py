"""A minimum-cost matching of boxes and goals: a lower bound on the remaining pushes.

The Hungarian method by shortest augmenting paths (H. Kuhn, 1955; R. Jonker and A. Volgenant, 1987). Prices of boxes
and goals prove that a matching is cheapest, and stay valid for all other boxes when one has moved; so after a push
one augmenting path is enough.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.compile.compilation import routine, rule

from .board import FAR

UNMATCHED = -1
# match int32[7, k]: prices of boxes and of goals, the box of each goal, the goal of each box; scratch rows for the path
# search: the lowest cost to each goal so far, the previous goal on the path, and SETTLED once that is final, else 0.
BOX_PRICE, GOAL_PRICE, BOX_OF, GOAL_OF, LEAST, BEFORE, FINAL, MATCH_ROWS = range(8)
SETTLED = 1 << 30
LOWEST_PRICE = -(1 << 20)


@routine
def find_chain(distance, boxes, match, box, price, last, limit):
    """Find the cheapest chain of boxes that change their goals, so that one more box gets a goal; return the last goal.

    Its cost is in LEAST; the search also ends at a goal that costs ``limit`` or more.

    Args:
        distance: From the board.
        boxes: int16[k]: the squares of the boxes.
        match: The matching of the other boxes, and their prices; only the scratch rows are modified.
        box: The box that needs a goal.
        price: Its price, at most the cost of its cheapest goal.
        last: The value of BOX_OF at the goals where the chain may end.
        limit: A cost that is too high.
    """
    count = boxes.shape[0]
    for goal in range(count):
        match[LEAST, goal], match[FINAL, goal] = SETTLED - 1, 0
    goal, best = UNMATCHED, np.int32(0)
    while True:
        square, spent = boxes[box], best - price
        best = np.int32(SETTLED)
        for other in range(count):  # in the arrays' own type and without branches, for several goals at once
            cost = np.int32(spent + distance[square, other] - match[GOAL_PRICE, other])
            better = (match[FINAL, other] == 0) & (cost < match[LEAST, other])
            match[LEAST, other] = cost if better else match[LEAST, other]
            match[BEFORE, other] = goal if better else match[BEFORE, other]
            best = min(best, np.int32(match[LEAST, other] + match[FINAL, other]))
        goal = 0
        while match[LEAST, goal] + match[FINAL, goal] != best:
            goal += 1
        match[FINAL, goal] = SETTLED
        box = match[BOX_OF, goal]
        if box == last or best >= limit:
            return goal
        price = match[BOX_PRICE, box]


@rule
def augment(distance, boxes, match, box):
    """Assign one more box a goal; return what that costs."""
    goal = find_chain(distance, boxes, match, box, match[BOX_PRICE, box], UNMATCHED, SETTLED)
    cost = match[LEAST, goal]
    match[BOX_PRICE, box] += cost
    for other in range(boxes.shape[0]):
        if match[FINAL, other] and other != goal:
            match[BOX_PRICE, match[BOX_OF, other]] += cost - match[LEAST, other]
            match[GOAL_PRICE, other] -= cost - match[LEAST, other]
    while goal != UNMATCHED:
        before = match[BEFORE, goal]
        moving = box if before == UNMATCHED else match[BOX_OF, before]
        match[BOX_OF, goal], match[GOAL_OF, moving] = moving, goal
        goal = before
    return np.int64(cost)


@rule
def least_cost(distance, square, match):
    """Return the cost of the cheapest goal for a box on a square, at the prices of the goals."""
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
        # Only differences count; small prices never overflow.
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
def match_again(distance, boxes, match, moved, cost):
    """Return the cost of a cheapest matching after one box has moved; FAR or more if there is none.

    Args:
        distance: From the board.
        boxes: int16[k]: the current squares of the boxes.
        match: The matching before the move; stays the same, but for scratch rows.
        moved: The box that moved.
        cost: The cost of the matching before.
    """
    square, goal = boxes[moved], match[GOAL_OF, moved]
    least = least_cost(distance, square, match)
    cost += least - match[BOX_PRICE, moved]  # at these prices no matching costs less
    if distance[square, goal] - match[GOAL_PRICE, goal] == least or cost >= FAR:
        return cost
    return cost + match[LEAST, find_chain(distance, boxes, match, moved, least, moved, FAR - cost)]
