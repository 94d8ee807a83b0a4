"""A puzzle whose states are the nodes of a tree: every state is reached by one path."""

import dataclasses

import numpy as np
from toy import PUZZLE as TOY

from gridpuzzles_gym.agents.search.heuristic import Evaluation
from gridpuzzles_gym.agents.search.problem import Problem
from gridpuzzles_gym.engine.compile.compilation import rule
from gridpuzzles_gym.engine.puzzle import DIED, SOLVED, UNFINISHED, Rules
from gridpuzzles_gym.engine.random import below

ACTIONS = 4
# level[0]: the number of children of a node; then what each node is, those of a level from left to right.
ABSENT, INNER, GOAL, TRAP = range(4)


@rule
def kind(level, node):
    return level[1 + node] if node < level.shape[0] - 1 else 0


@rule
def child(level, node, action):
    return node * level[0] + 1 + action


@rule
def legal(level, state, action):
    return action < level[0] and kind(level, child(level, state[0], action)) != ABSENT


@rule
def outcome(level, state):
    here = kind(level, state[0])
    if here == GOAL:
        return SOLVED
    return DIED if here == TRAP else UNFINISHED


@rule
def solved(level, state):
    return kind(level, state[0]) == GOAL


@rule
def step(level, state, action, rng):
    if legal(level, state, action):
        state[0] = child(level, state[0], action)
    here = kind(level, state[0])
    if here == GOAL:
        return 9.0, True
    return -1.0, here == TRAP


PUZZLE = dataclasses.replace(
    TOY,
    name="tree",
    title="Tree",
    rules=Rules(step, outcome, solved, legal),
    check=lambda level, state, options: (1, 1),
)


@rule
def step_by_chance(level, state, action, rng):
    """Apply an action that leads to one of two neighbouring nodes: actions 0 and 1 have nodes of their own."""
    return step(level, state, 2 * action + below(rng, 2), rng)


@rule
def legal_by_chance(level, state, action):
    return 2 * action + 1 < level[0]


GAMBLE = dataclasses.replace(
    PUZZLE,
    name="gamble",
    title="Gamble",
    rules=Rules(step_by_chance, outcome, solved, legal_by_chance),
    deterministic=False,
)


def tree(branching, kinds):
    """The problem of a tree, given what each of its nodes is."""
    return Problem(PUZZLE, np.array([branching, *kinds], np.int16), np.zeros(1, np.int16), TOY.read_options())


def random_tree(seed, branching=3, depth=5):
    """A tree with some goals at random, none of them at the root."""
    rng = np.random.default_rng(seed)
    count = (branching ** (depth + 1) - 1) // (branching - 1)
    kinds = rng.choice([ABSENT, INNER, INNER, INNER, INNER, TRAP], count)
    kinds[rng.integers(1, count, 4)] = GOAL
    kinds[0] = INNER
    return tree(branching, kinds)


class TableEvaluator:
    """Evaluates a state by tables: of its only number, which is a node or a square."""

    discount = 0.9

    def __init__(self, policy, distances=None):
        """Take probabilities [N, A], with 0 where an action is illegal, and distances [N]."""
        self.policy = np.asarray(policy, np.float64)
        self.distances = np.zeros(len(self.policy)) if distances is None else np.asarray(distances, np.float64)
        self.asked: list[int] = []
        self.asked_as_played: list[int] = []

    def evaluate(self, levels, states, as_played=False):
        nodes = states[:, 0]
        self.asked += nodes.tolist()
        self.asked_as_played += nodes.tolist() if as_played else []
        with np.errstate(divide="ignore"):
            policy = np.log(self.policy[nodes])
        return Evaluation(policy, -self.distances[nodes], self.distances[nodes])


class UniformEvaluator:
    """The same probability for four actions, and the same distance, in every state."""

    discount = 0.9

    def evaluate(self, levels, states, as_played=False):
        count = len(states)
        return Evaluation(np.full((count, ACTIONS), -np.log(ACTIONS)), np.zeros(count), np.ones(count))


def random_evaluator(problem, count, seed):
    """Random probabilities of the legal actions, some of them low, and random distances."""
    rng, rules = np.random.default_rng(seed), problem.puzzle.rules
    weights = rng.random((count, ACTIONS)) ** 3 + 1e-3
    state = problem.state.copy()
    for node in range(count):
        state[0] = node
        weights[node] *= [rules.legal(problem.level, state, action) for action in range(ACTIONS)]
    total = weights.sum(axis=1, keepdims=True)
    return TableEvaluator(weights / np.where(total > 0, total, 1), rng.random(count) * 6)
