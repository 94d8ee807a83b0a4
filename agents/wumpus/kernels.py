"""The agents of the Wumpus World as kernels: they read percepts, and begin where the caves of their environment do."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..agent_kernels import AgentKernels, KernelMaker, blank, caller_arrays, constants_of
from . import belief, decision, expectation, marks, recollection
from .bayesian import Bayesian
from .cave_agent import CaveAgent
from .online_search import OnlineSearch


def _shared(agent: CaveAgent) -> dict[str, Any]:
    """Return the arrays of all of them.

    Raises:
        ValueError: The agent does not know where episodes begin.
    """
    if agent.start is None:
        raise ValueError("the agent reads the start square from planes; as a kernel it needs it beforehand")
    return {**caller_arrays(), "percepts": blank(1, 5, dtype=np.int8), "starts": np.array([agent.start], np.int16)}


def _online_search(agent: OnlineSearch) -> AgentKernels:
    memory = blank(1, marks.MARKS + 2 * agent.height * agent.width)
    arrays = {"settings": agent.settings, "memory": memory, "random_bits": blank(1, dtype=np.uint64)}
    kernels = (decision.make_decide_batch(),)
    return AgentKernels("percepts", "percepts", kernels, {**_shared(agent), **arrays}, constants_of(marks))


def _bayesian(agent: Bayesian) -> AgentKernels:
    squares = agent.height * agent.width
    arrays = {
        "settings": agent.settings,
        "chance": np.float64(agent.pit_probability),
        "known": blank(1, squares),
        "memory": blank(1, recollection.CELLS + squares),
        "beliefs": blank(1, 4, squares, dtype=np.float64),
    }
    kernels, constants = (expectation.make_decide_batch(),), constants_of(belief, expectation, recollection)
    return AgentKernels("percepts", "percepts", kernels, {**_shared(agent), **arrays}, constants)


KERNELS: Mapping[str, KernelMaker] = {
    "online-search": KernelMaker("percepts", _online_search),
    "online-search-sound": KernelMaker("percepts", _online_search),
    "online-search-careful": KernelMaker("percepts", _online_search),
    "bayesian": KernelMaker("percepts", _bayesian),
}
"""The agents by name."""
