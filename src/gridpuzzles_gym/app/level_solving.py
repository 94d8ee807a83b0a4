"""Solve all levels of a file or pack: what ``gridpuzzles levels solve`` does, prints and writes."""

import contextlib
import csv
import dataclasses
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from gridpuzzles_gym.agents.search.heuristic import Heuristic
from gridpuzzles_gym.agents.search.problem import INTERRUPTED, Limits, Problem
from gridpuzzles_gym.agents.search.search import Search
from gridpuzzles_gym.agents.search_tables import default_search, heuristic_named, search_named

from ..engine.messages import plural
from ..engine.puzzle import Level, Puzzle
from .arguments import choose_levels, new_file
from .level_files import puzzle_for
from .solving import Solution, count_pushes, plan_letters

COLUMNS = ("level", "pushes", "moves", "nodes", "seconds", "status", "proven", "solution")
"""Of the table that is written."""
_PATIENCE = 2.0
"""Seconds before a progress bar shows."""


@dataclasses.dataclass(frozen=True)
class Answer:
    """What a search answered on one level."""

    level: str
    ending: str
    solved: bool
    proof: str
    """What the plan is proven to be; empty where it is nothing."""
    pushes: int | None
    """In the plan; None where the puzzle does not count any, or there is no plan."""
    moves: int | None
    nodes: int
    seconds: float
    solution: str
    """The first letter of each action of the plan, a capital where it pushes."""
    interrupted: bool = False

    @classmethod
    def of(cls, solution: Solution) -> Self:
        """Sum up an answer, after playing its plan.

        Raises:
            RuntimeError: The plan does not solve the level.
        """
        result, problem = solution.result, solution.problem
        plan = result.actions if result.solved else ()
        if result.solved and not problem.reaches_goal(plan):
            raise RuntimeError(f"{solution.instance}: the plan of {solution.search.name} does not solve it")
        pushes = count_pushes(problem, plan)
        return cls(
            solution.instance,
            solution.ending,
            result.solved,
            solution.proof,
            sum(pushes) if result.solved and pushes is not None else None,
            len(plan) if result.solved else None,
            result.expanded,
            result.seconds,
            plan_letters(problem, plan, pushes),
            result.status == INTERRUPTED,
        )

    def row(self) -> list[str]:
        """As :data:`COLUMNS` have it."""
        numbers = ["" if number is None else str(number) for number in (self.pushes, self.moves)]
        seconds, proof = f"{self.seconds:.6f}", self.proof or "no"
        return [self.level, *numbers, str(self.nodes), seconds, self.ending, proof, self.solution]

    def line(self) -> str:
        """In a few words."""
        pushes = "" if self.pushes is None else f", {plural(self.pushes, 'push', 'pushes')}"
        proof = f", proven {self.proof}" if self.proof else ""
        moves = "" if self.moves is None else f", {plural(self.moves, 'move')}{proof}"
        return f"{self.level}: {self.ending}{pushes}{moves}, {plural(self.nodes, 'node')}, {self.seconds:.3f} s"


class LevelSolver:
    """A search, and the levels it is to solve.

    Args:
        choice: A file, a folder, a shipped pack, or a level's title; ``:3`` picks the third.
        named: Whose levels they are, where nothing else tells.
        search: Its name; None is the first of the puzzle's own, or ``astar``.
        heuristic: Its name; None is the puzzle's default.
        limits: For each level.
        parameters: Of the search.

    Raises:
        ValueError: There are no such levels, search, heuristic or parameters.
    """

    def __init__(
        self,
        choice: str,
        named: str | None,
        search: str | None,
        heuristic: str | None,
        limits: Limits,
        parameters: dict[str, Any],
    ) -> None:
        self.puzzle: Puzzle = puzzle_for(choice, named)
        self.levels: list[Level] = choose_levels(self.puzzle, choice)[1]
        self.search: Search = search_named(search, self.puzzle) if search else default_search(self.puzzle)
        self._heuristic: Heuristic = heuristic_named(heuristic, self.puzzle)
        self._limits, self._parameters = limits, parameters

    def solve(self) -> Iterator[Answer]:
        """Solve one level after the other; Ctrl-C ends the last one.

        Raises:
            ValueError: A parameter is bad, or a level cannot be.
            RuntimeError: A plan does not solve its level.
        """
        for level in self.levels:
            options = self.puzzle.resolve_options(self.puzzle.read_options(), level.extent, [level])
            problem = Problem(self.puzzle, *self.puzzle.encode(level, level.extent, options), options)
            result = self.search.solve(problem, self._heuristic, self._limits, **self._parameters)
            answer = Answer.of(Solution(level.name, 0, problem, self.search, self._heuristic, result))
            yield answer
            if answer.interrupted:
                return


@contextlib.contextmanager
def table_file(path: Path, force: bool) -> Iterator[Callable[[Sequence[str]], None]]:
    """A CSV file that gets its rows one by one, each at once on the disk: nothing is lost if the work is broken off.

    It is begun with the first row: work that cannot begin leaves what was there before.

    Raises:
        OSError: It is there already, and ``force`` is False; or it cannot be written.
    """
    new_file(path, force)
    with contextlib.ExitStack() as stack:
        file: TextIO | None = None

        def write(row: Sequence[str]) -> None:
            nonlocal file
            if file is None:
                file = stack.enter_context(path.open("w", encoding="utf-8", newline=""))
                csv.writer(file).writerow(COLUMNS)
            csv.writer(file).writerow(row)
            file.flush()

        yield write


@contextlib.contextmanager
def progress(total: int) -> Iterator[Callable[[], None]]:
    """A bar on the terminal, where there is one, for work that takes long; to be called after each of its parts."""
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("level"), MofNCompleteColumn(), BarColumn(), TimeElapsedColumn(),
        console=console, transient=True, redirect_stdout=sys.stdout.isatty(),
    )  # fmt: skip
    task = bar.add_task("", total=total)
    timer = threading.Timer(_PATIENCE, bar.start)
    if console.is_terminal:
        timer.start()
    try:
        yield lambda: bar.advance(task)
    finally:
        timer.cancel()
        if timer.ident is not None:
            timer.join()
        if bar.live.is_started:
            bar.stop()


def summary(answers: Sequence[Answer]) -> str:
    """All answers in one line."""
    solved = sum(answer.solved for answer in answers)
    if not answers:
        return "solved 0 of 0"
    slowest = max(answers, key=lambda answer: answer.seconds)
    mean = sum(answer.seconds for answer in answers) / len(answers)
    return f"solved {solved} of {len(answers)}, mean {mean:.4f} s, slowest {slowest.level} with {slowest.seconds:.3f} s"
