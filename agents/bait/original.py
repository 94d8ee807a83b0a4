"""The four agents of the original program: one search each, cut short by a budget per decision.

Each plans from what it sees, plays the plan, or if the budget ran out the path to the best state found,
and decides again. The budgets here are states expanded, so that games are reproducible; the originals had a time limit,
which is ``make(env, limits=Limits(seconds=0.04))``.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

from ..search.problem import Limits
from ..search_agent import SearchAgent


@dataclasses.dataclass(frozen=True)
class OriginalAgent:
    """One entry of :data:`ORIGINAL_AGENTS`."""

    name: str
    """Its name on the command line."""
    description: str
    """One-line description for users."""
    search: str
    heuristic: str
    limits: Limits
    """Limits of one decision."""
    parameters: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Parameters of the search."""

    def make(self, env: Any, seed: int = 0, limits: Limits | None = None) -> SearchAgent:
        """Return the agent for one of the suite's environments of Bait.

        Args:
            env: Single or vector, wrapped or not.
            seed: Random seed.
            limits: Limits of one decision, instead of the default.
        """
        return SearchAgent.for_env(env, self.search, self.heuristic, limits or self.limits, seed, **self.parameters)


ORIGINAL_AGENTS: dict[str, OriginalAgent] = {
    agent.name: agent
    for agent in (
        OriginalAgent(
            "original-depth-first",
            "depth-first with a list of visited states, 200,000 per decision",
            "depth-first",
            "original-walk",
            Limits(nodes=200_000),
        ),
        OriginalAgent(
            "original-depth-limited",
            "depth-first to 30 steps, 20,000 states per decision; goes where key and goal are nearest",
            "depth-limited",
            "original-walk",
            Limits(nodes=20_000, depth=30),
        ),
        OriginalAgent(
            "original-astar",
            "A* by the distances of boxes from holes, 200,000 states per decision",
            "astar",
            "original-boxes",
            Limits(nodes=200_000),
        ),
        OriginalAgent(
            "original-mcts",
            "UCT with random rollouts of 20 steps, 100,000 simulated steps per decision",
            "mcts",
            "original-walk",
            Limits(nodes=100_000),
            {"simulations": 1_000, "rollout": "random", "rollout_depth": 20},
        ),
    )
}
"""The original agents by name."""
