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

__all__ = ["PUZZLE_AGENTS", "heuristics", "original", "sampler", "searches"]


def _original(name: str) -> Callable[[Any, int], Policy]:
    def make(env: Any, seed: int) -> Policy:
        from .original import ORIGINAL_AGENTS

        return ORIGINAL_AGENTS[name].make(env, seed)

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


def _tasks() -> PuzzleTasks:
    from .tasks import TASKS

    return TASKS


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
    # nothing; the discount rewards speed. A small network, for boards of a hundred squares.
    presets={
        "Bait-v0": Preset(
            learner={
                "algorithm": "maskable-ppo",
                "total_steps": 1_500_000,
                "num_envs": 256,
                "n_steps": 32,
                "batch_size": 2048,
                "n_epochs": 2,
                "entropy": 0.03,
                "final_entropy": 1e-3,
                "gamma": 0.97,
                "reward_scale": 0.4,
                "hidden": 128,
                "threads": 1,
            },
            environment={"reward": "gvgai", "max_episode_steps": 100},
            unless=(),
            taught={
                "phases": "clone=0.05,dagger=0.45,ppo=0.5",
                "total_steps": 100_000_000,
                "minutes": 28.0,
                "num_envs": 128,
                "n_epochs": 3,
                "cloning_epochs": 2,
                "kept_states": 300_000,
                "learning_rate": 5e-4,
                "final_learning_rate": 3e-5,
                "entropy": 0.01,
                "turned": True,
                "network": "egocentric",
                "hidden": 256,
                "depth": 2,
            },
        ),
    },
)
