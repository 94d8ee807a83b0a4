"""The compiled loop of two-sided IDA* with a catalogue of pattern databases.

A node is a pair of boards, one on each *side*; the search looks for a shortest path between them. Its children move
either the first board or the second: the side whose children within the bound promise less work. This is the
single-frontier bidirectional search of A. Felner, C. Moldenhauer, N. Sturtevant and J. Schaeffer (AAAI 2010). The
choice makes it fast: deep in the tree few moves of a side are within the bound, and often none of the other.

A moved board changes one look-up of its own side and, as the goal of the other side, all of the other's. A node makes
the look-ups of its estimate and of all its children's at once, because each has to wait for memory. A child's first
estimate uses only the side that has moved; the other side's is looked up when the child is visited. The estimates are
not consistent: where a child's exceeds the bound by so much that its parent's must, too, the parent is pruned (A.
Felner et al., "Inconsistent heuristics in theory and practice", Artificial Intelligence 175, 2011).

Moves of both sides that an automaton prunes are not tried (:mod:`.move_pruning`).
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from collections.abc import Callable

import numpy as np

from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled, rule
from gridpuzzles_gym.engine.compile.memory import prefetch

from ..move_pruning import ACTIONS
from .databases import DISTANCES, LOOKUP, LOOKUPS, MEMBERS, PATTERNS, SQUARES, entry_of, look_up, sides_distance

# control int64[CONTROL]: work on the roots from ROOT to STOP, which have this many moves LEFT, until BUDGET expansions
# are used up. DEPTH: moves below the root; NO_ROOT before it is begun. Nodes at depth DEEPEST are not expanded.
ROOT, STOP, LEFT, BUDGET, DEEPEST, DEPTH, CONTROL = range(7)
NO_ROOT = -1
PAUSED, FINISHED, REACHED, AT_DEEPEST = range(4)
EXPANDED, GENERATED, WORK = range(3)

# stack int64[…, FRAME], a frame for each node of the path: the Manhattan distance, the states of the automata, the side
# that moves, the square of its blank, how many children are left, and the children.
DISTANCE, STATES, SIDE, BLANK, COUNT, CHILDREN, FRAME = 0, 1, 3, 4, 5, 6, 6 + ACTIONS
# A child: the square the blank goes to, the pattern of the tile there and its new entry, the state of the automaton.
PATTERN_AT, ENTRY_AT, STATE_AT, PART = 8, 16, 24, 255
MAX_WEIGHT = 40
# lists: the index of an entry; the child; the bound minus its moves and its Manhattan distance.
ENTRY, CHILD, SPARE, LISTED = range(4)


@rule
def _slide(squares, count, own, blank, square):
    """Move the blank of the side that begins at ``own`` to a square."""
    other = count - own
    home, facing = squares[other + square], squares[other + blank]
    squares[own + np.int64(home)], squares[own + np.int64(facing)] = blank, square
    squares[other + blank], squares[other + square] = home, facing


@rule
def _begin(tables, numbers, pair, sides, squares, blanks, values, stack):
    """Go to a root; the entries of its first side are looked up."""
    count, patterns = np.int64(numbers[SQUARES]), np.int64(numbers[PATTERNS])
    for k in range(2 * count):
        squares[k] = pair[k]
    for side in range(2):
        blanks[side], stack[STATES + side] = sides[side, 0], sides[side, 1]
    stack[DISTANCE] = sides_distance(numbers, squares, blanks[1])
    for pattern in range(patterns):
        row = np.int64(numbers[LOOKUPS]) + (blanks[1] * patterns + pattern) * LOOKUP
        values[pattern] = look_up(tables, entry_of(numbers, squares, 0, row))


@rule
def _descend(numbers, squares, blanks, values, stack, depth):
    """Go to the next child of the node at a depth."""
    count, patterns = np.int64(numbers[SQUARES]), np.int64(numbers[PATTERNS])
    frame = depth * FRAME
    following = frame + FRAME
    mover = stack[frame + SIDE]
    stack[frame + COUNT] -= 1
    child = stack[frame + CHILDREN + stack[frame + COUNT]]
    own, blank, square = mover * count, blanks[mover], child & PART
    row = np.int64(numbers[DISTANCES]) + np.int64(squares[count - own + square]) * count
    change = np.int64(numbers[row + blank]) - np.int64(numbers[row + square])
    stack[following + DISTANCE] = stack[frame + DISTANCE] + change
    stack[following + STATES + mover] = child >> STATE_AT
    stack[following + STATES + 1 - mover] = stack[frame + STATES + 1 - mover]
    _slide(squares, count, own, blank, square)
    blanks[mover] = square
    before = (2 * depth + mover) * patterns
    after = before + 2 * patterns
    for pattern in range(patterns):
        values[after + pattern] = values[before + pattern]
    values[after + ((child >> PATTERN_AT) & PART)] = (child >> ENTRY_AT) & PART


@rule
def _list_children(tables, numbers, automaton, steps, squares, side, blanks, state, slack, lists, listed):
    """List the children of a side; return the end of the list."""
    count, patterns = np.int64(numbers[SQUARES]), np.int64(numbers[PATTERNS])
    own, blank, facing = side * count, blanks[side], blanks[1 - side]
    for action in range(ACTIONS):
        after = np.int64(automaton[state * ACTIONS + action])
        if after < 0:
            continue
        square = steps[blank * ACTIONS + action]
        home = np.int64(squares[count - own + square])
        pattern = np.int64(numbers[np.int64(numbers[MEMBERS]) + facing * count + home])
        squares[own + home] = blank
        entry = entry_of(numbers, squares, own, np.int64(numbers[LOOKUPS]) + (facing * patterns + pattern) * LOOKUP)
        prefetch(tables, entry >> 1)
        squares[own + home] = square
        row = np.int64(numbers[DISTANCES]) + home * count
        lists[ENTRY, listed] = entry
        lists[CHILD, listed] = square | (pattern << PATTERN_AT) | (after << STATE_AT)
        lists[SPARE, listed] = slack - 1 - np.int64(numbers[row + blank]) + np.int64(numbers[row + square])
        listed += 1
    return listed


def _search(tables, numbers, automaton, steps, pairs, states, control, squares, blanks, values, stack, work):
    """Search until the budget is used up, no root is left, the sides meet, or a node is at the depth limit."""
    tables, numbers, automaton, steps = borrowed(tables), borrowed(numbers), borrowed(automaton), borrowed(steps)
    pairs, states, squares, blanks = borrowed(pairs), borrowed(states), borrowed(squares), borrowed(blanks)
    values, stack = borrowed(values), borrowed(stack)
    count, patterns = np.int64(numbers[SQUARES]), np.int64(numbers[PATTERNS])
    lists = np.zeros((LISTED, patterns + 2 * ACTIONS), np.int64)
    sums, ends = np.zeros(2, np.int64), np.zeros(2, np.int64)
    root, depth, left = control[ROOT], control[DEPTH], control[BUDGET]
    expanded, generated = 0, 0
    status = PAUSED
    while left > 0:
        # Go to the next node.
        frame, mover = depth * FRAME, np.int64(0)
        if depth == NO_ROOT:
            if root == control[STOP]:
                status = FINISHED
                break
            depth = frame = 0
            _begin(tables, numbers, pairs[root], states[root], squares, blanks, values, stack)
        elif stack[frame + COUNT] > 0:
            mover = stack[frame + SIDE]
            _descend(numbers, squares, blanks, values, stack, depth)
            depth, frame = depth + 1, frame + FRAME
        elif depth > 0:
            depth, frame = depth - 1, frame - FRAME
            side, blank = stack[frame + SIDE], stack[frame + BLANK]
            _slide(squares, count, side * count, blanks[side], blank)
            blanks[side] = blank
            continue
        else:
            work[root, EXPANDED] += expanded
            work[root, GENERATED] += generated
            expanded, generated = 0, 0
            root, depth = root + 1, np.int64(NO_ROOT)
            continue
        stack[frame + COUNT] = 0
        if stack[frame + DISTANCE] == 0:
            status = REACHED
            break
        generated += 1
        # List what is looked up: the entries of the side that has not moved, then those of all children.
        slack, here, other = control[LEFT] - depth - stack[frame + DISTANCE], 2 * depth * patterns, 1 - mover
        row = np.int64(numbers[LOOKUPS]) + blanks[mover] * patterns * LOOKUP
        for pattern in range(patterns):
            lists[ENTRY, pattern] = entry_of(numbers, squares, other * count, row)
            prefetch(tables, lists[ENTRY, pattern] >> 1)
            row += LOOKUP
        listed = patterns
        for side in range(2):
            state = stack[frame + STATES + side]
            listed = _list_children(
                tables, numbers, automaton, steps, squares, side, blanks, state, slack, lists, listed
            )
            ends[side] = listed
        # The node's own estimate.
        sums[0], sums[1] = 0, 0
        for pattern in range(patterns):
            value = look_up(tables, lists[ENTRY, pattern])
            values[here + other * patterns + pattern] = value
            sums[other] += value
            sums[mover] += values[here + mover * patterns + pattern]
        excess = 2 * max(sums[0], sums[1]) - slack
        if excess > 0:
            if excess > 2 and depth > 0:
                stack[frame - FRAME + COUNT] = 0
            continue
        if depth == control[DEEPEST]:
            status = AT_DEEPEST
            break
        expanded += 1
        left -= 1
        # Use the children of the side that promises less work, measured by the Manhattan distance, which is part of
        # both estimates.
        least, start = np.int64(-1), patterns
        for side in range(2):
            used, weight = start, np.int64(0)
            for k in range(start, ends[side]):
                entry, child, spare = look_up(tables, lists[ENTRY, k]), lists[CHILD, k], lists[SPARE, k]
                value = values[here + side * patterns + ((child >> PATTERN_AT) & PART)]
                if spare >= 2 * (sums[side] - value + entry):
                    weight += np.int64(1) << min(spare >> 1, MAX_WEIGHT)
                    lists[CHILD, used] = child | (entry << ENTRY_AT)
                    used += 1
            if least < 0 or weight < least:
                least = weight
                stack[frame + SIDE], stack[frame + BLANK], stack[frame + COUNT] = side, blanks[side], used - start
                for k in range(start, used):
                    stack[frame + CHILDREN + k - start] = lists[CHILD, k]
            start = ends[side]
    if root < work.shape[0]:
        work[root, EXPANDED] += expanded
        work[root, GENERATED] += generated
    control[ROOT], control[DEPTH], control[BUDGET] = root, depth, left
    return status


def make_search() -> Callable[..., int]:
    """Return the compiled loop."""
    return compiled(_search, "n_puzzle-catalogue-search", nogil=True)
