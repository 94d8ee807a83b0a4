"""Base classes and functions of the samplers."""

from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium as gym

from gridpuzzles_gym.engine.levels.sources import Sampler, find_levels
from gridpuzzles_gym.engine.messages import quote
from gridpuzzles_gym.engine.puzzle import Extent, Level, Puzzle, load_puzzle
from gridpuzzles_gym.engine.scene import Row

SUCCESS = "solved"
"""The outcome that counts as a success."""


class Tagged(Level):
    """A level that keeps its index in the sampler that returned it, also after copying or pickling.

    Attributes:
        origin: The original level, which is reported to the source.
        tag: Its index in the sampler.
    """

    origin: Level
    tag: int

    def __init__(self, origin: Level, tag: int) -> None:
        same = {"extent": origin.extent, "name": origin.name, "puzzle": origin.puzzle}
        self.__dict__.update(same, origin=origin, tag=tag)  # a level is frozen

    @property
    def content(self) -> Any:
        """The content of the original level."""
        return self.origin.content

    def rows_for(self, puzzle: Puzzle, extent: Extent, options: Any) -> tuple[Row, Row] | None:
        """Return the rows of the original level."""
        return self.origin.rows_for(puzzle, extent, options)


class Stateless:
    """Base of samplers without memory: a level depends only on its random bits."""

    def report(self, level: Level, outcome: str, score: float) -> None:
        """Do nothing: the next level does not depend on the outcome."""

    def get_state(self) -> Any:
        """Return None: there is no state."""
        return None

    def set_state(self, state: Any) -> None:
        """Do nothing: there is no state."""


def puzzle_of(puzzle: str | Puzzle) -> Puzzle:
    """Return the puzzle of an environment id (``"Sokoban-v0"``) or of a module, or the puzzle itself.

    Raises:
        ValueError: There is none.
    """
    if isinstance(puzzle, str) and puzzle in gym.registry:
        puzzle = gym.spec(puzzle).kwargs.get("puzzle", puzzle)
    try:
        return load_puzzle(puzzle)
    except ImportError:
        raise ValueError(
            f"puzzle={quote(puzzle)} is not known: must be an environment id such as 'Sokoban-v0'"
        ) from None


def levels_of(levels: Any, puzzle: str | Puzzle | None) -> list[Level]:
    """Return the levels of a list, or those that :func:`~.sources.find_levels` finds; at least one.

    Raises:
        ValueError: There are none, or they have to be looked up and ``puzzle`` is not given.
    """
    if not isinstance(levels, str) and isinstance(levels, Sequence):
        found: list[Level] = []
        for item in levels:
            found += [item] if isinstance(item, Level) else levels_of(item, puzzle)
        if not found:
            raise ValueError("levels=[]: must contain at least one level")
        return found
    if puzzle is None:
        raise ValueError(f"levels={quote(levels)} have to be looked up: give puzzle=, for example puzzle='Sokoban-v0'")
    return find_levels(puzzle_of(puzzle), levels)


def extent_for(parts: Iterable[Level | Sampler]) -> Extent:
    """Return the smallest extent that all of these fit into."""
    return tuple(max(sizes) for sizes in zip(*(part.extent for part in parts), strict=True))


def entries(state: Any, *names: str) -> list[Any]:
    """Return the named entries of a sampler's saved state, in that order.

    Raises:
        ValueError: It is not a dict, or one of them is missing.
    """
    if not isinstance(state, dict) or not all(name in state for name in names):
        raise ValueError(f"not a state of this sampler: must be a dict of {', '.join(names)}")
    return [state[name] for name in names]


def close_all(sources: Iterable[Any]) -> None:
    """Close all sources that can be closed."""
    for source in sources:
        close = getattr(source, "close", None)
        if close is not None:
            close()
