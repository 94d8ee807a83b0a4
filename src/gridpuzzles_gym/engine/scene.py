"""A scene: everything that a picture of a state shows."""

import dataclasses
from collections.abc import Callable, Hashable, Mapping
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Row = npt.NDArray[np.int16]
"""A level row ``int16[L]`` or a state row ``int16[S]``."""


@dataclasses.dataclass(frozen=True)
class Scene:
    """Everything that is needed to draw a state of an episode."""

    level: Row
    state: Row
    options: Any
    score: float = 0.0
    """The sum of rewards of this episode so far."""
    steps: int = 0
    """Actions taken in this episode so far."""
    action: int | None = None
    """The last action; None before the first."""
    before: Row | None = None
    """The state before that action, if known."""
    start: Row | None = None
    """The state at the start of the level, if known: not of generated instances."""
    title: str = ""
    """The level's name, if it has one."""
    notes: Mapping[tuple[int, int], str] = dataclasses.field(default_factory=dict)
    """Short texts to show on squares (row, column), e.g. an agent's estimates."""
    metrics: Mapping[str, int] = dataclasses.field(default_factory=dict)
    """The metrics of the episode so far, by name; empty outside an episode."""
    phase: float = 1.0
    """How far the last movement has got, from 0 (``before``) to 1 (``state``)."""

    @property
    def moving(self) -> bool:
        """Whether the scene shows a moment between ``before`` and ``state``."""
        return self.before is not None and self.phase < 1


class DrawnPuzzle(Hashable, Protocol):
    """What pictures need of a :class:`~gridpuzzles_gym.engine.puzzle.Puzzle`."""

    @property
    def title(self) -> str:
        """Its name as shown to users."""

    @property
    def module(self) -> str:
        """The dotted name of its package."""

    @property
    def picture(self) -> Any:
        """Its looks, a :class:`.Picture`; None if it has none."""

    @property
    def status(self) -> Any:
        """What is said next to its board, a :class:`.Status`."""

    @property
    def actions(self) -> Callable[[Any], tuple[str, ...]]:
        """``actions(options)``: the name of each action."""

    @property
    def check(self) -> Callable[[Row, Row, Any], tuple[int, ...]]:
        """``check(level, state, options)``: the extent of the two rows."""
