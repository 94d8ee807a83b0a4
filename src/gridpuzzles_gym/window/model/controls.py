"""The keys and gestures of a puzzle, and their descriptions for the window's help and the documentation."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ...engine.puzzle import Puzzle
from ...session.choices import switched_on
from ...session.preferences import Preferences

LABELS = {"up": "↑", "down": "↓", "left": "←", "right": "→", "space": "Space"}
"""The labels of keys whose pygame name is not printed on them; a letter is its own label, in upper case."""


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
        labels = [LABELS.get(key, key.upper()) for key, number in keys.actions.items() if number == action]
        entries.append((" or ".join(labels), keys.words[action]))
    gestures = puzzle.gestures
    if gestures is not None:
        entries.append(("click", gestures.click_words))
        if gestures.drag_words:
            entries.append(("drag", gestures.drag_words))
        if gestures.marks:
            entries.append(("right click", f"mark a square: {', '.join(gestures.marks)}"))
    return entries


def as_markdown(puzzle: Puzzle) -> str:
    """Return the controls of a puzzle, and its switches in the settings, as a Markdown table."""
    entries = controls(puzzle, puzzle.read_options())
    entries += [("*in the settings*", switch.words) for switch in puzzle.switches]
    lines = ["| keys and mouse | what they do |", "|---|---|"]
    return "".join(f"{line}\n" for line in [*lines, *(f"| {inputs} | {words} |" for inputs, words in entries)])
