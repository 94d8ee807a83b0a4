"""Gumbel AlphaZero: Monte-Carlo tree search with a network's policy and value, for a few simulations, over the rules.

I. Danihelka, A. Guez, J. Schrittwieser and D. Silver, "Policy improvement by planning with Gumbel", ICLR 2022; this
follows its implementation mctx, ``gumbel_muzero_policy``. At the root, sequential halving divides the simulations
among the actions with the highest ``gumbel + log policy + scaled value``; below, an action is selected so that visits
become proportional to the softmax of ``log policy + scaled value``. An action that was not tried yet counts with a
mixture of the network's value and those of the actions tried. A simulation ends at a new node, which the network
evaluates, or at the end of the episode. It evaluates the root as it plays by itself, which may be by the mean over the
orientations of the board. Values are scaled by the range of all returns below the root, as MuZero does by that of all
values in the tree. mctx scales them by the range of one node's actions: then a small difference between two may
outweigh a policy that is nearly certain.

Chance: every simulation samples by the rules what an action leads to, and an action has a child for each outcome
sampled so far, so the value of an action is a mean over outcomes, and what is planned after an action depends on its
outcome. (An open-loop tree, with one child for each action, would plan the same for all of them.)

Without chance a state has one node at most, however many paths lead to it: below the root, an action to a state that is
in the tree is not allowed any more, and neither is one to a node from which no action is allowed. So no simulation goes
to and fro, and none ends where others did, unless the episode is over there or nothing else is left.

The search of the next state begins with what this one found below the action taken (:class:`Branch`). Sequential
halving counts only its own simulations, and values are means of all, but they count against the policy as in a single
search.

The trees of the environments of a batch:

    array     dtype    shape      holds, for environment b, node n (0 is the root) and action a
    states    int16    [B, N, S]  the state
    parents   int32    [B, N]     the node it was reached from
    actions   int32    [B, N]     the action that led from there
    rewards   float64  [B, N]     the reward of that action
    ended     uint8    [B, N]     1 if the episode is over here
    siblings  int32    [B, N]     another outcome of the same action, NO_NODE
    values    float64  [B, N]     the network's value
    priors    float64  [B, N, A]  the logarithm of its policy; -inf: not allowed
    policies  float64  [B, N, A]  the same; -inf also for what this search does not allow
    children  int32    [B, N, A]  an outcome of the action, NO_NODE if it was never tried
    visits    int32    [B, N, A]  simulations that took it
    totals    float64  [B, N, A]  the sum of their discounted returns
    before    int32    [B, A]     visits of the root's actions before this search
    gumbels   float64  [B, A]     the noise at the root
    bounds    float64  [B, 2]     the lowest and the highest return found so far below a root
    leaves    int32    [B]        the last node of the current simulation
    used      int32    [B]        the number of nodes

A parent comes before its children.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import float64, int16, int32, int64, types, uint8, uint64, void

from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled, rule
from gridpuzzles_gym.engine.compile.memory import copy_row
from gridpuzzles_gym.engine.kernels import kernel
from gridpuzzles_gym.engine.puzzle import Puzzle
from gridpuzzles_gym.engine.random import RandomBits
from gridpuzzles_gym.engine.rule_kernels import STEP_SIGNATURE, make_step

from .heuristic import Evaluator
from .nodes import equal

NO_NODE = -1
"""In place of the number of a node: there is none."""

Rows = npt.NDArray[np.int16]


class Tree(NamedTuple):
    """The arrays in the table at the top of this file."""

    states: npt.NDArray[np.int16]
    parents: npt.NDArray[np.int32]
    actions: npt.NDArray[np.int32]
    rewards: npt.NDArray[np.float64]
    ended: npt.NDArray[np.uint8]
    siblings: npt.NDArray[np.int32]
    values: npt.NDArray[np.float64]
    priors: npt.NDArray[np.float64]
    policies: npt.NDArray[np.float64]
    children: npt.NDArray[np.int32]
    visits: npt.NDArray[np.int32]
    totals: npt.NDArray[np.float64]
    before: npt.NDArray[np.int32]
    gumbels: npt.NDArray[np.float64]
    bounds: npt.NDArray[np.float64]
    leaves: npt.NDArray[np.int32]
    used: npt.NDArray[np.int32]


class Branch(NamedTuple):
    """What a search found below the action that was taken."""

    tree: Tree
    env: int
    """The environment's index in the tree."""
    action: int

    def nodes(self, state: npt.NDArray[np.int16], refused: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """Return the nodes below this outcome of the action, itself first: none if it was not sampled.

        Nodes below actions that are refused there, bool[A], are left out: other paths may lead to their states.
        """
        tree, b = self.tree, self.env
        root = int(tree.children[b, 0, self.action])
        while root != NO_NODE and (tree.states[b, root] != state).any():
            root = int(tree.siblings[b, root])
        if root == NO_NODE:
            return np.zeros(0, np.int64)
        parents, actions = tree.parents[b, : tree.used[b]].tolist(), tree.actions[b]
        inside = [False] * len(parents)
        inside[root] = True
        for node in range(root + 1, len(parents)):
            inside[node] = inside[parents[node]] and not (parents[node] == root and refused[actions[node]])
        return np.flatnonzero(inside)


def new_tree(states: Rows, simulations: int, refused: npt.NDArray[np.bool_], branches: Sequence[Branch | None]) -> Tree:
    """Return trees with room for this many simulations.

    Args:
        states: int16[B, S], the roots.
        simulations: The number of simulations.
        refused: bool[B, A]: actions of the roots of which earlier searches do not count.
        branches: For each environment, what its tree begins with if the root was found there; else it is only a root.
    """
    (batch, width), actions = states.shape, refused.shape[1]
    kept = [
        np.zeros(0, np.int64) if branch is None else branch.nodes(state, row)
        for branch, state, row in zip(branches, states, refused, strict=True)
    ]
    count = simulations + max(1, *map(len, kept))
    parents, chosen, siblings = np.full((3, batch, count), NO_NODE, np.int32)
    rewards, values = np.zeros((2, batch, count))
    priors, policies, totals = np.zeros((3, batch, count, actions))
    tree = Tree(
        np.zeros((batch, count, width), np.int16), parents, chosen, rewards, np.zeros((batch, count), np.uint8),
        siblings, values, priors, policies, np.full((batch, count, actions), NO_NODE, np.int32),
        np.zeros((batch, count, actions), np.int32), totals, np.zeros((batch, actions), np.int32),
        np.zeros((batch, actions)), np.tile([np.inf, -np.inf], (batch, 1)), np.zeros(batch, np.int32),
        np.ones(batch, np.int32),
    )  # fmt: skip
    tree.states[:, 0] = states
    for b, (branch, nodes) in enumerate(zip(branches, kept, strict=True)):
        if branch is not None and len(nodes):
            _copy(branch, nodes, tree, b)
    tree.visits[:, 0][refused] = tree.totals[:, 0][refused] = 0
    tree.before[:] = tree.visits[:, 0]
    return tree


def _copy(branch: Branch, nodes: npt.NDArray[np.int64], tree: Tree, b: int) -> None:
    """Make some nodes of a branch a tree; the first one is its root."""
    old, count = branch.tree, len(nodes)
    numbers = np.full(old.states.shape[1] + 1, NO_NODE, np.int32)  # the last entry is NO_NODE's
    numbers[nodes] = range(count)
    for name in ("states", "actions", "rewards", "ended", "values", "priors", "visits", "totals"):
        getattr(tree, name)[b, :count] = getattr(old, name)[branch.env, nodes]
    for name in ("parents", "siblings", "children"):
        getattr(tree, name)[b, :count] = numbers[getattr(old, name)[branch.env, nodes]]
    tree.policies[b, :count] = tree.priors[b, :count]
    tree.used[b] = count
    tree.bounds[b] = old.bounds[branch.env]


VALUE_SCALE, VISITS_INIT = 0.4, 50.0
"""How strongly values count against the policy: mctx's ``value_scale``, by default, and ``maxvisit_init``."""
LEAST = 0.05
"""The least probability, by the policy, that the actions left must have where others are refused."""
CONSIDERED = 16
"""The maximum number of actions tried at the root."""


class Plan(NamedTuple):
    """What the search says about a batch of states."""

    actions: npt.NDArray[np.int64]
    """int64[B]: the action to take."""
    policies: npt.NDArray[np.float64]
    """float64[B, A]: the improved policy."""
    values: npt.NDArray[np.float64]
    """float64[B]: the mean discounted return of the simulations that took this action."""
    tree: Tree
    """What the search found."""


@rule
def scaled_values(policies, value, visits, totals, spread, simulations, value_scale, out):
    """Write the completed values of a node's actions, scaled for comparison with logarithms of probabilities.

    They are between 0 and a scale, which grows with the visits, up to those of one search. Only values that differ by
    as much as any two returns below the root differ by the whole scale.

    Args:
        policies: float64[A], the logarithm of the policy.
        value: The network's value of the node.
        visits: int32[A].
        totals: float64[A].
        spread: The difference of the highest and the lowest return below the root.
        simulations: The number of simulations of a search.
        value_scale: How strongly values count against the policy.
        out: float64[A], output; what is not allowed gets -inf.
    """
    count, most, mass, mean = 0, 0, 0.0, 0.0
    for action in range(visits.shape[0]):
        if visits[action] > 0:
            chance = max(math.exp(policies[action]), 1e-300)
            count += visits[action]
            most = max(most, visits[action])
            mass += chance
            mean += chance * totals[action] / visits[action]
    mixed = (value + count * mean / mass) / (count + 1) if count > 0 else value
    low, high = math.inf, -math.inf
    for action in range(visits.shape[0]):
        out[action] = -math.inf
        if policies[action] > -math.inf:
            out[action] = totals[action] / visits[action] if visits[action] > 0 else mixed
            low, high = min(low, out[action]), max(high, out[action])
    scale = (VISITS_INIT + min(most, simulations)) * value_scale / max(spread, high - low, 1e-8)
    for action in range(visits.shape[0]):
        if policies[action] > -math.inf:
            out[action] = (out[action] - low) * scale


@rule
def select_root(tree, b, considered, simulations, value_scale, scores):
    """Select the action with the highest score among those with this number of visits in this search."""
    policies, visits, totals = tree.policies[b, 0], tree.visits[b, 0], tree.totals[b, 0]
    spread = tree.bounds[b, 1] - tree.bounds[b, 0]
    scaled_values(policies, tree.values[b, 0], visits, totals, spread, simulations, value_scale, scores)
    best, most = -1, -math.inf
    for action in range(scores.shape[0]):
        if scores[action] > -math.inf and visits[action] - tree.before[b, action] == considered:
            score = tree.gumbels[b, action] + policies[action] + scores[action]
            if best < 0 or score > most:
                best, most = action, score
    return best


@rule
def select_below(tree, b, node, simulations, value_scale, scores):
    """Select the action whose visits are furthest below their share of the improved policy; -1 if none is allowed."""
    policies, visits, totals = tree.policies[b, node], tree.visits[b, node], tree.totals[b, node]
    spread = tree.bounds[b, 1] - tree.bounds[b, 0]
    scaled_values(policies, tree.values[b, node], visits, totals, spread, simulations, value_scale, scores)
    highest, mass, count = -math.inf, 0.0, 0
    for action in range(scores.shape[0]):
        scores[action] += policies[action]
        highest = max(highest, scores[action])
        count += visits[action]
    for action in range(scores.shape[0]):
        scores[action] = math.exp(scores[action] - highest)
        mass += scores[action]
    best, most = -1, -math.inf
    for action in range(scores.shape[0]):
        score = scores[action] / mass - visits[action] / (1.0 + count)
        if policies[action] > -math.inf and score > most:
            best, most = action, score
    return best


@rule
def back_up(tree, b, discount):
    """Add the value of a simulation's last node to all its actions."""
    node = tree.leaves[b]
    value = 0.0 if tree.ended[b, node] else tree.values[b, node]
    while node > 0:
        tree.bounds[b, 0], tree.bounds[b, 1] = min(tree.bounds[b, 0], value), max(tree.bounds[b, 1], value)
        value = tree.rewards[b, node] + discount * value
        parent, action = tree.parents[b, node], tree.actions[b, node]
        tree.visits[b, parent, action] += 1
        tree.totals[b, parent, action] += value
        node = parent


@rule
def child_of(tree, b, node, action, state):
    """Return the child of an action with this state, or NO_NODE."""
    child = tree.children[b, node, action]
    while child != NO_NODE and not equal(tree.states[b, child], state):
        child = tree.siblings[b, child]
    return child


@rule
def has_node(tree, b, state):
    """Whether this state is in the tree."""
    for node in range(tree.used[b]):  # noqa: SIM110 - compiled
        if equal(tree.states[b, node], state):
            return True
    return False


def _simulate(step, levels, rng, tree, considered, number, discount, value_scale, once):
    levels, rng, tree, considered = borrowed(levels), borrowed(rng), borrowed(tree), borrowed(considered)
    scores, state, reward = np.empty(tree.visits.shape[2]), np.empty(tree.states.shape[2], np.int16), np.empty(1)
    simulations = considered.shape[1]
    for b in range(levels.shape[0]):
        if number > 0:
            back_up(tree, b, discount)
        if number == simulations:
            continue
        allowed = 0
        for action in range(scores.shape[0]):
            allowed += tree.policies[b, 0, action] > -math.inf
        visits = considered[min(allowed, considered.shape[0] - 1), number]
        node, action = 0, select_root(tree, b, visits, simulations, value_scale, scores)
        while True:
            copy_row(tree.states[b, node], state)
            ended = step(levels[b], state, action, rng[b : b + 1], reward)
            child = child_of(tree, b, node, action, state)
            if child == NO_NODE and once and node > 0 and has_node(tree, b, state):
                tree.policies[b, node, action] = -math.inf
                action = select_below(tree, b, node, simulations, value_scale, scores)
                while action < 0 and tree.parents[b, node] > 0:
                    parent = tree.parents[b, node]
                    tree.policies[b, parent, tree.actions[b, node]] = -math.inf
                    node, action = parent, select_below(tree, b, parent, simulations, value_scale, scores)
                if action >= 0:
                    continue
                tree.leaves[b] = node
                break
            if child == NO_NODE:
                child = tree.used[b]
                tree.used[b] += 1
                copy_row(state, tree.states[b, child])
                tree.parents[b, child], tree.actions[b, child] = node, action
                tree.rewards[b, child], tree.ended[b, child] = reward[0], ended
                tree.siblings[b, child] = tree.children[b, node, action]
                tree.children[b, node, action] = child
                tree.leaves[b] = child
                break
            node = child
            if tree.ended[b, node]:
                tree.leaves[b] = node
                break
            action = select_below(tree, b, node, simulations, value_scale, scores)


def make_simulate() -> Any:
    """Return the kernel ``simulate(step, levels, rng, tree, considered, number, discount, value_scale, once)``.

    It backs up simulation ``number - 1`` of each environment, whose last node was evaluated since, and makes the next,
    up to a last node. ``considered`` is the table of :func:`considered_visits`, for each number of actions; ``once`` is
    1 if a state has one node at most.
    """
    two, three, reals = types.Array(int32, 2, "C"), types.Array(int32, 3, "C"), types.Array(float64, 2, "C")
    reals_3 = types.Array(float64, 3, "C")
    arrays = (types.Array(int16, 3, "C"), two, two, reals, types.Array(uint8, 2, "C"), two, reals)
    more = (reals_3, reals_3, three, three, reals_3, two, reals, reals, int32[::1], int32[::1])
    tree = types.NamedTuple((*arrays, *more), Tree)
    levels = types.Array(int16, 2, "C")
    signature = void(types.FunctionType(STEP_SIGNATURE), levels, uint64[::1], tree, two, int64, float64, float64, int64)
    return compiled(_simulate, "search-gumbel", signature)


@functools.cache
def considered_visits(actions: int, simulations: int) -> tuple[int, ...]:
    """Return which number of visits an action must have to be tried in each simulation: sequential halving.

    Z. Karnin, T. Koren and O. Somekh, "Almost optimal exploration in multi-armed bandits", ICML 2013.

    Args:
        actions: The number of actions considered at first.
        simulations: The number of simulations.
    """
    if actions <= 1:
        return tuple(range(simulations))
    rounds, visits, considered, sequence = math.ceil(math.log2(actions)), [0] * actions, actions, list[int]()
    while len(sequence) < simulations:
        for _ in range(max(1, simulations // (rounds * considered))):
            sequence += visits[:considered]
            visits[:considered] = [count + 1 for count in visits[:considered]]
        considered = max(2, considered // 2)
    return tuple(sequence[:simulations])


def plan(
    puzzle: Puzzle,
    levels: Rows,
    states: Rows,
    model: Evaluator,
    simulations: int,
    random_bits: RandomBits,
    gumbels: npt.NDArray[np.float64],
    refused: npt.NDArray[np.bool_],
    branches: Sequence[Branch | None],
    value_scale: float = VALUE_SCALE,
) -> Plan:
    """Search from a batch of states.

    Args:
        puzzle: The puzzle.
        levels: int16[B, L].
        states: int16[B, S]; none of them ends an episode.
        model: The network.
        simulations: The number of simulations from each state.
        random_bits: uint64[B], for what the rules leave to chance; they are advanced.
        gumbels: float64[B, A]: samples of the Gumbel distribution, or zeros to choose the best action.
        refused: bool[B, A]: actions not to be taken, unless the others are less than :data:`LEAST` of the policy.
        branches: For each state, what an earlier search may have found about it.
        value_scale: How strongly values count against the policy.

    Returns:
        What to do.
    """
    simulate, step = kernel(make_simulate), kernel(make_step, puzzle)
    batch, actions = gumbels.shape
    once = int(puzzle.deterministic)
    tree, every = new_tree(states, simulations, refused, branches), np.arange(batch)
    tree.gumbels[:] = gumbels
    table = np.array([considered_visits(count, simulations) for count in range(min(actions, CONSIDERED) + 1)], np.int32)
    for number in range(simulations + 1):
        leaves = tree.leaves
        asked = every[(tree.ended[every, leaves] == 0) & (tree.policies[every, leaves] > -np.inf).any(axis=1)]
        if len(asked):
            found = model.evaluate(levels[asked], tree.states[asked, leaves[asked]], as_played=number == 0)
            tree.priors[asked, leaves[asked]] = tree.policies[asked, leaves[asked]] = found.log_policy
            tree.values[asked, leaves[asked]] = found.values
        if number == 0:
            left = np.where(refused, -np.inf, tree.policies[:, 0])
            enough = np.exp(left).sum(axis=1) >= LEAST
            tree.policies[enough, 0] = left[enough]
        simulate(step, levels, random_bits, tree, table, number, model.discount, value_scale, once)
    return _decided(tree, simulations, value_scale)


def _decided(tree: Tree, simulations: int, value_scale: float) -> Plan:
    """Return the result of a search."""
    batch, actions = tree.gumbels.shape
    chosen, policies = np.zeros(batch, np.int64), np.zeros((batch, actions))
    scores = np.empty(actions)
    for b in range(batch):
        most = (tree.visits[b, 0] - tree.before[b]).max()
        chosen[b] = select_root(tree, b, most, simulations, value_scale, scores)
        scores += tree.policies[b, 0]
        policies[b] = np.exp(scores - scores.max())
    first = np.arange(batch), 0, chosen
    values = tree.totals[first] / tree.visits[first]
    return Plan(chosen, policies / policies.sum(axis=1, keepdims=True), values, tree)
