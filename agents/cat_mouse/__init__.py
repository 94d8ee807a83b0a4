"""Agents of Cat and Mouse."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gridpuzzles_gym.engine.scene import Row

from ..policy import Policy
from ..puzzle_agents import Advisor, AgentEntry, Preset, PuzzleAgents, PuzzleTasks

if TYPE_CHECKING:
    from ..agent_kernels import KernelMaker

__all__ = ["PUZZLE_AGENTS", "optimal", "shortest_path", "uct", "wall_follower"]


def _wall_follower(hand: str) -> Callable[[Any, int], Policy]:
    def make(env: Any, seed: int) -> Policy:
        from .wall_follower import WallFollower

        return WallFollower(env, hand)

    return make


def _shortest_path(env: Any, seed: int) -> Policy:
    from .shortest_path import ShortestPath

    return ShortestPath(env)


def _uct(env: Any, seed: int) -> Policy:
    from .uct import Uct

    return Uct(env, seed)


def _value_iteration(env: Any, seed: int) -> Policy:
    from .optimal import Optimal

    return Optimal(env)


def _kernels() -> Mapping[str, "KernelMaker"]:
    from .kernels import KERNELS

    return KERNELS


def _shortest_plan() -> Callable[[Row, Row], Sequence[int] | None]:
    from .shortest_path import shortest_plan

    return shortest_plan


def _tasks() -> PuzzleTasks:
    from .optimal import TASKS

    return TASKS


PUZZLE_AGENTS = PuzzleAgents(
    shortest_plan=_shortest_plan,
    tasks=_tasks,
    player="mouse",
    symmetric=True,
    agents=(
        AgentEntry(
            "wall-follower",
            "follows the wall with its right hand; flees from a cat in its way, and comes back",
            _wall_follower("right"),
            "planes",
        ),
        AgentEntry("wall-follower-left", "the same with its left hand on the wall", _wall_follower("left"), "planes"),
        AgentEntry("shortest-path", "takes a shortest path to the exit, ignoring the cats", _shortest_path, "planes"),
        AgentEntry("uct", "Monte-Carlo tree search that samples the cats' steps", _uct, "planes"),
        AgentEntry("value-iteration", "optimal: solves the maze exactly", _value_iteration, "planes"),
    ),
    advisors=(Advisor("value-iteration"), Advisor("uct")),  # large mazes with several cats have too many states
    teachers=(Advisor("value-iteration"), Advisor("uct")),
    kernels=_kernels,
    generated_with={"maze": "random"},
    generator_values={"size": (11, 7, 9, 13, 15), "loops": (None, 0, 2, 4, 8), "cats": (1, 0, 2, 3)},
    difficulties={
        "easy": {"loops": 8, "cats": 1},
        "medium": {"loops": None, "cats": 1},
        "hard": {"loops": 0, "cats": 2},
    },
    stages=({"cats": 0}, {"cats": 1}, {"cats": 2}),
    # From the level's own start PPO would learn to hide: hardly any random walk gets past the cat. Starting anywhere in
    # the maze, it learns the path from the exit backwards; hiding wastes 60 steps, not 200. Most entries of the planes
    # never change, so they are centred. The discount is high enough to wait for the cat to go away. No masks: walking
    # into a wall is how to wait.
    presets={
        "CatMouse-v0": Preset(
            learner={
                "total_steps": 20_000_000,
                "num_envs": 128,
                "batch_size": 1024,
                "n_epochs": 4,
                "learning_rate": 1e-3,
                "final_learning_rate": 3e-5,
                "entropy": 0.05,
                "final_entropy": 3e-4,
                "gamma": 0.995,
                "hidden": 128,
                "centred": True,
                "threads": 1,
            },
            environment={"levels": "anywhere", "max_episode_steps": 60},
            unless=("levels", "maze"),
            taught={"phases": "clone=0.1,dagger=0.9", "minutes": 8.0, "total_steps": 100_000_000, "n_steps": 32},
        ),
    },
)
