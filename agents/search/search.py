"""The description of a search for tools: its name, guarantees and parameters."""

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from gridpuzzles_gym.engine.messages import did_you_mean, quote

from .heuristic import Heuristic
from .problem import FOUND, Limits, Problem, Progress, Result

MODEL = "model"
"""The parameter of searches that a network guides."""


@dataclasses.dataclass(frozen=True)
class Search:
    """One entry of the table of searches."""

    name: str
    """Its name on the command line."""
    description: str
    """One-line description for users."""
    run: Callable[..., Result]
    """``run(problem, heuristic, limits, seed, progress, **parameters)``"""
    optimal: bool = False
    """Finds a cheapest solution if every action costs 1, the heuristic is admissible, and its parameters allow it."""
    loosening: tuple[str, ...] = ()
    """Parameters with which it no longer does, unless they have their default."""
    proves: str = ""
    """What else is proven about its solutions, e.g. ``"fewest pushes"``."""
    complete: bool = True
    """Finds a solution or proves that there is none, given time and memory."""
    informed: bool = True
    """Whether the heuristic guides it; otherwise it only selects the best state so far."""
    stochastic: bool = False
    """Whether its choices depend on the seed."""
    backward: bool = False
    """Whether it also steps backwards; the puzzle then needs the rules ``undo`` and ``goal``."""
    featured: bool = False
    """Whether it is part of a comparison of agents by default; for quick searches that rarely reach a limit."""
    playing: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Its parameters when an agent plans with it."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Its further parameters: names and defaults."""
        named = inspect.signature(self.run).parameters.values()
        return {each.name: each.default for each in named if each.kind is inspect.Parameter.KEYWORD_ONLY}

    @property
    def guided(self) -> bool:
        """Whether a network guides it, its parameter ``model``, an :class:`~.heuristic.Evaluator`."""
        return MODEL in self.parameters

    def finds_cheapest(self, heuristic: Heuristic, parameters: Mapping[str, Any]) -> bool:
        """Whether its solutions are cheapest, with this heuristic and these parameters, if every action costs 1."""
        informed = self.informed and not heuristic.admissible
        defaults = self.parameters
        loose = any(parameters.get(name, defaults[name]) != defaults[name] for name in self.loosening)
        return self.optimal and not informed and not loose

    def solve(
        self,
        problem: Problem,
        heuristic: Heuristic,
        limits: Limits | None = None,
        seed: int = 0,
        progress: Progress = False,
        **parameters: Any,
    ) -> Result:
        """Search for a solution.

        Args:
            problem: The problem to solve.
            heuristic: The estimate of the remaining cost.
            limits: When to give up; the result then has the best state so far.
            seed: Random seed.
            progress: How to show progress.
            **parameters: Of this search; :attr:`parameters` names them.

        Raises:
            ValueError: A parameter is unknown, invalid or missing, or the search does not apply to this puzzle.
        """
        for name in parameters:
            if name not in self.parameters:
                raise ValueError(f"{self.name} has no parameter {quote(name)}; {did_you_mean(name, self.parameters)}")
        if self.guided and MODEL not in parameters:
            raise ValueError(f"{self.name} needs a {MODEL}: a trained network guides it")
        if problem.solved:
            return Result(FOUND, (), 0, 0, 0, 0, 0, 0.0)
        return self.run(problem, heuristic, limits or Limits(), seed, progress, **parameters)
