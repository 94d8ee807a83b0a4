"""Progress as a reward: potential-based shaping by the cost of the cheapest solution, which a solver computes.

The reward of a step from state ``s`` to state ``t`` becomes ``r + weight * (gamma * potential(t) - potential(s))``. The
sum along an episode telescopes: if ``gamma`` is that of the return, every potential leaves the optimal policies
unchanged (A. Ng, D. Harada, S. Russell, "Policy invariance under reward transformations", 1999).

This requires a potential of 0 in every state that ends an episode, whatever the outcome: otherwise the shaped return
would depend on the potential of the last state. A step limit does not end an episode in this sense: the progress of a
truncated episode remains in the sum.
"""

from collections.abc import Callable
from typing import Any

from gridpuzzles_gym.agents.puzzle_agents import agents_record
from gridpuzzles_gym.agents.search.heuristic import DEAD_END, ZERO, Tables
from gridpuzzles_gym.agents.search.problem import Problem
from gridpuzzles_gym.agents.search_tables import heuristic_named

from ..engine.arguments import integer
from ..engine.config import EnvConfig
from ..engine.puzzle import UNFINISHED, Puzzle
from ..engine.scene import Row
from .proofs import cheapest

DEFAULT_NODES = 300_000
"""Default maximum number of states to expand from one state."""
MOST_NODES = 10**12
LOST = 1000.0
"""The cost in unsolvable states if the episode has no step limit."""
DECIMALS = 6
"""Decimals to which potentials are rounded, so that they are the same on all machines."""

_CACHE_SIZE = 100_000
_MOST_TABLES = 256


def shaped(reward: float, before: float, after: float, weight: float = 1.0, gamma: float = 1.0) -> float:
    """Return the shaped reward of a step.

    Args:
        reward: The reward of the step.
        before: The potential of the state before it.
        after: The potential of the state after it; 0 if that state ends the episode by the rules.
        weight: The weight of the shaping.
        gamma: The discount factor of the returns that are to be maximized.
    """
    return reward + weight * (gamma * after - before)


class Potential:
    """The potential of a state: higher when nearer to the goal.

    - In a deterministic puzzle it is minus the length of the shortest solution, as proven by a search. If the search
      reaches its limit, it is minus the estimate of the heuristic, which is at most that length if the heuristic is
      admissible; without a heuristic, the state counts as unsolvable.
    - In Cat and Mouse it is the optimal expected return, found by value iteration: nearly +1000 where the mouse is
      safe. Mazes with too many states are valued as if they had no cats.
    - In the Wumpus World it is minus the number of actions of the shortest plan for a player who sees the whole cave.
      The real player does not, so the shaped rewards reveal more than the observations do; the optimal policies are
      still the same, because the sum along an episode telescopes.

    In unsolvable states it is minus the step limit, or -1000 without one; longer solutions do not lower it further. In
    every state that ends an episode, it is 0.

    It depends on the level and the state only, is the same on every machine, and is cached for many states.

    Args:
        config: The configuration of the environment: ``env.unwrapped.config``.
        nodes: Maximum number of states that the searches from one state expand.

    Raises:
        ValueError: ``nodes`` is not positive, or nothing solves this puzzle.
    """

    def __init__(self, config: EnvConfig, nodes: int = DEFAULT_NODES) -> None:
        puzzle, nodes = config.puzzle, integer("nodes", nodes, 1, MOST_NODES)
        self._arguments = config, nodes
        self._outcome = puzzle.rules.outcome
        self._lost = float(config.limit or LOST)
        self._known: dict[bytes, float] = {}
        record = agents_record(puzzle)
        self._expected: Callable[[Row, Row], float | None] | None = None
        self._cost: Callable[[Row, Row], int | None]
        if record.expected_return is not None:
            self._expected = record.expected_return()
        elif puzzle.deterministic:
            self._cost = _ShortestSolution(puzzle, config.options, nodes)
        elif record.informed_plan is not None:
            plan = record.informed_plan()
            self._cost = lambda level, state: None if (found := plan(level, state)) is None else len(found)
        else:
            raise ValueError(
                f"{puzzle.title} has no potential: its transitions are not deterministic, so that no search applies, "
                "and its record of agents has neither expected_return nor informed_plan"
            )

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy by arguments, without the caches."""
        return Potential, self._arguments

    def __call__(self, level: Row, state: Row) -> float:
        """Return the potential of a state.

        Args:
            level: The level row, int16[L].
            state: The state row, int16[S].
        """
        key = level.tobytes() + state.tobytes()
        found = self._known.get(key)
        if found is None:
            found = self._potential(level, state)
            if len(self._known) >= _CACHE_SIZE:
                self._known.pop(next(iter(self._known)))
            self._known[key] = found
        return found

    def _potential(self, level: Row, state: Row) -> float:
        if self._outcome(level, state) != UNFINISHED:
            return 0.0
        if self._expected is not None:
            expected = self._expected(level, state)
            return -self._lost if expected is None else round(expected, DECIMALS)
        cost = self._cost(level, state)
        return -self._lost if cost is None else -min(float(cost), self._lost)


class _ShortestSolution:
    """The number of actions of the shortest solution of a deterministic puzzle; None if there is none."""

    def __init__(self, puzzle: Puzzle, options: object, nodes: int) -> None:
        self.puzzle, self.options, self.nodes = puzzle, options, nodes
        self.heuristic = heuristic_named(None, puzzle)
        self.estimate = self.heuristic.function()
        self.tables: dict[bytes, Tables] = {}

    def __call__(self, level: Row, state: Row) -> int | None:
        estimate = self._estimate(level, state)
        if estimate == DEAD_END:
            return None
        proof = cheapest(Problem(self.puzzle, level, state, self.options), self.nodes)
        if proof is not None:
            return None if proof.plan is None else len(proof.plan)
        return None if self.heuristic is ZERO else estimate

    def _estimate(self, level: Row, state: Row) -> int:
        """Return the default heuristic's estimate of a state."""
        key = level.tobytes()
        tables = self.tables.get(key)
        if tables is None:
            if len(self.tables) >= _MOST_TABLES:
                self.tables.pop(next(iter(self.tables)))
            tables = self.tables[key] = self.heuristic.prepare(level)
        return int(self.estimate(level, state, tables))
