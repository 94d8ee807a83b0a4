"""The base class of screens: widgets, keys, and a picture below them."""

from collections.abc import Callable, Sequence
from typing import Any

import pygame
import pygame_gui

from ...engine.pictures import painting
from ..views.theme import TEXT, THEMES, Theme, widget_theme
from .host import Host

Action = Callable[[], Any]
Entry = tuple[str, Action] | tuple[str, Action, str]
"""A button: its label, what it does, and (optional) pygame's name of a key that does the same."""
KeyHelp = Sequence[tuple[str, str]]
"""(keys or gesture, what it does), as shown by F1."""


class Screen:
    """One screen of the app. Subclasses override what they need.

    Attributes:
        app: The app that shows it.
        ui: The widgets, rebuilt whenever the window's size or the theme changes.
        dirty: Whether the screen must be drawn again.
        moving: Whether something is animated; the app then draws 60 frames per second.
        waiting: Whether a job or a clock is running; :meth:`tick` is then called 30 times per second.
    """

    overlay = False
    """Whether the screen below is still visible."""
    help: KeyHelp = ()
    """The keys and gestures of this screen."""
    button_rows = 1
    """The number of rows of buttons at the bottom of the window, above which messages are shown."""

    def __init__(self, app: Host) -> None:
        self.app = app
        self.dirty, self.moving, self.waiting = True, False, False
        self._keys: dict[int, Action] = {}
        self.ui: Any = None

    # -- for the app -----------------------------------------------------------------------------------

    def open(self, size: tuple[int, int]) -> None:
        """Create the widgets for a window of this size, in pixels."""
        self.size = size
        self.ui = pygame_gui.UIManager(size, widget_theme(self.theme, self.text), enable_live_theme_updates=False)
        self._keys = {}
        self.dirty = True
        self.build()
        self.ui.update(0.0)  # new widgets are drawn from the next update on

    def take(self, event: pygame.event.Event) -> None:
        """Give an event to the widgets, then to the keys, then to :meth:`handle`."""
        consumed = self.ui.process_events(event)
        if event.type == pygame.KEYDOWN and not self._is_typing():
            action = self._keys.get(event.key)
            if action is not None:
                action()
                self.dirty = True
                return
        if not consumed:
            self.handle(event)

    def paint(self, surface: pygame.Surface) -> None:
        """Draw the picture and the widgets."""
        self.draw(surface)
        self.ui.draw_ui(surface)
        self.dirty = False

    # -- for subclasses --------------------------------------------------------------------------------

    def build(self) -> None:
        """Create the widgets in ``self.ui`` for a window of ``self.size``."""

    def handle(self, event: pygame.event.Event) -> None:
        """Handle an event that neither a widget nor a key has taken."""

    def tick(self, seconds: float) -> None:
        """Update the screen after so many seconds."""

    def draw(self, surface: pygame.Surface) -> None:
        """Draw everything below the widgets."""
        surface.fill(self.theme.ground)

    def resume(self) -> None:
        """Update the screen after the one above has been closed."""
        self.dirty = True

    def leave(self) -> None:
        """End jobs and save, because the screen or the window is closed."""

    def dropped(self, path: str) -> None:
        """Open a file or folder that was dropped onto the window."""
        self.app.open_levels(path)

    # -- parts -----------------------------------------------------------------------------------------

    @property
    def theme(self) -> Theme:
        """The colours."""
        return THEMES[self.app.preferences.theme]

    @property
    def text(self) -> int:
        """The height of text in buttons, in pixels; smaller in a small window."""
        percent: int = self.app.preferences.text_size
        return max(round(TEXT * percent / 100 * min(self.size[1] / 600, 1)), 8)

    @property
    def line(self) -> int:
        """The height of a button and of a line of large text, in pixels."""
        return 2 * self.text

    def button(
        self, rect: pygame.Rect, text: str, action: Action, key: str = "", tip: str = "", enabled: bool = True
    ) -> Any:
        """Add a button.

        Args:
            rect: Its rectangle, in pixels.
            text: Its label.
            action: Called when it is pressed.
            key: pygame's name of a key that does the same.
            tip: Shown when the mouse rests on it.
            enabled: Whether it can be pressed.
        """

        def press() -> None:
            action()
            self.dirty = True

        made = pygame_gui.elements.UIButton(rect, text, self.ui, tool_tip_text=tip or None, command=press)
        if not enabled:
            made.disable()
        elif key:
            self.on_key(key, action)
        return made

    def on_key(self, key: str, action: Action) -> None:
        """Call ``action`` when a key with this pygame name is pressed.

        Raises:
            ValueError: There is no such key.
        """
        self._keys[pygame.key.key_code(key)] = action  # some keys have several names: "pageup" and "page up"

    def column(self, rect: pygame.Rect, entries: Sequence[Entry], gap: int = 8) -> None:
        """Add buttons below each other."""
        height = min(self.line, max((rect.height - gap * (len(entries) - 1)) // max(len(entries), 1), 12))
        for k, entry in enumerate(entries):
            place = pygame.Rect(rect.left, rect.top + k * (height + gap), rect.width, height)
            self._button_of(place, entry)

    def row(self, rect: pygame.Rect, entries: Sequence[Entry], gap: int = 8) -> list[Any]:
        """Add buttons next to each other, and return them."""
        width = (rect.width - gap * (len(entries) - 1)) // max(len(entries), 1)
        return [
            self._button_of(pygame.Rect(rect.left + k * (width + gap), rect.top, width, rect.height), entry)
            for k, entry in enumerate(entries)
        ]

    def _button_of(self, rect: pygame.Rect, entry: Entry) -> Any:
        return self.button(rect, entry[0], entry[1], entry[2] if len(entry) == 3 else "")

    def write(
        self,
        surface: pygame.Surface,
        words: str,
        rect: pygame.Rect,
        color: str = "",
        height: float = 0,
        align: str = "centre",
    ) -> None:
        """Write one line of text, by default in the colour and the size of buttons' text."""
        height = height or 1.2 * self.text
        painting.write(surface, words, rect, color or self.theme.ink, height, align)

    def card(self, surface: pygame.Surface, rect: pygame.Rect, edge: str = "") -> None:
        """Draw a rectangle with rounded corners."""
        painting.put_card(surface, rect, self.theme.card, edge or self.theme.edge, 10)

    def back(self) -> None:
        """Close this screen."""
        self.app.pop()

    def _is_typing(self) -> bool:
        focused = self.ui.get_focus_set() or ()
        return any(isinstance(each, pygame_gui.elements.UITextEntryLine) for each in focused)
