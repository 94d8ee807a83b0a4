"""The tree of Monte-Carlo tree search, and the compiled simulation loop: UCT.

    array      dtype    shape    holds
    children   int32    [N, A]   of node n: the node that action a leads to, NO_CHILD where it is illegal
    visits     int32    [N, A]   simulations that took action a
    totals     float64  [N, A]   the sum of their returns, from this action on
    rewards    float64  [N, A]   the action's reward
    stamps     int64    [N]      the last simulation that visited the node; PLAYED: the player has been here
    way        int32    [D]      nodes from the start: those of the moves played, then of the current simulation
    moves      int16    [D]      the actions between them, then those of the rollout
    plan       int16    [D]      the moves to the goal, or to the most promising state found
    recent     int16    [2, S]   the rollout's current and previous states
    scores     int64    [A]      estimates of the successors in the rollout, or BARRED
    numbers    float64  [4]      EXPLORATION, LOW, HIGH, TOTAL

L. Kocsis and C. Szepesvári, "Bandit based Monte-Carlo planning", ECML 2006. As there, statistics are kept per state
and action: a state is one node, whatever path led to it. A simulation selects actions by
``mean + exploration * sqrt(ln(visits of the node) / visits)``, with means scaled to [0, 1] by the lowest and highest
return so far, and untried actions first (those with the lowest estimate before others). It expands the first node
without children, rolls out from there, and backs up the rewards, minus the estimate where it was cut off. It never
enters a state already on its path, a state the player has been in, or a dead end: a node that ends the episode
unsolved, whose estimate is DEAD_END, or all of whose children are dead ends.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import float64, int16, int32, int64, types

from gridpuzzles_gym.engine import kernels
from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled, rule
from gridpuzzles_gym.engine.compile.memory import copy_row
from gridpuzzles_gym.engine.kernels import LEGAL, TERMINAL
from gridpuzzles_gym.engine.random import next_bits

from .. import loops
from ..heuristic import DEAD_END
from ..nodes import CLOSED, GOAL, NODES, equal, find_or_add, has_capacity
from ..steps import BARRED, NOWHERE, choose_any, choose_least, exploration_bonus, upper_bound

NO_CHILD = -1
PLAYED = 2**62
# Bits of marks, in addition to those of the node store.
DEAD = 8

# control, after the entries common to all loops. ROLLING: 1 during a rollout. ROOT, TIP: indices in `way` of the
# player's node and the simulation's current node. LEFT: simulations left. STAMP: number of this one. ROLLED: steps of
# this rollout, of ROLLOUT_DEPTH. GREEDY: 1 to follow the estimate, except at random EPSILON / 2**32 of the time.
# FIRST: 1 to stop at the first solution. LENGTH: of the plan. SOLVED: 1 once the plan reaches the goal.
ROLLING, ROOT, TIP, LEFT, STAMP, ROLLED, ROLLOUT_DEPTH, GREEDY, EPSILON, FIRST, LENGTH, SOLVED = range(
    loops.OWN, loops.OWN + 12
)
OWN_NUMBERS = 12

# Indices into numbers.
EXPLORATION, LOW, HIGH, TOTAL = range(4)


class Tree(NamedTuple):
    """The arrays in the table at the top of this file."""

    children: npt.NDArray[np.int32]
    visits: npt.NDArray[np.int32]
    totals: npt.NDArray[np.float64]
    rewards: npt.NDArray[np.float64]
    stamps: npt.NDArray[np.int64]
    way: npt.NDArray[np.int32]
    moves: npt.NDArray[np.int16]
    plan: npt.NDArray[np.int16]
    recent: npt.NDArray[np.int16]
    scores: npt.NDArray[np.int64]
    numbers: npt.NDArray[np.float64]


TREE = types.NamedTuple(
    (
        types.Array(int32, 2, "C"),
        types.Array(int32, 2, "C"),
        types.Array(float64, 2, "C"),
        types.Array(float64, 2, "C"),
        int64[::1],
        int32[::1],
        int16[::1],
        int16[::1],
        types.Array(int16, 2, "C"),
        int64[::1],
        float64[::1],
    ),
    Tree,
)


@rule
def is_open(nodes, tree, child, stamp):
    """Whether this simulation may enter that node."""
    return child != NO_CHILD and not nodes.marks[child] & DEAD and tree.stamps[child] < stamp


@rule
def select(nodes, tree, node, stamp):
    """Select the action a simulation takes at a node with children, or NOWHERE."""
    total = 0
    for action in range(tree.visits.shape[1]):
        total += tree.visits[node, action]
    numbers = tree.numbers
    spread = numbers[HIGH] - numbers[LOW]
    scale = 1.0 / spread if spread > 0.0 else 0.0
    far = exploration_bonus(numbers[EXPLORATION], total)
    best, most, untried, least = NOWHERE, -math.inf, NOWHERE, DEAD_END
    for action in range(tree.visits.shape[1]):
        child = tree.children[node, action]
        if not is_open(nodes, tree, child, stamp):
            continue
        visits = tree.visits[node, action]
        if visits == 0:
            if nodes.estimates[child] < least:
                untried, least = action, nodes.estimates[child]
            continue
        value = upper_bound((tree.totals[node, action] / visits - numbers[LOW]) * scale, far, visits)
        if value > most:
            best, most = action, value
    return untried if untried != NOWHERE else best


@rule
def finish(tree, control, value, counts):
    """End a simulation with ``value`` from its last node on, and back it up along its path if it counts."""
    if counts:
        numbers = tree.numbers
        for place in range(control[TIP] - 1, control[ROOT] - 1, -1):
            node, action = tree.way[place], tree.moves[place]
            value += tree.rewards[node, action]
            tree.visits[node, action] += 1
            tree.totals[node, action] += value
            numbers[LOW] = min(numbers[LOW], value)
            numbers[HIGH] = max(numbers[HIGH], value)
    control[LEFT] -= 1
    control[STAMP] += 1
    control[ROLLING] = 0
    control[TIP] = control[ROOT]


@rule
def keep_moves(tree, control, length):
    """Record the first ``length`` moves as the plan."""
    control[LENGTH] = length
    for k in range(length):
        tree.plan[k] = tree.moves[k]


@rule
def note_goal(tree, control, length, action):
    """The goal is one action away: record this solution, unless one as short is known."""
    control[loops.LEAST] = 0
    if not control[SOLVED] or length + 1 < control[LENGTH]:
        tree.moves[length] = action
        keep_moves(tree, control, length + 1)
        control[SOLVED] = 1


@rule
def begin_rollout(nodes, tree, control):
    """Start a rollout from the simulation's current node."""
    tip = control[TIP]
    copy_row(nodes.states[tree.way[tip]], tree.recent[0])
    copy_row(nodes.states[tree.way[max(tip - 1, 0)]], tree.recent[1])
    control[ROLLING] = 1
    control[ROLLED] = 0
    tree.numbers[TOTAL] = 0.0


