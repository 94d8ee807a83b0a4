"""What a search is given, and what it answers: a problem, limits, a result.

Nothing here knows how to search; read this file first, then :mod:`.running`.
"""

import dataclasses
import reprlib
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.puzzle import DIED, SOLVED, Puzzle, Row
from gridpuzzles_gym.engine.rows import as_row

# How a search ended: `Result.status`.
FOUND, EXHAUSTED, STUCK, LIMIT, INTERRUPTED = "solved", "exhausted", "stuck", "limit", "interrupted"

MOST = 10**15
"""The highest limit that can be set: bytes, states or seconds."""


@dataclasses.dataclass(frozen=True, eq=False)
class Problem:
    """One instance to solve: the shortest way from a state to a solved one.

    Raises:
        ValueError: The rows are not of a state of the puzzle, its transitions are not deterministic, or the costs are
            bad.
    """

    puzzle: Puzzle
    """Whose rules; they must be deterministic."""
    level: Row
    """int16[L]"""
    state: Row
    """int16[S], where the plan starts."""
    options: Any
    """The puzzle's own options."""
    costs: npt.NDArray[np.int64] = dataclasses.field(default_factory=lambda: np.empty(0, np.int64))
    """int64[A], what each action costs, at least 1; left out, every action costs 1."""

    def __post_init__(self) -> None:
        if not self.puzzle.deterministic:
            raise ValueError(f"{self.puzzle.title} is not deterministic: no plan can promise where it leads")
        costs = np.array(self.costs, np.int64).reshape(-1)
        names = self.puzzle.actions(self.options)
        if not costs.size:
            costs = np.ones(len(names), np.int64)
        if len(costs) != len(names) or costs.min() < 1 or costs.max() > 1_000_000:
            raise ValueError(f"costs={costs.tolist()}: {len(names)} integers from 1 to 1,000,000 are needed")
        object.__setattr__(self, "costs", costs)
        for name in "level", "state":
            object.__setattr__(self, name, as_row(getattr(self, name)))
        self.puzzle.check_rows(self.level, self.state, self.options)

    @classmethod
    def of(cls, env: Any, i: int = 0, costs: Sequence[int] = ()) -> Self:
        """What is to be solved from where an environment of the suite stands now.

        Args:
            env: A single or vector environment, wrapped or not.
            i: Which one of a vector environment.
            costs: What each action costs; left out, every action costs 1.

        Raises:
            gymnasium.error.ResetNeeded: The environment was not reset yet.
            ValueError: Its transitions are not deterministic, or the costs are bad.
        """
        inner = env.unwrapped
        scene = inner.batch.scene(i)
        return cls(inner.puzzle, scene.level, scene.state, inner.options, np.array(costs, np.int64))

    @property
    def solved(self) -> bool:
        """Is there nothing left to do?"""
        return bool(self.puzzle.rules.outcome(self.level, self.state) == SOLVED)

    def replay(self, plan: Sequence[int]) -> list[Row]:
        """The states that a plan leads through, the first one included.

        Raises:
            ValueError: An action of the plan does nothing, or comes after the end.
        """
        rules, states = self.puzzle.rules, [self.state.copy()]
        for number, action in enumerate(plan):
            outcome = rules.outcome(self.level, states[-1])
            if (number and outcome == SOLVED) or outcome == DIED or not rules.legal(self.level, states[-1], action):
                raise ValueError(f"action {number} of the plan, {action}, cannot be played")
            states.append(states[-1].copy())
            rules.step(self.level, states[-1], action, np.ones(1, np.uint64))
        return states

    def reaches_goal(self, plan: Sequence[int]) -> bool:
        """Does the plan solve the problem, by the rules themselves?"""
        return bool(self.puzzle.rules.outcome(self.level, self.replay(plan)[-1]) == SOLVED)


@dataclasses.dataclass(frozen=True)
class Limits:
    """When to give up; None is never. A search answers with its best plan so far."""

    nodes: int | None = None
    """States expanded."""
    depth: int | None = None
    """Actions in a plan."""
    seconds: float | None = None
    """Wall-clock time."""
    memory: int | None = None
    """Bytes held by the search."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            real = field.name == "seconds"
            if value is None:
                continue
            if (
                isinstance(value, bool)
                or not isinstance(value, int | np.integer | (float if real else int))
                or not 0 < value <= MOST
            ):
                kind = "number" if real else "integer"
                what = f"a positive {kind} up to {MOST:,} is needed, or None for no limit"
                raise ValueError(f"limit {field.name}={reprlib.repr(value)}: {what}")


@dataclasses.dataclass(frozen=True)
class Result:
    """What a search answers."""

    status: str
    """``"solved"``; ``"exhausted"``: there is no solution; ``"stuck"``: an incomplete search knows no way on, which
    proves nothing; ``"limit"``; ``"interrupted"`` by Ctrl-C."""
    actions: tuple[int, ...]
    """Actions. Unless solved: those that lead to the most promising state met."""
    cost: int
    """The sum of the plan's costs."""
    expanded: int
    """States whose successors were made."""
    generated: int
    """Successors made, duplicates included."""
    reopened: int
    """States expanded again because a cheaper way to them was found."""
    peak_bytes: int
    """The most memory that the search held at one time."""
    seconds: float
    """Wall-clock time, compilation not included."""
    reason: str = ""
    """Which limit ended it: ``"nodes"``, ``"depth"``, ``"seconds"`` or ``"memory"``."""

    @property
    def solved(self) -> bool:
        """Does the plan reach the goal?"""
        return self.status == FOUND
