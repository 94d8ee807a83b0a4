"""The trees of Gumbel AlphaZero's search (:mod:`.gumbel`), one for each environment of a batch.

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

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

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
