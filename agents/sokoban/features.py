"""The features of a position, and the advisors that compare positions by them."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from gridpuzzles_gym.engine.compilation import routine, rule

from .board import FAR, SIDES
from .position import BOX_AT, QUEUE

REGIONS, OUTCASTS = 8, 6
"""Features are cut off at these, less 1."""
# What each advisor wants to be small: goals not yet filled in order, parts of the floor, boxes to be shut off, pushes
# of a box to the goal that is next, the matching; and pushes the player cannot make.
PACKING, CONNECTING, SAVING, FETCHING, MATCHING, FREEING, ADVISORS = range(7)
ALL_ADVISORS = (1 << ADVISORS) - 1
# measures int64[4, ADVISORS]: of the position expanded, of the one looked at, the best met; and the node that has
# that, NO_NODE where it is the position expanded.
PARENT, LOOKED, BEST, ADVISED = range(4)
ELSEWHERE = 30_000
"""Steps to a square the player cannot go to, once it was counted."""


@rule
def count_packed(plan, goals, box_at):
    """How many goals, in the packing order, are filled."""
    packed = 0
    while packed < goals.shape[0] and box_at[goals[plan.order[packed]]]:
        packed += 1
    return packed


@routine
def count_regions(beside, box_at, steps, queue):
    """How many parts the boxes divide the floor into; the player's is told by ``steps``, the others are added."""
    regions = 1
    for start in range(steps.shape[0]):
        if steps[start] >= 0 or box_at[start]:
            continue
        regions += 1
        steps[start] = ELSEWHERE
        queue[0] = start
        head, tail = 0, 1
        while head < tail:
            here = queue[head]
            head += 1
            for action in range(SIDES):
                there = beside[here, action]
                if there >= 0 and steps[there] < 0 and not box_at[there]:
                    steps[there] = ELSEWHERE
                    queue[tail] = there
                    tail += 1
    return regions


@rule
def count_outcasts(plan, boxes, goals, packed):
    """How many boxes will be shut off from the goals left, by filling the next goal."""
    count = boxes.shape[0]
    soon = min(packed + 1, count)
    outcasts = 0
    for k in range(count):
        outcasts += plan.shut[soon, boxes[k]]
    if soon == count:
        return 0
    for turn in range(packed):  # these are in their places
        outcasts -= plan.shut[soon, goals[plan.order[turn]]]
    return outcasts


@rule
def count_pushes(beside, live, boxes, box_at, steps):
    """How many pushes the player can make."""
    pushes = 0
    for k in range(boxes.shape[0]):
        for action in range(SIDES):
            stands, there = beside[boxes[k], action ^ 1], beside[boxes[k], action]
            if stands >= 0 and there >= 0 and there < live and 0 <= steps[stands] < ELSEWHERE and not box_at[there]:
                pushes += 1
    return pushes


@rule
def cell_of(packed, regions, outcasts):
    """The cell of these features."""
    return (packed * REGIONS + min(regions, REGIONS) - 1) * OUTCASTS + min(outcasts, OUTCASTS - 1)


@rule
def next_way(plan, boxes, goals, packed):
    """The fewest pushes of any box that is not in its place to the goal that is filled next."""
    if packed == goals.shape[0]:
        return 0
    least = FAR
    for k in range(boxes.shape[0]):
        least = min(least, plan.way[packed, boxes[k]])
    return least


@routine
def measure(board, plan, work, packed, estimate, steps, measures):
    """Fill ``measures`` (int64[ADVISORS]) for the position in ``work``; ``steps`` tells where the player walks."""
    boxes, box_at = work.boxes, work.flags[BOX_AT]
    measures[PACKING] = -packed
    measures[FREEING] = -count_pushes(board.beside, board.live, boxes, box_at, steps)
    measures[CONNECTING] = count_regions(board.beside, box_at, steps, work.squares[QUEUE])
    measures[SAVING] = count_outcasts(plan, boxes, board.goals, packed)
    measures[FETCHING] = next_way(plan, boxes, board.goals, packed)
    measures[MATCHING] = estimate


@rule
def advise(measures, parent_packed, packed, child, advisors):
    """Let each advisor look at a new position, whose measures are in ``measures[LOOKED]``."""
    if packed < parent_packed:
        return
    for advisor in range(ADVISORS):
        better = measures[LOOKED, advisor] < measures[BEST, advisor]
        if advisor == FETCHING and packed != parent_packed:
            better = False  # the way to another goal
        if better and (advisors >> advisor) & 1:
            measures[BEST, advisor] = measures[LOOKED, advisor]
            measures[ADVISED, advisor] = child
