"""The base class of screens: widgets, keys, and a picture below them."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pygame
import pygame_gui

from ...engine.pictures import painting
from .app import App
from .widgets import (
    CONTROL,
    STEPS,
    THEMES,
    Button,
    Focus,
    Spot,
    Theme,
    fitting_height,
    key_name,
    natural_width,
    text_size,
    widget_theme,
)

Action = Callable[[], Any]
KeyHelp = Sequence[tuple[str, str]]
"""(keys or gesture, what it does), as shown by F1."""
TOOLBAR = 0.3
"""The maximum height of the buttons at the bottom of the window, as a share of the window's."""


class Entry(NamedTuple):
    """A button."""

    label: str
    action: Action
    """What it does."""
    key: str = ""
    """pygame's name of a key that does the same."""
    possible: Callable[[], bool] | None = None
    """Whether it can be pressed now; None if it always can."""
    selected: Callable[[], bool] | None = None
    """Whether it is shown as selected; None if it never is."""


class Screen:
    """One screen of the app. Subclasses override what they need.

    Attributes:
        app: The app that shows it.
        ui: The widgets, rebuilt whenever the window's size or the theme changes.
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
        self._look: tuple[tuple[int, int], Theme, int] | None = None
        self.focus = Focus()
        self.remove_widgets()

    def remove_widgets(self) -> None:
        """Remove all widgets, which refer to the screen: both would stay in memory until a garbage collection."""
        if self.ui is not None:
            self.ui.set_focus_set(None)
            self.ui.clear_and_reset()
        self._keys: dict[tuple[int, bool], Action] = {}
        self._buttons: list[tuple[Button, Entry]] = []
        self._text_lines: list[tuple[Any, Callable[[str], Any], Action]] = []

    # -- for the app -----------------------------------------------------------------------------------

    def open(self, size: tuple[int, int]) -> None:
        """Create the widgets for a window of this size, in pixels."""
        if self.focus.point is not None and self.ui is not None:
            x, y = self.focus.point
            self.focus.point = x * size[0] // self.size[0], y * size[1] // self.size[1]
        self.size = size
        look = size, self.theme, self.text
        self.remove_widgets()
        if self.ui is None or look != self._look:  # another manager takes many times as long
            themed = widget_theme(self.theme, self.text)
            self.ui, self._look = pygame_gui.UIManager(size, themed, enable_live_theme_updates=False), look
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
        if event.type == pygame_gui.UI_TEXT_ENTRY_CHANGED:
            for line, changed, _ in self._text_lines:
                if line is event.ui_element:
                    changed(event.text)
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            pressed = (action for rect, action in self.cells() if rect.collidepoint(event.pos))
            next(pressed, lambda: self.handle(event))()
        else:
            self.handle(event)

    def _take_key(self, event: pygame.event.Event) -> bool:
        """Handle a key; return whether it is not for the text that is typed."""
        key = pygame.K_RETURN if event.key == pygame.K_KP_ENTER else event.key
        action = self._keys.get((key, bool(event.mod & (pygame.KMOD_CTRL | pygame.KMOD_META))))
        typed = next((line for line in self._text_lines if line[0].is_focused), None)
        if key == pygame.K_TAB:
            self.focus.step(self.spots(), -1 if event.mod & pygame.KMOD_SHIFT else 1)
            self._go_to_line()
        elif typed is not None and key == pygame.K_ESCAPE:
            self.ui.set_focus_set(None)
        elif typed is not None and key == pygame.K_RETURN:
            typed[1](typed[0].get_text())
            typed[2]()
        elif key in STEPS and action is None and (typed is None or STEPS[key][1]):
            self.focus.move(self.spots(), STEPS[key])
            self._go_to_line()
        elif typed is not None:
            return False
        elif self.focus.shown and (key == pygame.K_RETURN or (key == pygame.K_SPACE and action is None)):
            spot = self.focus.spot(self.spots())
            if spot is not None:
                spot.press()
        elif action is not None:
            self.focus.shown = False
            action()
        else:
            return False
        return True

    def _go_to_line(self) -> None:
        """Let the chosen line of text have the keyboard, and no other."""
        spot = self.focus.spot(self.spots())
        self.ui.set_focus_set(None if spot is None else spot.line)

    def refresh(self) -> None:
        """Enable the buttons that can be pressed now, and no others."""
        for button, entry in self._buttons:
            can = entry.possible is None or entry.possible()
            if can != button.is_enabled:
                button.enable() if can else button.disable()
                self.dirty = True
            chosen = can and entry.selected is not None and entry.selected()
            if chosen != button.is_selected:
                button.select() if chosen else button.unselect()
                self.dirty = True

    def paint(self, surface: pygame.Surface) -> None:
        """Draw the picture and the widgets."""
        self.draw(surface)
        self.ui.draw_ui(surface)
        for button, _ in self._buttons:
            button.draw_hint(surface, self.theme.faint)
        spot = self.focus.spot(self.spots()) if self.focus.shown else None
        if spot is not None:
            pygame.draw.rect(surface, self.theme.ground, spot.rect.inflate(4, 4), 1, border_radius=10)
            pygame.draw.rect(surface, self.theme.accent, spot.rect.inflate(2, 2), 3, border_radius=9)
        self.dirty = False

    def spots(self) -> list[Spot]:
        """Return everything that the keyboard can choose."""
        spots = [Spot(line.rect, entered, line) for line, _, entered in self._text_lines]
        spots += [Spot(button.rect, entry.action) for button, entry in self._buttons if button.is_enabled]
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

    def button(self, rect: pygame.Rect, entry: Entry, tip: str = "", size: int = 0) -> Button:
        """Add a button.

        Args:
            rect: Its rectangle, in pixels.
            entry: What it is.
            tip: Shown when the mouse rests on it.
            size: The size of the text, in pixels; 0 for that of buttons.
        """

        def press() -> None:
            entry.action()
            self.dirty = True

        made = Button(
            rect, entry.label, self.ui, size or self.text, entry.key, tool_tip_text=tip or None, command=press
        )
        self._buttons.append((made, entry))
        if entry.key:
            self.on_key(entry.key, lambda: entry.action() if made.is_enabled else None)
        return made

    def text_line(
        self, rect: pygame.Rect, text: str, changed: Callable[[str], Any], entered: Action, hint: str = ""
    ) -> Any:
        """Add a line of text that can be changed.

        Args:
            rect: Its rectangle, in pixels.
            text: The text.
            changed: Called with the text whenever it has changed.
            entered: Called when Enter is pressed.
            hint: Shown while there is no text.
        """
        made = pygame_gui.elements.UITextEntryLine(rect, self.ui, placeholder_text=hint, initial_text=text)
        self._text_lines.append((made, changed, entered))
        return made

    def menu(
        self, rect: pygame.Rect, heading: str, entries: Sequence[str], chosen: str, choose: Callable[[str], Any]
    ) -> None:
        """Add a button that shows what is chosen, and opens a menu with everything that can be chosen."""

        def open_menu() -> None:
            options = [Entry(each, lambda each=each: choose(each)) for each in entries]  # type: ignore[misc]
            self.app.show("menu", heading, options, chosen, rect)

        self.button(rect, Entry(f"{chosen} ▾", open_menu))

    def on_key(self, key: str, action: Action) -> None:
        """Call ``action`` when a key with this pygame name is pressed, or one such as ``"ctrl+c"``.

        Raises:
            ValueError: There is no such key.
        """
        name = key.removeprefix(CONTROL)
        self._keys[pygame.key.key_code(name), name != key] = action  # some keys have several names: "page up"

    def column(self, rect: pygame.Rect, entries: Sequence[Entry], gap: int = 8) -> None:
        """Add buttons below each other; they are lower if there are many."""
        height = min(self.line, max((rect.height - gap * (len(entries) - 1)) // max(len(entries), 1), 12))
        for k, entry in enumerate(entries):
            self.button(pygame.Rect(rect.left, rect.top + k * (height + gap), rect.width, height), entry)

    def row(self, rect: pygame.Rect, entries: Sequence[Entry], gap: int = 8) -> list[Button]:
        """Add buttons next to each other, each as wide as its label needs, and return them."""
        free, count = rect.width - gap * (len(entries) - 1), max(len(entries), 1)
        widths = [natural_width(entry.label, entry.key, self.text) for entry in entries]
        if sum(widths) > free:
            widths = [natural_width(entry.label, "", self.text) for entry in entries]
        extra, shrunk = max(free - sum(widths), 0) / count, min(free / max(sum(widths), 1), 1)
        left, made = float(rect.left), []
        for entry, wide in zip(entries, widths, strict=True):
            width = shrunk * wide + extra
            made.append(self.button(pygame.Rect(round(left), rect.top, round(width), rect.height), entry))
            left += width + gap
        return made

    def toolbar(self, entries: Sequence[Entry]) -> list[Button]:
        """Add buttons at the bottom of the window, in as many rows as their labels need, above earlier ones."""
        width, gap = self.size[0] - 2 * self.gap, self.gap
        room = max(int(TOOLBAR * self.size[1] / (self.line + gap)), 1)
        rows = next(
            (rows for rows in range(1, room) for keys in (True, False) if self._fits(entries, rows, width, keys)), room
        )
        each, made = -(-len(entries) // rows), []
        self.floor -= rows * (self.line + gap)
        for k in range(rows):
            place = pygame.Rect(self.gap, self.floor + k * (self.line + gap), width, self.line)
            made += self.row(place, entries[k * each : (k + 1) * each])
        return made

    def _fits(self, entries: Sequence[Entry], rows: int, width: int, keys: bool) -> bool:
        """Return whether buttons fit into so many rows, with or without the names of their keys."""
        each = -(-len(entries) // rows)
        parts = [entries[k : k + each] for k in range(0, len(entries), each)]
        wide = (sum(natural_width(e.label, e.key if keys else "", self.text) + 8 for e in part) for part in parts)
        return max(wide, default=0) <= width

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
