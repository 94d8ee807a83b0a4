"""Solve all levels of a file or pack: the work of ``gridpuzzles levels solve``."""

import dataclasses
from collections.abc import Sequence
from typing import Any, Self

from gridpuzzles_gym.agents.search.heuristic import Heuristic
from gridpuzzles_gym.agents.search.problem import INTERRUPTED, Limits, Problem
from gridpuzzles_gym.agents.search.search import Search
from gridpuzzles_gym.agents.search_tables import default_search, heuristic_named, search_named

from ...engine.messages import plural
from ...engine.puzzle import Level, Puzzle
from ...session.arguments import chosen_levels
from ...session.puzzle_detection import puzzle_for
from ..solve import Solution, action_letters, count_pushes, described
from .row_file import Columns


def _count(text: str) -> int | None:
    """Read a number of the table that may be missing."""
    return None if text == "" else int(text)


COLUMNS: Columns = {
    "level": str,
    "pushes": _count,
    "moves": _count,
    "nodes": int,
    "seconds": float,
    "status": str,
    "proven": str,
    "solution": str,
}
"""Columns of the table."""


@dataclasses.dataclass(frozen=True)
class LevelResult:
    """The result of a search on one level."""

    level: str
    ending: str
    solved: bool
    proof: str
    """What the solution is proven to be, e.g. ``shortest``; empty if nothing is proven."""
    pushes: int | None
    """Pushes of the solution; None if there is none, or if the puzzle does not count pushes."""
    moves: int | None
    nodes: int
    seconds: float
    solution: str
    """The first letter of each action, in upper case for a push."""
    interrupted: bool = False

    @classmethod
    def of_row(cls, row: Sequence[str]) -> Self:
        """Return the result that :meth:`row` wrote."""
        level, pushes, moves, nodes, seconds, ending, proof, solution = row
        proof = "" if proof == "no" else proof
        solved = moves != ""
        return cls(level, ending, solved, proof, _count(pushes), _count(moves), int(nodes), float(seconds), solution)

    @classmethod
    def of(cls, solution: Solution) -> Self:
        """Return the result of a search, after verifying its solution by playing it.

        Raises:
            RuntimeError: The actions do not solve the level.
        """
        result, problem = solution.result, solution.problem
        actions = result.actions if result.solved else ()
        if result.solved and not problem.reaches_goal(actions):
            raise RuntimeError(f"{solution.instance}: the actions found by {solution.search.name} do not solve it")
        pushes = count_pushes(problem, actions)
        return cls(
            solution.instance,
            solution.ending,
            result.solved,
            solution.proof,
            sum(pushes) if result.solved and pushes is not None else None,
            len(actions) if result.solved else None,
            result.expanded,
            result.seconds,
            action_letters(problem, actions, pushes),
            result.status == INTERRUPTED,
        )

    def row(self) -> list[str]:
        """Return the row of the table, as in :data:`COLUMNS`."""
        numbers = ["" if number is None else str(number) for number in (self.pushes, self.moves)]
        seconds, proof = f"{self.seconds:.6f}", self.proof or "no"
        return [self.level, *numbers, str(self.nodes), seconds, self.ending, proof, self.solution]

    def line(self) -> str:
        """Return the result as one line."""
        pushes = "" if self.pushes is None else f", {plural(self.pushes, 'push', 'pushes')}"
        proof = f", proven {self.proof}" if self.proof else ""
        moves = "" if self.moves is None else f", {plural(self.moves, 'move')}{proof}"
        return f"{self.level}: {self.ending}{pushes}{moves}, {plural(self.nodes, 'node')}, {self.seconds:.3f} s"


@dataclasses.dataclass(frozen=True)
class LevelSolver:
    """A search with its limits: a callable that solves a level, in any process.

    The search and the heuristic are given by name and made in each process.
    """

    puzzle: Puzzle
    search: str | None
    """None is the first of the puzzle's own, otherwise ``astar``."""
    heuristic: str | None
    """None is the puzzle's default."""
    limits: Limits
    """Limits for each level."""
    parameters: dict[str, Any]

    def __call__(self, level: Level) -> LevelResult:
        """Solve a level; Ctrl-C ends the search, if it reaches this process.

        Raises:
            ValueError: A parameter or the level is invalid.
            RuntimeError: The actions found do not solve the level.
        """
        search, heuristic = self.named()
        problem = Problem.at_start(self.puzzle, level)
        result = search.solve(problem, heuristic, self.limits, **self.parameters)
        return LevelResult.of(Solution(level.name, 0, problem, search, heuristic, result, self.parameters))

    @property
    def request(self) -> dict[str, Any]:
        """What determines the results, in addition to the levels, as a JSON object."""
        search, heuristic = self.named()
        given = {f"--param {name}": value for name, value in self.parameters.items()}
        names = {"puzzle": self.puzzle.name, "search": search.name, "heuristic": heuristic.name}
        return {**names, **described(self.limits), **given}

    def named(self) -> tuple[Search, Heuristic]:
        """Return the search and the heuristic.

        Raises:
            ValueError: There is none of that name.
        """
        search = search_named(self.search, self.puzzle) if self.search else default_search(self.puzzle)
        return search, heuristic_named(self.heuristic, self.puzzle)


def read_solver(
    choice: str,
    puzzle: str | None,
    search: str | None,
    heuristic: str | None,
    limits: Limits,
    parameters: dict[str, Any],
    strict: bool = False,
) -> tuple[LevelSolver, list[Level]]:
    """Return a solver, and the levels to solve.

    Args:
        choice: A file, a folder, a bundled pack, or a level's title; ``:3`` selects the third level.
        puzzle: The name of the puzzle; None detects it.
        search: The name of the search; None is the first of the puzzle's own, otherwise ``astar``.
        heuristic: The name of the heuristic; None is the puzzle's default.
        limits: Limits for each level.
        parameters: Parameters of the search.
        strict: Whether an invalid level is an error even among valid ones; otherwise it is left out.

    Raises:
        ValueError: The levels, the search or the heuristic are unknown or invalid.
    """
    found = puzzle_for(choice, puzzle)
    solver = LevelSolver(found, search, heuristic, limits, parameters)
    solver.named()
    return solver, chosen_levels(found, choice, strict)


def summary(results: Sequence[LevelResult]) -> str:
    """Return a summary of all results in one line."""
    solved = sum(result.solved for result in results)
    if not results:
        return "solved 0 of 0 levels"
    slowest = max(results, key=lambda result: result.seconds)
    mean = sum(result.seconds for result in results) / len(results)
    return (
        f"solved {solved:,} of {plural(len(results), 'level')}, mean {mean:.4f} s, "
        f"slowest {slowest.level} with {slowest.seconds:.3f} s"
    )
