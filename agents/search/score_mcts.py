"""Monte-Carlo tree search for games whose only reward is a score at their end, and of which the best game counts.

    array     dtype    shape  holds
    action    int16    [N]    of node n: the action that leads to it
    parent    int32    [N]    the node it leads from, NO_NODE for the root
    child     int32    [N]    the node added last below it, NO_NODE
    sibling   int32    [N]    the node added to its parent before it, NO_NODE
    spent     uint8    [N]    1 once all that is legal there has a node
    visits    int32    [N]    simulations that went through it
    total     float64  [N]    the sum of their scores
    trail     int16    [T]    the actions of this simulation
    best      int16    [T]    those of the best so far
    numbers   float64  [4]    EXPLORATION, LOW, HIGH, SCORE of the best

A simulation goes down by the bound of UCT (:mod:`.ucb`), means brought to [0, 1] by the least and the greatest score
so far, and tries each legal action before any is tried twice; adds one node; rolls out; and all on its way learn the
score. What is kept is the best game met, not the most visited move (M. Schadd et al., "Single-player Monte-Carlo tree
search", CG 2008). And as simulations are used up, the root goes on along that game, so that the last ones vary its end
only: long games are searched in all their parts.

The loop stops for a score that is not worked out by a compiled function, is handed it, and goes on.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import boolean, float64, int16, int32, int64, types, uint8, uint64

from gridpuzzles_gym.engine.compilation import borrowed, compiled, routine, rule
from gridpuzzles_gym.engine.memory import copy_row
from gridpuzzles_gym.engine.random import below

from .ucb import exploration_bonus, upper_bound

NO_NODE = -1
# numbers
EXPLORATION, LOW, HIGH, SCORE = range(4)
# control int64[9]: simulations to do in this call; done; to do in all; where this one left the tree; its length; the
# length of the best; nodes; the root, and how many actions led there.
LEFT, DONE, TOTAL, TIP, LENGTH, BEST_LENGTH, USED, ROOT, DEPTH, NUMBERS = range(10)
# Why the loop stopped: all simulations done, or a score is asked for.
PAUSED, ASKING = range(2)


class Game(NamedTuple):
    """A game of one player as rules over rows: ``plan`` never changes, ``state`` does."""

    actions: Callable[..., Any]
    """``actions(plan) -> int``: how many numbers of actions there are."""
    legal: Callable[..., Any]
    """``legal(plan, state, action) -> bool``."""
    play: Callable[..., Any]
    """``play(plan, state, action)``: in place."""
    finished: Callable[..., Any]
    """``finished(plan, state) -> bool``."""
    roll_out: Callable[..., Any]
    """``roll_out(plan, state, rng, trail, length, room) -> int``: play on to the end, in place, and note the
    actions in ``trail`` from ``length`` on; the new length. ``room`` is int16[2, N], its own to use."""
    score: Callable[..., Any]
    """``score(plan, state, weights, room) -> (float, known)``: of a finished game; or not known here, and asked for."""


class Tree(NamedTuple):
    """The arrays, drawn at the top of this file."""

    action: npt.NDArray[np.int16]
    parent: npt.NDArray[np.int32]
    child: npt.NDArray[np.int32]
    sibling: npt.NDArray[np.int32]
    spent: npt.NDArray[np.uint8]
    visits: npt.NDArray[np.int32]
    total: npt.NDArray[np.float64]
    trail: npt.NDArray[np.int16]
    best: npt.NDArray[np.int16]
    numbers: npt.NDArray[np.float64]


_ROWS, _NODES = int16[::1], int32[::1]
TREE = types.NamedTuple(
    (_ROWS, _NODES, _NODES, _NODES, uint8[::1], _NODES, float64[::1], _ROWS, _ROWS, float64[::1]), Tree
)
SIMULATE = int64(
    _ROWS, _ROWS, _ROWS, uint64[::1], float64[::1], TREE, int64[::1], types.Array(int16, 2, "C"), float64, boolean
)


@rule
def add_node(tree, control, parent, action):
    """A new node below another."""
    node = control[USED]
    control[USED] += 1
    tree.action[node], tree.parent[node] = action, parent
    tree.child[node], tree.spent[node], tree.visits[node], tree.total[node] = NO_NODE, 0, 0, 0.0
    tree.sibling[node] = NO_NODE
    if parent != NO_NODE:
        tree.sibling[node] = tree.child[parent]
        tree.child[parent] = node
    return node


@routine
def tried(tree, node, action):
    """Is there a node below for an action?"""
    below_it = tree.child[node]
    while below_it != NO_NODE:
        if tree.action[below_it] == action:
            return True
        below_it = tree.sibling[below_it]
    return False


@routine
def best_below(tree, node):
    """The node below by which a simulation goes on."""
    numbers = tree.numbers
    spread = numbers[HIGH] - numbers[LOW]
    scale = 1.0 / spread if spread > 0.0 else 0.0
    far = exploration_bonus(numbers[EXPLORATION], tree.visits[node])
    best, most = NO_NODE, -1.0
    below_it = tree.child[node]
    while below_it != NO_NODE:
        visits = tree.visits[below_it]
        bound = upper_bound((tree.total[below_it] / visits - numbers[LOW]) * scale, far, visits)
        if bound > most:
            best, most = below_it, bound
        below_it = tree.sibling[below_it]
    return best


@routine
def learn(tree, control, score):
    """End a simulation: all nodes on its way learn its score, and the best is kept."""
    numbers = tree.numbers
    numbers[LOW], numbers[HIGH] = min(numbers[LOW], score), max(numbers[HIGH], score)
    node = control[TIP]
    while node != NO_NODE:
        tree.visits[node] += 1
        tree.total[node] += score
        node = tree.parent[node]
    if control[BEST_LENGTH] == 0 or score > numbers[SCORE]:
        numbers[SCORE] = score
        control[BEST_LENGTH] = control[LENGTH]
        for place in range(control[LENGTH]):
            tree.best[place] = tree.trail[place]
    control[LEFT] -= 1
    control[DONE] += 1


def make_simulate(game: Game, name: str) -> Callable[..., Any]:
    """``simulate(plan, root, state, rng, weights, tree, control, room, score, given) -> int``.

    It makes ``control[LEFT]`` simulations.

    Args:
        game: What is played; ``root`` is the state it begins in, which is changed, and ``state`` room for another.
        name: Of the kernel's cache.

    Returns:
        The kernel. It answers PAUSED, or ASKING for the score of ``state``: call it again with that, and ``given``.
    """
    actions, legal, play, finished, roll_out, worth = game

    @rule
    def go_on(plan, root, tree, control):
        """Bring the root one action further along the best game."""
        action = tree.best[control[DEPTH]]
        play(plan, root, action)
        tree.trail[control[DEPTH]] = action
        node = tree.child[control[ROOT]]
        while node != NO_NODE and tree.action[node] != action:
            node = tree.sibling[node]
        control[ROOT] = add_node(tree, control, control[ROOT], action) if node == NO_NODE else node
        control[DEPTH] += 1

    @rule
    def untried(plan, state, rng, tree, node):
        """One of the legal actions that have no node yet, or -1."""
        seen = 0
        chosen = -1
        for action in range(actions(plan)):
            if legal(plan, state, action) and not tried(tree, node, action):
                seen += 1
                if below(rng, seen) == 0:
                    chosen = action
        return chosen

    def simulate(plan, root, state, rng, weights, tree, control, room, score, given):
        plan, root, state, rng, tree, control = (
            borrowed(plan), borrowed(root), borrowed(state), borrowed(rng), borrowed(tree), borrowed(control),
        )  # fmt: skip
        room, weights = borrowed(room), borrowed(weights)
        if given:
            learn(tree, control, score)
        while control[LEFT] > 0:
            if tree.numbers[LOW] < tree.numbers[HIGH]:  # as long as all games are equal none is worth following
                while control[DEPTH] * control[TOTAL] < control[BEST_LENGTH] * control[DONE]:
                    go_on(plan, root, tree, control)
            copy_row(root, state)
            node, length = control[ROOT], control[DEPTH]
            while not finished(plan, state) and length < tree.trail.shape[0]:
                action = -1
                if not tree.spent[node]:
                    action = untried(plan, state, rng, tree, node)
                    if action < 0:
                        tree.spent[node] = 1
                fresh = action >= 0
                node = add_node(tree, control, node, action) if fresh else best_below(tree, node)
                play(plan, state, tree.action[node])
                tree.trail[length] = tree.action[node]
                length += 1
                if fresh:
                    break
            control[TIP] = node
            control[LENGTH] = roll_out(plan, state, rng, tree.trail, length, room)
            value, known = worth(plan, state, weights, room)
            if not known:
                return ASKING
            learn(tree, control, value)
        return PAUSED

    return compiled(simulate, name, SIMULATE)


def new_tree(length: int, exploration: float) -> Tree:
    """A tree of one node, for games of at most so many actions; :func:`with_capacity` makes room for simulations."""
    parent, child, sibling = np.full((3, 1), NO_NODE, np.int32)
    trail, best = np.zeros((2, length), np.int16)
    numbers = np.array([exploration, np.inf, -np.inf, 0.0])
    return Tree(
        np.zeros(1, np.int16), parent, child, sibling, np.zeros(1, np.uint8), np.zeros(1, np.int32), np.zeros(1),
        trail, best, numbers,
    )  # fmt: skip


def with_capacity(tree: Tree, used: int, simulations: int) -> Tree:
    """The same tree with room for so many more simulations, ``used`` being its nodes so far."""
    needed = used + simulations + len(tree.trail)  # and for the root to go on
    if needed <= len(tree.action):
        return tree
    held: Any = tree
    nodes = [np.zeros(max(needed, 2 * len(array)), array.dtype) for array in held[:-3]]
    for old, new in zip(held[:-3], nodes, strict=True):
        new[:used] = old[:used]
    return Tree(*nodes, *held[-3:])
