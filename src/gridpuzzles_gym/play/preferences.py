"""What a person has chosen in the settings, for the whole app and for each puzzle, and the keys that follow from it."""

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..engine.arguments import choice
from ..engine.messages import quote
from ..engine.puzzle import Puzzle, Switch

TEXT_SIZES = (75, 100, 125, 150, 200)
"""The sizes of the window's text, in percent."""
THEMES = ("dark", "light", "high contrast", "colour-blind safe")
"""The colours of the window: the names of :data:`~gridpuzzles_gym.play.window.widgets.THEMES`."""
KEY_NAMES = {
    "escape": "Esc", "return": "Enter", "backspace": "Backspace", "delete": "Delete", "space": "Space", "home": "Home",
    "left": "←", "right": "→", "up": "↑", "down": "↓", "pageup": "Page up", "pagedown": "Page down", "-": "−",
}  # fmt: skip
"""How keys are called on buttons and in lists of keys, by pygame's names; others are in upper case."""
CONTROL = "ctrl+"
"""In front of the name of a key that is pressed together with Ctrl, or with Command."""


def key_name(key: str) -> str:
    """Return how a key is called, by pygame's name; empty if it is empty."""
    name = key.removeprefix(CONTROL)
    return f"{'Ctrl+' if name != key else ''}{KEY_NAMES.get(name, name.upper())}"


@dataclasses.dataclass(frozen=True)
class Preferences:
    """The settings of the app.

    Raises:
        ValueError: A value is invalid.
    """

    text_size: int = 100
    """One of :data:`TEXT_SIZES`."""
    theme: str = THEMES[0]
    """One of :data:`THEMES`."""
    choices: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    """For each puzzle by its name, its own choices by theirs, such as ``"style"``: texts, numbers or truth values."""

    def __post_init__(self) -> None:
        if type(self.text_size) is not int or self.text_size not in TEXT_SIZES:
            raise ValueError(f"text_size={quote(self.text_size)}: must be one of {', '.join(map(str, TEXT_SIZES))}")
        choice("theme", self.theme, THEMES)
        if not isinstance(self.choices, Mapping) or not all(isinstance(own, Mapping) for own in self.choices.values()):
            raise ValueError(f"choices={quote(self.choices)}: must be a mapping of puzzles to their choices by name")

    def chosen(self, puzzle: str, name: str, default: Any) -> Any:
        """Return a puzzle's choice; ``default`` if there is none of the same type."""
        found = self.choices.get(puzzle, {}).get(name, default)
        return found if type(found) is type(default) else default

    def choosing(self, puzzle: str, name: str, value: Any) -> "Preferences":
        """Return these preferences with one choice of a puzzle changed."""
        own = {**self.choices.get(puzzle, {}), name: value}
        return dataclasses.replace(self, choices={**self.choices, puzzle: own})


def preferences_from(content: Mapping[str, Any], faults: list[str]) -> Preferences:
    """Return the valid preferences in a JSON object, and add the errors of others to ``faults``."""
    found = Preferences()
    for name in [field.name for field in dataclasses.fields(Preferences)]:
        try:
            found = dataclasses.replace(found, **{name: content.get(name, getattr(found, name))})
        except ValueError as error:
            faults.append(str(error))
    return found


def switched_on(preferences: Preferences, puzzle: Puzzle) -> list[Switch]:
    """Return what a person has switched on for a puzzle."""
    return [switch for switch in puzzle.switches if preferences.chosen(puzzle.name, switch.name, switch.at_first)]


def picture_settings(preferences: Preferences, puzzle: Puzzle) -> dict[str, Any]:
    """Return the settings with which a puzzle has the chosen style, and shows what is switched on."""
    settings: dict[str, Any] = {}
    if puzzle.styles:
        style = preferences.chosen(puzzle.name, "style", puzzle.styles[0])
        settings["style"] = style if style in puzzle.styles else puzzle.styles[0]
    for switch in puzzle.switches:
        settings |= {name: getattr(puzzle.options, name) for name in switch.options}  # a switch may be off again
    for switch in switched_on(preferences, puzzle):
        settings |= switch.options
    return settings


def playing_settings(preferences: Preferences, puzzle: Puzzle) -> dict[str, Any]:
    """Return the settings with which a person plays: what is hidden stays hidden, in the chosen style."""
    hidden = {} if puzzle.hidden is None else puzzle.hidden.playing
    return {**hidden, **picture_settings(preferences, puzzle)}


class Keys(NamedTuple):
    """The keys with which a person plays."""

    actions: Mapping[str, int]
    """The action of each key, by pygame's name of the key; only existing actions."""
    words: Mapping[int, str]
    """What each of these actions does."""


def keys_of(puzzle: Puzzle, options: Any, preferences: Preferences | None = None) -> Keys:
    """Return the keys of a puzzle.

    Args:
        puzzle: The puzzle.
        options: The puzzle's options, on which its actions depend.
        preferences: The settings with the puzzle's switches; None for all off.
    """
    keys, words = puzzle.keys, puzzle.key_words
    for switch in () if preferences is None else switched_on(preferences, puzzle):
        if switch.keys is not None:
            keys, words = switch.keys, switch.key_words
    names = puzzle.actions(options)
    actions = {key: action for key, action in keys.items() if action < len(names)}
    return Keys(actions, {action: words.get(action, names[action]) for action in actions.values()})


def controls(puzzle: Puzzle, options: Any, preferences: Preferences | None = None) -> list[tuple[str, str]]:
    """Return (keys or gesture, what it does) pairs, keys first; arguments as for :func:`keys_of`."""
    keys, entries = keys_of(puzzle, options, preferences), []
    for action in dict.fromkeys(keys.actions.values()):
        labels = [key_name(key) for key, number in keys.actions.items() if number == action]
        entries.append((" or ".join(labels), keys.words[action]))
    gestures = puzzle.gestures
    if gestures is not None:
        entries.append(("click", gestures.click_words))
        if gestures.drag_words:
            entries.append(("drag", gestures.drag_words))
    return entries


def as_markdown(puzzle: Puzzle) -> str:
    """Return the controls of a puzzle, and its switches in the settings, as a Markdown table."""
    entries = controls(puzzle, puzzle.read_options())
    entries += [("*in the settings*", switch.words) for switch in puzzle.switches]
    lines = ["| keys and mouse | what they do |", "|---|---|"]
    return "".join(f"{line}\n" for line in [*lines, *(f"| {inputs} | {words} |" for inputs, words in entries)])
