"""The four agents of the program that this one grew from: a search each, cut short by a budget for one decision.

Each plans from what it sees, plays the plan, or where the budget ended first the path to the best state that it met,
and decides again. The budgets here are states expanded, so that games can be repeated; the originals had time, which
is ``make(env, limits=Limits(seconds=0.04))``.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

from ..search.problem import Limits
from ..search_agent import SearchAgent


@dataclasses.dataclass(frozen=True)
class OriginalAgent:
    """One row of :data:`ORIGINAL_AGENTS`."""

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


ORIGINAL_AGENTS: dict[str, OriginalAgent] = {
    agent.name: agent
    for agent in (
        OriginalAgent(
            "original-depth-first",
            "depth-first with a list of the states visited, 200,000 of them a decision",
            "depth-first",
            "original-walk",
            Limits(nodes=200_000),
        ),
        OriginalAgent(
            "original-depth-limited",
            "depth-first to 30 steps, 20,000 states a decision; on to where the key and the goal are nearest",
            "depth-limited",
            "original-walk",
            Limits(nodes=20_000, depth=30),
        ),
        OriginalAgent(
            "original-astar",
            "A* by the distances of boxes from holes, 200,000 states a decision",
            "astar",
            "original-boxes",
            Limits(nodes=200_000),
        ),
        OriginalAgent(
            "original-mcts",
            "UCT with random roll-outs of 20 steps, 100,000 steps simulated a decision",
            "mcts",
            "original-walk",
            Limits(nodes=100_000),
            {"simulations": 1_000, "rollout": "random", "rollout_depth": 20},
        ),
    )
}
"""The original agents by name."""
