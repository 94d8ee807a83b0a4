"""What a person has chosen in the settings: for the whole app, and for each puzzle."""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from ..engine.arguments import boolean, choice
from ..engine.messages import quote

THEMES = ("dark", "light", "high contrast", "colour-blind safe")
"""The colours of the window; the first is the default."""
TEXT_SIZES = (75, 100, 125, 150, 200)
"""The sizes of the window's text, in percent."""


@dataclasses.dataclass(frozen=True)
class Preferences:
    """The settings of the app.

    Raises:
        ValueError: A value is invalid.
    """

    theme: str = THEMES[0]
    """One of :data:`THEMES`."""
    text_size: int = 100
    """One of :data:`TEXT_SIZES`."""
    animation: bool = True
    """Whether movements are shown between two squares."""
    sound: bool = True
    """Whether sounds are played, if there is a device."""
    full_screen: bool = False
    """Whether the window covers the screen."""
    choices: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    """For each puzzle by its name, its own choices by theirs, such as ``"style"``: texts, numbers or truth values."""

    def __post_init__(self) -> None:
        choice("theme", self.theme, THEMES)
        if type(self.text_size) is not int or self.text_size not in TEXT_SIZES:
            raise ValueError(f"text_size={quote(self.text_size)}: must be one of {', '.join(map(str, TEXT_SIZES))}")
        for name in ("animation", "sound", "full_screen"):
            boolean(name, getattr(self, name))
        object.__setattr__(self, "choices", _checked(self.choices))

    def chosen(self, puzzle: str, name: str, default: Any) -> Any:
        """Return a puzzle's choice; ``default`` if there is none of the same type."""
        found = self.choices.get(puzzle, {}).get(name, default)
        return found if type(found) is type(default) else default

    def choosing(self, puzzle: str, name: str, value: Any) -> "Preferences":
        """Return these preferences with one choice of a puzzle changed.

        Raises:
            ValueError: The value is not a text, a finite number or a truth value.
        """
        own = {**self.choices.get(puzzle, {}), name: value}
        return dataclasses.replace(self, choices={**self.choices, puzzle: own})


def preferences_from(content: Mapping[str, Any]) -> Preferences:
    """Return the preferences whose ``dataclasses.asdict`` is given; what is missing has its default.

    Raises:
        ValueError: A value is invalid. Unknown names are ignored.
    """
    names = [field.name for field in dataclasses.fields(Preferences)]
    return Preferences(**{name: content[name] for name in names if name in content})


def _checked(choices: Any) -> dict[str, dict[str, Any]]:
    """Return a copy of the puzzles' choices; raises ValueError if they are invalid."""
    if not isinstance(choices, Mapping) or not all(isinstance(own, Mapping) for own in choices.values()):
        raise ValueError(f"choices={quote(choices)}: must be a mapping of puzzles to their choices by name")
    for puzzle, own in choices.items():
        for name, value in own.items():
            scalar = isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))
            if not (isinstance(puzzle, str) and isinstance(name, str) and scalar):
                raise ValueError(f"{quote(puzzle)}: {quote(name)}={quote(value)} must be a text or a finite number")
    return {puzzle: dict(own) for puzzle, own in choices.items()}
