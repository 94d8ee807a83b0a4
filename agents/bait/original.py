"""The four agents of the program that this one grew from: a search each, cut short by a budget for one decision.

Each plans from what it sees, plays the plan, or where the budget ended first the path to the best state that it met,
and decides again. The budgets here are states expanded, so that games can be repeated; the seed's own was time, which
is ``make(env, limits=Limits(seconds=0.04))``.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

from ..search.problem import Limits
from ..search_agent import SearchAgent


@dataclasses.dataclass(frozen=True)
class SeedAgent:
    """One row of :data:`SEED_AGENTS`."""

    name: str
    """What the command line calls it."""
    description: str
    """One line for people."""
    search: str
    heuristic: str
    limits: Limits
    """Of one decision."""
    parameters: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Of the search."""

    def make(self, env: Any, seed: int = 0, limits: Limits | None = None) -> SearchAgent:
        """The agent for one of the suite's environments of Bait.

        Args:
            env: Single or vector, wrapped or not.
            seed: Of its random choices.
            limits: Of one decision, instead of its own.
        """
        return SearchAgent.for_env(env, self.search, self.heuristic, limits or self.limits, seed, **self.parameters)


SEED_AGENTS: dict[str, SeedAgent] = {
    agent.name: agent
    for agent in (
        SeedAgent(
            "seed-depth-first",
            "depth-first with a list of the states visited, 200,000 of them a decision",
            "depth-first",
            "seed-walk",
            Limits(nodes=200_000),
        ),
        SeedAgent(
            "seed-depth-limited",
            "depth-first to 30 steps, 20,000 states a decision; on to where the key and the goal are nearest",
            "depth-limited",
            "seed-walk",
            Limits(nodes=20_000, depth=30),
        ),
        SeedAgent(
            "seed-astar",
            "A* by the distances of boxes from holes, 200,000 states a decision",
            "astar",
            "seed-boxes",
            Limits(nodes=200_000),
        ),
        SeedAgent(
            "seed-mcts",
            "UCT with random roll-outs of 20 steps, 100,000 steps simulated a decision",
            "mcts",
            "seed-walk",
            Limits(nodes=100_000),
            {"simulations": 1_000, "rollout": "random", "rollout_depth": 20},
        ),
    )
}
"""The seed's agents by name."""
