"""The agents with kernels, which the records of the puzzles list, as modules.

Agents with the same kernels share a module and differ in their arrays: settings, tables, scratch, memory. The
description has the initial arrays; ``site/js/agent.js`` uses them.
"""

import base64
from collections.abc import Iterable, Mapping
from typing import Any

import gymnasium as gym
import numpy as np

from gridpuzzles_gym.agents.agent_kernels import AgentKernels
from gridpuzzles_gym.agents.puzzle_agents import agents_record
from gridpuzzles_gym.agents.registry import agent_entry
from gridpuzzles_gym.engine.puzzle import Puzzle

from .target import Export


def agent_kernels(puzzle: Puzzle, name: str, id: str) -> AgentKernels:
    """Return the kernels of a puzzle's agent for an environment."""
    observation, kernels = agents_record(puzzle).kernels()[name]
    env: Any = gym.make(id, observation=observation)
    try:
        return kernels(agent_entry(name, puzzle).make(env, 0))
    finally:
        env.close()


def exports(kernels: AgentKernels) -> list[Export]:
    """Return the exports of an agent's module."""
    functions = kernels.functions().items()
    return [Export(name, function, kernels.parameters(function)) for name, function in functions]


def describe(agents: Mapping[str, Mapping[str, AgentKernels]], shared: Iterable[Export]) -> dict[str, Any]:
    """Return the description of a module, for JSON.

    Args:
        agents: The kernels by the agent's name and the environment's id.
        shared: The exports of the module.
    """
    return {
        "exports": {export.name: export.describe() for export in shared},
        "agents": {
            name: {id: _describe_agent(kernels) for id, kernels in by_id.items()} for name, by_id in agents.items()
        },
    }


def _describe_agent(kernels: AgentKernels) -> dict[str, Any]:
    arrays: dict[str, Any] = {}
    for name, value in kernels.arrays.items():
        fields = (
            {f"{name}.{field}": part for field, part in value._asdict().items()} if hasattr(value, "_asdict") else {}
        )
        arrays |= fields or {name: value}
    return {
        "observation": kernels.observation,
        "view": kernels.view,
        "kernels": list(kernels.functions()),
        "constants": dict(kernels.constants),
        "arrays": {name: _describe_array(np.asarray(array)) for name, array in arrays.items()},
    }


def _describe_array(array: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Return an array's dtype and shape, and its bytes unless all are 0."""
    described = {"dtype": array.dtype.name, "shape": list(array.shape)}
    if array.any():
        described["values"] = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    return described