@rule
def add_children(expand, evaluate, instance, nodes, tree, node):
    """Expand a node of the tree; return the action that leads to the goal, or NOWHERE."""
    level, _, tables, rng, successors, rewards, flags, control = instance
    control[loops.EXPANDED] += 1
    control[loops.GENERATED] += expand(level, nodes.states[node], rng, successors, rewards, flags)
    nodes.marks[node] |= CLOSED
    goal = NOWHERE
    for action in range(successors.shape[0]):
        if not flags[action] & LEGAL:
            continue
        child, fresh = find_or_add(nodes, successors[action])
        if fresh:
            estimate = evaluate(level, successors[action], tables)
            nodes.estimates[child] = estimate
            nodes.marks[child] = 0
            if flags[action] & kernels.GOAL:
                nodes.marks[child] = GOAL
            elif flags[action] & TERMINAL or estimate >= DEAD_END:
                nodes.marks[child] = DEAD
        tree.children[node, action] = child
        tree.rewards[node, action] = rewards[action]
        if nodes.marks[child] & GOAL:
            goal = action
    return goal


@rule
def roll(expand, evaluate, instance, tree):
    """One step of the rollout; return (action or NOWHERE, whether it reaches the goal, the estimate if known)."""
    level, _, tables, rng, successors, rewards, flags, control = instance
    here, before, scores = tree.recent[0], tree.recent[1], tree.scores
    control[loops.EXPANDED] += 1
    control[loops.GENERATED] += expand(level, here, rng, successors, rewards, flags)
    back = NOWHERE
    for action in range(scores.shape[0]):
        scores[action] = BARRED
        if flags[action] & kernels.GOAL:
            tree.numbers[TOTAL] += rewards[action]
            return action, True, 0
        if not flags[action] & LEGAL or flags[action] & TERMINAL:
            continue
        if equal(successors[action], before):
            back = action
        else:
            scores[action] = min(evaluate(level, successors[action], tables), BARRED) if control[GREEDY] else 0
    action = (
        choose_least(scores, rng) if control[GREEDY] and next_bits(rng) >= control[EPSILON] else choose_any(scores, rng)
    )
    estimate = scores[action] if action != NOWHERE and control[GREEDY] else BARRED
    if action == NOWHERE:  # step straight back only if there is no other action
        action = back
    if action != NOWHERE:
        copy_row(here, before)
        copy_row(successors[action], here)
        tree.numbers[TOTAL] += rewards[action]
    return action, False, estimate


