"""Whether a level can be solved, and how hard it is.

Puzzles without chance are solved by their searches. Of the others, the strongest agent plays a number of games.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

from gridpuzzles_gym.agents.evaluation import compare
from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.puzzle_agents import agents_record
from gridpuzzles_gym.agents.registry import agents_of
from gridpuzzles_gym.agents.search.heuristic import ZERO
from gridpuzzles_gym.agents.search.problem import EXHAUSTED, INTERRUPTED, Limits, Problem, Result
from gridpuzzles_gym.agents.search.search import Search
from gridpuzzles_gym.agents.search.searches import SEARCHES
from gridpuzzles_gym.agents.search_tables import default_search, heuristic_named

from ..engine.messages import plural
from ..engine.puzzle import Level, Puzzle
from .choices import ids_of

LIMITS = Limits(seconds=60, memory=2**30)
"""The limits of each search."""
GAMES = 200
"""The number of games that an agent plays on a level."""
_OF_GAMES = "success", "deaths", "steps"
"""The scores of these games that are a level's numbers."""
STEPS_A_SQUARE = 10
"""The minimum step limit of these games, for each square of the board."""


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What is known about a level."""

    solvable: bool | None
    """Can it be solved? None if that is not known."""
    words: str
    """The result, in one line."""
    numbers: Mapping[str, float] = dataclasses.field(default_factory=dict)
    """Measurements by name."""
    interrupted: bool = False
    """Whether a search was ended by Ctrl-C."""


def rated(puzzle: Puzzle, level: Level, limits: Limits = LIMITS, options: Any = None) -> Verdict:
    """Measure whether a level can be solved, and how hard it is.

    Args:
        puzzle: The puzzle.
        level: A valid level.
        limits: When each search gives up.
        options: The puzzle's options; None: its defaults.
    """
    if not puzzle.deterministic:
        return _played(puzzle, level, options)
    problem = Problem.at_start(puzzle, level, options)
    first = _search(default_search(puzzle), problem, limits)
    if not first.solved:
        return _unsolved(first)
    words, numbers, interrupted = [], dict[str, float](), False
    for search in proving_searches(puzzle):
        what = _proves(search)
        result = _search(search, problem, limits, proving=True)
        interrupted = interrupted or result.status == INTERRUPTED
        if not result.solved:
            words.append(f"{what}: not known after {plural(result.expanded, 'position')} and {result.seconds:.0f} s")
            continue
        name = what.rpartition(" ")[2]
        numbers[what] = len(result.actions) if name == "moves" else problem.metrics(result.actions)[name]
        words.append(f"{what} {numbers[what]:g} ({plural(result.expanded, 'position')})")
    measure = agents_record(puzzle).measure
    more = {} if measure is None else measure()(problem.level, problem.state)
    words += [f"{name} {number:.2g}" if number < 1 else f"{name} {number:g}" for name, number in more.items()]
    return Verdict(True, " · ".join(words), {**numbers, **more}, interrupted)


def rating_names(puzzle: Puzzle) -> tuple[str, ...]:
    """Return the names that the numbers of :func:`rated` can have."""
    if not puzzle.deterministic:
        return _OF_GAMES
    return (*(_proves(search) for search in proving_searches(puzzle)), *agents_record(puzzle).measurements)


def _proves(search: Search) -> str:
    return search.proves or "fewest moves"


def proving_searches(puzzle: Puzzle) -> list[Search]:
    """Return the searches that prove a minimum; one of them finds the fewest moves."""
    own = [search for search in agents_record(puzzle).searches().values() if search.proves or search.optimal]
    return own if any(search.optimal for search in own) else [*own, SEARCHES["astar"]]


def _search(search: Search, problem: Problem, limits: Limits, proving: bool = False) -> Result:
    """Search with the puzzle's default heuristic; without it if that would be no proof."""
    heuristic = heuristic_named(None, problem.puzzle)
    if proving and search.informed and not heuristic.admissible:
        heuristic = ZERO
    return search.solve(problem, heuristic, limits)


def _unsolved(result: Result) -> Verdict:
    searched = f"{plural(result.expanded, 'position')} in {result.seconds:.1f} s"
    if result.status == EXHAUSTED:
        return Verdict(False, f"cannot be solved: {searched}")
    why = f"; the limit of {result.reason} is reached" if result.reason else ""
    return Verdict(None, f"no solution found: {searched}{why}", interrupted=result.status == INTERRUPTED)


def _played(puzzle: Puzzle, level: Level, options: Any) -> Verdict:
    """Let the strongest agent play the level."""
    agent, usual = agents_of(puzzle, featured=True)[-1], puzzle.read_options()
    chosen = {} if options is None else vars(options)
    settings = {name: value for name, value in chosen.items() if value != getattr(usual, name)}
    game = Game.of(ids_of(puzzle)[0], levels=[level], **settings)
    limit = max(game.limit or 0, STEPS_A_SQUARE * level.extent[0] * level.extent[1])
    scores = compare(game.with_settings(max_episode_steps=limit), [agent], GAMES, num_envs=GAMES, progress=False).scores
    if not scores:
        raise KeyboardInterrupt
    [score] = scores
    words = f"{agent} wins {score.success:.0%} of {GAMES} games, dies in {score.deaths:.0%}, {score.steps:.1f} steps"
    numbers = {name: getattr(score, name) for name in _OF_GAMES}
    return Verdict(True if score.success else None, words, numbers)
