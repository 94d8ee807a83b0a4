"""Feature-space search: measures several kinds of progress at once, so that no single estimate can mislead it.

Y. Shoham and J. Schaeffer, "The FESS Algorithm: A Feature Based Approach to Single-Agent Search", 2020. A step moves
one box anywhere it can be pushed while all others stay. Positions are sorted into cells by their features. Every second
turn is that of the next cell, the others are those of the cell with the best position. The cell's best move that has
not been tried is made: the one of the lowest weight, then that with the best features. A move recommended by an advisor
has the weight of the position before it; others have one more.

The same search finds the packing plan. It empties the level read in the other direction: a box that can be brought to
a square where a box may end vanishes.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from collections.abc import Callable

import numpy as np
from numba import int64

from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled, routine, rule

from ...search import loops
from . import position
from .areas import AREA, area_after, count_after, divide, move_between
from .board import BOARD, FAR, SIDES, is_step, step_of
from .cells import CELLS, HEAPS, NO_CELL, cell_of, features_at, merge_heaps, without_top
from .deadlocks.corrals import LOST, NO_CORRAL, find_corral
from .deadlocks.fixed import is_lost
from .deadlocks.freezing import freezes
from .deadlocks.subset_search import ALL, REACH_AFTER
from .features import (
    ADVISED,
    ADVISORS,
    BEST,
    CLEARING,
    MOST_WEIGHT,
    NOTHING,
    OPENING,
    PACKING,
    REMOVING,
    WEIGHT_AT,
    advise,
    advise_by_way,
    areas_in,
    astray_in,
    broken_in,
    count_pushes,
    explores,
    left_in,
    mark_hotspots,
    measure,
    spread_steps,
)
from .flood import walk
from .matching import match_again, match_priced
from .meeting import FOUND
from .nodes import NO_NODE, NODES, slot_of, unpack
from .packing import PLAN, SINK, SINKS, find_sinks, vanished
from .position import (
    BOX_AT,
    COUNT,
    QUEUE,
    REACHED,
    REGION,
    WORK,
    Work,
    add_node,
    can_finish,
    ends_here,
    look_up,
    mark_reach,
    note_own,
    put_first,
    reaches,
    word_of,
)
from .rooms import find_rooms

# control, after the entries common to all push searches. CELL: the cell whose turn it was last, or NO_CELL. BEST_CELL:
# that with the best position expanded, BEST_NODE, whose features are BEST_FEATURES. TURN: 1 if it had the last turn.
# NODE: the position being expanded, or NO_NODE; NEXT_BOX: how many of its boxes are finished; CORRAL: the corral to
# push into first; AREAS: the number of areas of the floor; MATCHED: the cost of the matching; PUSHES: those that the
# player can make; MADE: how many new positions wait in `cells.made` to be queued. END: the square that the player must
# be able to reach in the end, or ANYWHERE. EMPTYING: 1 if boxes vanish; VANISHING: 1 while only such moves are
# generated. FIRST: how many nodes of the start have not been expanded. FREES: 1 for the
# advisor of moves after which the player can make more pushes. LINKS: the number of linked rooms without boxes, or 0
# if broken links do not count.
CELL, BEST_CELL, BEST_NODE, BEST_FEATURES, TURN, NODE, NEXT_BOX, CORRAL, AREAS = range(position.OWN, position.OWN + 9)
MATCHED, PUSHES, MADE, END, EMPTYING, VANISHING, FIRST, FREES, LINKS, ITEMS, STALE, PATIENCE, OWN_END = range(
    AREAS + 1, AREAS + 14
)
PAUSE_AFTER = 4096
"""Positions generated before a pause: with many boxes, one expansion takes long."""
ALL_MADE = -1
LEAST_WAY = 4
"""A box vanishes only after this number of steps: nearer to its goal, it might still be in the way."""


@rule
def take(nodes, heaps, cells, control):
    """Remove and return the position to be expanded next; NO_NODE if there is none."""
    if control[CELL] == NO_CELL:
        return NO_NODE
    control[TURN] = 1 - control[TURN]
    if control[TURN]:
        control[STALE] += 1
        if 0 < control[PATIENCE] < control[STALE]:
            find_best(nodes, heaps, cells, control)
        node = take_from(nodes, heaps, cells, control[BEST_CELL])
        if node != NO_NODE:
            return node
    cell = cells.after[control[CELL]]
    while True:
        node = take_from(nodes, heaps, cells, cell)
        if node != NO_NODE:
            control[CELL] = cell
            return node
        if cell == control[CELL]:
            return NO_NODE
        cell = cells.after[cell]


@routine
def find_best(nodes, heaps, cells, control):
    """Choose another cell as the best one."""
    cells.tired[control[BEST_CELL]] = 1
    control[STALE], control[BEST_FEATURES] = 0, NOTHING
    for node in range(control[COUNT]):
        past = heaps.past[node]
        if past > 0 and past < control[BEST_FEATURES] and not cells.tired[cell_of(past)]:
            control[BEST_FEATURES], control[BEST_NODE], control[BEST_CELL] = past, node, cell_of(past)
    if control[BEST_FEATURES] == NOTHING:
        cells.tired[:] = 0


@rule
def take_from(nodes, heaps, cells, cell):
    """Remove the best move of a cell to a position not expanded, and return this position, or NO_NODE."""
    while cells.top[cell] != NO_NODE:
        top = np.int64(cells.top[cell])
        cells.top[cell] = without_top(heaps, top)
        node = np.int64(heaps.ends[top, 1])
        if nodes.cost[node] == 0:
            nodes.parent[node] = heaps.ends[top, 0]
            nodes.push[node, 0], nodes.push[node, 1] = heaps.push[top, 0], heaps.push[top, 1]
            heaps.key[node] = features_at(heaps, node) | (heaps.item[top] >> WEIGHT_AT) << WEIGHT_AT
            return node
    return NO_NODE


@rule
def add_sides(neighbours, work, box, reach, cells, steps, tail):
    """Append the positions of a box on a square, with the player on any side he can reach, to the queue ``way``."""
    for side in range(SIDES):
        player_at = neighbours[box, side]
        if player_at >= 0 and not cells.sides[box, side] and reaches(neighbours, work, reach, player_at):
            cells.sides[box, side] = 1
            cells.way[tail, 0], cells.way[tail, 1] = np.int64(box) * SIDES + side, steps
            tail += 1
    return tail


@rule
def show_child(nodes, heaps, cells, node, child, box, there, freeing, control):
    """Show a new or known position to the advisors."""
    nodes.after[child] = node + 1
    features, parent = features_at(heaps, child), features_at(heaps, node)
    advise(cells.advice, child, features, parent, freeing)
    fine = left_in(features) <= left_in(parent) and areas_in(features) <= areas_in(parent)
    if control[FREES] and not control[EMPTYING] and fine and broken_in(features) <= broken_in(parent):
        ways = cells.ways
        if ways[0, box] >= 0 and ways[0, there] >= ways[0, box]:
            advise_by_way(cells.advice, OPENING, child, ways[0, box], ways[0, there])
        clears = astray_in(parent) > 0 and astray_in(features) <= astray_in(parent) and cells.far[there, box] < FAR
        if clears and 0 <= ways[1, box] < ways[1, there]:
            advise_by_way(cells.advice, CLEARING, child, ways[1, box], ways[1, there])
    made = control[MADE]
    cells.made[made] = child
    cells.moved[made, 0], cells.moved[made, 1] = box, there
    control[MADE] += 1


@rule
def add_child(board, plan, nodes, work, heaps, cells, node, child, areas, freeing, control):
    """Measure a new position, and show it to the advisors."""
    count = nodes.estimate[child] if control[EMPTYING] else work.boxes.shape[0]
    rooms = cells.rooms, cells.beside, control[LINKS]
    features = measure(board, plan, work, count, areas, *rooms, cells.hotspots, control[EMPTYING])
    heaps.key[child] = features
    show_child(nodes, heaps, cells, node, child, nodes.push[child, 0], nodes.push[child, 1], freeing, control)


@rule
def move_box(board, plan, nodes, own, other, work, present, heaps, cells, sinks, node, control):
    """Generate the positions that result from pushing, or pulling, the next box anywhere it can go.

    Leaves everything as :func:`begin_expansion` does. A new position that solves the level, or
    that a search in the other direction has found, is recorded as AT, and then no more are generated. While boxes
    vanish, only the cheapest square for this is used.
    """
    neighbours = board.neighbours
    boxes, box_at, areas, move = work.boxes, work.flags[BOX_AT], work.areas, work.move
    sides, way, k = cells.sides, cells.way, control[NEXT_BOX]
    box = boxes[k]
    word = nodes.word[node] ^ word_of(board, nodes.player[node]) ^ board.code[box]
    for square in range(sides.shape[0]):
        for side in range(SIDES):
            sides[square, side] = 0
    move_between(neighbours, areas, box, box, move)
    tail = add_sides(neighbours, work, box, areas[AREA, nodes.player[node]], cells, 0, 0)
    head = 0
    sink, sink_ends, least = np.int64(-1), np.int64(-1), np.int64(FAR)
    box_at[box] = 0
    while head < tail:
        here, side, steps = way[head, 0] // SIDES, way[head, 0] % SIDES, way[head, 1] + 1
        head += 1
        player_at, there, ends = step_of(board, here, side ^ board.pushed)
        if not is_step(board, box_at, here, player_at, there, ends) or sides[there, side]:
            continue
        if control[CORRAL] != NO_CORRAL and here == box and work.squares[REGION, there] != control[CORRAL]:
            continue
        control[loops.GENERATED] += 1
        box_at[there], boxes[k] = 1, there
        move_between(neighbours, areas, box, there, move)
        stood = np.int64(area_after(neighbours, areas, move, ends))
        tail = add_sides(neighbours, work, there, stood, cells, steps, tail)
        if control[VANISHING]:
            if sinks[SINK, there] and steps >= LEAST_WAY:
                cost = match_again(board.distance, boxes, work.match, k, control[MATCHED])
                if cost < least:
                    sink, sink_ends, least = np.int64(there), np.int64(ends), np.int64(cost)
            box_at[there] = 0
            continue
        new = word ^ board.code[there] ^ word_of(board, stood)
        slot = look_up(nodes, own, other, present, new, stood)
        estimate = FAR
        known = np.int64(nodes.table[slot])
        if known != NO_NODE and nodes.cost[known] == 0 and nodes.after[known] != node + 1:
            freeing = control[FREES] != 0 and (control[EMPTYING] or cells.far[there, box] < FAR)
            freeing = freeing and explores(board, present.boxes, work, there, nodes.player[node], stood)
            show_child(nodes, heaps, cells, node, known, box, there, freeing, control)
        if nodes.table[slot] == NO_NODE and not (
            board.pushed and not control[EMPTYING] and freezes(board, work, there)
        ):
            estimate = match_again(board.distance, boxes, work.match, k, control[MATCHED])
        if estimate < FAR:
            solved = estimate == 0 and can_finish(neighbours, work, stood, control[END])
            if control[EMPTYING]:
                estimate = present.boxes.shape[0]
            child = add_node(nodes, work, slot, new, stood, node, box, there, 0, estimate, control)
            if not control[EMPTYING]:
                ends_here(own, other, new, child, solved, control)
                if control[loops.AT] != NO_NODE:
                    return
            freeing = control[FREES] != 0 and (control[EMPTYING] or cells.far[there, box] < FAR)
            freeing = freeing and explores(board, present.boxes, work, there, nodes.player[node], stood)
            found = count_after(areas, move, control[AREAS])
            add_child(board, plan, nodes, work, heaps, cells, node, child, found, freeing, control)
        box_at[there] = 0
    if sink >= 0:
        boxes[k] = box
        vanish(board, plan, nodes, own, other, work, present, heaps, cells, sink, sink_ends, node, control)
    boxes[k] = box
    box_at[box] = 1


@rule
def vanish(board, plan, nodes, own, other, work, present, heaps, cells, sink, ends, node, control):
    """Generate the position after the next box, which has been lifted, vanished at the square ``sink``."""
    count, k = present.boxes.shape[0], control[NEXT_BOX]
    box, stood, found, crossed = np.int64(work.boxes[k]), np.int64(0), 1, 1
    move_between(board.neighbours, work.areas, box, sink, work.move)
    crossed = count_after(work.areas, work.move, control[AREAS])
    if count > 1:
        another = np.int64(work.boxes[0 if k > 0 else 1])
        move_between(board.neighbours, work.areas, box, another, work.move)
        stood = np.int64(area_after(board.neighbours, work.areas, work.move, ends))
        found = count_after(work.areas, work.move, control[AREAS])
    # Which squares boxes have vanished at is part of the position, though not of its bits.
    word = nodes.word[node] ^ word_of(board, nodes.player[node]) ^ board.code[box] ^ ~board.code[sink]
    word ^= word_of(board, stood)
    look_up(nodes, own, other, present, word, stood)
    work.bits[box >> 6] &= ~(np.uint64(1) << np.uint64(box & 63))
    slot = slot_of(nodes, work.bits, word, stood)
    known = np.int64(nodes.table[slot])
    if known != NO_NODE and nodes.cost[known] == 0 and nodes.after[known] != node + 1:
        show_child(nodes, heaps, cells, node, known, box, sink, False, control)
    if nodes.table[slot] == NO_NODE:
        child = add_node(nodes, work, slot, word, stood, node, box, sink, 0, count - 1, control)
        work.boxes[k] = work.boxes[count - 1]
        add_child(board, plan, nodes, work, heaps, cells, node, child, found, False, control)
        walls = cells.walls
        for square in range(walls.shape[0]):
            walls[square] = 0
        walk(board.neighbours, walls, box, cells.ways[0], work.squares[QUEUE])
        rank = min(np.int64(cells.ways[1, box]), 1) * 1_000_000 + crossed * 10_000 - cells.ways[0, sink]
        if plan.near[box] > 0:
            rank = np.int64(-1_000_000)
        if rank < cells.advice[BEST, REMOVING]:
            cells.advice[BEST, REMOVING], cells.advice[ADVISED, REMOVING] = rank, child
        if count == 1:
            control[loops.AT] = child


@rule
def begin_expansion(board, plan, nodes, work, count, heaps, cells, sinks, node, control):
    """Prepare to move the boxes of a position; return False if it is lost."""
    box_at = work.flags[BOX_AT]
    unpack(nodes.boxes[node], work.boxes, box_at)
    here = node
    for k in range(count, work.boxes.shape[0]):  # those that have vanished are still matched, where they did
        while not vanished(nodes, here):
            here = nodes.parent[here]
        work.boxes[k] = nodes.push[here, 1]
        here = nodes.parent[here]
    control[AREAS] = divide(board.neighbours, box_at, work.areas)
    mark_reach(work, nodes.player[node])
    control[CORRAL] = NO_CORRAL
    if not control[EMPTYING]:
        if board.pushed and is_lost(board, work, work.subset.flags[ALL], work.subset.squares[REACH_AFTER]):
            return False
        control[CORRAL] = find_corral(board, work, True)
        if control[CORRAL] == LOST:
            return False
    control[MATCHED] = match_priced(board.distance, work.boxes, work.match)
    if control[FREES] and not control[EMPTYING]:
        find_ways(board, plan, work, cells, features_at(heaps, node))
    if control[NEXT_BOX] == 0:
        if control[EMPTYING]:
            control[VANISHING] = find_sinks(board, work, count, sinks, nodes.player[node])
        move_between(board.neighbours, work.areas, work.boxes[0], work.boxes[0], work.move)
        control[PUSHES] = count_pushes(board, work.boxes[:count], work, np.int64(nodes.player[node]))
        if nodes.parent[node] == NO_NODE:
            rooms = cells.rooms, cells.beside, control[LINKS]
            heaps.key[node] = measure(
                board, plan, work, count, control[AREAS], *rooms, cells.hotspots, control[EMPTYING]
            )
        for advisor in range(ADVISORS):
            cells.advice[BEST, advisor], cells.advice[ADVISED, advisor] = NOTHING, NO_NODE
    return True


@routine
def mark_holes(board, plan, hole):
    """Mark the squares that have walls or others of them on three sides; only those where boxes are to be."""
    for square in range(hole.shape[0]):
        hole[square] = 0
    changed = True
    while changed:
        changed = False
        for square in range(hole.shape[0]):
            if hole[square] or plan.near[square] > 0:
                continue
            walls = 0
            for side in range(SIDES):
                there = board.neighbours[square, side]
                walls += there < 0 or hole[there] != 0
            if walls >= 3:
                hole[square] = 1
                changed = True


@routine
def find_ways(board, plan, work, cells, features):
    """Fill ``cells.ways`` for a position."""
    steps, walls, queue = plan.square.shape[0], cells.walls, work.squares[QUEUE]
    packed = steps - left_in(features)
    for square in range(walls.shape[0]):
        walls[square] = 0
        cells.ways[0, square] = cells.ways[1, square] = -1
    if plan.before.shape[0] > 0:
        return
    if packed < steps:
        walk(board.neighbours, walls, plan.square[packed], cells.ways[0], queue)
    if astray_in(features) > 0:
        for step in range(packed):
            if plan.until[step] >= packed:
                walls[plan.square[step]] = 1
        spread_steps(board, walls, plan.blocked[packed], cells.ways[1], queue)


@rule
def queue_made(nodes, heaps, cells, node, control):
    """Weigh the generated positions, and add them to the heap of the position expanded."""
    features = features_at(heaps, node)
    if nodes.parent[node] != NO_NODE:
        features = min(features, heaps.past[nodes.parent[node]])
    heaps.past[node] = features
    weight, cell = heaps.key[node] >> WEIGHT_AT, cell_of(features)
    for k in range(control[MADE]):
        child = np.int64(cells.made[k])
        added = 1
        for advisor in range(ADVISORS):
            if cells.advice[ADVISED, advisor] == child:
                if cells.advice[ADVISED, REMOVING] != NO_NODE:
                    added = 1 - (advisor == REMOVING)
                elif advisor != OPENING or cells.advice[ADVISED, PACKING] == NO_NODE:
                    added = 0
        added = 0 if control[MADE] <= 2 and k == 0 else added
        item = control[ITEMS]
        control[ITEMS] += 1
        heaps.item[item] = features_at(heaps, child) | min(weight + added, MOST_WEIGHT) << WEIGHT_AT
        heaps.ends[item, 0], heaps.ends[item, 1] = node, child
        heaps.push[item, 0], heaps.push[item, 1] = cells.moved[k, 0], cells.moved[k, 1]
        heaps.below[item, 0] = heaps.below[item, 1] = NO_NODE
        cells.top[cell] = merge_heaps(heaps, np.int64(cells.top[cell]), item)
    control[MADE] = 0
    if cells.after[cell] == NO_CELL:  # a new cell has the next turn
        last = cell if control[CELL] == NO_CELL else control[CELL]
        cells.after[cell] = cell if last == cell else cells.after[last]
        cells.after[last] = cell
        control[CELL] = last
    if features < control[BEST_FEATURES] and not cells.tired[cell]:
        control[STALE] = 0
        control[BEST_FEATURES], control[BEST_NODE], control[BEST_CELL] = features, node, cell


@rule
def expand(board, plan, nodes, own, other, work, heaps, cells, sinks, node, control):
    """Generate the successors, and add them to the heap of their parent's cell.

    Returns ALL_MADE, or why it stopped: REACHED, FULL or PAUSED. It continues after the last two.
    """
    count = np.int64(nodes.estimate[node]) if control[EMPTYING] else work.boxes.shape[0]
    nodes.cost[node] = 1
    if not begin_expansion(board, plan, nodes, work, count, heaps, cells, sinks, node, control):
        return ALL_MADE
    bits, area, move, subset = work.bits, work.areas, work.move, work.subset
    present = Work(work.boxes[:count], work.squares, work.flags, work.match, bits, area, move, subset, work.walled)
    pause = control[loops.GENERATED] + PAUSE_AFTER
    most = SIDES * board.live
    while control[NEXT_BOX] < count:
        if control[COUNT] + most > nodes.word.shape[0] or control[ITEMS] + control[MADE] + most > heaps.item.shape[0]:
            return loops.FULL
        if control[loops.GENERATED] >= pause:
            return loops.PAUSED
        if control[MADE] + most > cells.made.shape[0]:
            queue_made(nodes, heaps, cells, node, control)
        move_box(board, plan, nodes, own, other, work, present, heaps, cells, sinks, node, control)
        if control[loops.AT] != NO_NODE:
            return loops.REACHED
        control[NEXT_BOX] += 1
        if control[NEXT_BOX] == count and control[VANISHING] and control[MADE] == 0:
            control[VANISHING] = control[NEXT_BOX] = 0  # no box can: park one
    queue_made(nodes, heaps, cells, node, control)
    return ALL_MADE


def make_feature_search() -> Callable[..., int]:
    """``feature_search(board, plan, nodes, own, other, work, heaps, cells, sinks, player, control) -> int``.

    It returns why it stopped, as defined in :mod:`..search.loops`. ``own`` and ``other`` are what all searches in this
    and in the other direction have found. At the first call ``work.boxes`` are those of the start; with a budget of 0
    nothing is done.
    """

    def feature_search(board, plan, nodes, own, other, work, heaps, cells, sinks, player, control):
        board, plan, nodes, work = borrowed(board), borrowed(plan), borrowed(nodes), borrowed(work)
        heaps, cells, sinks, control = borrowed(heaps), borrowed(cells), borrowed(sinks), borrowed(control)
        own, other = borrowed(own), borrowed(other)
        if control[loops.BUDGET] <= 0:
            return loops.PAUSED
        if control[COUNT] == 0:
            control[loops.AT] = control[NODE] = NO_NODE
            control[CELL], control[BEST_FEATURES], control[TURN] = NO_CELL, NOTHING, 0
            if control[LINKS]:
                control[LINKS] = find_rooms(board.neighbours, cells.rooms, cells.beside, work.flags[BOX_AT])
                if control[EMPTYING]:
                    mark_holes(board, plan, cells.ways[1])
                else:
                    mark_hotspots(board, cells.hotspots, work.squares[REACHED], work.squares[QUEUE], cells.walls)
            if not put_first(board, nodes, work, player, False, control):
                return loops.EMPTIED
            for node in range(control[COUNT]):
                if control[EMPTYING]:
                    nodes.estimate[node] = work.boxes.shape[0]
                else:
                    note_own(own, nodes.word[node], node, control)
            control[FIRST] = control[COUNT]
        while control[loops.BUDGET] > 0 or control[NODE] != NO_NODE:
            if control[NODE] == NO_NODE:
                if control[FIRST] > 0:
                    control[FIRST] -= 1
                    control[NODE] = control[FIRST]
                else:
                    control[NODE] = take(nodes, heaps, cells, control)
                control[NEXT_BOX] = control[MADE] = control[VANISHING] = 0
                if control[NODE] == NO_NODE:
                    return loops.EMPTIED
                control[loops.EXPANDED] += 1
                control[loops.BUDGET] -= 1
            why = expand(board, plan, nodes, own, other, work, heaps, cells, sinks, control[NODE], control)
            if why != ALL_MADE:
                return why
            control[NODE] = NO_NODE
        return loops.PAUSED

    types_of = BOARD, PLAN, NODES, FOUND, FOUND, WORK, HEAPS, CELLS, SINKS, int64, int64[::1]
    return compiled(feature_search, "sokoban-feature-search", int64(*types_of))
