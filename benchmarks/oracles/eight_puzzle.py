"""The fewest moves of boards of the 8-puzzle, found by the answer-set solver clingo.

Each move changes the parity of the blank's distance from its corner, and two moves can be wasted at any time, so every
second number of moves is tried, and the first that has a plan is the fewest.
"""

from collections.abc import Iterator
from typing import Any

import clingo
import gymnasium as gym
from rich.progress import Progress

from gridpuzzles_gym.agents.search.problem import Limits, Problem
from gridpuzzles_gym.agents.search_tables import heuristic_named, search_named
from gridpuzzles_gym.registration import puzzle_of_id

from . import Row

BOARDS = 95
"""The number of random boards, beside the five bundled ones."""
MOVES = """
square(0..2, 0..2).
near(R, C, R+D, C+E) :- square(R, C), square(R+D, C+E), D = -1..1, E = -1..1, |D| + |E| = 1.
blank(R, C, 0) :- start(0, R, C).
at(N, R, C, 0) :- start(N, R, C), N > 0.
{ blank(S, D, T) : near(R, C, S, D) } = 1 :- blank(R, C, T-1), T = 1..moves.
at(N, R, C, T) :- at(N, S, D, T-1), blank(S, D, T), blank(R, C, T-1).
at(N, R, C, T) :- at(N, R, C, T-1), not blank(R, C, T), T = 1..moves.
:- at(N, R, C, moves), N != 3*R + C + 1.
:- blank(R, C, moves), (R, C) != (2, 2).
"""


def fewest_moves(tiles: list[int]) -> int:
    """Return the fewest moves to 1 2 3 / 4 5 6 / 7 8 _."""
    facts = " ".join(f"start({tile}, {square // 3}, {square % 3})." for square, tile in enumerate(tiles))
    moves = sum(divmod(tiles.index(0), 3)) % 2
    while True:
        control = clingo.Control(["-c", f"moves={moves}", "--warn=none"])
        control.add("base", [], MOVES + facts)
        control.ground([("base", [])])
        if control.solve().satisfiable:
            return moves
        moves += 2


def rows(progress: Progress) -> Iterator[Row]:
    """The fewest moves of bundled and random boards."""
    bundled, generated = gym.make("EightPuzzle-v0", levels="eight"), gym.make("EightPuzzle-v0")
    boards: list[tuple[Any, Any]] = [(bundled, {"options": {"level": number}}) for number in range(5)]
    boards += [(generated, {"seed": seed}) for seed in range(BOARDS)]
    search = search_named("tile-ida-star", puzzle_of_id("EightPuzzle-v0"))
    pairs = []
    for env, choice in progress.track(boards, description="8-puzzle: clingo"):
        env.reset(**choice)
        problem = Problem.of(env)
        found = search.solve(problem, heuristic_named(None, problem.puzzle), Limits())
        tiles = [int(tile) for tile in problem.puzzle.format(problem.level, problem.state).split()]
        pairs.append((len(found.actions), fewest_moves(tiles)))
    ours, theirs = zip(*pairs, strict=True)
    question = f"8-puzzle, five bundled boards and {BOARDS} random ones: fewest moves ({min(ours)} to {max(ours)})"
    sums, worst = [f"{sum(each):,} in all" for each in (ours, theirs)], max(abs(a - b) for a, b in pairs)
    yield Row(question, f"clingo {clingo.__version__}", len(pairs), sums[0], sums[1], str(worst))
