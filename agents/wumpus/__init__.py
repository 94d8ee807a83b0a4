"""Agents of the Wumpus World."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gridpuzzles_gym.engine.scene import Row

from ..policy import Policy
from ..puzzle_agents import Advisor, AgentEntry, Preset, PuzzleAgents, PuzzleTasks

if TYPE_CHECKING:
    from ..agent_kernels import KernelMaker

__all__ = ["PUZZLE_AGENTS", "bayesian", "online_search", "optimal"]


def _online_search(marks: str, risk: bool = True) -> Callable[[Any, int], Policy]:
    def make(env: Any, seed: int) -> Policy:
        from .online_search import OnlineSearch

        return OnlineSearch.for_env(env, seed, marks=marks, risk=risk)

    return make


def _bayesian(env: Any, seed: int) -> Policy:
    from .bayesian import Bayesian

    return Bayesian.for_env(env)


def _optimal(env: Any, seed: int) -> Policy:
    from .optimal import Optimal

    return Optimal.for_env(env)


def _kernels() -> Mapping[str, "KernelMaker"]:
    from ..agent_kernels import KernelMaker
    from . import bayesian, online_search

    searching = KernelMaker("percepts", online_search.as_kernels)
    names = "online-search", "online-search-sound", "online-search-careful"
    return {**dict.fromkeys(names, searching), "bayesian": KernelMaker("percepts", bayesian.as_kernels)}


def _shortest_plan() -> Callable[[Row, Row], Sequence[int] | None]:
    from .tasks import shortest_plan

    return shortest_plan


def _tasks() -> PuzzleTasks:
    from .tasks import TASKS

    return TASKS


PUZZLE_AGENTS = PuzzleAgents(
    shortest_plan=_shortest_plan,
    tasks=_tasks,
    agents=(
        AgentEntry(
            "online-search",
            "explores with a map of marks; treats two suspicions as certainty",
            _online_search("original"),
        ),
        AgentEntry(
            "online-search-sound",
            "the same, but certain only of what the percepts prove",
            _online_search("sound"),
        ),
        AgentEntry(
            "online-search-careful",
            "sound marks, and never enters a square that is not proven safe",
            _online_search("sound", risk=False),
        ),
        AgentEntry("bayesian", "maximises its expected return by exact probabilities", _bayesian),
        AgentEntry(
            "optimal",
            "optimal in caves of up to 16 squares; other sizes than 4×4 are solved at first use",
            _optimal,
            featured=False,
        ),
    ),
    generator_values={"size": (4, 3, 5, 6, 8), "pits": (3, 1, 2, 5, 8)},
    difficulties={"easy": {"pits": 1}, "medium": {"pits": 3}, "hard": {"pits": 5}},
    advisors=(Advisor("bayesian"),),
    teachers=(Advisor("bayesian"),),
    kernels=_kernels,
    # The teacher is nearly optimal, so there is little for PPO to improve.
    presets={
        "Wumpus-v0": Preset(
            # Much entropy until late, and half of the episodes begin in the middle of a won game: a policy that is
            # careful too early never learns which risks are worth taking.
            learner={
                "sampler": "backwards:games=5000,usual=0.5,uniform=1",
                "total_steps": 40_000_000,
                "batch_size": 1024,
                "n_epochs": 1,
                "learning_rate": 1e-3,
                "entropy": 0.2,
                "final_entropy": 5e-3,
                "gamma": 0.99,
            },
            environment={},
            taught={
                "phases": "clone=0.1,dagger=0.9",
                "total_steps": 100_000_000,
                "minutes": 28.0,
                "num_envs": 256,
                "n_steps": 32,
                "depth": 2,
            },
        ),
    },
)
