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

from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled, rule

from ...search import loops
from . import position
from .areas import AREA, area_after, count_after, divide, move_between
from .board import BOARD, FAR, SIDES, is_step, step_of
from .cells import CELLS, HEAPS, NO_CELL, cell_of, features_at, merge_heaps, without_top
from .deadlocks.corrals import LOST, NO_CORRAL, find_corral
from .deadlocks.freezing import freezes
from .features import (
    ADVISED,
    ADVISORS,
    BEST,
    MOST_WEIGHT,
    NOTHING,
    WEIGHT_AT,
    advise,
    count_pushes,
    measure,
)
from .matching import match_again, match_priced
from .meeting import FOUND
from .nodes import NO_NODE, NODES, slot_of, unpack
from .packing import PLAN, SINK, SINKS, find_sinks, vanished
from .position import (
    BOX_AT,
    COUNT,
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
MATCHED, PUSHES, MADE, END, EMPTYING, VANISHING, FIRST, FREES, LINKS, OWN_END = range(AREAS + 1, AREAS + 11)
PAUSE_AFTER = 4096
"""Positions generated before a pause: with many boxes, one expansion takes long."""
ALL_MADE = -1
LEAST_WAY = 4
"""A box vanishes only after this number of steps: nearer to its goal, it might still be in the way."""


@rule
def take(heaps, cells, control):
    """Remove and return the position to be expanded next; NO_NODE if there is none."""
    if control[CELL] == NO_CELL:
        return NO_NODE
    control[TURN] = 1 - control[TURN]
    cell = control[BEST_CELL]
    if not control[TURN] or cells.top[cell] == NO_NODE:
        cell = cells.after[control[CELL]]
        while cells.top[cell] == NO_NODE:
            if cell == control[CELL]:
                return NO_NODE
            cell = cells.after[cell]
        control[CELL] = cell
    top = np.int64(cells.top[cell])
    cells.top[cell] = without_top(heaps, top)
    return top


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
def add_child(board, plan, nodes, work, heaps, cells, node, child, areas, freeing, control):
    """Measure a new position, and show it to the advisors."""
    count = nodes.estimate[child] if control[EMPTYING] else work.boxes.shape[0]
    rooms = cells.rooms, cells.beside, control[LINKS]
    features = measure(board, plan, work, count, areas, *rooms, control[EMPTYING])
    heaps.key[child] = features
    advise(cells.advice, child, features, features_at(heaps, node), freeing)
    cells.made[control[MADE]] = child
    control[MADE] += 1


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
            freeing = control[FREES] != 0 and count_pushes(board, present.boxes, work, stood) > control[PUSHES]
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
    box, stood, found = np.int64(work.boxes[k]), np.int64(0), 1
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
    if nodes.table[slot] == NO_NODE:
        child = add_node(nodes, work, slot, word, stood, node, box, sink, 0, count - 1, control)
        work.boxes[k] = work.boxes[count - 1]
        add_child(board, plan, nodes, work, heaps, cells, node, child, found, False, control)
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
        control[CORRAL] = find_corral(board, work, True)
        if control[CORRAL] == LOST:
            return False
    control[MATCHED] = match_priced(board.distance, work.boxes, work.match)
    if control[NEXT_BOX] == 0:
        if control[EMPTYING]:
            control[VANISHING] = find_sinks(board, work, count, sinks, nodes.player[node])
        move_between(board.neighbours, work.areas, work.boxes[0], work.boxes[0], work.move)
        control[PUSHES] = count_pushes(board, work.boxes[:count], work, np.int64(nodes.player[node]))
        if nodes.parent[node] == NO_NODE:
            rooms = cells.rooms, cells.beside, control[LINKS]
            heaps.key[node] = measure(board, plan, work, count, control[AREAS], *rooms, control[EMPTYING])
        for advisor in range(ADVISORS):
            cells.advice[BEST, advisor], cells.advice[ADVISED, advisor] = NOTHING, NO_NODE
    return True


@rule
def queue_made(heaps, cells, node, control):
    """Weigh the generated positions, and add them to the heap of the position expanded."""
    features = features_at(heaps, node)
    weight, cell = heaps.key[node] >> WEIGHT_AT, cell_of(features)
    for k in range(control[MADE]):
        child = np.int64(cells.made[k])
        added = 1
        for advisor in range(ADVISORS):
            if cells.advice[ADVISED, advisor] == child:
                added = 0
        heaps.key[child] |= min(weight + added, MOST_WEIGHT) << WEIGHT_AT
        heaps.below[child, 0] = heaps.below[child, 1] = NO_NODE
        cells.top[cell] = merge_heaps(heaps, np.int64(cells.top[cell]), child)
    control[MADE] = 0
    if cells.after[cell] == NO_CELL:  # a new cell has the next turn
        last = cell if control[CELL] == NO_CELL else control[CELL]
        cells.after[cell] = cell if last == cell else cells.after[last]
        cells.after[last] = cell
        control[CELL] = last
    if features < control[BEST_FEATURES]:
        control[BEST_FEATURES], control[BEST_NODE], control[BEST_CELL] = features, node, cell


@rule
def expand(board, plan, nodes, own, other, work, heaps, cells, sinks, node, control):
    """Generate the successors, and add them to the heap of their parent's cell.

    Returns ALL_MADE, or why it stopped: REACHED, FULL or PAUSED. It continues after the last two.
    """
    count = np.int64(nodes.estimate[node]) if control[EMPTYING] else work.boxes.shape[0]
    if not begin_expansion(board, plan, nodes, work, count, heaps, cells, sinks, node, control):
        return ALL_MADE
    bits, area, move, subset = work.bits, work.areas, work.move, work.subset
    present = Work(work.boxes[:count], work.squares, work.flags, work.match, bits, area, move, subset)
    pause = control[loops.GENERATED] + PAUSE_AFTER
    most = SIDES * board.live
    while control[NEXT_BOX] < count:
        if control[COUNT] + most > nodes.word.shape[0]:
            return loops.FULL
        if control[loops.GENERATED] >= pause:
            return loops.PAUSED
        if control[MADE] + most > cells.made.shape[0]:
            queue_made(heaps, cells, node, control)
        move_box(board, plan, nodes, own, other, work, present, heaps, cells, sinks, node, control)
        if control[loops.AT] != NO_NODE:
            return loops.REACHED
        control[NEXT_BOX] += 1
        if control[NEXT_BOX] == count and control[VANISHING] and control[MADE] == 0:
            control[VANISHING] = control[NEXT_BOX] = 0  # no box can: park one
    queue_made(heaps, cells, node, control)
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
                    control[NODE] = take(heaps, cells, control)
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
