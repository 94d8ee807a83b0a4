"""Functions that open the window with a game, or with agents to watch."""

import dataclasses
from collections.abc import Sequence

from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.registry import observation_for
from gridpuzzles_gym.agents.search.problem import Problem

from ...engine.puzzle import Level
from ..arguments import short_names
from ..choices import choice_of
from ..game import PlaySession
from ..playback import RecordedActions
from ..preferences import playing_settings
from ..session import WatchOptions
from ..solving import Solution
from .failures import NoWindowError


def play(game: Game, seed: int | None = None) -> None:
    """Open the window with a game, and return when it is closed.

    Without a seed, the unfinished game of the level is continued.

    Args:
        game: The game.
        seed: The seed of a generated instance, or of a level's chance events.

    Raises:
        ValueError: A level is invalid.
        NoWindowError: No window can be opened.
        ImportError: The extra ``app`` is not installed.
    """
    from .app import App

    PlaySession(game, seed=seed).close()  # an error is reported before a window opens
    app = App()
    own = {**playing_settings(app.preferences, game.puzzle), **game.settings}
    session = PlaySession(game.with_settings(**own), seed=seed)
    session.slot = "" if seed is None else f"seed {seed}"
    app.run("playing", session)


def watch(game: Game, players: Sequence[str | RecordedActions], options: WatchOptions) -> list[str]:
    """Open a window in which an agent plays, and return when it is closed.

    Args:
        game: The game.
        players: Names of agents, paths of trained models, or recorded actions: the first one plays, the others can be
            chosen in a menu.
        options: How they are watched.

    Returns:
        One line for each finished episode.

    Raises:
        ValueError: An agent is unknown, or a level is invalid.
        NoWindowError: No window can be opened.
        ImportError: The extra ``app`` is not installed.
    """
    from .app import App

    for player in players:
        if isinstance(player, str):
            observation_for(player, game.puzzle, game.id)
    PlaySession(game, seed=options.seed).close()  # an error is reported before a window opens
    log: list[str] = []
    settings, level = dict(game.settings), None
    if isinstance(game.choice, str) and "\n" not in game.choice:
        level = game.choice
        del settings["levels"]
    title = "given levels" if "levels" in settings else level or short_names(game.id)[0]
    choice = choice_of(game.puzzle, game.id, level, title)
    try:
        App().run("watching", game.puzzle, choice, players=players, options=options, settings=settings, log=log)
    except NoWindowError as error:
        raise NoWindowError(f"{error}; `gridpuzzles watch … --record FILE.gif` works without one") from None
    return log


def show_solutions(game: Game, solutions: Sequence[Solution]) -> list[str]:
    """Play the solutions of the first search in a window; those of the others are in its menu.

    Args:
        game: The game whose levels were solved.
        solutions: The results of :func:`~gridpuzzles_gym.play.solving.solve`; at least one.

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
    return watch(game.with_settings(levels=levels), players, WatchOptions(episodes=len(levels)))


def _level_of(problem: Problem, title: str) -> Level:
    """Return a problem as a level with a title."""
    (level,) = problem.puzzle.parse(problem.puzzle.format(problem.level, problem.state), title)
    return dataclasses.replace(level, name=title)
