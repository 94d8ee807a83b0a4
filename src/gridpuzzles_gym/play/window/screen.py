"""The base class of screens: widgets, keys, and a picture below them."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pygame
import pygame_gui

from ...engine.pictures import painting
from ..preferences import CONTROL, key_name
from .app import App
from .widgets import (
    STEPS,
    THEMES,
    Button,
    Focus,
    Spot,
    Theme,
    fitting_height,
    label_with_key,
    natural_width,
    text_size,
    widget_theme,
)

Action = Callable[[], Any]
KeyHelp = Sequence[tuple[str, str]]
"""(keys or gesture, what it does), as shown by F1."""
TOOLBAR = 0.3
"""The maximum height of the buttons at the bottom of the window, as a share of the window's."""
GAP = 8
"""The distance between two buttons, in pixels."""


class Entry(NamedTuple):
    """A button."""

    label: str
    action: Action
    """What it does."""
    key: str = ""
    """pygame's name of a key that does the same."""
    possible: Callable[[], bool] | None = None
    """Whether it can be pressed now; None if it always can."""
    selected: bool = False
    """Whether it is shown as selected."""


class Screen:
    """One screen of the app. Subclasses override what they need.

    Attributes:
        app: The app that shows it.
        ui: The widgets, rebuilt whenever the window's size or the text size changes.
        dirty: Whether the screen must be drawn again.
        moving: Whether something is animated; the app then draws 60 frames per second.
        waiting: Whether a job or a clock is running; :meth:`tick` is then called 30 times per second.
        floor: The top of the buttons at the bottom of the window, in pixels.
        message_box: Where messages are shown.
    """

    overlay = False
    """Whether the screen below is still visible."""
    help: KeyHelp = ()
    """The keys and gestures of this screen that are not those of a button."""
    chooses = True
    """Whether something is marked for Enter when the screen is opened by a key."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.dirty, self.moving, self.waiting = True, False, False
        self.size = 0, 0
        self.ui: Any = None
        self._ui_made_for: tuple[tuple[int, int], Theme] | None = None
        self.focus = Focus()
        self.remove_widgets()

    def remove_widgets(self) -> None:
        """Remove all widgets, which refer to the screen: both would stay in memory until a garbage collection."""
        if self.ui is not None:
            self.ui.set_focus_set(None)
            self.ui.clear_and_reset()
        self._keys: dict[tuple[int, bool], Action] = {}
        self._buttons: list[tuple[Button, Entry]] = []

    # -- for the app -----------------------------------------------------------------------------------

    def open(self, size: tuple[int, int]) -> None:
        """Create the widgets for a window of this size, in pixels."""
        if self.focus.point is not None and self.ui is not None:
            x, y = self.focus.point
            self.focus.point = x * size[0] // self.size[0], y * size[1] // self.size[1]
        self.size = size
        self.remove_widgets()
        if self._ui_made_for != (size, self.theme):  # another manager takes many times as long
            self.ui = pygame_gui.UIManager(size, widget_theme(self.theme), enable_live_theme_updates=False)
            self._ui_made_for = size, self.theme
        self.dirty, self.floor = True, size[1]
        self.message_box = pygame.Rect(self.gap, size[1] - self.line - self.gap, size[0] - 2 * self.gap, self.line)
        self.build()
        self.refresh()
        self.ui.update(0.0)  # new widgets are drawn from the next update on

    def take(self, event: pygame.event.Event) -> None:
        """Give an event to the keys, then to the widgets, then to :meth:`cells` and to :meth:`handle`."""
        if event.type == pygame.KEYDOWN and self._take_key(event):
            self.dirty = True
            return
        if event.type == pygame.MOUSEBUTTONDOWN:
            self.focus.shown = False
        if self.ui.process_events(event):
            return
        if event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            pressed = (action for rect, action in self.cells() if rect.collidepoint(event.pos))
            next(pressed, lambda: self.handle(event))()
        else:
            self.handle(event)

    def _take_key(self, event: pygame.event.Event) -> bool:
        """Handle a key; return whether it means anything."""
        key = pygame.K_RETURN if event.key == pygame.K_KP_ENTER else event.key
        action = self._keys.get((key, bool(event.mod & (pygame.KMOD_CTRL | pygame.KMOD_META))))
        if key == pygame.K_TAB:
            self.focus.step(self.spots(), -1 if event.mod & pygame.KMOD_SHIFT else 1)
        elif key in STEPS and action is None:
            self.focus.move(self.spots(), STEPS[key])
        elif self.focus.shown and (key == pygame.K_RETURN or (key == pygame.K_SPACE and action is None)):
            self.press_chosen()
        elif action is not None:
            self.focus.shown = False
            action()
        else:
            return False
        return True

    def press_chosen(self) -> None:
        """Press what the keyboard has chosen."""
        spot = self.focus.spot(self.spots())
        if spot is not None:
            spot.press()

    def refresh(self) -> None:
        """Enable the buttons that can be pressed now, and no others."""
        for button, entry in self._buttons:
            if can(entry) != button.is_enabled:
                button.enable() if can(entry) else button.disable()
                self.dirty = True

    def paint(self, surface: pygame.Surface) -> None:
        """Draw the picture and the widgets."""
        self.draw(surface)
        self.ui.draw_ui(surface)
        spot = self.focus.spot(self.spots()) if self.focus.shown else None
        if spot is not None:
            pygame.draw.rect(surface, self.theme.ground, spot.rect.inflate(4, 4), 1, border_radius=10)
            pygame.draw.rect(surface, self.theme.accent, spot.rect.inflate(2, 2), 3, border_radius=9)
        self.dirty = False

    def spots(self) -> list[Spot]:
        """Return everything that the keyboard can choose."""
        spots = [Spot(button.rect, entry.action) for button, entry in self._buttons if button.is_enabled]
        return spots + [Spot(rect, action) for rect, action in self.cells()]

    def keys(self) -> KeyHelp:
        """Return the keys and gestures of this screen, those of its buttons included."""
        return (*self.help, *((key_name(entry.key), entry.label.lower()) for _, entry in self._buttons if entry.key))

    # -- for subclasses --------------------------------------------------------------------------------

    def build(self) -> None:
        """Create the widgets in ``self.ui`` for a window of ``self.size``."""

    def cells(self) -> Sequence[tuple[pygame.Rect, Action]]:
        """Return what can be pressed besides the widgets: its rectangle, and what it does."""
        return ()

    def handle(self, event: pygame.event.Event) -> None:
        """Handle an event that nothing else has taken."""

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

    # -- parts -----------------------------------------------------------------------------------------

    @property
    def theme(self) -> Theme:
        """The colours."""
        return THEMES[self.app.preferences.theme]

    @property
    def text(self) -> int:
        """The size of text in buttons, in pixels."""
        return text_size(self.app.preferences.text_size, self.size)

    @property
    def line(self) -> int:
        """The height of a button and of a line of large text, in pixels."""
        return 2 * self.text

    @property
    def gap(self) -> int:
        """The distance between parts of the screen, in pixels."""
        return max(self.size[1] // 80, 4)

    def button(self, rect: pygame.Rect, entry: Entry) -> None:
        """Add a button."""

        def press() -> None:
            entry.action()
            self.dirty = True

        made = Button(rect, entry.label, self.ui, self.text, entry.key, command=press)
        self._buttons.append((made, entry))
        if entry.selected:
            made.select()
        if entry.key:
            self.on_key(entry.key, lambda: entry.action() if made.is_enabled else None)

    def menu(
        self, rect: pygame.Rect, heading: str, labels: Sequence[str], chosen: str, choose: Callable[[str], Any]
    ) -> None:
        """Add a button that shows what is chosen, and opens a menu with everything that can be chosen."""

        def open_menu() -> None:
            entries = [Entry(each, lambda each=each: choose(each), selected=each == chosen) for each in labels]  # type: ignore[misc]
            self.app.show("menu", heading, entries)

        self.button(rect, Entry(f"{chosen} ▾", open_menu))

    def on_key(self, key: str, action: Action) -> None:
        """Call ``action`` when a key with this pygame name is pressed, or one such as ``"ctrl+c"``.

        Raises:
            ValueError: There is no such key.
        """
        name = key.removeprefix(CONTROL)
        self._keys[pygame.key.key_code(name), name != key] = action  # some keys have several names: "page up"

    def column(self, rect: pygame.Rect, entries: Sequence[Entry]) -> None:
        """Add buttons below each other; they are lower if there are many."""
        height = min(self.line, max((rect.height - GAP * (len(entries) - 1)) // max(len(entries), 1), 12))
        for k, entry in enumerate(entries):
            self.button(pygame.Rect(rect.left, rect.top + k * (height + GAP), rect.width, height), entry)

    def row(self, rect: pygame.Rect, entries: Sequence[Entry]) -> None:
        """Add buttons next to each other, each as wide as its label needs."""
        free, count = rect.width - GAP * (len(entries) - 1), max(len(entries), 1)
        widths = self._widths(entries, True)
        if sum(widths) > free:
            widths = self._widths(entries, False)
        extra, shrunk = max(free - sum(widths), 0) / count, min(free / max(sum(widths), 1), 1)
        left = float(rect.left)
        for entry, wide in zip(entries, widths, strict=True):
            width = shrunk * wide + extra
            self.button(pygame.Rect(round(left), rect.top, round(width), rect.height), entry)
            left += width + GAP

    def toolbar(self, entries: Sequence[Entry]) -> None:
        """Add buttons at the bottom of the window, in as many rows as their labels need, above earlier ones."""
        width, gap = self.size[0] - 2 * self.gap, self.gap
        room = max(int(TOOLBAR * self.size[1] / (self.line + gap)), 1)
        for rows in range(1, room + 1):
            each = -(-len(entries) // rows)
            parts = [entries[k : k + each] for k in range(0, len(entries), each)]
            if max(sum(self._widths(part, False)) + GAP * len(part) for part in parts) <= width:
                break
        self.floor -= rows * (self.line + gap)
        for k, part in enumerate(parts):
            self.row(pygame.Rect(self.gap, self.floor + k * (self.line + gap), width, self.line), part)

    def _widths(self, entries: Sequence[Entry], keys: bool) -> list[int]:
        """Return the widths of buttons, with or without the names of their keys."""
        labels = (label_with_key(entry.label, entry.key) if keys else entry.label for entry in entries)
        return [natural_width(label, self.text) for label in labels]

    def write(
        self,
        surface: pygame.Surface,
        words: str,
        rect: pygame.Rect,
        color: str = "",
        height: float = 0,
        align: str = "centre",
    ) -> None:
        """Write one line of text, by default in the colour and the size of buttons' text; smaller if it is long."""
        height = fitting_height(words, rect.width, height or 1.2 * self.text)
        painting.write(surface, words, rect, color or self.theme.ink, height, align)

    def card(self, surface: pygame.Surface, rect: pygame.Rect, edge: str = "") -> None:
        """Draw a rectangle with rounded corners."""
        painting.put_card(surface, rect, self.theme.card, edge or self.theme.edge, 10)

    def back(self) -> None:
        """Close this screen."""
        self.app.pop()


def can(entry: Entry) -> bool:
    """Return whether an entry can be pressed now."""
    return entry.possible is None or entry.possible()
