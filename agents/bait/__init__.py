"""Searches, heuristics, agents and the level generator of Bait."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from gridpuzzles_gym.engine.puzzle import Level
from gridpuzzles_gym.puzzles.bait.rules import AVATAR, GOAL_WORTH

from ..orientations import first_orientation
from ..policy import Policy
from ..puzzle_agents import Advisor, AgentEntry, LevelFlag, LevelMaker, Preset, PuzzleAgents, PuzzleTasks
from ..search.heuristic import Heuristic
from ..search.search import Search

__all__ = ["PUZZLE_AGENTS", "heuristics", "sampler", "searches"]


ORIGINAL_AGENTS: Mapping[str, Mapping[str, Any]] = {
    "original-depth-first": {"search": "depth-first", "heuristic": "original-walk", "nodes": 200_000},
    "original-depth-limited": {"search": "depth-limited", "heuristic": "original-walk", "nodes": 20_000, "depth": 30},
    "original-astar": {"search": "astar", "heuristic": "original-boxes", "nodes": 200_000},
    "original-mcts": {
        "search": "mcts",
        "heuristic": "original-walk",
        "nodes": 100_000,
        "simulations": 1_000,
        "rollout": "random",
        "rollout_depth": 20,
    },
}
"""The agents of the original program: one search each, cut short by a budget of expanded states per decision.

Each plans from what it sees, plays the plan, or if the budget ran out the path to the best state found, and decides
again. The originals had a time limit; states make games reproducible.
"""


def _original(name: str) -> Callable[[Any, int], Policy]:
    def make(env: Any, seed: int) -> Policy:
        from ..search.problem import Limits
        from ..search_agent import SearchAgent

        settings = dict(ORIGINAL_AGENTS[name])
        search, heuristic = settings.pop("search"), settings.pop("heuristic")
        limits = Limits(settings.pop("nodes"), settings.pop("depth", None))
        return SearchAgent.for_env(env, search, heuristic, limits, seed, **settings)

    return make


def _searches() -> Mapping[str, Search]:
    from .searches import SEARCHES

    return SEARCHES


def _heuristics() -> Mapping[str, Heuristic]:
    from .heuristics import HEURISTICS

    return HEURISTICS


def _level_maker() -> LevelMaker:
    from .sampler import BaitSampler

    flags = (LevelFlag("difficulty", "difficulty of the levels.", str, "easy|medium|hard|N"),)
    return LevelMaker(BaitSampler, tuple(inspect.signature(BaitSampler).parameters), flags=flags)


def _level_key(level: Level) -> bytes:
    return first_orientation(level.content)


_PLANS: dict[str, dict[str, Any]] = {
    "easy": {"levels": {"size": 7, "difficulty": 1}, "least_length": 4, "most_length": 14},
    "medium": {"levels": {"size": 8, "difficulty": 2}, "least_length": 12, "most_length": 32},
    "hard": {"levels": {"size": 10, "difficulty": 3}, "least_length": 24, "most_length": 80},
}
_SOLVABLE: dict[str, dict[str, Any]] = {
    "easy": {"levels": {"size": 7, "difficulty": 1}, "changes": (1, 3)},
    "medium": {"levels": {"size": 8, "difficulty": 2}, "changes": (1, 4), "least_expanded": 3},
    "hard": {"levels": {"size": 9, "difficulty": 3}, "changes": (2, 6), "least_expanded": 10},
}


def _tasks() -> PuzzleTasks:
    plans = {"plan": _PLANS, "best-action": _PLANS, "solvable": _SOLVABLE}
    return PuzzleTasks({"Bait-v0": plans}, counted="01k%*g")


PUZZLE_AGENTS = PuzzleAgents(
    reward_schemes={"gvgai": (0.0, GOAL_WORTH)},
    player="avatar",
    tasks=_tasks,
    symmetric=True,
    agents=(
        AgentEntry(
            "original-depth-first",
            "depth-first with a list of visited states, at most 200,000 per decision",
            _original("original-depth-first"),
        ),
        AgentEntry(
            "original-depth-limited",
            "depth-first to 30 steps, at most 20,000 states per decision; goes where key and goal are nearest",
            _original("original-depth-limited"),
        ),
        AgentEntry(
            "original-astar",
            "A* by the distances of boxes from holes, at most 200,000 states per decision",
            _original("original-astar"),
        ),
        AgentEntry(
            "original-mcts",
            "UCT with random rollouts of 20 steps, 100,000 simulated steps per decision",
            _original("original-mcts"),
        ),
    ),
    searches=_searches,
    heuristics=_heuristics,
    # The heuristic recognizes lost positions; where boxes have to wait for each other, plain speed is better.
    advisors=(
        Advisor("greedy", share=0.15),
        Advisor("breadth-first", heuristic="zero", share=0.65),
        Advisor("greedy", heuristic="zero"),
    ),
    teachers=(
        Advisor("uniform-cost", heuristic="zero", parameters={"nodes": 5_000}),
        Advisor("greedy", parameters={"nodes": 2_000}),
    ),
    # Where the heuristic does not help, breadth-first search expands a hundred times as many states a second.
    optimal_searches=(Advisor("astar", share=0.02), Advisor("breadth-first", heuristic="zero")),
    walker=AVATAR,
    level_maker=_level_maker,
    level_key=_level_key,
    generator_values={"size": (9, 7, 8, 10, 11, 12), "difficulty": ("easy", "medium", "hard")},
    difficulties={name: {"difficulty": name} for name in ("easy", "medium", "hard")},
    stages=({"difficulty": "easy"}, {"difficulty": "medium"}, {"difficulty": "hard"}),
    # GVGAI's score rewards the first filled hole, long before a goal is reached by chance. Death and steps cost
    # nothing; the discount rewards speed. By chance a lesson is never won, so episodes begin on the way to its end.
    # A small network, for boards of a hundred squares.
    presets={
        "Bait-v0": Preset(
            learner={
                "algorithm": "maskable-ppo",
                "total_steps": 4_000_000,
                "num_envs": 256,
                "n_steps": 32,
                "batch_size": 2048,
                "gamma": 0.99,
                "reward_scale": 0.4,
                "network": "egocentric",
                "hidden": 128,
                "sampler": "backwards:step=5,uniform=0.2",
                "threads": 1,
            },
            environment={"reward": "gvgai", "max_episode_steps": 400},
            unless=(),
            taught={
                "phases": "clone=0.05,dagger=0.45,ppo=0.5",
                "total_steps": 100_000_000,
                "minutes": 28.0,
                "num_envs": 128,
                "gamma": 0.97,
                "cloning_epochs": 2,
                "kept_states": 300_000,
                "learning_rate": 5e-4,
                "final_learning_rate": 3e-5,
                "entropy": 0.01,
                "final_entropy": 1e-3,
                "turned": True,
                "hidden": 256,
                "depth": 2,
            },
        ),
    },
)
