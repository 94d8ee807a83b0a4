"""The search that only Bait has: for the highest score, by a heuristic that counts first lost points, then steps.

Every box in a hole is worth a point, and so are mushrooms and goals; winning ends the game, so all other points
must be collected before. A lower bound on the points out of reach, times ``POINT``, plus a lower bound on the steps
left, orders positions by (score, steps) and is admissible for both.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.compile.compilation import routine, rule
from gridpuzzles_gym.puzzles.bait.rules import AVATAR, BOX_WORTH, GOALS, HOLE, MUSHROOM, MUSHROOM_WORTH, WORTH, ahead

from ..search.best_first import best_first
from ..search.heuristic import DEAD_END, Heuristic
from ..search.problem import Limits, Problem, Progress, Result
from ..search.search import Search
from .heuristics import BOX_ON, NEVER, SHUT, SQUARE, first_times, is_box, opposite, survey, unpack

POINT = 1 << 16
"""The weight of a point in steps: more than any plan has."""


@rule
def fillable(times, square, squares):
    """Whether a box can ever reach this square."""
    for action in range(4):  # noqa: SIM110 - compiled
        if times[(BOX_ON + action) * squares + square] < NEVER:
            return True
    return False


@routine
def pushes_to_holes(level, things, ground, times):
    """Return the fewest pushes of a box from each square into some hole, int16[N]; NEVER if there is no path.

    Also returns how many holes can be filled.
    """
    squares = things.shape[0]
    pushes, waiting = np.full(squares, NEVER, np.int16), np.empty(squares, np.int16)
    count = 0
    for square in range(squares):
        if things[square] == HOLE and fillable(times, square, squares):
            pushes[square] = 0
            waiting[count] = square
            count += 1
    holes, head = count, 0
    while head < count:
        square = waiting[head]
        head += 1
        for action in range(4):
            before = ahead(level, square, opposite(action))
            behind = ahead(level, before, opposite(action))
            if pushes[before] == NEVER and behind != before and ground[before] != SHUT and ground[behind] != SHUT:
                pushes[before] = pushes[square] + 1
                waiting[count] = before
                count += 1
    return pushes, holes


@routine
def fills(level, things, ground, times):
    """Bounds on the boxes that can still fill holes, and on the pushes required: (boxes, pushes)."""
    pushes, holes = pushes_to_holes(level, things, ground, times)
    ways = np.empty(things.shape[0], np.int16)
    boxes = 0
    for square in range(things.shape[0]):
        if is_box(things[square]) and pushes[square] < NEVER:
            ways[boxes] = pushes[square]
            boxes += 1
    count = min(boxes, holes)
    return count, np.sort(ways[:boxes])[:count].sum()


@rule
def score_estimate(level, state, tables):
    """Return the points out of reach, and the steps to win with all others; DEAD_END if winning is impossible."""
    if state[GOALS] == 0:
        return POINT * np.int64(state[WORTH])
    things = unpack(level, state)
    if things[state[AVATAR]] == HOLE:
        return np.int64(DEAD_END)
    ground = survey(level, things)
    times, last = first_times(level, state, things, ground, True)
    if last == NEVER:
        return np.int64(DEAD_END)
    boxes, pushes = fills(level, things, ground, times)
    all_boxes, mushrooms, all_mushrooms = 0, 0, 0
    for square in range(things.shape[0]):
        all_boxes += is_box(things[square])
        if things[square] == MUSHROOM:
            all_mushrooms += 1
            if times[SQUARE * things.shape[0] + square] < NEVER:
                mushrooms += 1
                last = max(last, times[SQUARE * things.shape[0] + square] + 1)  # winning comes after it
    lost = BOX_WORTH * (all_boxes - boxes) + MUSHROOM_WORTH * (all_mushrooms - mushrooms)
    return np.int64(POINT * lost + max(last, pushes + mushrooms))


SCORE = Heuristic("score", "points out of reach, then steps", score_estimate, admissible=False, consistent=False)


def highest_score(
    problem: Problem, heuristic: Heuristic, limits: Limits, seed: int = 0, progress: Progress = False
) -> Result:
    """Find a solution with the highest possible score, and among these one with the fewest steps: A* over both.

    Args:
        problem: A level of Bait.
        heuristic: Not used: the search has its own.
        limits: When to give up.
        seed: Not used.
        progress: How to show progress.

    Raises:
        ValueError: Another puzzle, or costs that are not 1.
    """
    if problem.puzzle.name != "bait":
        raise ValueError(f"this search plays Bait, not {problem.puzzle.title}; astar plays any puzzle")
    if (problem.costs != 1).any():
        raise ValueError(f"this search counts steps: costs={problem.costs.tolist()} must all be 1; astar takes any")
    return best_first(problem, SCORE, limits, seed, progress)


SEARCHES: dict[str, Search] = {
    search.name: search
    for search in (
        Search(
            "bait-score",
            "A* over points and steps: proves the highest winning score, then the fewest steps",
            highest_score,
            proves="highest score",
            informed=False,
            featured=True,
        ),
    )
}
"""Searches by name, in addition to those for every puzzle."""
