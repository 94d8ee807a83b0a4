"""The input and output of a search: a problem, limits, a result, and what it reports while it runs.

Nothing here depends on an algorithm; read this file first, then :mod:`.running`.
"""

import contextlib
import dataclasses
import reprlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.status import Status

from gridpuzzles_gym.engine.board.checking import as_row
from gridpuzzles_gym.engine.puzzle import DIED, SOLVED, Level, Puzzle
from gridpuzzles_gym.engine.scene import Row, Scene

# How a search ended: values of `Result.status`.
FOUND, EXHAUSTED, STUCK, LIMIT, INTERRUPTED = "solved", "exhausted", "stuck", "limit", "interrupted"

MOST = 10**15
"""The maximum of any limit: bytes, states or seconds."""


@dataclasses.dataclass(frozen=True, eq=False)
class Problem:
    """One instance to solve: find the cheapest path from a state to a solved one.

    Raises:
        ValueError: The rows are not a valid state of the puzzle, its transitions are not deterministic, or the costs
            are invalid.
    """

    puzzle: Puzzle
    """The puzzle, whose transitions must be deterministic."""
    level: Row
    """int16[L]"""
    state: Row
    """int16[S], the start state."""
    options: Any
    """The puzzle's own options."""
    costs: npt.NDArray[np.int64] = dataclasses.field(default_factory=lambda: np.empty(0, np.int64))
    """int64[A], the cost of each action, at least 1; by default every action costs 1."""

    def __post_init__(self) -> None:
        if not self.puzzle.deterministic:
            raise ValueError(
                f"{self.puzzle.title} is not deterministic: searches need deterministic transitions, but agents play it"
            )
        costs = np.array(self.costs, np.int64).reshape(-1)
        names = self.puzzle.actions(self.options)
        if not costs.size:
            costs = np.ones(len(names), np.int64)
        if len(costs) != len(names) or costs.min() < 1 or costs.max() > 1_000_000:
            raise ValueError(f"costs={costs.tolist()}: must be {len(names)} integers from 1 to 1,000,000")
        object.__setattr__(self, "costs", costs)
        for name in "level", "state":
            object.__setattr__(self, name, as_row(getattr(self, name)))
        self.puzzle.check_rows(self.level, self.state, self.options)

    @classmethod
    def at_start(cls, puzzle: Puzzle, level: Level, options: Any = None) -> Self:
        """Return the problem at the start of a level; arguments and errors as for :meth:`~.Puzzle.first_scene`."""
        scene = puzzle.first_scene(level, options)
        return cls(puzzle, scene.level, scene.state, scene.options)

    @classmethod
    def of(cls, env: Any, i: int = 0, costs: Sequence[int] = ()) -> Self:
        """Return the problem posed by the current state of one of the suite's environments.

        Args:
            env: A single or vector environment, wrapped or not.
            i: Index within a vector environment.
            costs: The cost of each action; by default every action costs 1.

        Raises:
            gymnasium.error.ResetNeeded: The environment has not been reset.
            ValueError: Its transitions are not deterministic, or the costs are invalid.
        """
        inner = env.unwrapped
        scene = inner.batch.scene(i)
        return cls(inner.puzzle, scene.level, scene.state, inner.options, np.array(costs, np.int64))

    def metrics(self, actions: Sequence[int]) -> dict[str, int]:
        """Return the puzzle's metrics at the end of a solution, by name."""
        names = list(self.puzzle.metric_kinds(self.options))
        counted, states = np.zeros(len(names), np.int64), self.replay(actions)
        if self.puzzle.metrics is not None:
            for before, after in zip([states[0], *states], states, strict=False):
                self.puzzle.metrics.count(self.level, before, after, counted)
        return dict(zip(names, counted.tolist(), strict=True))

    @property
    def solved(self) -> bool:
        """Whether the start state is already solved."""
        return bool(self.puzzle.rules.outcome(self.level, self.state) == SOLVED)

    def replay(self, plan: Sequence[int]) -> list[Row]:
        """Return the states that a sequence of actions leads through, including the start.

        Raises:
            ValueError: An action is illegal, or comes after the end of the episode.
        """
        rules, states = self.puzzle.rules, [self.state.copy()]
        for number, action in enumerate(plan):
            outcome = rules.outcome(self.level, states[-1])
            if (number and outcome == SOLVED) or outcome == DIED or not rules.legal(self.level, states[-1], action):
                raise ValueError(f"action {number} of the plan, {action}, is illegal")
            states.append(states[-1].copy())
            rules.step(self.level, states[-1], action, np.ones(1, np.uint64))
        return states

    def _repr_html_(self) -> str:
        """Return a picture of the start state, for notebooks."""
        from gridpuzzles_gym.engine.pictures.canvas import board_html  # needs pygame

        return board_html(self.puzzle, Scene(self.level, self.state, self.options), "")

    def reaches_goal(self, plan: Sequence[int]) -> bool:
        """Whether the plan solves the problem, according to the rules."""
        return bool(self.puzzle.rules.outcome(self.level, self.replay(plan)[-1]) == SOLVED)


