"""What a search is to tools: a name, what it promises, what it can be told."""

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from .heuristic import Heuristic
from .problem import FOUND, Limits, Problem, Result


@dataclasses.dataclass(frozen=True)
class Search:
    """One row of a table of searches."""

    name: str
    """What the command line calls it."""
    description: str
    """One line for people."""
    run: Callable[..., Result]
    """``run(problem, heuristic, limits, seed, progress, **parameters)``"""
    optimal: bool = False
    """Finds a plan of least cost, where every action costs 1 and the heuristic is admissible."""
    proves: str = ""
    """What else its plans are proven to be, e.g. ``"fewest pushes"``."""
    complete: bool = True
    """Ends with a plan or the proof that there is none, given time and memory."""
    informed: bool = True
    """Does the heuristic guide it? If not, it only tells the best plan so far."""
    stochastic: bool = False
    """Do its choices depend on the seed?"""
    backward: bool = False
    """Does it also step backwards? Then the puzzle needs the rules ``undo`` and ``goal``."""
    featured: bool = False
    """Does a comparison of agents include it unless told otherwise? For quick ones that rarely meet a limit."""
    playing: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Its parameters where an agent plays its plans."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What else it can be told: names and defaults."""
        named = inspect.signature(self.run).parameters.values()
        return {each.name: each.default for each in named if each.kind is inspect.Parameter.KEYWORD_ONLY}

    def solve(
        self,
        problem: Problem,
        heuristic: Heuristic,
        limits: Limits | None = None,
        seed: int = 0,
        progress: bool = False,
        **parameters: Any,
    ) -> Result:
        """Search for a plan.

        Args:
            problem: What to solve.
            heuristic: The estimate of the cost to come.
            limits: When to give up; the answer is then the best plan so far.
            seed: Of random choices.
            progress: Show how far it is, on a terminal.
            **parameters: Of this search; :attr:`parameters` names them.

        Raises:
            ValueError: A parameter is unknown or bad, or the search does not apply to this puzzle.
        """
        for name in parameters:
            if name not in self.parameters:
                allowed = ", ".join(self.parameters) or "none"
                raise ValueError(f"{self.name} has no parameter {name!r}; there are {allowed}")
        if problem.solved:
            return Result(FOUND, (), 0, 0, 0, 0, 0, 0.0)
        return self.run(problem, heuristic, limits or Limits(), seed, progress, **parameters)
