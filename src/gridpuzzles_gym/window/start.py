"""The app's window with its start screen. Nothing else is imported before the window is open."""


def start() -> None:
    """Open the start screen, and return when the window is closed.

    Raises:
        NoWindowError: No window can be opened.
        ImportError: The extra ``app`` is not installed.
    """
    from .app import App

    App().run("start")
