"""The features of a position, compared as one number, and the advisors that choose moves by them."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.compile.compilation import routine, rule

from .areas import AREA
from .board import SIDES, is_step, step_of
from .deadlocks.freezing import spread
from .position import BOX_AT, reaches
from .rooms import count_links

# The features of a position in the order in which they are compared, fewer first: steps of the plan that are left, or
# boxes when a level is emptied; areas of the floor; links between rooms that are broken; boxes that can no longer take
# part in the plan, or on the squares where they begin; pushes to the nearest goals, negative: goals are to stay free.
LEFT_AT, AREAS_AT, BROKEN_AT, ASTRAY_AT, HOT_AT = 44, 37, 31, 22, 16
"""The lowest bit of the first four features.

The first fits: a board that gets a plan has at most 271 boxes, and the plan at most two steps for each.
"""
MOST_AREAS, MOST_BROKEN, MOST_ASTRAY, MOST_APART = (1 << 7) - 1, (1 << 6) - 1, (1 << 9) - 1, (1 << 16) - 1
MOST_HOT = (1 << 6) - 1
"""Higher values are clipped."""
WEIGHT_AT, MOST_WEIGHT = 54, (1 << 9) - 1
"""The bits above all features, where the weight of a path is; its maximum."""
# The advisors: each names the best of the moves that improve one feature: steps left, areas, broken links, boxes
# astray; or the number of pushes that the player can make.
PACKING, CONNECTING, LINKING, GATHERING, FREEING, COOLING, OPENING, CLEARING, REMOVING, ADVISORS = range(10)
# advice int64[2, ADVISORS]: the features of the best move so far, and its node or NO_NODE.
BEST, ADVISED = range(2)
NOTHING = 1 << 62
"""Features worse than those of any position."""


@rule
def features_of(left, areas, broken, astray, hot, apart):
    """Return these features as one number."""
    areas, astray = min(np.int64(areas), MOST_AREAS), min(np.int64(astray), MOST_ASTRAY)
    broken = min(np.int64(broken), MOST_BROKEN)
    near = MOST_APART - np.int64(min(apart, MOST_APART))
    hot = min(np.int64(hot), MOST_HOT)
    return (
        np.int64(left) << LEFT_AT | areas << AREAS_AT | broken << BROKEN_AT | astray << ASTRAY_AT | hot << HOT_AT | near
    )


@rule
def hot_in(features):
    """Return the fifth feature."""
    return (features >> HOT_AT) & MOST_HOT


@rule
def left_in(features):
    """Return the first feature."""
    return (features >> LEFT_AT) & ((1 << (WEIGHT_AT - LEFT_AT)) - 1)


@rule
def areas_in(features):
    """Return the second feature."""
    return (features >> AREAS_AT) & MOST_AREAS


@rule
def broken_in(features):
    """Return the third feature."""
    return (features >> BROKEN_AT) & MOST_BROKEN


@rule
def astray_in(features):
    """Return the fourth feature."""
    return (features >> ASTRAY_AT) & MOST_ASTRAY


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


@routine
def measure(board, plan, work, count, areas, rooms, beside, links, hotspots, emptying):
    """Return the features of a position with so many ``areas``; only the first ``count`` boxes are on the board.

    ``links`` is the number of linked rooms without boxes, or 0 if they do not count.
    """
    boxes, box_at, broken = work.boxes, work.flags[BOX_AT], 0
    if links > 0:
        broken = max(links - count_links(board.neighbours, rooms, beside, box_at), 0)
    apart = home = astray = 0
    packed = 0 if emptying else count_packed(plan, box_at)
    for k in range(count):
        apart += plan.near[boxes[k]]
        home += plan.near[boxes[k]] == 0
        astray += plan.blocked[packed, boxes[k]]
    if emptying:
        return features_of(count, areas, broken, home, 0, apart)
    hot = np.int64(0)
    if links > 0:
        for k in range(count):
            blocks = False
            for other in range(count):
                blocks |= hotspots[boxes[k], boxes[other]] != 0
            hot += blocks
    return features_of(plan.square.shape[0] - packed, areas, broken, astray, hot, apart)


@routine
def mark_hotspots(board, hotspots, reached, queue, wall):
    """Fill ``hotspots``: 1 if a box on the first square takes a goal from one on the second, both not on goals."""
    squares = board.neighbours.shape[0]
    for square in range(squares):
        wall[square] = 0
    for goal in board.goals:
        spread(
            board, wall, board.goals[board.goal_at[goal] : board.goal_at[goal] + 1], not board.pushed, reached, queue
        )
        for other in range(squares):
            hotspots[other, other] = reached[other] != 0
        for blocker in range(board.live):
            if board.goal_at[blocker] >= 0:
                continue
            wall[blocker] = 1
            spread(
                board,
                wall,
                board.goals[board.goal_at[goal] : board.goal_at[goal] + 1],
                not board.pushed,
                reached,
                queue,
            )
            wall[blocker] = 0
            for other in range(squares):
                if other != blocker and board.goal_at[other] < 0 and hotspots[other, other] and not reached[other]:
                    hotspots[blocker, other] = 1
    for square in range(squares):
        hotspots[square, square] = 0


@routine
def explores(board, boxes, work, moved, before, after):
    """Whether a box other than ``moved`` can be pushed from a side that the player could not get to before."""
    box_at, area = work.flags[BOX_AT], work.areas[AREA]
    for k in range(boxes.shape[0]):
        box = boxes[k]
        if box == moved:
            continue
        for action in range(SIDES):
            player_at, there, ends = step_of(board, box, action)
            if not is_step(board, box_at, box, player_at, there, ends) or area[player_at] == before:
                continue
            if reaches(board.neighbours, work, after, player_at):
                return True
    return False


@routine
def spread_steps(board, wall, zone, steps, queue):
    """Fill ``steps`` with the pushes of a box from a zone to each square, with only ``wall`` in the way; -1: none."""
    head = tail = 0
    for square in range(steps.shape[0]):
        steps[square] = -1
        if zone[square] and not wall[square]:
            steps[square], queue[tail], tail = 0, square, tail + 1
    while head < tail:
        here = queue[head]
        head += 1
        for action in range(SIDES):
            there, behind = board.neighbours[here, action], board.neighbours[here, action ^ 1]
            if there < 0 or behind < 0 or wall[there] or wall[behind] or steps[there] >= 0:
                continue
            steps[there], queue[tail], tail = steps[here] + 1, there, tail + 1


@rule
def advise_by_way(advice, advisor, child, near, far):
    """Show a move of a box that was ``near`` and is ``far`` now to an advisor that moves the nearest box farthest."""
    rank = np.int64(near) * 10_000 - far
    if rank < advice[BEST, advisor]:
        advice[BEST, advisor], advice[ADVISED, advisor] = rank, child


@rule
def count_pushes(board, boxes, work, reach):
    """Return the number of pushes, or pulls, that the player can make from the area ``reach``."""
    box_at, pushes = work.flags[BOX_AT], 0
    for k in range(boxes.shape[0]):
        for action in range(SIDES):
            player_at, there, ends = step_of(board, boxes[k], action)
            can = is_step(board, box_at, boxes[k], player_at, there, ends)
            pushes += can and reaches(board.neighbours, work, reach, player_at)
    return pushes


@rule
def advise(advice, child, features, parent, freeing):
    """Show a new position and its features, and those of the position expanded, to each advisor.

    ``freeing`` is whether the player can make more pushes.
    """
    if left_in(features) > left_in(parent):
        return
    for advisor in range(ADVISORS):
        better = freeing
        if advisor == PACKING:
            better = left_in(features) < left_in(parent)
        elif advisor == CONNECTING:
            better = areas_in(features) < areas_in(parent)
        elif advisor == LINKING:
            better = broken_in(features) < broken_in(parent)
        elif advisor == COOLING:
            better = hot_in(features) < hot_in(parent)
        elif advisor > COOLING:
            continue
        elif advisor == GATHERING:
            better = astray_in(features) < astray_in(parent) and areas_in(features) <= areas_in(parent)
        if better and features < advice[BEST, advisor]:
            advice[BEST, advisor], advice[ADVISED, advisor] = features, child
