"""Solve instances by search."""

import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.models.trained_agent import PRETRAINED, load_evaluator
from gridpuzzles_gym.agents.registry import agents_of
from gridpuzzles_gym.agents.search.heuristic import Heuristic
from gridpuzzles_gym.agents.search.problem import EXHAUSTED, INTERRUPTED, Limits, Problem, Result
from gridpuzzles_gym.agents.search.search import MODEL, Search
from gridpuzzles_gym.agents.search_tables import heuristic_named, search_named, searches_of

from ..engine.messages import did_you_mean, plural, quote
from ..engine.system.process import Interruption
from ..engine.system.tables import NumberTable
from .arguments import short_names
from .session import Session

PUSHES = "pushes"
"""The name of a metric."""
ALL = "all"
"""The name for every search that applies."""


@dataclasses.dataclass(frozen=True)
class Solution:
    """The result of one search on one instance."""

    instance: str
    """The title of the level, otherwise the seed."""
    seed: int
    """The seed of the session."""
    problem: Problem
    search: Search
    heuristic: Heuristic
    result: Result
    parameters: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Parameters of the search."""

    @property
    def proven(self) -> bool:
        """Whether the solution is proven to have minimum cost."""
        return self.result.solved and self.search.finds_cheapest(self.heuristic, self.parameters)

    @property
    def proof(self) -> str:
        """What the solution is proven to be, e.g. ``shortest``; empty if nothing is proven."""
        if self.proven:
            return "shortest"
        return self.search.proves if self.result.solved else ""

    @property
    def moves(self) -> list[str]:
        """The names of the actions."""
        names: tuple[str, ...] = self.problem.puzzle.actions(self.problem.options)
        return [names[action] for action in self.result.actions]

    @property
    def text(self) -> str:
        """The actions: letters if the puzzle counts pushes, in upper case for a push (LURD), otherwise names."""
        pushes = count_pushes(self.problem, self.result.actions)
        return " ".join(self.moves) if pushes is None else action_letters(self.problem, self.result.actions, pushes)

    @property
    def ending(self) -> str:
        """The status of the search, and the limit that ended it if any."""
        status: str = self.result.status
        return f"{status}: {self.result.reason}" if self.result.reason else status

    def __str__(self) -> str:
        return "\n".join(describe(self))

    def as_json(self) -> dict[str, Any]:
        """Return everything as a JSON object."""
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


def count_pushes(problem: Problem, actions: Sequence[int]) -> list[int] | None:
    """Return the number of pushes of each action; None if the puzzle does not count pushes."""
    puzzle = problem.puzzle
    kinds = list(puzzle.metric_kinds(problem.options))
    if puzzle.metrics is None or PUSHES not in kinds:
        return None
    metrics = np.zeros(len(kinds), np.int32)
    totals = [0]
    states = problem.replay(actions)
    for before, after in itertools.pairwise(states):
        puzzle.metrics.count(problem.level, before, after, metrics)
        totals.append(int(metrics[kinds.index(PUSHES)]))
    return [after - before for before, after in itertools.pairwise(totals)]


def action_letters(problem: Problem, actions: Sequence[int], pushes: Sequence[int] | None) -> str:
    """Return the first letter of each action, in upper case for a push."""
    return letters_of(problem.puzzle.actions(problem.options), actions, pushes)


def letters_of(names: Sequence[str], actions: Sequence[int], pushes: Sequence[int] | None) -> str:
    """Return the first letter of each action's name, in upper case for a push."""
    pushed = [0] * len(actions) if pushes is None else pushes
    letters = [names[action][0] for action in actions]
    return "".join(letter.upper() if push else letter for letter, push in zip(letters, pushed, strict=True))


def limits(nodes: int | None, depth: int | None, seconds: float | None, memory: int) -> Limits:
    """Return the limits of a search; ``memory`` is in MiB.

    Raises:
        ValueError: A limit is not positive.
    """
    return Limits(nodes=nodes, depth=depth, seconds=seconds, memory=memory * 2**20)


