"""Options that a person can switch on and off: declared by a puzzle, offered in the settings of the window."""

import dataclasses
from collections.abc import Mapping
from typing import Any


@dataclasses.dataclass(frozen=True)
class Switch:
    """A choice that a person can change; it only changes how the puzzle is shown and its keys."""

    name: str
    """Its name in the files in which choices are saved."""
    words: str
    """What it does, in words."""
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Options of the puzzle while it is on; they only change pictures."""
    keys: Mapping[str, int] | None = None
    """The action of each key while it is on; None: the puzzle's keys."""
    key_words: Mapping[int, str] = dataclasses.field(default_factory=dict)
    """The same as :attr:`.Puzzle.key_words`, for these keys."""
    at_first: bool = False
    """Whether it is on until the person switches it off."""
