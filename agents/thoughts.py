"""What an agent thinks: everything about its last decision that it can explain.

An agent that can tell something has the method of :class:`Explaining`; all that it does not know stays empty.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from .policy import State

Square = tuple[int, int]
"""(row, column) of a square, counted from the top left."""


@dataclasses.dataclass(frozen=True)
class Thoughts:
    """What an agent thinks about one observation, and the action it has chosen there."""

    notes: Mapping[Square, str] = dataclasses.field(default_factory=dict)
    """Short texts to show on squares."""
    legend: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """What the notes and the path mean: an example, or a part of them, with its meaning."""
    values: Mapping[Square, float] = dataclasses.field(default_factory=dict)
    """A number for each square, to be shown as colours."""
    values_name: str = ""
    """What these numbers are, e.g. ``"expected return"``."""
    plan: tuple[int, ...] = ()
    """The rest of its plan, beginning with the action it has chosen."""
    path: tuple[Square, ...] = ()
    """The squares where it means to go, beginning with its own; empty if they follow from the plan, or there is none.
    An agent gives them if its plan is no sequence of actions, because chance may decide differently."""
    probabilities: tuple[float, ...] = ()
    """The probability, or the share of its tries, of each action."""
    figures: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Further figures by name, e.g. the number of states that its search has expanded."""


LINE = "line"
"""The word for the path in a legend."""


@runtime_checkable
class Explaining(Protocol):
    """An agent that can tell what it thinks."""

    def thoughts(self, observation: npt.NDArray[Any], state: State | None, i: int = 0) -> Thoughts:
        """What it thinks in environment ``i`` of a batch.

        Args:
            observation: The observation of that environment in the last call of ``predict()``.
            state: The state that the call returned.
            i: The index of the environment in that call.
        """
        ...


def thoughts_of(policy: Any, observation: npt.NDArray[Any], state: State | None, i: int = 0) -> Thoughts:
    """Return what an agent thinks, as :meth:`Explaining.thoughts` does; nothing if it cannot tell."""
    return policy.thoughts(observation, state, i) if isinstance(policy, Explaining) else Thoughts()


def shares(counts: npt.NDArray[Any]) -> tuple[float, ...]:
    """Return counts as shares of their sum; empty if all are 0."""
    total = np.sum(counts)
    return tuple((counts / total).tolist()) if total > 0 else ()
