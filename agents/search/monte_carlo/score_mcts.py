"""Monte-Carlo tree search for games whose only reward is a final score, and of which the best game counts.

    array     dtype    shape  holds
    action    int16    [N]    of node n: the action that leads to it
    parent    int32    [N]    its parent, NO_NODE for the root
    child     int32    [N]    its most recently added child, NO_NODE
    sibling   int32    [N]    the child added to its parent before it, NO_NODE
    spent     uint8    [N]    1 once every legal action has a child
    visits    int32    [N]    simulations that went through it
    total     float64  [N]    the sum of their scores
    trail     int16    [T]    the actions of this simulation
    best      int16    [T]    the actions of the best game so far
    numbers   float64  [4]    EXPLORATION, LOW, HIGH, SCORE of the best

A simulation selects children by the bound of UCT (:mod:`.tree`), with means scaled to [0, 1] by the lowest and highest
score so far, trying each legal action once before any is repeated; it adds one node, rolls out, and backs up the
score. The result is the best game found, not the most visited move (M. Schadd et al., "Single-player Monte-Carlo tree
search", CG 2008). As simulations are used up, the root advances along that game, so the last simulations vary only
its end: long games are searched in all their parts.

The loop pauses for a score that no compiled function computes, is given it, and continues.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import boolean, float64, int16, int32, int64, types, uint8, uint64

from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled, routine, rule
from gridpuzzles_gym.engine.compile.memory import copy_row
from gridpuzzles_gym.engine.random import below

from ..steps import exploration_bonus, upper_bound

NO_NODE = -1
# Indices into numbers.
EXPLORATION, LOW, HIGH, SCORE = range(4)
# control int64[9]: simulations to do in this call; done; to do in total; the node where this one left the tree; its
# length; the length of the best; number of nodes; the root, and how many actions lead to it.
LEFT, DONE, TOTAL, TIP, LENGTH, BEST_LENGTH, USED, ROOT, DEPTH, NUMBERS = range(10)
# Why the loop stopped: all simulations done, or a score is required.
PAUSED, ASKING = range(2)


class Game(NamedTuple):
    """A single-player game as rules over rows: ``plan`` is constant, ``state`` changes."""

    actions: Callable[..., Any]
    """``actions(plan) -> int``: the number of action indices."""
    legal: Callable[..., Any]
    """``legal(plan, state, action) -> bool``."""
    play: Callable[..., Any]
    """``play(plan, state, action)``: in place."""
    finished: Callable[..., Any]
    """``finished(plan, state) -> bool``."""
    roll_out: Callable[..., Any]
    """``roll_out(plan, state, rng, trail, length, scratch) -> int``: play to the end, in place, and write the
    actions to ``trail`` from ``length`` on; returns the new length. ``scratch`` is int16[2, N]."""
    score: Callable[..., Any]
    """``score(plan, state, weights, scratch) -> (float, known)`` of a finished game; ``known`` is False if the caller
    must supply the score."""


class Tree(NamedTuple):
    """The arrays in the table at the top of this file."""

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
    """Add a child to a node."""
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
    """Whether a node has a child for an action."""
    below_it = tree.child[node]
    while below_it != NO_NODE:
        if tree.action[below_it] == action:
            return True
        below_it = tree.sibling[below_it]
    return False


@routine
def best_below(tree, node):
    """Select the child by which a simulation continues."""
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
    """End a simulation: back up its score along its path, and keep the best game."""
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
    """``simulate(plan, root, state, rng, weights, tree, control, scratch, score, given) -> int``.

    It makes ``control[LEFT]`` simulations.

    Args:
        game: The game; ``root`` is its start state, which is modified, and ``state`` is a scratch state.
        name: Name of the kernel in the cache.

    Returns:
        The kernel. It returns PAUSED, or ASKING if it needs the score of ``state``: call it again with that score and
        ``given`` set.
    """
    actions, legal, play, finished, roll_out, worth = game

    @rule
    def go_on(plan, root, tree, control):
        """Move the root one action along the best game."""
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
        """Return a random legal action that has no node yet, or -1."""
        seen = 0
        chosen = -1
        for action in range(actions(plan)):
            if legal(plan, state, action) and not tried(tree, node, action):
                seen += 1
                if below(rng, seen) == 0:
                    chosen = action
        return chosen

    def simulate(plan, root, state, rng, weights, tree, control, scratch, score, given):
        plan, root, state, rng, tree, control = (
            borrowed(plan), borrowed(root), borrowed(state), borrowed(rng), borrowed(tree), borrowed(control),
        )  # fmt: skip
        scratch, weights = borrowed(scratch), borrowed(weights)
        if given:
            learn(tree, control, score)
        while control[LEFT] > 0:
            if tree.numbers[LOW] < tree.numbers[HIGH]:  # while all scores are equal no game is better than another
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
            control[LENGTH] = roll_out(plan, state, rng, tree.trail, length, scratch)
            value, known = worth(plan, state, weights, scratch)
            if not known:
                return ASKING
            learn(tree, control, value)
        return PAUSED

    return compiled(simulate, name, SIMULATE)


def new_tree(length: int, exploration: float) -> Tree:
    """Return a tree of one node, for games of at most ``length`` actions; :func:`with_capacity` adds nodes."""
    parent, child, sibling = np.full((3, 1), NO_NODE, np.int32)
    trail, best = np.zeros((2, length), np.int16)
    numbers = np.array([exploration, np.inf, -np.inf, 0.0])
    return Tree(
        np.zeros(1, np.int16), parent, child, sibling, np.zeros(1, np.uint8), np.zeros(1, np.int32), np.zeros(1),
        trail, best, numbers,
    )  # fmt: skip


def with_capacity(tree: Tree, used: int, simulations: int) -> Tree:
    """Return the same tree with capacity for this many more simulations; ``used`` is the number of nodes so far."""
    needed = used + simulations + len(tree.trail)  # the root adds nodes as it advances
    if needed <= len(tree.action):
        return tree
    held: Any = tree
    nodes = [np.zeros(max(needed, 2 * len(array)), array.dtype) for array in held[:-3]]
    for old, new in zip(held[:-3], nodes, strict=True):
        new[:used] = old[:used]
    return Tree(*nodes, *held[-3:])
