"""The app's interface for screens, and the names of the screens.

Screens lead to each other in circles: a game to its pause menu, the menu to the levels, the levels to a game. So they
open each other by name, without an import.
"""

import importlib
from typing import TYPE_CHECKING, Any, Protocol

import pygame

from ...session.preferences import Preferences
from ..model.progress import Progress

if TYPE_CHECKING:  # importing it takes long, and the start screen does not need it
    from ..model.level_making import LevelMaking

TITLE = "gridpuzzles"
"""The name of the app."""
SCREENS = {
    "start": "StartScreen",
    "levels": "LevelsScreen",
    "playing": "PlayingScreen",
    "pause": "PauseScreen",
    "victory": "VictoryScreen",
    "solving": "SolvingScreen",
    "generating": "GeneratingScreen",
    "watching": "WatchingScreen",
    "editor": "EditorScreen",
    "asking": "AskingScreen",
    "files": "FileScreen",
    "settings": "SettingsScreen",
    "help": "HelpScreen",
    "menu": "MenuScreen",
    "card": "CardScreen",
    "rules": "RulesScreen",
}
"""The name of each screen's class, which is in the module with the screen's name."""


def screen_class(name: str) -> Any:
    """Return the class of a screen; the first call imports its module.

    Raises:
        KeyError: There is no such screen.
    """
    return getattr(importlib.import_module(f"{__package__}.{name}"), SCREENS[name])


class Host(Protocol):
    """The app, as screens see it: :class:`~.app.App`."""

    progress: Progress
    """The saved progress."""
    surface: pygame.Surface
    """The picture of the window."""
    message: str
    """The line that is shown for a few seconds; empty for none."""
    level_making: "LevelMaking | None"
    """Levels that are being made although their screen is closed."""
    teaches: bool
    """Whether the rules are shown before the first game of each puzzle."""
    looks_ahead: bool
    """Whether a process is ready that can search for hints before they are asked for."""

    @property
    def preferences(self) -> Preferences:
        """The user's settings."""

    def show(self, name: str, *arguments: Any, **named: Any) -> None:
        """Show a screen above the others; the arguments are those of its class after ``app``."""

    def pop(self) -> None:
        """Close the last screen; closing the only one ends the app."""

    def pop_to(self, name: str) -> bool:
        """Close screens until one of this name is the last; return False, with nothing closed, if there is none."""

    def home(self) -> None:
        """Close everything but the start screen, which is opened if the app was started with another one."""

    def quit(self) -> None:
        """Close all screens, the last one first."""

    def say(self, message: str) -> None:
        """Show one line on this screen for a few seconds, or on the next if that is opened at the same time."""

    def unsay(self) -> None:
        """Remove the message, because its cause is gone; what was saved or not concerns the whole app, and stays."""

    def sound(self, name: str) -> None:
        """Play a sound, if sounds are on."""

    def apply_preferences(self) -> None:
        """Rebuild all screens, because the theme or the text size has changed."""

    def toggle_full_screen(self) -> None:
        """Switch between a window and full screen, and save the choice."""

    def open_levels(self, path: str) -> None:
        """Show the levels of a file or folder; if there are none, say why."""
