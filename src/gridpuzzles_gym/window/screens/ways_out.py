"""The buttons that leave a game, for the menus above it."""

from .playing import PlayingScreen
from .screen import Entry


def ways_out(playing: PlayingScreen) -> tuple[Entry, ...]:
    """Return the buttons that close a menu and the game below it.

    Args:
        playing: The game's screen, below the menu.
    """
    app = playing.app

    def levels() -> None:
        if not app.pop_to("levels"):
            app.pop()
            app.switch("levels", playing.game.puzzle)

    def origin() -> None:
        app.pop_to("playing")
        app.pop()

    back: tuple[Entry, ...] = ((f"Back to {playing.origin}", origin, "b"),) if playing.origin else ()
    return ("Levels", levels, "l"), *back, ("Start screen", app.home, "q")
