"""``gridpuzzles levels solve``: solve every level of a file or pack."""

import contextlib
import dataclasses
from collections.abc import Sequence
from typing import Annotated, Any, Self

import typer

from gridpuzzles_gym.agents.search.heuristic import Heuristic
from gridpuzzles_gym.agents.search.problem import INTERRUPTED, Limits, Problem
from gridpuzzles_gym.agents.search.search import Search
from gridpuzzles_gym.agents.search_tables import default_search, heuristic_named, search_named

from ...engine.messages import plural
from ...engine.puzzle import Level, Puzzle
from ...play.arguments import read_settings
from ...play.solving import Solution, action_letters, count_pushes
from ...play.solving import limits as search_limits
from ..common import errors
from ..common.options import Force, HeuristicName, Json, Memory, Nodes, Parameters, Ray, Setting, Strict, Workers
from ..common.terminal import examples, print_json, say
from .options import LevelArgument, PuzzleName, Resume, RowTable, group, read_named
from .row_table import open_table, results_of

COLUMNS = ("level", "pushes", "moves", "nodes", "seconds", "status", "proven", "solution")
"""Columns of the table."""


@group.command(
    epilog=examples(
        "levels solve first",
        "levels solve microban.slc --seconds 60 --csv microban.csv",
        "levels solve eight --search tile-ida-star --heuristic manhattan",
    )
)
def solve(
    choice: LevelArgument,
    puzzle: PuzzleName = None,
    settings: Setting = None,
    search: Annotated[
        str | None,
        typer.Option(metavar="NAME", show_default="the puzzle's own, otherwise astar", help="Search to use."),
    ] = None,
    heuristic: HeuristicName = None,
    seconds: Annotated[float, typer.Option(metavar="S", help="Time limit in seconds, for each level.")] = 60,
    nodes: Nodes = None,
    memory: Memory = 4096,
    parameters: Parameters = None,
    csv: RowTable = None,
    resume: Resume = False,
    workers: Workers = None,
    ray: Ray = None,
    strict: Strict = False,
    force: Force = False,
    json: Json = False,
) -> None:
    """Solve every level of a file or pack. Each solution is verified by playing it. Ctrl-C keeps finished levels."""
    limits = search_limits(nodes, None, seconds, memory)
    chosen = read_settings(parameters or (), "--param")
    found, options, levels = read_named(choice, puzzle, settings, strict)
    solver = LevelSolver(found, options, search, heuristic, limits, chosen)
    solver.named()  # reports an unknown name before any work
    with open_table(csv, COLUMNS, levels, force, resume) as table:
        results = [LevelResult.of_row(row) for row in table.rows] if table else []
        with contextlib.suppress(KeyboardInterrupt):
            for result in results_of(solver, levels, len(results), workers, ray):
                results.append(result)
                if table and not result.interrupted:
                    table.write(result.row())
                if not (table or json):
                    print(result.line(), flush=True)
                if result.interrupted:
                    break
    if json:
        print_json([dataclasses.asdict(result) for result in results])
    else:
        say([summary(results), *([f"wrote {csv}"] if csv and results else [])])
    if len(results) < len(levels) or (results and results[-1].interrupted):
        raise typer.Exit(errors.INTERRUPTED)


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
        counts = [int(text) if text else None for text in (pushes, moves)]
        return cls(level, ending, solved, proof, counts[0], counts[1], int(nodes), float(seconds), solution)

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
    options: Any
    """The puzzle's options."""
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
        problem = Problem.at_start(self.puzzle, level, self.options)
        result = search.solve(problem, heuristic, self.limits, **self.parameters)
        return LevelResult.of(Solution(level.name, 0, problem, search, heuristic, result, self.parameters))

    def named(self) -> tuple[Search, Heuristic]:
        """Return the search and the heuristic.

        Raises:
            ValueError: There is none of that name.
        """
        search = search_named(self.search, self.puzzle) if self.search else default_search(self.puzzle)
        return search, heuristic_named(self.heuristic, self.puzzle)


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
