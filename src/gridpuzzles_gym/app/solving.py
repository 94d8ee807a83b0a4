"""Solve instances by search: what ``gridpuzzles solve`` does, prints and shows."""

import dataclasses
import itertools
import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gridpuzzles_gym.agents.search.heuristic import Heuristic
from gridpuzzles_gym.agents.search.problem import INTERRUPTED, Limits, Problem, Result
from gridpuzzles_gym.agents.search.search import Search
from gridpuzzles_gym.agents.search_tables import heuristic_named, search_named, searches_of

from ..engine.messages import plural
from ..engine.puzzle import LevelError, Puzzle
from ..engine.tables import NumberTable
from .arguments import environment
from .level_files import playable
from .sessions import Replayed, Session

_PUSHES = "pushes"
ALL = "all"
"""What stands for every search that applies."""


@dataclasses.dataclass(frozen=True)
class Solution:
    """What one search answered on one instance."""

    instance: str
    """What to type to see it again: a level's title, or a seed."""
    seed: int
    """The seed of its session."""
    problem: Problem
    search: Search
    heuristic: Heuristic
    result: Result

    @property
    def proven(self) -> bool:
        """Is the plan proven to be a cheapest one?"""
        informed = self.search.informed and not self.heuristic.admissible
        return self.result.solved and self.search.optimal and not informed

    @property
    def proof(self) -> str:
        """What the plan is proven to be; empty where it is nothing."""
        if self.proven:
            return "shortest"
        return self.search.proves if self.result.solved else ""

    @property
    def moves(self) -> list[str]:
        """The plan in words."""
        names: tuple[str, ...] = self.problem.puzzle.actions(self.problem.options)
        return [names[action] for action in self.result.actions]

    @property
    def text(self) -> str:
        """The plan: letters, a capital for a push, where the puzzle counts pushes (Sokoban: LURD); else in words."""
        pushes = count_pushes(self.problem, self.result.actions)
        return " ".join(self.moves) if pushes is None else plan_letters(self.problem, self.result.actions, pushes)

    @property
    def ending(self) -> str:
        """How the search ended, with the limit that ended it."""
        status: str = self.result.status
        return f"{status}: {self.result.reason}" if self.result.reason else status

    def as_json(self) -> dict[str, Any]:
        """Everything, as JSON has it."""
        return {
            "instance": self.instance,
            "search": self.search.name,
            "heuristic": self.heuristic.name,
            "proven_optimal": self.proven,
            "proven": self.proof,
            **dataclasses.asdict(self.result),
            "moves": self.moves,
            "solution": self.text,
        }


def count_pushes(problem: Problem, plan: Sequence[int]) -> list[int] | None:
    """How much each action of a plan pushes; None where the puzzle counts no pushes."""
    puzzle = problem.puzzle
    kinds = list(puzzle.metric_kinds(problem.options))
    if puzzle.metrics is None or _PUSHES not in kinds:
        return None
    metrics = np.zeros(len(kinds), np.int32)
    totals = [0]
    states = problem.replay(plan)
    for before, after in itertools.pairwise(states):
        puzzle.metrics.count(problem.level, before, after, metrics)
        totals.append(int(metrics[kinds.index(_PUSHES)]))
    return [after - before for before, after in itertools.pairwise(totals)]


def plan_letters(problem: Problem, plan: Sequence[int], pushes: Sequence[int] | None) -> str:
    """The first letter of each action of a plan, a capital where it pushes."""
    names = problem.puzzle.actions(problem.options)
    pushed = [0] * len(plan) if pushes is None else pushes
    letters = [names[action][0] for action in plan]
    return "".join(letter.upper() if push else letter for letter, push in zip(letters, pushed, strict=True))


def limits(nodes: int | None, depth: int | None, seconds: float | None, memory: int) -> Limits:
    """The limits, ``memory`` in MiB.

    Raises:
        ValueError: One is not positive.
    """
    return Limits(nodes=nodes, depth=depth, seconds=seconds, memory=memory * 2**20)


def level_text(puzzle: Puzzle, choice: str) -> str:
    """A board typed on the command line, its rows divided by slashes, as level text; anything else as it is.

    Raises:
        LevelError: It looks like a board, and cannot be; or it is neither that nor anything that has levels.
    """
    try:
        playable(puzzle, choice)
    except LevelError as unknown:
        text = "\n".join(row.strip() for row in choice.split("/")) + "\n"
        try:
            found = puzzle.parse(text, "level text")
        except LevelError as malformed:
            name_or_path = any(letter.isalpha() for letter in choice)
            raise (unknown if name_or_path else malformed) from None
        if not found:
            raise
        return text
    return choice


