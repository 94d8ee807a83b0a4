"""UCT for a stochastic environment: Monte-Carlo tree search that samples the cats' steps from the rules.

L. Kocsis and C. Szepesvári, "Bandit based Monte-Carlo planning", ECML 2006. The search library's UCT finds action
sequences, which requires deterministic transitions; here statistics are also kept per state and action, but each
simulation samples where an action leads. It selects by ``mean + exploration * sqrt(ln(visits of the state) / visits)``,
starting with the rollout's action and adding another only after some tries of those before it. It expands the first
new state and rolls out from there: along a shortest path to the exit, but not onto a square next to a cat. Waiting is
one action, however many sides have walls.

    array   dtype    shape   holds
    visits  int32    [N, 4]  how often an action was tried in a state of the node store
    totals  float64  [N, 4]  the sum of the returns that followed
    way     int32    [D, 2]  the current simulation: node and action, from the root on
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled, routine
from gridpuzzles_gym.engine.compile.memory import copy_row
from gridpuzzles_gym.engine.messages import quote
from gridpuzzles_gym.engine.puzzle import UNFINISHED
from gridpuzzles_gym.engine.random import below
from gridpuzzles_gym.puzzles.cat_mouse.rules import (
    CELLS,
    EACH_STEP,
    EXIT,
    MOST_CATS,
    MOUSE,
    PRIZE,
    cat_on,
    legal,
    neighbour,
    outcome,
    step,
)

from ..policy import State, seed_bits
from ..search.nodes import EMPTY, find_or_add, new_nodes
from ..search.steps import exploration_bonus, upper_bound
from ..thoughts import Thoughts, shares
from .maze_agent import MazeAgent, Rows
from .shortest_path import nearer, steps_to_exit

ACTIONS = 4
DEEPEST = 50
"""Maximum steps of a simulation, including the rollout; then the return is estimated by a shortest path."""

PATIENCE = 12
"""How often each tried action of a state must have been tried before another is added."""


class Uct(MazeAgent):
    """The agent; see the module's docstring. It searches again at every step.

    Args:
        env: One of the suite's environments, single or vector, wrapped or not.
        seed: Random seed; environment ``i`` of a batch uses ``seed + i``.
        simulations: Simulations per step.
        exploration: Weight of the exploration bonus, in units of reward.

    Raises:
        ValueError: ``simulations`` is not positive, or the environment's observation is not planes.
    """

    def __init__(self, env: Any, seed: int = 0, simulations: int = 200, exploration: float = 20.0) -> None:
        super().__init__(env)
        if simulations < 1:
            raise ValueError(f"simulations={quote(simulations)}: must be a positive integer")
        self.seed, self.simulations, self.exploration = seed, simulations, exploration
        self._nodes = new_nodes(np.zeros(1 + MOST_CATS, np.int16), simulations + 2)
        self._visits = np.zeros((simulations + 2, ACTIONS), np.int32)
        self._totals = np.zeros((simulations + 2, ACTIONS))
        self._way = np.zeros((DEEPEST, 2), np.int32)

    def fresh_memory(self, count: int) -> State:
        """Random bits for each environment."""
        return (seed_bits(self.seed, count),)

    def decide(self, levels: Rows, states: Rows, starting: npt.NDArray[np.bool_], memory: State) -> npt.NDArray[Any]:
        """Choose actions, int64[B]."""
        actions = np.empty(len(levels), np.int64)
        scratch = np.empty((2, levels.shape[1] - CELLS), np.int16)
        tree = self._nodes, self._visits, self._totals, self._way
        numbers = self.simulations, self.exploration
        make_search_batch()(levels, states, memory[0], *tree, scratch, states[0].copy(), *numbers, actions)
        return actions

    def thoughts(self, observation: npt.NDArray[Any], state: State | None, i: int = 0) -> Thoughts:
        """How often each action was tried; only for a single environment, since a batch shares one tree."""
        if state is None or len(state[0]) > 1:
            return Thoughts()
        return Thoughts(probabilities=shares(self._visits[0]), figures={"simulations": f"{self.simulations:,}"})


@routine
def worth_trying(level, state, action):
    """Whether the action moves the mouse, or is the first of those that wait."""
    if legal(level, state, action):
        return True
    for other in range(action):  # noqa: SIM110 - compiled
        if not legal(level, state, other):
            return False
    return True


@routine
def select(level, state, visits, totals, exploration):
    """Select the action of a simulation, in a state where one was tried."""
    total, tried = 0, 0
    for action in range(ACTIONS):
        total += visits[action]
        tried += visits[action] > 0
    best, most = 0, -math.inf
    for action in range(ACTIONS):
        if worth_trying(level, state, action):
            if visits[action] == 0:
                if total >= PATIENCE * tried:
                    return action
                continue
            value = upper_bound(totals[action] / visits[action], exploration_bonus(exploration, total), visits[action])
            if value > most:
                best, most = action, value
    return best


@routine
def safe(level, state, square):
    """Whether no cat is on the square or next to it."""
    if cat_on(level, state, square):
        return False
    for side in range(ACTIONS):
        if (level[CELLS + square] >> side) & 1 and cat_on(level, state, neighbour(level, square, side)):
            return False
    return True


@routine
def careful(level, state, rng, steps):
    """Return a step nearer to the exit if it is safe; else wait if that is safe; else any safe side; else any."""
    here = state[MOUSE]
    side = nearer(level, steps, here)
    there = neighbour(level, here, side)
    if there == level[EXIT] or safe(level, state, there):
        return side
    staying = safe(level, state, here)
    side = below(rng, ACTIONS)
    for turn in range(ACTIONS):
        action = (side + turn) % ACTIONS
        if legal(level, state, action):
            if not staying and safe(level, state, neighbour(level, here, action)):
                return action
        elif staying:
            return action
    return side


@routine
def roll_out(level, state, rng, steps, left):
    """Play on from a state, in place; returns the return, with an estimate if it is cut off."""
    paid = 0.0
    for _ in range(left):
        action = careful(level, state, rng, steps)
        reward, ended = step(level, state, action, rng)
        paid += reward
        if ended:
            return paid
    return paid + PRIZE + EACH_STEP * steps[state[MOUSE]]


@routine
def simulate(level, state, rng, nodes, visits, totals, way, steps, exploration):
    """One simulation from the root, in place, and its backup."""
    node, depth, paid, ended = 0, 0, 0.0, False
    while depth < DEEPEST:
        if visits[node].any():
            action = select(level, state, visits[node], totals[node], exploration)
        else:
            action = careful(level, state, rng, steps)
        way[depth, 0], way[depth, 1] = node, action
        depth += 1
        reward, ended = step(level, state, action, rng)
        paid += reward
        if ended:
            break
        node, fresh = find_or_add(nodes, state)
        if fresh:
            visits[node] = 0
            totals[node] = 0.0
            break
    if not ended:
        paid += roll_out(level, state, rng, steps, DEEPEST - depth)
    for place in range(depth):
        visits[way[place, 0], way[place, 1]] += 1
        totals[way[place, 0], way[place, 1]] += paid - EACH_STEP * place


@functools.cache
def make_search_batch() -> Callable[..., None]:
    """``search_batch(levels, states, random_bits, nodes, visits, totals, way, scratch, …, actions)``, compiled once."""

    def search_batch(
        levels, states, random_bits, nodes, visits, totals, way, scratch, here, simulations, exploration, actions
    ):
        levels, states, random_bits, nodes = borrowed(levels), borrowed(states), borrowed(random_bits), borrowed(nodes)
        visits, totals, way, scratch = borrowed(visits), borrowed(totals), borrowed(way), borrowed(scratch)
        steps, here = scratch[0], borrowed(here)
        for i in range(levels.shape[0]):
            level, rng = levels[i], random_bits[i : i + 1]
            actions[i] = 0
            if outcome(level, states[i]) != UNFINISHED:
                continue
            steps_to_exit(level, steps, scratch[1])
            nodes.table[:] = EMPTY
            nodes.used[0] = 0
            find_or_add(nodes, states[i])
            visits[0] = 0
            totals[0] = 0.0
            for _ in range(simulations):
                copy_row(states[i], here)
                simulate(level, here, rng, nodes, visits, totals, way, steps, exploration)
            for action in range(1, ACTIONS):
                if visits[0, action] > visits[0, actions[i]]:
                    actions[i] = action

    return compiled(search_batch, "cat-mouse-uct")
