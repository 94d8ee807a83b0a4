"""Functions that open the window with a game, or with agents to watch."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from gridpuzzles_gym.agents.registry import observation_for
from gridpuzzles_gym.agents.search.problem import Problem

from ...engine.puzzle import Level
from ..arguments import environment, short_names
from ..choices import choice_of
from ..game import Game
from ..playback import RecordedActions
from ..preferences import playing_settings
from ..session import WatchOptions
from ..solving import Solution
from .failures import NoWindowError


def play(env_id: str, level: str | None = None, seed: int | None = None, **settings: Any) -> None:
    """Open the window with a game, and return when it is closed.

    Without a seed, the unfinished game of the level is continued.

    Args:
        env_id: A registered id.
        level: A level file, a bundled pack or a level's title; None for the default pack, or generated instances.
        seed: The seed of a generated instance, or of a level's chance events.
        **settings: Keyword arguments of the environment.

    Raises:
        ValueError: The id or level is unknown, or a setting is invalid.
        NoWindowError: No window can be opened.
        ImportError: The extra ``app`` is not installed.
    """
    from .app import App

    game = Game(env_id, level, seed=seed, **settings)  # an error is reported before a window opens
    puzzle = game.puzzle
    game.close()
    app = App()
    own = playing_settings(app.preferences, puzzle)
    game = Game(env_id, level, seed=seed, **{**own, **settings})
    game.slot = "" if seed is None else f"seed {seed}"
    app.run("playing", game)


def watch(env_id: str, players: Sequence[str | RecordedActions], options: WatchOptions) -> list[str]:
    """Open a window in which an agent plays, and return when it is closed.

    Args:
        env_id: A registered id.
        players: Names of agents, paths of trained models, or recorded actions: the first one plays, the others can be
            chosen in a menu.
        options: How they are watched.

    Returns:
        One line for each finished episode.

    Raises:
        ValueError: The id, an agent or the level is unknown, or a setting is invalid.
        NoWindowError: No window can be opened.
        ImportError: The extra ``app`` is not installed.
    """
    from .app import App

    puzzle = environment(env_id)[1]
    for player in players:
        if isinstance(player, str):
            observation_for(player, puzzle, env_id)
    # An error is reported before a window opens.
    Game(env_id, options.level, None, None, options.seed, **options.settings).close()
    log: list[str] = []
    try:
        level = options.level
        title = "given levels" if level is not None and "\n" in level else level or short_names(env_id)[0]
        choice = choice_of(puzzle, env_id, level, title)
        App().run("watching", puzzle, choice, players=players, options=options, log=log)
    except NoWindowError as error:
        raise NoWindowError(f"{error}; `gridpuzzles watch … --record FILE.gif` works without one") from None
    return log


def show_solutions(env_id: str, solutions: Sequence[Solution], **settings: Any) -> list[str]:
    """Play the solutions of the first search in a window; those of the others are in its menu.

    Args:
        env_id: A registered id.
        solutions: The results of :func:`~gridpuzzles_gym.play.solving.solve`; at least one.
        **settings: Keyword arguments of the environment.

    Returns:
        One line for each solution played to its end.

    Raises:
        NoWindowError: No window can be opened.
        ImportError: The extra ``app`` is not installed.
    """
    problems = list(dict.fromkeys(solution.problem for solution in solutions))
    titles = {solution.problem: solution.instance for solution in solutions}
    levels = [_level_of(problem, titles[problem]) for problem in problems]
    actions: dict[str, dict[int, Sequence[int]]] = {}
    for solution in solutions:
        own = actions.setdefault(solution.search.name, {})
        own[problems.index(solution.problem)] = solution.result.actions
    players = [RecordedActions(f"found by {name}", own) for name, own in actions.items()]
    return watch(env_id, players, WatchOptions(episodes=len(levels), settings={**settings, "levels": levels}))


def _level_of(problem: Problem, title: str) -> Level:
    """Return a problem as a level with a title."""
    (level,) = problem.puzzle.parse(problem.puzzle.format(problem.level, problem.state), title)
    return dataclasses.replace(level, name=title)