def solve(
    env_id: str,
    level: str | None = None,
    seed: int | None = None,
    searches: Sequence[str] = ("astar",),
    heuristic: str | None = None,
    limits: Limits | None = None,
    parameters: dict[str, Any] | None = None,
    progress: bool = True,
    **settings: Any,
) -> Iterator[Solution]:
    """Search for plans, one instance after the other, each search on each of them.

    Ctrl-C ends a search with its best plan so far, and then all of it.

    Args:
        env_id: A registered id.
        level: As :func:`~.arguments.choose_levels` takes it, or a board with slashes between its rows; every
            level of a file is solved. None draws one instance.
        seed: Of the instance drawn, and of random choices.
        searches: Names; ``"all"`` is every search that applies.
        heuristic: Its name; None is the puzzle's default.
        limits: Of each search.
        parameters: Of the searches; each takes those it knows, and one at least must.
        progress: Show how far it is.
        **settings: Keyword arguments of the environment.

    Raises:
        ValueError: There is no such id, level, search or heuristic, or a setting or parameter is bad.
    """
    _, puzzle = environment(env_id)
    names = list(searches_of(puzzle)) if ALL in searches else list(dict.fromkeys(searches))
    chosen = [search_named(name, puzzle) for name in names or [ALL]]  # "all" is none where no search applies
    estimate = heuristic_named(heuristic, puzzle)
    known = {name for search in chosen for name in search.parameters}
    for name in parameters or {}:
        if name not in known:
            raise ValueError(f"no search here has a parameter {name!r}; there are {', '.join(sorted(known)) or 'none'}")
    session = Session(env_id, None if level is None else level_text(puzzle, level), seed, **settings)
    try:
        for _ in range(session.count):
            session.begin()
            problem = Problem.of(session.env)
            instance = session.scene().title or session.where()
            for search in chosen:
                own = {name: value for name, value in (parameters or {}).items() if name in search.parameters}
                result = search.solve(problem, estimate, limits, session.first_seed, progress, **own)
                yield Solution(instance, session.first_seed, problem, search, estimate, result)
                if result.status == INTERRUPTED:
                    return
    finally:
        session.close()


def interrupted(solutions: Sequence[Solution]) -> bool:
    """Did Ctrl-C end the last search?"""
    return bool(solutions) and solutions[-1].result.status == INTERRUPTED


def describe(solution: Solution) -> Iterator[str]:
    """One answer in lines of text."""
    result = solution.result
    cost = "" if result.cost == len(result.actions) else f", cost {result.cost}"
    what = "not proven shortest" if result.solved else "the best so far"
    if solution.proof:
        what = f"proven {solution.proof}"
    length = f"{plural(len(result.actions), 'move')}{cost}, {what}" if result.solved or result.actions else "no plan"
    yield f"{solution.instance}: {solution.ending}: {length}"
    if result.actions:
        yield solution.text
    rate = result.expanded / result.seconds / 1e6 if result.seconds else 0.0
    yield (
        f"{solution.search.name}, {solution.heuristic.name}: {plural(result.expanded, 'state')} expanded, "
        f"{result.generated:,} generated, {result.reopened:,} reopened, "
        f"{result.peak_bytes / 2**20:.1f} MiB, {result.seconds:.3f} s, {rate:.2f} M states/s"
    )


def table(solutions: Sequence[Solution]) -> NumberTable:
    """Several answers side by side; ``*`` marks a length that is proven shortest."""
    heuristics = ", ".join(dict.fromkeys(solution.heuristic.name for solution in solutions))
    several = len({solution.instance for solution in solutions}) > 1
    rows, before = [], ""
    for each in solutions:
        result = each.result
        name = each.instance if each.instance != before else ""
        before = each.instance
        rows.append(
            (
                *([name] if several else []),
                each.search.name,
                each.ending,
                f"{len(result.actions):,}" + ("*" if each.proven else " ") if result.solved else "–",
                f"{result.expanded:,}",
                f"{result.generated:,}",
                f"{result.peak_bytes / 2**20:.1f}",
                f"{result.seconds:.3f}",
            )
        )
    words = (*(["instance"] if several else []), "search", "ended")
    numbers = ("moves", "expanded", "generated", "MiB", "s")
    return NumberTable(words, numbers, rows, f"heuristic {heuristics}; * proven shortest")


def show(env_id: str, level: str | None, solutions: Sequence[Solution], **settings: Any) -> list[str]:
    """Play the first plan for each instance in a window.

    Args:
        env_id: A registered id.
        level: As for :func:`solve`.
        solutions: Its answers; at least one.
        **settings: As for :func:`solve`.

    Returns:
        One line for each plan that was seen to its end.

    Raises:
        NoWindowError: No window can be opened on this machine.
    """
    from .watch import show as show_session

    found: dict[Problem, Solution] = {}
    for solution in solutions:
        if solution.problem not in found or not found[solution.problem].result.actions:
            found[solution.problem] = solution
    plans = [solution.result.actions for solution in found.values()]
    text = None if level is None else level_text(solutions[0].problem.puzzle, level)
    session = Replayed(env_id, plans, text, solutions[0].seed, **settings)
    who = ", ".join(dict.fromkeys(solution.search.name for solution in found.values()))
    return show_session(session, who, len(plans))


def as_json(solutions: Sequence[Solution]) -> str:
    """All answers as a JSON list, one object each."""
    return json.dumps([solution.as_json() for solution in solutions], indent=2)
