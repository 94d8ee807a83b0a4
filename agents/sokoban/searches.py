"""The searches that only Sokoban has: a fast solver, and two that prove their solutions shortest."""

import math
from collections.abc import Callable
from functools import partial

from gridpuzzles_gym.engine.arguments import integer
from gridpuzzles_gym.engine.messages import quote

from ..search import loops
from ..search.heuristic import ZERO, Heuristic
from ..search.problem import EXHAUSTED, FOUND, LIMIT, STUCK, Limits, Problem, Progress, Result
from ..search.running import Run
from ..search.search import Search
from .solver.board import Board, may_exceed, survey
from .solver.budget import Budget
from .solver.improving import Improvement
from .solver.portfolio import Portfolio, Schedule
from .solver.sub_searches import Backwards, FeatureSearch, PushSearch, Squares, SubSearch, needs_of

IMPROVEMENTS = ("no", "pushes", "moves")
MAX_WEIGHT = 100
HEAD_START = 5_000
"""Positions that the first search of the portfolio generates alone: most levels need fewer."""
SHARE = 16
"""Share of the work that a feature-space search does, the last one half of it; a greedy search has a share of 1."""


def solve(
    problem: Problem,
    heuristic: Heuristic,
    limits: Limits,
    seed: int = 0,
    progress: Progress = False,
    *,
    improve: str = "no",
) -> Result:
    """Solve a level by greedy push searches from both ends and feature-space searches, taking turns.

    Args:
        problem: A level of Sokoban.
        heuristic: Not used: the searches have their own.
        limits: Limits of the search.
        seed: Not used.
        progress: Whether, or where, to show progress.
        improve: ``"pushes"`` or ``"moves"``: reduce these before returning, as long as the limits allow; or
            ``"no"``. Ctrl-C ends it with the current solution.

    Raises:
        ValueError: Another puzzle, costs that are not 1, or an invalid parameter.
    """
    if improve not in IMPROVEMENTS:
        raise ValueError(f"improve={quote(improve)} is not known; allowed are {', '.join(map(repr, IMPROVEMENTS))}")
    greedy = partial(PushSearch, cost_weight=0, weight=1)
    # Where one is misled, another may find a solution.
    makers = (
        (greedy, 1),
        (FeatureSearch, SHARE),
        (partial(FeatureSearch, ordered=False), SHARE),
        (Backwards(greedy), 1),
        (partial(FeatureSearch, by_areas=False), SHARE // 2),
    )
    return _run(problem, limits, progress, *(schedule_of(make, share) for make, share in makers), improve=improve)


def fewest_pushes(
    problem: Problem, heuristic: Heuristic, limits: Limits, seed: int = 0, progress: Progress = False
) -> Result:
    """Find a solution with the fewest pushes, by A*; see :func:`solve`."""
    return _run(problem, limits, progress, schedule_of(partial(PushSearch, cost_weight=1, weight=1)))


def fewest_moves(
    problem: Problem,
    heuristic: Heuristic,
    limits: Limits,
    seed: int = 0,
    progress: Progress = False,
    *,
    weight: int = 1,
) -> Result:
    """Find a solution with the fewest moves, by A*; see :func:`solve`.

    With a ``weight`` above 1, a factor on the estimate, it is far faster, and a solution has at most that
    many times the fewest moves.

    Raises:
        ValueError: The weight is not an integer from 1 to 100.
    """
    weight = integer("weight", weight, 1, MAX_WEIGHT)
    return _run(
        problem, limits, progress, schedule_of(partial(PushSearch, cost_weight=1, weight=weight, by_moves=True))
    )


def schedule_of(make: Callable[..., SubSearch], share: int = 1) -> Callable[[Budget, Board, Squares, int], Schedule]:
    """Return a function that begins a schedule of one search."""

    def begin(budget: Budget, board: Board, boxes: Squares, player: int) -> Schedule:
        search = budget.create(needs_of(make)(board, len(boxes)), lambda: make(board, boxes, player))
        return Schedule(search, share)

    return begin


def _run(
    problem: Problem, limits: Limits, progress: Progress, *makers: Callable[..., Schedule], improve: str = "no"
) -> Result:
    if problem.puzzle.name != "sokoban":
        raise ValueError(f"this search solves Sokoban, not {problem.puzzle.title}; astar solves any puzzle")
    if (problem.costs != 1).any():
        raise ValueError(f"this search counts moves: costs={problem.costs.tolist()} must all be 1; astar takes any")
    run = Run(problem, ZERO, limits, 0, progress)
    board, boxes, player = survey(problem.level, problem.state)
    if boxes.max() >= board.live:
        return run.result(EXHAUSTED, ())
    run.control[loops.LEAST] = loops.UNBOUNDED
    budget = Budget(limits.memory or math.inf, base=(board, boxes))
    portfolio = Portfolio(
        run, budget, player, [partial(make, budget, board, boxes, player) for make in makers], HEAD_START
    )
    status = run.drive(portfolio.advance, portfolio.grow)
    if status == EXHAUSTED and may_exceed(board):
        status = STUCK  # not a proof
    plan = portfolio.plan(status == FOUND)
    del portfolio  # and its arrays
    if status == FOUND and improve != "no":
        improvement = Improvement(run, budget, board, boxes, player, plan, by_moves=improve == "moves")
        run.drive(improvement.advance, lambda memory: 0)
        plan, run.reason = improvement.plan(), ""
    run.peak_bytes = budget.peak
    if limits.depth is not None and len(plan) > limits.depth:
        run.reason = "depth"
        return run.result(LIMIT, plan[: limits.depth])
    return run.result(status, plan)


SEARCHES: dict[str, Search] = {
    search.name: search
    for search in (
        Search(
            "sokoban",
            "greedy searches from both ends and feature-space searches, in turns: fast",
            solve,
            informed=False,
            featured=True,
            playing={"improve": "moves"},  # there a move costs as much as a push, and episodes have a step limit
        ),
        Search(
            "sokoban-pushes",
            "A* over pushes: proves the fewest pushes",
            fewest_pushes,
            proves="fewest pushes",
            informed=False,
        ),
        Search(
            "sokoban-moves",
            "A* over pushes: proves the fewest moves",
            fewest_moves,
            optimal=True,
            loosening=("weight",),
            informed=False,
            featured=True,
        ),
    )
}
"""Searches by name, in addition to those for every puzzle."""
