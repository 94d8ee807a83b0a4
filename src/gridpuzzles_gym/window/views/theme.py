"""The colours of the screens, and of the widgets in them."""

from typing import Any, NamedTuple

from ...engine.pictures import painting
from ...engine.pictures.panel import DARK, Colors


class Theme(NamedTuple):
    """Colours as ``"#rrggbb"``."""

    ground: str
    """The window's background."""
    card: str
    """The background of buttons and cards."""
    hovered: str
    """The background of buttons and cards under the mouse."""
    edge: str
    ink: str
    """Text."""
    faint: str
    """Less important text."""
    accent: str
    """Titles, and what is selected."""
    good: str
    bad: str

    @property
    def panel(self) -> Colors:
        """The colours of what is around a board; in the dark theme, those of all pictures."""
        if self == THEMES["dark"]:
            return DARK
        words = self.edge, self.ink, self.faint, self.accent, self.good, self.bad
        grid = self.edge if self == THEMES["high contrast"] else ""
        return Colors(self.ground, self.card, self.ground, *words, UNLIT, grid)


THEMES: dict[str, Theme] = {
    "dark": Theme(
        "#120f17", "#2a2332", "#3b3146", "#5a4d62", "#f6e9cf", "#a2939f", "#ffd98a", "#8fd18a", "#f08a7a"
    ),
    "light": Theme(
        "#f4f0e6", "#ffffff", "#e8e0ce", "#b9ab92", "#2b2430", "#75695f", "#8a4b08", "#1f7a33", "#b3261e"
    ),
    "high contrast": Theme(
        "#000000", "#000000", "#333333", "#ffffff", "#ffffff", "#e0e0e0", "#ffff00", "#00ff00", "#ff6060"
    ),
    # Blue and orange instead of green and red (M. Okabe and K. Ito, "Color Universal Design", 2008).
    "colour-blind safe": Theme(
        "#101418", "#22303a", "#2f4453", "#5b7587", "#f2f5f7", "#a9b7c1", "#f0e442", "#56b4e9", "#e69f00"
    ),
}  # fmt: skip
"""The themes by name, as in :data:`~gridpuzzles_gym.session.preferences.THEMES`."""
UNLIT = 160
"""The opacity of icons of a panel that are not lit, in all themes but the dark one."""
TEXT = 18
"""The size of text in buttons at a text size of 100 % in a window of :data:`STANDARD`, in pixels."""
STANDARD = (1280, 800)
"""The size of the window for which the text sizes are given, in pixels."""
SMALLEST_TEXT = 8
"""The minimum size of text, in pixels."""


def text_size(percent: int, size: tuple[int, int]) -> int:
    """Return the size of text in buttons, in pixels.

    It grows with the window. In a smaller window it shrinks more slowly than the window, so that it stays legible.

    Args:
        percent: The text size that is chosen in the settings.
        size: The width and height of the window.
    """
    scale = min(side / standard for side, standard in zip(size, STANDARD, strict=True))
    return max(round(TEXT * percent / 100 * (scale if scale > 1 else scale**0.5)), SMALLEST_TEXT)


def widget_theme(theme: Theme, text_size: int) -> dict[str, Any]:
    """Return the theme as a dict in the format of pygame_gui.

    Args:
        theme: The colours.
        text_size: The size of text, in pixels.
    """
    colours = {
        "normal_bg": theme.card,
        "hovered_bg": theme.hovered,
        "active_bg": theme.hovered,
        "selected_bg": theme.hovered,
        "disabled_bg": theme.ground,
        "dark_bg": theme.ground,
        "normal_text": theme.ink,
        "hovered_text": theme.ink,
        "active_text": theme.accent,
        "selected_text": theme.accent,
        "disabled_text": theme.faint,
        "title_text": theme.ink,
        "normal_border": theme.edge,
        "hovered_border": theme.accent,
        "active_border": theme.accent,
        "selected_border": theme.accent,
        "disabled_border": theme.card,
        "link_text": theme.accent,
        "text_cursor": theme.accent,
    }
    # pygame_gui looks for a font under the names of elements only, never under "defaults".
    font = {"name": "dejavu", "size": str(text_size), "regular_path": str(painting.FONTS / "DejaVuSans.ttf")}
    shape = {"shape": "rounded_rectangle", "shape_corner_radius": "8", "border_width": "1", "shadow_width": "0"}
    return {
        "defaults": {"colours": colours, "misc": shape},
        "button": {"misc": shape},
        "text_entry_line": {"font": font, "misc": shape},
    }
