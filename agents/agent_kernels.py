"""An agent as kernels and arrays: what it needs to play without Python, e.g. compiled for the web.

Many agents here are one or two kernels that read an observation, update arrays, and write an action; the class around
them only makes these arrays. A puzzle's record (:attr:`~.puzzle_agents.PuzzleAgents.kernels`) says which they are.
"""

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numba
import numpy as np
from numba.core import types

from gridpuzzles_gym.engine.compile.compilation import plain

# counts int64[3], what a solver reports of its search: the length of its plan, and the numbers of states expanded
# and generated.
LENGTH, EXPANDED, GENERATED = range(3)


@dataclasses.dataclass(frozen=True)
class AgentKernels:
    """One agent for one environment at a time, a batch of size one."""

    observation: str
    """The observation that it reads: a key of the puzzle's observations."""
    view: str
    """The name of the argument that takes the observation: ``[1, *shape]``; for a shape (C, H, W), ``[1, C, H*W]``."""
    kernels: tuple[Callable[..., Any], ...]
    """Called in this order to choose an action, each with the arrays that have the names of its arguments."""
    arrays: Mapping[str, Any]
    """Each argument by name, as before the first call: an array, a named tuple of arrays, or a NumPy scalar. All that
    changes is the agent's memory. ``starting``, bool[1], is set by the caller at the first call of an
    episode, ``actions``, int64[1], by the kernels; ``random_bits``, uint64[1], if there is one, comes from a seed as
    :func:`~.policy.seed_bits` makes it."""
    constants: Mapping[str, int] = dataclasses.field(default_factory=dict)
    """Places and bits in its memory by name, for showing what it thinks."""

    def functions(self) -> dict[str, Callable[..., Any]]:
        """Return the plain functions of the kernels, by name, in order."""
        functions = [plain(kernel) for kernel in self.kernels]
        return {function.__name__: function for function in functions}

    def parameters(self, function: Callable[..., Any]) -> dict[str, types.Type]:
        """Return the numba type of each argument of one of these functions."""
        return {name: numba.typeof(self.arrays[name]) for name in inspect.signature(function).parameters}


class Solver(NamedTuple):
    """A search as one kernel, which searches to the end."""

    kernel: Callable[..., int]
    """``kernel(level, state, settings, most, plan, counts)`` expands at most ``most`` states, writes the actions to
    ``plan`` (uint8[P], as far as they fit) and fills ``counts`` (int64[3]); returns why it stopped, as search loops do
    (:mod:`.search.loops`)."""
    routine: Callable[..., int]
    """The same for use in other kernels."""
    settings: tuple[int, ...]
    """What distinguishes it from others with the same kernel."""
    weight: int | None = None
    """The place in the settings of the search's parameter ``weight``, if it has one."""


class KernelMaker(NamedTuple):
    """How an agent becomes kernels."""

    observation: str
    """The observation of the environment that the agent must be made for."""
    make: Callable[[Any], AgentKernels]
    """``make(agent)``"""


def constants_of(*modules: Any) -> dict[str, int]:
    """Return the integer constants of some modules by name; of equal names the last one counts."""
    found = {name: value for module in modules for name, value in vars(module).items() if name.isupper()}
    return {name: value for name, value in found.items() if type(value) is int}


def blank(*shape: int, dtype: Any = np.int16) -> Any:
    """Return an array of zeros."""
    return np.zeros(shape, dtype)


def caller_arrays() -> dict[str, Any]:
    """Return the arrays that the caller of every agent's kernels reads and writes."""
    return {"starting": np.ones(1, np.bool_), "actions": np.zeros(1, np.int64)}
