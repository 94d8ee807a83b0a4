"""Levels that a remote caller of a server may choose: a level text, the name of a bundled level or pack, or an index.

:func:`.sources.pick_level` is for local users: it reads files and folders, by which a remote caller could learn
which files exist and what they contain. Here the caller's text never opens or looks up a file: a text that is not a
name is read as a level text.
"""

from collections.abc import Callable
from typing import Any

from ..arguments import integer
from ..messages import quote
from ..puzzle import Level, LevelError, Puzzle
from .bundled import all_bundled, bundled, bundled_levels
from .row_file import StoredLevels
from .sources import LevelSource, pick_level

LONGEST_TEXT, MOST_LINES = 100_000, 2_000
"""The maximum length of a level text, in characters and in lines: the largest boards and some comments."""
LARGEST_SEED = 2**128 - 1


def remote_level(puzzle: Puzzle, source: LevelSource, choice: Any, check: Callable[[Level], None]) -> Level:
    """Return the level that a server's caller chooses.

    Args:
        puzzle: The puzzle.
        source: The environment's level source.
        choice: An index, as for :func:`.sources.pick_level`; the name of a level of the environment, of a bundled level
            or of a bundled pack, whose first level is meant; or a level text, whose first level is meant.
        check: Raises LevelError on a level that cannot be played in the environment.

    Raises:
        LevelError: There is no such level, or it cannot be played in the environment.
    """
    if type(choice) is int:
        return pick_level(puzzle, source, choice, check)
    if type(choice) is not str:
        raise LevelError(f"level={quote(choice)} is a {type(choice).__name__}; allowed are a text, a name, or an index")
    level = _named(puzzle, source, choice) or _read(puzzle, choice)
    check(level)
    return level


def remote_seed(seed: Any) -> int | None:
    """Return the random seed that a server's caller chooses; raises ValueError if it is not one."""
    return None if seed is None else integer("seed", seed, 0, LARGEST_SEED)


def _named(puzzle: Puzzle, source: LevelSource, name: str) -> Level | None:
    own = () if isinstance(source.levels, StoredLevels) else source.levels  # there may be millions
    found = next((level for level in own if level.name == name), None)
    if found is None and name in bundled(puzzle):
        return bundled_levels(puzzle, name)[0]
    return found or next((level for level in all_bundled(puzzle) if level.name == name), None)


def _read(puzzle: Puzzle, text: str) -> Level:
    if len(text) > LONGEST_TEXT:
        raise LevelError(f"a level text of {len(text):,} characters; the maximum is {LONGEST_TEXT:,}")
    if (lines := len(text.splitlines())) > MOST_LINES:
        raise LevelError(f"a level text of {lines:,} lines; the maximum is {MOST_LINES:,}")
    try:
        levels = puzzle.parse(text, "level text")
    except LevelError as error:
        if "\n" in text:
            raise
        raise LevelError(f"no level {quote(text)}: not the name of one, and as a level text: {error}") from None
    if not levels:
        raise LevelError(f"no level in {quote(text)}")
    return levels[0]
