"""The table of agents, and an agent by what people call it: a name in the table, or a trained model's path."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import gymnasium as gym

from gridpuzzles_gym.engine.puzzle import Puzzle

from .bait.seed import SEED_AGENTS
from .policy import Policy
from .search.search import Search
from .search.searches import SEARCHES
from .solving import OWN_SEARCHES, searches_of


@dataclasses.dataclass(frozen=True)
class AgentEntry:
    """One row of :data:`AGENTS`."""

    name: str
    """What the command line calls it."""
    puzzle: str | None
    """The name of the puzzle it plays; None plays all, or all to which its search applies."""
    description: str
    """One line for people."""
    make: Callable[[Any, int], Policy]
    """``make(env, seed)`` with an environment of the suite, single or vector; imports the agent's code. What is
    wrapped around a single one tells its step limit."""
    observation: str | None = None
    """Which ``observation=`` its environment should have; None takes any."""
    search: str | None = None
    """The search it plans with, if it is a search."""
    featured: bool = True
    """Does a comparison include it unless told otherwise?"""

    def plays(self, puzzle: Puzzle) -> bool:
        """Does it play this puzzle?"""
        return self.puzzle in (None, puzzle.name) and (self.search is None or self.search in searches_of(puzzle))


def _random(env: Any, seed: int) -> Policy:
    from .random_agent import RandomAgent

    batch = env.unwrapped.batch
    return RandomAgent(len(batch.action_names), batch.space.shape, seed)


def _online_search(marks: str, risk: bool = True) -> Callable[[Any, int], Policy]:
    def make(env: Any, seed: int) -> Policy:
        from .wumpus.online_search import OnlineSearch

        return OnlineSearch.for_env(env, seed, marks=marks, risk=risk)

    return make


def _bayesian(env: Any, seed: int) -> Policy:
    from .wumpus.bayesian import Bayesian

    return Bayesian.for_env(env)


def _optimal(env: Any, seed: int) -> Policy:
    from .wumpus.optimal import Optimal

    return Optimal.for_env(env)


def _wall_follower(hand: str) -> Callable[[Any, int], Policy]:
    def make(env: Any, seed: int) -> Policy:
        from .cat_mouse.wall_follower import WallFollower

        return WallFollower(env, hand)

    return make


def _shortest_path(env: Any, seed: int) -> Policy:
    from .cat_mouse.shortest_path import ShortestPath

    return ShortestPath(env)


def _uct(env: Any, seed: int) -> Policy:
    from .cat_mouse.uct import Uct

    return Uct(env, seed)


def _value_iteration(env: Any, seed: int) -> Policy:
    from .cat_mouse.optimal import Optimal

    return Optimal(env)


FEATURED = ("greedy", "weighted-astar", "astar", "sokoban", "sokoban-moves", "bait-score")
"""The searches that a comparison includes unless told otherwise: quick ones, that rarely meet a limit."""

PLAYING: dict[str, dict[str, Any]] = {"sokoban": {"improve": "moves"}}
"""Parameters of a search that plays: a move costs as much as a push there, and episodes have an end."""


def _planner(puzzle: str | None, search: Search) -> AgentEntry:
    def make(env: Any, seed: int) -> Policy:
        from .search_agent import SearchAgent

        return SearchAgent.for_env(env, search.name, seed=seed, **PLAYING.get(search.name, {}))

    description = f"plans by {search.name} search: {search.description}"
    return AgentEntry(search.name, puzzle, description, make, search=search.name, featured=search.name in FEATURED)


AGENTS: dict[str, AgentEntry] = {
    entry.name: entry
    for entry in (
        AgentEntry("random", None, "every action equally likely", _random),
        AgentEntry(
            "online-search",
            "wumpus",
            "explores by a map of marks; takes two suspicions for certainty",
            _online_search("seed"),
        ),
        AgentEntry(
            "online-search-sound",
            "wumpus",
            "the same, but certain only of what the percepts prove",
            _online_search("sound"),
        ),
        AgentEntry(
            "online-search-careful",
            "wumpus",
            "sound marks, and never a step onto a square that is not proven safe",
            _online_search("sound", risk=False),
        ),
        AgentEntry(
            "bayesian",
            "wumpus",
            "knows the exact odds of every square, and does what pays by them",
            _bayesian,
        ),
        AgentEntry(
            "optimal",
            "wumpus",
            "the best that is possible in a cave of up to 16 squares; worked out at first use",
            _optimal,
            featured=False,
        ),
        *(AgentEntry(agent.name, "bait", agent.description, agent.make) for agent in SEED_AGENTS.values()),
        AgentEntry(
            "wall-follower",
            "cat_mouse",
            "runs with its right hand on the wall; flees from a cat in its way, and comes back",
            _wall_follower("right"),
            "planes",
        ),
        AgentEntry(
            "wall-follower-left",
            "cat_mouse",
            "the same with its left hand on the wall",
            _wall_follower("left"),
            "planes",
        ),
        AgentEntry(
            "shortest-path",
            "cat_mouse",
            "takes a shortest way to the exit, whatever the cats do",
            _shortest_path,
            "planes",
        ),
        AgentEntry(
            "uct",
            "cat_mouse",
            "Monte-Carlo tree search that samples the cats' steps",
            _uct,
            "planes",
        ),
        AgentEntry(
            "value-iteration",
            "cat_mouse",
            "the best that is possible: solves the maze exactly",
            _value_iteration,
            "planes",
        ),
        *(_planner(None, search) for search in SEARCHES.values()),
        *(_planner(puzzle, search) for puzzle, table in OWN_SEARCHES.items() for search in table.values()),
    )
}
"""Agents that need no training, by name: what tools offer, tests and comparisons run through."""


def make_agent(name: str, env: gym.Env[Any, Any] | gym.vector.VectorEnv[Any, Any, Any], seed: int = 0) -> Policy:
    """The agent of that name, for the puzzle, options and board size of ``env``.

    Args:
        name: A key of :data:`AGENTS`.
        env: One of the suite's environments, single or vector; as `gym.make` gives it, its step limit is known to
            the agent, of one that is unwrapped it is not.
        seed: The seed of its own randomness; environment ``i`` of a batch draws from ``seed + i``.

    Raises:
        ValueError: There is no such agent, or it does not play this puzzle or in this environment.
    """
    puzzle = cast(Any, env.unwrapped).puzzle
    playing, allowed = puzzle.name, agents_of(puzzle)
    if name not in allowed:
        owner = AGENTS[name].puzzle if name in AGENTS else None
        problem = f"plays {owner}, not {playing}" if owner else "does not apply" if name in AGENTS else "is not known"
        raise ValueError(f"agent {name!r} {problem}; for {playing} there are {', '.join(allowed)}")
    return AGENTS[name].make(env, seed)


def agents_of(puzzle: Puzzle, featured: bool = False) -> list[str]:
    """The names of the agents that play a puzzle; only those of a comparison if ``featured``."""
    return [name for name, entry in AGENTS.items() if entry.plays(puzzle) and (entry.featured or not featured)]


def observation_for(agent: str, puzzle: Puzzle) -> str | None:
    """Which ``observation=`` an agent's environment must have; None is the puzzle's default, or any.

    Args:
        agent: A key of the table of agents, a ``model.zip``, or the folder of a run.
        puzzle: The puzzle it is to play.

    Raises:
        ValueError: There is no such agent or model, or it was trained on another puzzle.
    """
    if agent in AGENTS:
        return AGENTS[agent].observation
    if not agent.endswith(".zip") and not Path(agent).exists():
        names = ", ".join(agents_of(puzzle))
        raise ValueError(f"no agent {agent!r} and no such file; {puzzle.title} has {names}, and trained models")
    from .training.model_files import observation_of

    return observation_of(agent, puzzle)


def load_agent(agent: str, env: Any, seed: int = 0, trust_pickle: bool = False) -> Policy:
    """The agent, ready to play ``env`` (made with the observation that :func:`observation_for` tells).

    Args:
        agent: As for :func:`observation_for`.
        env: One of the suite's environments, single or vector.
        seed: Of the agent's own randomness.
        trust_pickle: Load a model that somebody else trained: its file can run any code.

    Raises:
        ValueError: There is no such agent or model, it does not play this environment, or it is a model that this
            user did not train and ``trust_pickle`` is False.
    """
    if agent in AGENTS:
        return make_agent(agent, env, seed)
    from .training.ppo import load_policy

    return load_policy(agent, env, seed, trust_pickle)
