"""Pruning of duplicates by the last moves: an automaton recognises walks of the blank that another one replaces.

Two walks of the blank from one square that permute the tiles in the same way lead to the same board. Of all walks with
the same effect only the first is needed: the shortest, and of these the first in the order of moves. L. A. Taylor and
R. E. Korf, "Pruning duplicate nodes in depth-first search", AAAI 1993, find the others by breadth-first search and
recognise them, wherever they occur in a path, with a finite automaton. The first of all shortest solutions contains
none of them, so a search that tries moves in the same order still finds exactly that one.

    automaton int32[S * ACTIONS]: by state and action: the next state, or PRUNED, also for impossible moves

The first N states are those of the empty path, by the blank's square.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import functools
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled, rule
from gridpuzzles_gym.engine.kernels import kernel
from gridpuzzles_gym.puzzles.n_puzzle.rules import DOWN, LEFT, RIGHT, UP

ORDER = (UP, LEFT, RIGHT, DOWN)
"""The order in which moves are tried."""
ACTIONS = 4
PRUNED = -1
NONE = -2
LENGTH = 12
"""Maximum length of the walks that are compared."""
_SQUARE, _BEFORE, _LAST = range(3)


@rule
def _hash(board):
    number = np.uint64(14695981039346656037)
    for square in range(board.shape[0]):
        number = (number ^ np.uint64(board[square])) * np.uint64(1099511628211)
    return np.int64(number >> np.uint64(20))


@rule
def _is_new(boards, count, slots):
    """Enter board ``count`` if it differs from all before it; return whether it does."""
    at = _hash(boards[count]) & (slots.shape[0] - 1)
    while slots[at] >= 0:
        other, same = slots[at], True
        for square in range(boards.shape[1]):
            if boards[other, square] != boards[count, square]:
                same = False
                break
        if same:
            return False
        at = (at + 1) & (slots.shape[0] - 1)
    slots[at] = count
    return True


@rule
def _walk_to(walks, node, moves):
    """Write the moves that lead to a node; return their number."""
    count, at = 0, node
    while walks[at, _BEFORE] >= 0:
        moves[count] = walks[at, _LAST]
        at = walks[at, _BEFORE]
        count += 1
    for k in range(count // 2):
        moves[k], moves[count - 1 - k] = moves[count - 1 - k], moves[k]
    return count


@rule
def _is_known(trie, squares, steps, moves, count, square):
    """Whether a walk contains a pruned one."""
    for start in range(count):
        at, k = square, start
        while k < count and at >= 0:
            at = trie[at, moves[k]]
            k += 1
        if at == PRUNED:
            return True
        square = steps[square, moves[start]]
    return False


def _grow(boards, walks, ends, slots, length, square, steps, order, trie, control):
    """Extend all walks from a square by a move; enter the replaceable ones into the trie."""
    boards, walks, slots, trie = borrowed(boards), borrowed(walks), borrowed(slots), borrowed(trie)
    moves = np.zeros(length + 1, np.int64)
    count = ends[length]
    for node in range(ends[length - 1] if length > 0 else 0, ends[length]):
        for k in range(ACTIONS):
            action = order[k]
            blank = walks[node, _SQUARE]
            target = steps[blank, action]
            if target < 0:
                continue
            for place in range(boards.shape[1]):
                boards[count, place] = boards[node, place]
            boards[count, blank], boards[count, target] = boards[node, target], boards[node, blank]
            if _is_new(boards, count, slots):
                walks[count, _SQUARE], walks[count, _BEFORE], walks[count, _LAST] = target, node, action
                count += 1
                continue
            number = _walk_to(walks, node, moves)
            moves[number] = action
            number += 1
            at = steps[square, moves[0]]
            if _is_known(trie, 0, steps, moves[1:], number - 1, at):
                continue
            at = square
            for place in range(number - 1):
                if trie[at, moves[place]] == NONE:
                    trie[at, moves[place]] = control[0]
                    control[0] += 1
                at = trie[at, moves[place]]
            trie[at, action] = PRUNED
    ends[length + 1] = count


def _enter(boards, count, slots):
    """Enter the first ``count`` boards into an empty hash table."""
    for node in range(count):
        _is_new(boards[: node + 1], node, slots)


def _link(trie, steps, automaton):
    """Fill the automaton [S, ACTIONS] of a trie whose first rows are the squares (Aho and Corasick, 1975)."""
    squares = steps.shape[0]
    queue, shorter = np.empty(len(trie), np.int64), np.empty(len(trie), np.int64)
    square_of = np.empty(len(trie), np.int64)
    for square in range(squares):
        queue[square], square_of[square] = square, square
    head, tail = 0, squares
    while head < tail:
        state = queue[head]
        head += 1
        for action in range(ACTIONS):
            target = steps[square_of[state], action]
            fallen = max(target, PRUNED) if state < squares else automaton[shorter[state], action]
            following = trie[state, action]
            if following >= 0:
                shorter[following], square_of[following] = fallen, target
                queue[tail] = following
                tail += 1
            automaton[state, action] = fallen if following == NONE else following


def _reverse_walks(trie, steps, other, control):
    """Enter the pruned walks of a trie, reversed, into another."""
    path, place = np.zeros(len(trie), np.int64), np.zeros(len(trie), np.int64)
    tried, moves = np.zeros(len(trie), np.int64), np.zeros(len(trie), np.int64)
    for square in range(steps.shape[0]):
        depth = 0
        path[0], place[0], tried[0] = square, square, 0
        while depth >= 0:
            action = tried[depth]
            if action == ACTIONS:
                depth -= 1
                continue
            tried[depth] += 1
            following = trie[path[depth], action]
            if following == NONE:
                continue
            moves[depth] = action
            place[depth + 1] = steps[place[depth], action]
            if following >= 0:
                depth += 1
                path[depth], tried[depth] = following, 0
                continue
            at = place[depth + 1]
            for k in range(depth, 0, -1):
                if other[at, moves[k] ^ 1] == NONE:
                    other[at, moves[k] ^ 1] = control[0]
                    control[0] += 1
                at = other[at, moves[k] ^ 1]
            other[at, moves[0] ^ 1] = PRUNED


def _make_reverse_walks() -> Callable[..., None]:
    return compiled(_reverse_walks, "n_puzzle-walks-back")


def _make_grow() -> Callable[..., None]:
    return compiled(_grow, "n_puzzle-pruned-walks")


def _make_enter() -> Callable[..., None]:
    return compiled(_enter, "n_puzzle-walks-entered")


def _make_link() -> Callable[..., None]:
    return compiled(_link, "n_puzzle-move-automaton")


def steps_of(height: int, width: int) -> npt.NDArray[np.int64]:
    """Return int64[N, ACTIONS]: the square that the blank goes to, NONE at an edge."""
    rows, columns = np.divmod(np.arange(height * width), width)
    steps = np.full((height * width, ACTIONS), NONE, np.int64)
    for action, step, inside in (
        (UP, -width, rows > 0),
        (DOWN, width, rows < height - 1),
        (LEFT, -1, columns > 0),
        (RIGHT, 1, columns < width - 1),
    ):
        steps[inside, action] = (np.arange(height * width) + step)[inside]
    return steps


class _Walks:
    """All walks from a square, up to some length, that no other walk replaces."""

    def __init__(self, square: int, squares: int) -> None:
        self.square = square
        self.ends = np.ones(LENGTH + 2, np.int64)
        self.boards = np.arange(1, squares + 1, dtype=np.uint8)[None, :].copy()
        self.boards[0, square] = 0
        self.walks = np.array([[square, -1, -1]], np.int32)
        self.slots = np.full(2, -1, np.int64)

    def reserve(self, length: int) -> None:
        """Enlarge the arrays for walks with one more move."""
        count = int(self.ends[length])
        layer = count - (int(self.ends[length - 1]) if length else 0)
        needed = count + ACTIONS * layer
        if needed > len(self.boards):
            boards, walks = self.boards, self.walks
            self.boards = np.empty((needed, boards.shape[1]), np.uint8)
            self.walks = np.empty((needed, walks.shape[1]), np.int32)
            self.boards[:count], self.walks[:count] = boards[:count], walks[:count]
            self.slots = np.full(1 << (2 * needed).bit_length(), -1, np.int64)
            kernel(_make_enter)(self.boards, count, self.slots)


@functools.lru_cache(4)
def side_automata(height: int, width: int, length: int = LENGTH) -> tuple[npt.NDArray[np.int32], int]:
    """Return automata for both ends of a solution, in one array.

    The second one reads a solution from its end: it prunes the reverse of the walks that the first one prunes. Neither
    prunes a part of the first of all shortest solutions.

    Args:
        height: Rows of the board.
        width: Squares in a row.
        length: Maximum length of the walks that are compared.

    Returns:
        The automata, and the first state of the second one.
    """
    steps = steps_of(height, width)
    trie = _pruned_walks(height, width, length)
    pruned = int((trie == PRUNED).sum())
    back = np.full((height * width + pruned * length, ACTIONS), NONE, np.int32)
    control = np.array([height * width], np.int64)
    kernel(_make_reverse_walks)(trie, steps, back, control)
    first, second = _linked(trie, steps), _linked(back[: int(control[0])], steps)
    second[second >= 0] += len(first)
    return np.concatenate([first, second]).reshape(-1), len(first)


def _linked(trie: npt.NDArray[np.int32], steps: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    automaton = np.empty_like(trie)
    kernel(_make_link)(trie, steps, automaton)
    return automaton


def _pruned_walks(height: int, width: int, length: int) -> npt.NDArray[np.int32]:
    """Return the trie of the pruned walks, int32[S, ACTIONS]; its first rows are the squares that walks begin on."""
    steps, order = steps_of(height, width), np.array(ORDER)
    squares = height * width
    trie = np.full((1 << 16, ACTIONS), NONE, np.int32)
    control = np.array([squares], np.int64)
    every = [_Walks(square, squares) for square in range(squares)]
    for before in range(length):
        for walks in every:
            walks.reserve(before)
            layer = int(walks.ends[before]) - (int(walks.ends[before - 1]) if before else 0)
            if int(control[0]) + ACTIONS * layer * (before + 1) > len(trie):
                trie = np.concatenate(
                    [trie, np.full((len(trie) + ACTIONS * layer * (before + 1), ACTIONS), NONE, np.int32)]
                )
            kernel(_make_grow)(
                walks.boards, walks.walks, walks.ends, walks.slots, before, walks.square, steps, order, trie, control
            )  # fmt: skip
    return trie[: int(control[0])]
