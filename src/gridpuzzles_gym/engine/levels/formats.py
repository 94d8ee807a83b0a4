"""Level files of other programs: what a puzzle's record says of the formats that it reads and writes."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any


@dataclasses.dataclass(frozen=True)
class LevelFormats:
    """File formats, other than level text, for exchanging a puzzle's levels with other programs.

    An *entry* is an object of the puzzle's own type: a level as written in a file, with its title and comments.
    """

    writers: Mapping[str, Callable[[Sequence[Any]], str]]
    """``writers[format](entries) -> text``; the first is the default."""
    suffixes: Mapping[str, str]
    """The format for each file name extension, such as ``".xsb"``."""
    read: Callable[[str, str], Sequence[Any]]
    """``read(text, source) -> entries``: the format is detected automatically, and entries need not be playable; in
    place of a malformed one is its error. Raises LevelError."""
    import_levels: Callable[[str, str, Mapping[str, str]], Sequence[Any]]
    """``import_levels(text, source, tiles) -> entries``: the levels in a web page or any text, at least one, all
    playable, and in place of each invalid one its error; ``tiles`` maps the names of pictures to level symbols. Raises
    LevelError."""
