"""The features of a position, and the advisors that compare positions by their measures."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from gridpuzzles_gym.engine.compile.compilation import routine, rule

from .board import FAR, SIDES, is_step, step_of
from .position import BOX_AT, reaches

REGIONS, OUTCASTS = 8, 6
"""Number of values of each feature; higher ones are clipped."""
# What each advisor minimises: goals not yet packed, areas of the floor, boxes that the next goal would isolate, pushes
# of a box to the next goal, the matching; and pushes the player cannot make. If squares left are counted, they replace
# packed goals, stuck boxes replace isolated ones, and there is no next goal.
PACKING, CONNECTING, SAVING, FETCHING, MATCHING, FREEING, ADVISORS = range(7)
ALL_ADVISORS = (1 << ADVISORS) - 1
# measures int64[4, ADVISORS]: of the position expanded, of the one examined, the best so far; and the node with the
# best, NO_NODE if it is the position expanded.
PARENT, LOOKED, BEST, ADVISED = range(4)


def every_advisor_but(*advisors: int) -> int:
    """Return a bit for each of the other advisors."""
    return ALL_ADVISORS & ~sum(1 << advisor for advisor in advisors)


@rule
def counts_left(plan):
    """Whether the squares that boxes have left are counted, not packed goals."""
    return plan.start.shape[0] > 0


@rule
def count_packed(plan, goals, box_at):
    """Return the number of filled goals for which all goals before them are filled too; or of squares left."""
    packed = 0
    if counts_left(plan):
        for square in plan.start:
            packed += not box_at[square]
        return packed
    for one in plan.order:
        counts = box_at[goals[one]]
        for other in plan.order:
            if not counts:
                break
            counts = not plan.before[one, other] or box_at[goals[other]]
        packed += counts
    return packed


@rule
def count_outcasts(plan, board, boxes, packed, ordered):
    """Return the number of boxes that filling the next goal would separate from the remaining goals."""
    goals = board.goals
    count = boxes.shape[0]
    soon = min(packed + 1, count)
    outcasts = 0
    for k in range(count):
        if ordered or board.goal_at[boxes[k]] < 0:
            outcasts += plan.blocked[soon, boxes[k]]
    if soon == count:
        return 0
    if ordered:
        for turn in range(packed):  # the boxes there are already packed
            outcasts -= plan.blocked[soon, goals[plan.order[turn]]]
    return outcasts


@rule
def count_stuck(board, boxes, box_at):
    """Return the number of boxes that cannot be moved now, wherever the player is."""
    stuck = 0
    for k in range(boxes.shape[0]):
        free = False
        for action in range(SIDES):
            player_at, there, ends = step_of(board, boxes[k], action)
            free |= is_step(board, box_at, boxes[k], player_at, there, ends) and not box_at[player_at]
        stuck += not free
    return stuck


@rule
def count_pushes(board, work, reach):
    """Return the number of pushes, or pulls, that the player can make from the area ``reach``."""
    boxes, box_at = work.boxes, work.flags[BOX_AT]
    pushes = 0
    for k in range(boxes.shape[0]):
        for action in range(SIDES):
            player_at, there, ends = step_of(board, boxes[k], action)
            can = is_step(board, box_at, boxes[k], player_at, there, ends)
            pushes += can and reaches(board.neighbours, work, reach, player_at)
    return pushes


@rule
def cell_of(packed, regions, outcasts):
    """Return the cell of these features."""
    return (packed * REGIONS + min(regions, REGIONS) - 1) * OUTCASTS + min(outcasts, OUTCASTS - 1)


@rule
def next_way(plan, boxes, goals, packed):
    """Return the fewest pushes of any box to the next goal."""
    if packed == goals.shape[0]:
        return 0
    least = FAR
    for k in range(boxes.shape[0]):
        least = min(least, plan.way[packed, boxes[k]])
    return least


@routine
def measure(board, plan, work, packed, ordered, estimate, areas, reach, advisors, measures):
    """Fill ``measures`` (int64[ADVISORS]) for the position in ``work``.

    ``areas`` is the number of areas into which its boxes divide the floor, ``reach`` that of the player. The next goal
    is number ``packed`` of the packing order, even where goals count in another order. Slow measures are only taken
    if their advisor is enabled.
    """
    measures[PACKING] = -packed
    measures[FREEING] = -count_pushes(board, work, reach) if advisors >> FREEING & 1 else 0
    measures[CONNECTING] = areas
    if counts_left(plan):
        measures[SAVING] = count_stuck(board, work.boxes, work.flags[BOX_AT])
        measures[FETCHING] = 0
    else:
        measures[SAVING] = count_outcasts(plan, board, work.boxes, packed, ordered)
        measures[FETCHING] = next_way(plan, work.boxes, board.goals, packed)
    measures[MATCHING] = estimate


@rule
def advise(measures, parent_packed, packed, child, advisors):
    """Show a new position, whose measures are in ``measures[LOOKED]``, to each advisor."""
    if packed < parent_packed:
        return
    for advisor in range(ADVISORS):
        better = measures[LOOKED, advisor] < measures[BEST, advisor]
        if advisor == FETCHING and packed != parent_packed:
            better = False  # the distance is to another goal
        if better and (advisors >> advisor) & 1:
            measures[BEST, advisor] = measures[LOOKED, advisor]
            measures[ADVISED, advisor] = child