@dataclasses.dataclass(frozen=True)
class Limits:
    """When to give up; None is no limit. A search that gives up returns its best state so far."""

    nodes: int | None = None
    """Maximum number of states to expand."""
    depth: int | None = None
    """Maximum number of actions in a solution."""
    seconds: float | None = None
    """Maximum wall-clock time in seconds."""
    memory: int | None = None
    """Maximum memory of the search in bytes."""

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
                what = f"must be a positive {kind} up to {MOST:,}, or None for no limit"
                raise ValueError(f"limit {field.name}={reprlib.repr(value)}: {what}")


@dataclasses.dataclass(frozen=True)
class Result:
    """The result of a search."""

    status: str
    """``"solved"``; ``"exhausted"``: there is no solution; ``"stuck"``: an incomplete search has no step left, which
    proves nothing; ``"limit"``; ``"interrupted"`` by Ctrl-C."""
    actions: tuple[int, ...]
    """The solution; if there is none, the actions to the most promising state found."""
    cost: int
    """The total cost of the actions."""
    expanded: int
    """States expanded."""
    generated: int
    """Successors generated, duplicates included."""
    reopened: int
    """States expanded again because a cheaper path to them was found."""
    peak_bytes: int
    """The peak memory of the search."""
    seconds: float
    """Wall-clock time in seconds, without compilation."""
    reason: str = ""
    """Which limit ended the search: ``"nodes"``, ``"depth"``, ``"seconds"`` or ``"memory"``."""
    lower_bound: int = 0
    """No solution has fewer actions, as ``tile-ida-star`` has proven so far; 0 after other searches."""

    @property
    def solved(self) -> bool:
        """Whether the actions reach the goal."""
        return self.status == FOUND

    def _repr_html_(self) -> str:
        """Return a table, for notebooks."""
        from gridpuzzles_gym.engine.system.tables import NumberTable

        numbers = ("actions", "cost", "expanded", "generated", "MiB", "s")
        row = (
            f"{self.status}: {self.reason}" if self.reason else self.status,
            *(f"{number:,}" for number in (len(self.actions), self.cost, self.expanded, self.generated)),
            f"{self.peak_bytes / 2**20:.1f}",
            f"{self.seconds:.3f}",
        )
        return NumberTable(("ended",), numbers, [row])._repr_html_()


INTERVAL = 0.2
"""Seconds between two reports."""
_PATIENCE = 1.0
"""Delay in seconds before the terminal shows anything."""


class Snapshot(NamedTuple):
    """How far a search has come."""

    seconds: float
    """Time since it began, without compilation."""
    expanded: int
    """States expanded."""
    nearest: int | None
    """The lowest estimate of a state found so far; None if there is no estimate."""
    solution: int | None
    """Number of actions of the solution found, if the search is about to shorten one."""


Show = Callable[[Snapshot], object]
Progress = bool | Show
"""The argument ``progress`` of searches: True shows a line on the terminal once a search takes long; a function is
called with a snapshot every :data:`INTERVAL`, and may raise KeyboardInterrupt to end the search with its best state."""


@contextlib.contextmanager
def shown(progress: Progress) -> Iterator[Show | None]:
    """Yield the function to call with snapshots; None if nobody wants them."""
    if not isinstance(progress, bool):
        yield progress
    elif progress:
        with contextlib.closing(_TerminalLine()) as line:
            yield line.show
    else:
        yield None


class _TerminalLine:
    """A line of statistics on the terminal, shown once the search has taken a while."""

    def __init__(self) -> None:
        self.status: Status | None = None

    def show(self, snapshot: Snapshot) -> None:
        seconds, expanded = snapshot.seconds, snapshot.expanded
        if seconds < _PATIENCE:
            return
        if self.status is None:
            self.status = Console(stderr=True).status("searching")
            self.status.start()
        best = "" if snapshot.nearest is None else f"nearest to the goal: estimate {snapshot.nearest}; "
        if snapshot.solution is not None:
            best = f"solution of {snapshot.solution:,} actions; "
        self.status.update(
            f"{seconds:.0f} s: {expanded:,} states expanded, {expanded / seconds / 1e6:.2f} M/s; {best}Ctrl-C stops"
        )

    def close(self) -> None:
        if self.status is not None:
            self.status.stop()
