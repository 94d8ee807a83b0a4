"""The features of a position, compared as one number."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.compile.compilation import routine, rule

# The features of a position in the order in which they are compared, fewer first: steps of the plan that are left, or
# boxes when a level is emptied; areas of the floor; boxes that can no longer take part in the plan, or on the squares
# where they begin; boxes that would take a goal from another if they stayed; pushes to the nearest goals, negative:
# goals are to stay free.
LEFT_AT, AREAS_AT, ASTRAY_AT, HOT_AT = 44, 37, 28, 22
"""The lowest bit of the first four features.

The first fits: a board that gets a plan has at most 271 boxes, and the plan at most two steps for each.
"""
MOST_AREAS, MOST_ASTRAY, MOST_HOT, MOST_APART = 127, 511, 63, (1 << 22) - 1
"""Higher values are clipped."""
WEIGHT_AT, MOST_WEIGHT = 54, (1 << 9) - 1
"""The bits above all features, where the weight of a path is; its maximum."""
NOTHING = 1 << 62
"""Features worse than those of any position."""


@rule
def features_of(left, areas, astray, hot, apart):
    """Return these features as one number."""
    areas, astray = min(np.int64(areas), MOST_AREAS), min(np.int64(astray), MOST_ASTRAY)
    hot, near = min(np.int64(hot), MOST_HOT), np.int64(MOST_APART - min(apart, MOST_APART))
    return np.int64(left) << LEFT_AT | areas << AREAS_AT | astray << ASTRAY_AT | hot << HOT_AT | near


@rule
def left_in(features):
    """Return the steps of the plan, or the boxes, that are left."""
    return (features >> LEFT_AT) & ((1 << (WEIGHT_AT - LEFT_AT)) - 1)


@rule
def areas_in(features):
    """Return the number of areas."""
    return (features >> AREAS_AT) & MOST_AREAS


@rule
def astray_in(features):
    """Return the number of boxes that can no longer take part."""
    return (features >> ASTRAY_AT) & MOST_ASTRAY


@rule
def hot_in(features):
    """Return the number of boxes that would take a goal from another."""
    return (features >> HOT_AT) & MOST_HOT


@rule
def count_packed(plan, box_at):
    """Return the number of steps of a plan that are done, with all that must come before them."""
    square, until, before = plan.square, plan.until, plan.before
    packed = square.shape[0]
    if before.shape[0] == 0:
        for step in range(square.shape[0] - 1, -1, -1):
            if not box_at[square[step]] and until[step] >= packed:
                packed = step
        return packed
    for step in range(square.shape[0]):
        counts = box_at[square[step]] != 0
        for earlier in range(step):
            if not counts:
                break
            counts = not before[step, earlier] or box_at[square[earlier]] != 0
        packed -= not counts
    return packed


@rule
def count_hot(hotspots, boxes):
    """Return how many boxes would take a goal from another box if they stayed."""
    hot = 0
    if hotspots.shape[0] > 0:
        for box in boxes:
            blocking = False
            for other in boxes:
                blocking |= hotspots[box, other] != 0
            hot += blocking
    return hot


@routine
def measure(plan, boxes, box_at, areas, hotspots, emptying):
    """Return the features of a position with so many ``areas``."""
    apart = home = astray = 0
    packed = 0 if emptying else count_packed(plan, box_at)
    for box in boxes:
        apart += plan.near[box]
        home += plan.near[box] == 0
        astray += plan.blocked[packed, box]
    if emptying:
        return features_of(boxes.shape[0], areas, home, 0, apart)
    hot = count_hot(hotspots, boxes)
    return features_of(plan.square.shape[0] - packed, areas, astray, hot, apart)
