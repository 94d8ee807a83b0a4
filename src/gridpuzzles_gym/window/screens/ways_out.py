"""The buttons that leave a game, for the menus above it."""

from .playing import PlayingScreen
from .screen import Entry


def ways_out(playing: PlayingScreen) -> tuple[Entry, ...]:
    """Return the buttons that lead from a menu above a game to other screens.

    Args:
        playing: The game's screen, below the menu.
    """
    app = playing.app

    def levels() -> None:
        game = playing.game
        try:
            app.show("levels", game.puzzle, game.choice, playing)
        except (ValueError, OSError) as error:  # such as a file that is gone
            app.say(str(error))

    def origin() -> None:
        app.pop_to("playing")
        app.pop()

    back = (Entry(f"Back to {playing.origin}", origin, "b"),) if playing.origin else ()
    return Entry("Levels", levels, "l"), *back, Entry("Start screen", app.home, "q")
