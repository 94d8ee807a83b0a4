"""What a person can switch on for a puzzle: declared by the puzzle, offered by the app's settings."""

import dataclasses
from collections.abc import Mapping
from typing import Any


@dataclasses.dataclass(frozen=True)
class Switch:
    """A choice that is off unless a person switches it on; it only changes how the puzzle is shown and its keys."""

    name: str
    """Its name in the files in which choices are kept."""
    words: str
    """What it does, in words."""
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Options of the puzzle while it is on; they only change pictures."""
    keys: Mapping[str, int] | None = None
    """The action of each key while it is on; None: as always."""
    key_words: Mapping[int, str] = dataclasses.field(default_factory=dict)
    """As :attr:`.Puzzle.key_words`, for its keys."""
