"""The app's window: the start screen, or a game."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .game import Game

if TYPE_CHECKING:
    from .screens.app import App
    from .screens.screen import Screen


def start() -> None:
    """Open the start screen, and return when the window is closed.

    Raises:
        NoWindowError: No window can be opened.
        ImportError: The extra ``app`` is not installed.
    """

    def first(app: "App") -> "Screen":
        from .screens.start import StartScreen

        return StartScreen(app)

    _run(first)


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
    Game(env_id, level, None, limit, seed, **settings).close()  # errors are reported before a window opens

    def first(app: "App") -> "Screen":
        from .screens.levels import playing_settings
        from .screens.playing import PlayingScreen

        game = Game(env_id, level, None, limit, seed, **settings)
        own = {name: value for name, value in playing_settings(app, game.puzzle).items() if name not in settings}
        if own:
            game.close()
            game = Game(env_id, level, game.number if game.pack is None else None, limit, seed, **settings, **own)
        return PlayingScreen(app, game)

    _run(first)


def _run(first: "Callable[[App], Screen]") -> None:
    from .screens.app import App

    app = App()
    app.run(first(app))
