"""IDA* with a catalogue of pattern databases, below many roots: the compiled loop.

R. E. Korf, "Depth-first iterative-deepening", Artificial Intelligence 27, 1985, with three additions. Moves that an
automaton prunes are not tried (:mod:`.move_pruning`). A child is cut off as soon as a sum of patterns exceeds the
bound. And where a child's estimate exceeds the bound by so much that its parent's must, too, the parent is
given up (A. Felner et al., "Inconsistent heuristics in theory and practice", Artificial Intelligence 175, 2011).

The roots are boards at one depth. A loop works on a range of them, so that several threads can share a search.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from collections.abc import Callable

import numpy as np

from gridpuzzles_gym.engine.compilation import borrowed, compiled, rule

from .catalogue_estimate import EXTRA_AT, moved, start_words
from .catalogue_tables import (
    HALF_OF,
    HOMES,
    HOMES_BITS,
    LENGTH,
    LIST,
    LOOKUP,
    LOOKUPS,
    SETS,
    SQUARES,
    TILE,
    TILES,
    WAYS,
)
from .move_pruning import ACTIONS

# control int64[CONTROL]: work on the roots from ROOT to STOP, at depth BASE, with this BOUND, until BUDGET expansions
# are used up. OVER: the smallest excess over the bound of a node that was cut off. DEPTH: moves below the root; NO_ROOT
# before it is begun. BLANK: the blank's square; STATE: of the automaton; NEXT: how many moves have been tried; SLACK:
# the bound minus depth and Manhattan distance.
ROOT, STOP, BASE, BOUND, BUDGET, OVER, DEPTH, BLANK, STATE, NEXT, SLACK, CONTROL = range(12)
NO_ROOT = -1
NONE_OVER = 1 << 30
PAUSED, FINISHED, REACHED = range(3)
EXPANDED, GENERATED, WORK = range(3)
FRAME = 4


@rule
def _extra_after(tables, numbers, bases, words, halves, tile, square, blank, limit, log, at):
    """The largest sum of halves after a move, or the first that exceeds the limit; new words go to the log."""
    ways, squares, rows, sets, lookups = bases
    most = np.int64(0)
    k = at + ways
    for way in range(ways):
        row = rows + (way * squares + tile) * TILE
        half, first, length = numbers[row + HALF_OF], numbers[row + LIST], numbers[row + LENGTH]
        best = np.int64(0)
        other = halves[2 * way + (half ^ 1)]
        for _ in range(length):
            lookup = np.int64(numbers[first])
            word = moved(tables, numbers, sets, lookups + lookup * LOOKUP, words[lookup], square, blank)
            best = max(best, (word >> EXTRA_AT) + (words[numbers[first + 1]] >> EXTRA_AT))
            if best + other > limit:
                return best + other
            log[k] = word
            k += 1
            first += 2
        log[at + way] = best
        most = max(most, best + other)
    return most


@rule
def _exchange(numbers, bases, words, halves, tile, log, at):
    """Exchange the words and sums that a move of a tile changes with those in the log."""
    ways, squares, rows, _, _ = bases
    k = at + ways
    for way in range(ways):
        row = rows + (way * squares + tile) * TILE
        half, first = 2 * way + numbers[row + HALF_OF], numbers[row + LIST]
        halves[half], log[at + way] = log[at + way], halves[half]
        for _ in range(numbers[row + LENGTH]):
            lookup = np.int64(numbers[first])
            words[lookup], log[k] = log[k], words[lookup]
            k += 1
            first += 2


@rule
def _distance(numbers, homes, tile, square):
    return np.int64(numbers[homes + (tile << HOMES_BITS) + square])


def _search(tables, numbers, automaton, steps, order, boards, states, control, board, words, halves, log, stack, work):
    """Search below roots until the budget is used up (PAUSED), none is left (FINISHED) or the goal is reached."""
    tables, numbers, automaton, steps = borrowed(tables), borrowed(numbers), borrowed(automaton), borrowed(steps)
    boards, states, board, words = borrowed(boards), borrowed(states), borrowed(board), borrowed(words)
    halves, log, stack, order = borrowed(halves), borrowed(log), borrowed(stack), borrowed(order)
    squares, ways = np.int64(numbers[SQUARES]), np.int64(numbers[WAYS])
    bases = (ways, squares, np.int64(numbers[TILES]), np.int64(numbers[SETS]), np.int64(numbers[LOOKUPS]))
    homes = np.int64(numbers[HOMES])
    logged = log.shape[0] // (stack.shape[0] // FRAME)
    where = np.zeros(squares, np.int64)
    root, depth, blank, state = control[ROOT], control[DEPTH], control[BLANK], control[STATE]
    following, slack, over, left = control[NEXT], control[SLACK], control[OVER], control[BUDGET]
    expanded, generated = 0, 0
    status = PAUSED
    while left > 0:
        if depth == NO_ROOT:
            if root == control[STOP]:
                status = FINISHED
                break
            slack = control[BOUND] - control[BASE]
            for square in range(squares):
                tile = np.int64(boards[root, square])
                board[square] = tile
                where[tile] = square
                slack -= _distance(numbers, homes, tile, square)
            blank, state = where[0], np.int64(states[root])
            start_words(tables, numbers, where, words, halves)
            extra = np.int64(0)
            for way in range(ways):
                extra = max(extra, halves[2 * way] + halves[2 * way + 1])
            if 2 * extra > slack:
                over = min(over, 2 * extra - slack)
                root += 1
                continue
            depth, following = 0, 0
            expanded += 1
            left -= 1
        if following == ACTIONS:
            if depth == 0:
                work[root, EXPANDED] += expanded
                work[root, GENERATED] += generated
                expanded, generated = 0, 0
                depth = np.int64(NO_ROOT)
                root += 1
                continue
            depth -= 1
            frame = depth * FRAME
            square = blank
            blank, state, following = stack[frame], stack[frame + 1], stack[frame + 2]
            tile = np.int64(board[blank])
            board[square] = tile
            _exchange(numbers, bases, words, halves, tile, log, depth * logged)
            slack = stack[frame + 3]
            continue
        action = order[following]
        following += 1
        state_after = np.int64(automaton[state * ACTIONS + action])
        if state_after < 0:
            continue
        generated += 1
        square = steps[blank * ACTIONS + action]
        tile = np.int64(board[square])
        slack_after = slack - 1 + _distance(numbers, homes, tile, square) - _distance(numbers, homes, tile, blank)
        if slack_after < 0:
            over = min(over, -slack_after)
            continue
        limit = slack_after >> 1
        at = depth * logged
        extra = _extra_after(tables, numbers, bases, words, halves, tile, square, blank, limit, log, at)
        if extra > limit:
            if extra > limit + 1:  # the parent's estimate is at most 1 lower
                over = min(over, 2 * extra - slack_after - 2)
                following = ACTIONS
            else:
                over = min(over, 2 * extra - slack_after)
            continue
        _exchange(numbers, bases, words, halves, tile, log, at)
        frame = depth * FRAME
        stack[frame], stack[frame + 1], stack[frame + 2], stack[frame + 3] = blank, state, following, slack
        board[blank] = tile
        depth += 1
        blank, state, slack, following = square, state_after, slack_after, 0
        expanded += 1
        left -= 1
        if control[BOUND] - control[BASE] - depth == slack:
            stack[depth * FRAME] = blank
            status = REACHED
            break
    if root < work.shape[0]:
        work[root, EXPANDED] += expanded
        work[root, GENERATED] += generated
    control[ROOT], control[DEPTH], control[BLANK], control[STATE] = root, depth, blank, state
    control[NEXT], control[SLACK], control[OVER], control[BUDGET] = following, slack, over, left
    return status


def make_search() -> Callable[..., int]:
    """The loop, compiled; other threads run while it does."""
    return compiled(_search, "n_puzzle-catalogue-search", nogil=True)
