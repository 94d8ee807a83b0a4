"""Opens the window with its start screen; everything else is imported after the window is open."""


def start() -> None:
    """Open the window with the start screen, and return when it is closed.

    Raises:
        NoWindowError: No window can be opened.
        ImportError: The extra ``app`` is not installed.
    """
    from .app import App

    App().run("start")