@rule
def all_dead(nodes, tree, node):
    """Whether all children of a node are dead ends."""
    for action in range(tree.children.shape[1]):
        child = tree.children[node, action]
        if child != NO_CHILD and not nodes.marks[child] & DEAD:
            return False
    return True


def _simulate(expand, evaluate, instance, nodes, tree):
    instance, nodes, tree = borrowed(instance), borrowed(nodes), borrowed(tree)
    level, tables, control, numbers = instance.level, instance.tables, instance.control, tree.numbers
    actions = instance.successors.shape[0]
    while control[loops.BUDGET] > 0 and control[LEFT] > 0:
        tip = control[TIP]
        if not has_capacity(nodes, actions) or tip + control[ROLLOUT_DEPTH] + 2 > tree.way.shape[0]:
            return loops.FULL
        control[loops.BUDGET] -= 1
        node = tree.way[tip]
        # Whether the simulation ends here, its value from here on, and whether that is backed up.
        ends, worth, counts = True, 0.0, True
        goal = NOWHERE
        length = tip + control[ROLLED] * control[ROLLING]
        estimate = BARRED
        if control[ROLLING]:
            if control[ROLLED] == control[ROLLOUT_DEPTH] or length >= control[loops.DEEPEST]:
                estimate = evaluate(level, tree.recent[0], tables)
                worth = numbers[TOTAL] - estimate
                if estimate >= DEAD_END:
                    worth = min(numbers[LOW], numbers[TOTAL])
            else:
                action, solved, estimate = roll(expand, evaluate, instance, tree)
                worth = numbers[TOTAL]
                if solved:
                    goal = action
                elif action == NOWHERE:
                    worth = min(numbers[LOW], worth)
                else:
                    ends = False
                    tree.moves[length] = action
                    control[ROLLED] += 1
                    length += 1
        elif nodes.marks[node] & (GOAL | DEAD):
            counts = nodes.marks[node] & GOAL != 0
        elif tip >= control[loops.DEEPEST]:
            control[loops.CUT] = 1
            estimate = nodes.estimates[node]
            worth = float(-estimate)
        else:
            if nodes.marks[node] & CLOSED:
                action = select(nodes, tree, node, control[STAMP])
                if action != NOWHERE:
                    tree.moves[tip] = action
                    control[TIP] = tip + 1
                    tree.way[tip + 1] = tree.children[node, action]
                    tree.stamps[tree.way[tip + 1]] = control[STAMP]
                    continue
            else:
                estimate = nodes.estimates[node]
                goal = add_children(expand, evaluate, instance, nodes, tree, node)
            if all_dead(nodes, tree, node):
                nodes.marks[node] |= DEAD
                counts = False
            else:
                ends = False
                begin_rollout(nodes, tree, control)
        if estimate < control[loops.LEAST]:
            control[loops.LEAST] = estimate
            keep_moves(tree, control, length)
        if goal != NOWHERE:
            note_goal(tree, control, length, goal)
            if control[FIRST]:
                return loops.REACHED
        if ends:
            finish(tree, control, worth, counts)
    return loops.PAUSED


def make_simulate() -> Any:
    """``simulate(expand, evaluate, instance, nodes, tree) -> int``: ``control[LEFT]`` simulations."""
    return compiled(_simulate, "search-mcts", int64(loops.EXPAND, loops.EVALUATE, loops.INSTANCE, NODES, TREE))


def new_tree(rows: int, length: int, actions: int, width: int) -> Tree:
    """Return an empty tree with the given capacity in nodes and moves."""
    return Tree(
        np.full((rows, actions), NO_CHILD, np.int32),
        np.zeros((rows, actions), np.int32),
        np.zeros((rows, actions)),
        np.zeros((rows, actions)),
        np.zeros(rows, np.int64),
        np.zeros(length, np.int32),
        np.zeros(length, np.int16),
        np.zeros(length, np.int16),
        np.zeros((2, width), np.int16),
        np.zeros(actions, np.int64),
        np.array([0.0, np.inf, -np.inf, 0.0]),
    )


def larger_tree(tree: Tree, rows: int, length: int) -> Tree:
    """Return a copy with the given capacity in nodes and moves."""
    larger = new_tree(rows, length, len(tree.scores), tree.recent.shape[1])
    arrays: Any = zip(tree[:-3], larger[:-3], strict=True)
    for old, new in arrays:
        new[: len(old)] = old
    return larger._replace(recent=tree.recent, scores=tree.scores, numbers=tree.numbers)


def tree_bytes(tree: Tree) -> int:
    """Return the tree's size in bytes."""
    return sum(array.nbytes for array in tree)