def solve(
    game: Game,
    seed: int | None = None,
    searches: Sequence[str] = ("astar",),
    heuristic: str | None = None,
    limits: Limits | None = None,
    parameters: dict[str, Any] | None = None,
    model: str | None = None,
    progress: bool = True,
) -> Iterator[Solution]:
    """Run every search on every instance, in order.

    Ctrl-C ends the current search, which yields its best actions so far; the remaining ones are not run.

    Args:
        game: The game; each of its levels is solved, or one instance is sampled.
        seed: Seed of the sampled instance and of randomized searches.
        searches: Names of searches; ``"all"`` is every search that applies, with ``model`` also those it guides.
        heuristic: The name of the heuristic; None is the puzzle's default.
        limits: Limits of each search.
        parameters: Parameters of the searches; each search uses those it has, and at least one must have each.
        model: The network that guides searches, as for
            :func:`~gridpuzzles_gym.agents.models.trained_agent.load_evaluator`.
        progress: Show the progress on a terminal.

    Raises:
        ValueError: The search, heuristic or model is unknown, a search lacks its model, or a parameter is invalid.
    """
    puzzle = game.puzzle
    if not searches_of(puzzle):
        agent = agents_of(puzzle, featured=True)[-1]
        raise ValueError(
            f"{puzzle.title} is not deterministic: no search applies; agents play it, e.g. "
            f"gridpuzzles watch {short_names(game.id)[0]} --agent {agent}"
        )
    names = list(searches_of(puzzle, guided=model is not None)) if ALL in searches else list(dict.fromkeys(searches))
    chosen = [search_named(name, puzzle) for name in names]
    estimate = heuristic_named(heuristic, puzzle)
    known = {name for search in chosen for name in search.parameters} - {MODEL}
    for name in parameters or {}:
        if name not in known:
            raise ValueError(f"no search given has a parameter {quote(name)}; {did_you_mean(name, sorted(known))}")
    for search in chosen:
        if search.guided and model is None:
            raise ValueError(f"--search {search.name} needs --model: {PRETRAINED}, or a model file")
    if model is not None and not any(search.guided for search in chosen):
        guided = [name for name, search in searches_of(puzzle, guided=True).items() if search.guided]
        raise ValueError(f"--model guides only --search {', '.join(guided)}")
    session = Session(game, seed)
    try:
        given = dict(parameters or {})
        if model is not None:
            given[MODEL] = load_evaluator(model, session.env)
        for _ in game.levels or (None,):
            session.begin()
            problem = Problem.of(session.env)
            instance = session.scene().title or session.label()
            for search in chosen:
                own = {name: value for name, value in given.items() if name in search.parameters}
                with Interruption() as interruption:
                    result = search.solve(problem, estimate, limits, session.first_seed, progress, **own)
                if interruption.wanted:  # too late to stop this search, but not the next one
                    result = dataclasses.replace(result, status=INTERRUPTED)
                yield Solution(instance, session.first_seed, problem, search, estimate, result, own)
                if result.status == INTERRUPTED:
                    return
    finally:
        session.close()


def interrupted(solutions: Sequence[Solution]) -> bool:
    """Return whether Ctrl-C ended the last search."""
    return bool(solutions) and solutions[-1].result.status == INTERRUPTED


def describe(solution: Solution) -> Iterator[str]:
    """Yield one result as lines of text."""
    result = solution.result
    cost = "" if result.cost == len(result.actions) else f", cost {result.cost}"
    what = "not proven shortest" if result.solved else "best so far"
    if solution.proof:
        name = solution.proof.rpartition(" ")[2]
        metrics = solution.problem.metrics(result.actions)
        what = f"{metrics[name]} {name}, proven {solution.proof}" if name in metrics else f"proven {solution.proof}"
    length = f"{plural(len(result.actions), 'move')}{cost}, {what}" if result.solved or result.actions else "no actions"
    if result.lower_bound and not result.solved:
        length += f"; a solution has at least {plural(result.lower_bound, 'move')}"
    if result.status == EXHAUSTED:
        yield f"{solution.instance}: cannot be solved: no state is left to expand"
    else:
        yield f"{solution.instance}: {solution.ending}: {length}"
        if result.actions:
            yield solution.text
    rate = result.expanded / result.seconds if result.seconds else 0.0
    speed = f"{rate / 1e6:.2f} M" if rate >= 1e4 else f"{rate:,.0f}"
    yield (
        f"{solution.search.name}, {solution.heuristic.name}: {plural(result.expanded, 'state')} expanded, "
        f"{result.generated:,} generated, {result.reopened:,} reopened, "
        f"{result.peak_bytes / 2**20:.1f} MiB, {result.seconds:.3f} s, {speed} states/s"
    )


def table(solutions: Sequence[Solution]) -> NumberTable:
    """Return a table of several results; ``*`` marks a solution that is proven shortest."""
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
