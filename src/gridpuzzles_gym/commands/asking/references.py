"""Baselines of a model: agents of the suite on the same episodes, and the shortest solutions."""

import contextlib
from collections.abc import Callable, Sequence

from gridpuzzles_gym.agents.registry import RANDOM
from gridpuzzles_gym.agents.search.problem import Problem
from gridpuzzles_gym.agents.search_tables import optimal_searches_of

from ...engine.env import PuzzleEnv
from ...engine.puzzle import OUTCOMES, SOLVED
from ...text.proofs import cheapest
from ..grading.contest import Contest, EpisodeResult, play_baseline
from ..grading.grading import default_baselines
from .journal import Record

SHORTEST = "shortest solution"
"""The name of the row of the shortest solutions."""
NODES = 1_000_000
"""Maximum number of states to expand in the search for a shortest solution."""


def chosen_references(contest: Contest, names: Sequence[str] | None) -> list[str]:
    """Return the agents to compare a model with.

    Args:
        contest: The episodes.
        names: Agents or models; None: random and those of :func:`~.grading.grading.default_baselines`.

    Raises:
        ValueError: One of them is unknown, or does not play this environment.
    """
    if names is None:
        return [RANDOM.name, *default_baselines(contest)]
    no_episodes = Contest(contest.env_id, contest.puzzle, contest.env_kwargs, 0, contest.seed, contest.every_level)
    for name in names:
        play_baseline(no_episodes, name, lambda: None)
    return list(dict.fromkeys(names))


def play_references(
    contest: Contest, names: Sequence[str], done: Sequence[int], begin: Callable[[str, int], Callable[[], object]]
) -> dict[str, list[Record]]:
    """Play the episodes that a model has finished with agents.

    Args:
        contest: The episodes.
        names: The agents.
        done: The numbers of these episodes, in ascending order.
        begin: Called with the name of each agent and the number of episodes; returns a function to call after each.

    Raises:
        KeyboardInterrupt: Ctrl-C.
    """
    first = Contest(contest.env_id, contest.puzzle, contest.env_kwargs, done[-1] + 1, contest.seed, contest.every_level)
    found = {}
    for name in names:
        results = play_baseline(first, name, begin(name, first.episodes)).results
        found[name] = [_record(number, result) for number in done if (result := results[number]) is not None]
    return found


def shortest_solutions(contest: Contest, done: Sequence[int], advance: Callable[[], object]) -> list[Record]:
    """Return the results of playing the shortest solutions; none if the puzzle has chance.

    Args:
        contest: The episodes.
        done: Their numbers.
        advance: Called after each.

    Returns:
        One for each episode; empty if one of them has no solution, or no proof within :data:`NODES` states.

    Raises:
        KeyboardInterrupt: Ctrl-C.
    """
    found: list[Record] = []
    if not contest.puzzle.deterministic or not optimal_searches_of(contest.puzzle):
        return found
    with contextlib.closing(contest.env(None)) as env:
        inner = env.unwrapped
        assert isinstance(inner, PuzzleEnv)
        for number in done:
            _, info = env.reset(seed=contest.seed + number)
            if contest.every_level:
                _, info = env.reset(options={"level": number})
            scene = inner.scene()
            proof = cheapest(Problem(contest.puzzle, scene.level, scene.state, scene.options), NODES)
            if proof is None or proof.plan is None:
                return []
            score, over = 0.0, False
            for action in proof.plan:
                _, reward, terminated, truncated, info = env.step(action)
                score, over = score + float(reward), terminated or truncated
                if over:
                    break
            found.append(_record(number, EpisodeResult(score, OUTCOMES.index(info["outcome"]), inner.scene().steps)))
            advance()
    return found


def _record(number: int, result: EpisodeResult) -> Record:
    return Record(number, result.outcome == SOLVED, result.score, OUTCOMES[result.outcome], result.steps)
