"""Searches and heuristics of sliding tiles."""

from collections.abc import Mapping
from typing import Any

from ..policy import Policy
from ..puzzle_agents import Advisor, AgentEntry, Preset, PuzzleAgents, PuzzleTasks
from ..search.heuristic import Heuristic
from ..search.search import Search

__all__ = ["PUZZLE_AGENTS", "distances", "heuristics", "ida_star"]


def _searches() -> Mapping[str, Search]:
    from .ida_star import SEARCHES

    return SEARCHES


def _heuristics() -> Mapping[str, Heuristic]:
    from .heuristics import HEURISTICS

    return HEURISTICS


def _distances(env: Any, seed: int) -> Policy:
    from .distances import DistanceTable

    return DistanceTable(env)


def _tasks() -> PuzzleTasks:
    from .tasks import TASKS

    return TASKS


PUZZLE_AGENTS = PuzzleAgents(
    player="blank",
    tasks=_tasks,
    searches=_searches,
    heuristics=_heuristics,
    advisors=(Advisor("tile-ida-star", share=0.4), Advisor("weighted-astar", parameters={"weight": 3.0})),
    tutors=(AgentEntry("distances", "all shortest solutions of boards of up to 9 squares", _distances),),
    teachers=(
        Advisor("distances"),
        Advisor("weighted-astar", heuristic="pdb-5-5-5", parameters={"weight": 1.5, "nodes": 100_000}),
        Advisor("weighted-astar", parameters={"weight": 3.0, "nodes": 1_000_000}),
    ),
    generator_values={
        "size": (3, 4, 5, 6),
        "scramble": (None, 5, 10, 20, 30, 50),
        "goal": ("rows", "blank-first", "spiral"),
    },
    difficulties={"easy": {"scramble": 10}, "medium": {"scramble": 30}, "hard": {"scramble": None}},
    stages=tuple({"scramble": moves} for moves in ((1, 5), (6, 12), (13, 20), (21, 30), (31, 60), (61, 100))),
    # No board is more than 31 moves from the goal, 22 on average. Scrambles of every length lead to the goal from the
    # first update on, and a step limit of 60 wastes less time on failures. Masks exclude moves into a wall. Less
    # entropy than on Wumpus-v0: there is no death, and each needless move is a detour.
    # The teacher of 15 tiles is slow, so its labels are stored and used several times, and at first it plays itself: a
    # plan that is followed has a label for each of its states.
    presets={
        "FifteenPuzzle-v0": Preset(
            learner={"algorithm": "maskable-ppo", "learning_rate": 1e-3, "entropy": 0.01, "final_entropy": 5e-4},
            environment={},
            taught={
                "phases": "clone=0.6,dagger=0.4",
                "total_steps": 100_000_000,
                "minutes": 28.0,
                "num_envs": 64,
                "n_steps": 32,
                "hidden": 384,
                "depth": 2,
                "kept_states": 1_000_000,
            },
        ),
        "EightPuzzle-v0": Preset(
            learner={
                "algorithm": "maskable-ppo",
                "total_steps": 24_000_000,
                "minutes": 10.5,
                "n_steps": 32,
                "batch_size": 512,
                "n_epochs": 1,
                "learning_rate": 1e-3,
                "final_learning_rate": 5e-5,
                "entropy": 0.01,
                "final_entropy": 5e-4,
                "gamma": 0.97,
            },
            environment={"scramble": [1, 100], "max_episode_steps": 60},
            taught={
                "phases": "clone=0.1,dagger=0.6,ppo=0.3",  # the last phase shortens detours
                "learning_rate": 2e-4,
                "minutes": 15.0,
                "total_steps": 100_000_000,
                "num_envs": 256,
                "hidden": 384,
                "depth": 2,
            },
        ),
    },
)
