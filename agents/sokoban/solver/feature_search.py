"""Feature-space search: measures several kinds of progress at once, so that no single estimate can mislead it.

Y. Shoham and J. Schaeffer, "The FESS Algorithm: A Feature Based Approach to Single-Agent Search", 2020. A step moves
one box anywhere it can be pushed while all others stay. Positions are sorted into cells by a few features; cells take
turns, and each expands its position of lowest weight. A step recommended by an advisor, because it is the best by
some measure, has weight 0; all others have weight 1.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import int32, int64, types, uint8

from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled, rule
from gridpuzzles_gym.engine.compile.memory import copy_row

from ...search import loops
from . import position
from .areas import AREA, area_after, count_after, divide, move_between
from .board import BOARD, FAR, SIDES, Board, is_step, step_of
from .deadlocks.corrals import LOST, NO_CORRAL, find_corral
from .deadlocks.freezing import freezes
from .features import (
    ADVISED,
    ADVISORS,
    BEST,
    CONNECTING,
    LOOKED,
    OUTCASTS,
    PACKING,
    PARENT,
    REGIONS,
    SAVING,
    advise,
    cell_of,
    count_packed,
    counts_left,
    measure,
)
from .matching import match_again, match_priced
from .meeting import FOUND
from .nodes import NO_NODE, NODES, unpack
from .packing import PLAN
from .position import (
    BOX_AT,
    COUNT,
    REGION,
    WORK,
    add_node,
    ends_here,
    ends_well,
    look_up,
    mark_reach,
    note_own,
    put_first,
    reaches,
    word_of,
)

# control, after the entries common to all push searches. CELL: the last cell whose turn it was. ADVISED_BY: a bit for
# each enabled advisor. NODE: the position being expanded, or NO_NODE; NEXT_BOX: how many of its boxes are finished;
# CORRAL: the corral to push into first; AREAS: the number of areas of the floor; MADE: how many new positions wait in
# `cells.made` to be queued. END: the square that the player must be able to reach in the end, ANYWHERE or NO_END;
# ORDERED: 1 if only goals count that are filled in order.
CELL, ADVISED_BY, NODE, NEXT_BOX, CORRAL, AREAS, MADE, END, ORDERED, OPEN_OWN = range(position.OWN, position.OWN + 10)
# If squares left are counted, the search records the most open position that it has expanded, as OPEN: that with the
# lowest sum, LEAST_CLOSED, of its areas (each counts PER_AREA), stuck boxes (PER_STUCK) and, negative, squares left
# (-PER_LEFT) and moves (-1). BEFORE: GENERATED before the expansion.
OPEN, LEAST_CLOSED, PER_AREA, PER_LEFT, PER_STUCK, BEFORE, OWN_END = range(OPEN_OWN, OPEN_OWN + 7)
PAUSE_AFTER = 4096
"""Positions generated before a pause: with many boxes, one expansion takes long."""
ALL_MADE = -1

WEIGHTS = 48
"""Number of weights; higher ones are clipped."""


class Cells(NamedTuple):
    """The queues of a feature search, and scratch arrays for one expansion; n squares, k boxes, c cells."""

    heads: npt.NDArray[np.int32]
    """int32[c, WEIGHTS]: the node last added to each queue, or NO_NODE."""
    sides: npt.NDArray[np.uint8]
    """uint8[n, 4]: 1 if the moving box has been there, with the player on that side."""
    way: npt.NDArray[np.int32]
    """int32[4n]: such positions, in the order they were found."""
    made: npt.NDArray[np.int32]
    """int32[8n, 2]: nodes generated in this expansion and not queued yet, and their cells."""
    measures: npt.NDArray[np.int64]
    """int64[4, ADVISORS]: see :mod:`.features`."""


CELLS = types.NamedTuple(
    (
        types.Array(int32, 2, "C"),
        types.Array(uint8, 2, "C"),
        int32[::1],
        types.Array(int32, 2, "C"),
        types.Array(int64, 2, "C"),
    ),
    Cells,
)


def make_cells(board: Board, count: int) -> Cells:
    """Return empty queues for positions of a board with ``count`` boxes."""
    squares = len(board.neighbours)
    return Cells(
        np.full(((count + 1) * REGIONS * OUTCASTS, WEIGHTS), NO_NODE, np.int32),
        np.zeros((squares, SIDES), np.uint8),
        np.zeros(squares * SIDES, np.int32),
        np.zeros((2 * SIDES * squares, 2), np.int32),
        np.zeros((4, ADVISORS), np.int64),
    )


def cells_bytes(board: Board, count: int) -> int:
    """Return the size of :func:`make_cells` in bytes."""
    squares, cells = len(board.neighbours), (count + 1) * REGIONS * OUTCASTS
    return 4 * cells * WEIGHTS + (1 + 4 + 2 * 2 * 4) * SIDES * squares + 8 * 4 * ADVISORS


@rule
def enqueue(nodes, heads, node, cell):
    """Append a position to the queue of its cell and weight."""
    weight = min(nodes.cost[node], WEIGHTS - 1)
    nodes.after[node] = heads[cell, weight]
    heads[cell, weight] = node


@rule
def take(nodes, heads, control):
    """Remove and return the position of lowest weight of the next cell that has one."""
    cells = heads.shape[0]
    cell = control[CELL]
    for _ in range(cells):
        cell += 1
        if cell == cells:
            cell = 0
        for weight in range(WEIGHTS):
            node = heads[cell, weight]
            if node != NO_NODE:
                heads[cell, weight] = nodes.after[node]
                control[CELL] = cell
                return node
    return NO_NODE


@rule
def add_sides(neighbours, work, box, reach, sides, way, tail):
    """Append the positions of a box on a square, with the player on any side he can reach, to the queue ``way``."""
    for side in range(SIDES):
        player_at = neighbours[box, side]
        if player_at >= 0 and not sides[box, side] and reaches(neighbours, work, reach, player_at):
            sides[box, side] = 1
            way[tail] = np.int64(box) * SIDES + side
            tail += 1
    return tail


@rule
def move_box(board, plan, nodes, own, other, work, cells, node, control):
    """Generate the positions that result from pushing, or pulling, the next box anywhere it can go.

    Leaves everything as :func:`begin_expansion` does. A new position that solves the level, or
    that a search in the other direction has found, is recorded as AT, and then no more are generated.
    """
    neighbours = board.neighbours
    boxes, box_at, areas, move = work.boxes, work.flags[BOX_AT], work.areas, work.move
    sides, way, measures, advisors = cells.sides, cells.way, cells.measures, control[ADVISED_BY]
    packed, k = -measures[PARENT, PACKING], control[NEXT_BOX]
    box = boxes[k]
    word = nodes.word[node] ^ word_of(board, nodes.player[node]) ^ board.code[box]
    for square in range(sides.shape[0]):
        for side in range(SIDES):
            sides[square, side] = 0
    move_between(neighbours, areas, box, box, move)
    tail = add_sides(neighbours, work, box, areas[AREA, nodes.player[node]], sides, way, 0)
    head = 0
    box_at[box] = 0
    while head < tail:
        here, side = way[head] // SIDES, way[head] % SIDES
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
        tail = add_sides(neighbours, work, there, stood, sides, way, tail)
        new = word ^ board.code[there] ^ word_of(board, stood)
        slot = look_up(nodes, own, other, work, new, stood)
        estimate = FAR
        if nodes.table[slot] == NO_NODE and not (board.pushed and freezes(board, work, there)):
            estimate = match_again(board.distance, boxes, work.match, k, nodes.estimate[node])
        if estimate < FAR:
            weight = nodes.cost[node] + 1
            child = add_node(nodes, work, slot, new, stood, node, box, there, weight, estimate, control)
            solved = estimate == 0 and ends_well(neighbours, work, stood, control[END])
            ends_here(own, other, new, child, solved, control)
            if control[loops.AT] != NO_NODE:
                return
            filled = count_packed(plan, board.goals, box_at)
            found = count_after(areas, move, control[AREAS])
            measure(board, plan, work, filled, control[ORDERED], estimate, found, stood, advisors, measures[LOOKED])
            advise(measures, packed, filled, child, advisors)
            cells.made[control[MADE], 0] = child
            cells.made[control[MADE], 1] = cell_of(filled, measures[LOOKED, CONNECTING], measures[LOOKED, SAVING])
            control[MADE] += 1
        box_at[there] = 0
    boxes[k] = box
    box_at[box] = 1


@rule
def begin_expansion(board, plan, nodes, work, cells, node, control):
    """Prepare to move the boxes of a position; return False if it is lost."""
    box_at = work.flags[BOX_AT]
    unpack(nodes.boxes[node], work.boxes, box_at)
    control[AREAS] = divide(board.neighbours, box_at, work.areas)
    mark_reach(work, nodes.player[node])
    control[CORRAL] = find_corral(board, work, True)
    if control[CORRAL] == LOST:
        return False
    match_priced(board.distance, work.boxes, work.match)
    if control[NEXT_BOX] == 0:
        measures, estimate, found = cells.measures, nodes.estimate[node], control[AREAS]
        packed = count_packed(plan, board.goals, box_at)
        move_between(board.neighbours, work.areas, work.boxes[0], work.boxes[0], work.move)
        reach, advisors = np.int64(nodes.player[node]), control[ADVISED_BY]
        measure(board, plan, work, packed, control[ORDERED], estimate, found, reach, advisors, measures[PARENT])
        copy_row(measures[PARENT], measures[BEST])
        for advisor in range(ADVISORS):
            measures[ADVISED, advisor] = NO_NODE
    return True


@rule
def note_open(cells, node, control):
    """Record the position expanded if it is the most open one so far."""
    measures = cells.measures
    closed = control[PER_AREA] * measures[PARENT, CONNECTING] + control[PER_LEFT] * measures[PARENT, PACKING]
    closed += control[PER_STUCK] * measures[PARENT, SAVING] - (control[loops.GENERATED] - control[BEFORE])
    if closed < control[LEAST_CLOSED]:
        control[LEAST_CLOSED], control[OPEN] = closed, node


@rule
def end_expansion(nodes, cells, node, control):
    """Weigh the generated positions, and add them to their queues."""
    for advisor in range(ADVISORS):
        child = cells.measures[ADVISED, advisor]
        if child != NO_NODE:
            nodes.cost[child] = nodes.cost[node]
    for k in range(control[MADE]):
        enqueue(nodes, cells.heads, cells.made[k, 0], cells.made[k, 1])
    control[MADE] = 0


@rule
def expand(board, plan, nodes, own, other, work, cells, node, control):
    """Generate the successors, and add them to their queues.

    Returns ALL_MADE, or why it stopped: REACHED, FULL or PAUSED. It continues after the last two.
    """
    if not begin_expansion(board, plan, nodes, work, cells, node, control):
        return ALL_MADE
    pause = control[loops.GENERATED] + PAUSE_AFTER
    most = SIDES * board.live
    while control[NEXT_BOX] < work.boxes.shape[0]:
        if control[COUNT] + most > nodes.word.shape[0]:
            return loops.FULL
        if control[loops.GENERATED] >= pause:
            return loops.PAUSED
        if control[MADE] + most > cells.made.shape[0]:
            end_expansion(nodes, cells, node, control)
        move_box(board, plan, nodes, own, other, work, cells, node, control)
        if control[loops.AT] != NO_NODE:
            return loops.REACHED
        control[NEXT_BOX] += 1
    if counts_left(plan):
        note_open(cells, node, control)
    end_expansion(nodes, cells, node, control)
    return ALL_MADE


def make_feature_search() -> Callable[..., int]:
    """``feature_search(board, plan, nodes, own, other, work, cells, player, control) -> int``: why it stopped.

    The return values are those of :mod:`..search.loops`; ``own`` and ``other`` are what all searches in this and in the
    other direction have found. At the first call ``work.boxes`` are those of the start; with
    a budget of 0 nothing is done.
    """

    def feature_search(board, plan, nodes, own, other, work, cells, player, control):
        board, plan, nodes = borrowed(board), borrowed(plan), borrowed(nodes)
        work, cells, control = borrowed(work), borrowed(cells), borrowed(control)
        own, other = borrowed(own), borrowed(other)
        if control[loops.BUDGET] <= 0:
            return loops.PAUSED
        if control[COUNT] == 0:
            control[loops.AT] = control[NODE] = NO_NODE
            if not put_first(board, nodes, work, player, False, control):
                return loops.EMPTIED
            for node in range(control[COUNT]):
                enqueue(nodes, cells.heads, node, 0)
                note_own(own, nodes.word[node], node, control)
        while control[loops.BUDGET] > 0 or control[NODE] != NO_NODE:
            if control[NODE] == NO_NODE:
                control[NODE] = take(nodes, cells.heads, control)
                control[NEXT_BOX] = control[MADE] = 0
                control[BEFORE] = control[loops.GENERATED]
                if control[NODE] == NO_NODE:
                    return loops.EMPTIED
                control[loops.EXPANDED] += 1
                control[loops.BUDGET] -= 1
            why = expand(board, plan, nodes, own, other, work, cells, control[NODE], control)
            if why != ALL_MADE:
                return why
            control[NODE] = NO_NODE
        return loops.PAUSED

    signature = int64(BOARD, PLAN, NODES, FOUND, FOUND, WORK, CELLS, int64, int64[::1])
    return compiled(feature_search, "sokoban-feature-search", signature)
