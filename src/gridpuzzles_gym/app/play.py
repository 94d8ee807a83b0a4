"""The app's window: the start screen, or a game."""

from typing import Any

from .choices import playing_settings
from .game import Game


def start() -> None:
    """Open the start screen, and return when the window is closed.

    Raises:
        NoWindowError: No window can be opened.
        ImportError: The extra ``app`` is not installed.
    """
    from .screens.app import App

    App().run("start")


def play(
    env_id: str, level: str | None = None, seed: int | None = None, limit: int | None = None, **settings: Any
) -> None:
    """Open a game, and return when the window is closed.

    Args:
        env_id: A registered id.
        level: A level file, a bundled pack or a level's title; None plays the default pack, or generated instances.
        seed: The seed of a generated instance, or of what is random in a level.
        limit: The maximum number of steps of an episode; None for no limit.
        **settings: Keyword arguments of the environment.

    Raises:
        ValueError: The id or level is unknown, or a setting is invalid.
        NoWindowError: No window can be opened.
        ImportError: The extra ``app`` is not installed.
    """
    from .screens.app import App

    game = Game(env_id, level, None, limit, seed, **settings)  # an error is reported before a window opens
    puzzle = game.puzzle
    game.close()
    app = App()
    own = playing_settings(app.preferences, puzzle)
    app.run("playing", Game(env_id, level, None, limit, seed, **{**own, **settings}))
