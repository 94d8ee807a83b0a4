"""What the samplers have in common."""

from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium as gym

from gridpuzzles_gym.engine.levels import Sampler, find_levels
from gridpuzzles_gym.engine.puzzle import Extent, Level, Puzzle, Row, load_puzzle

SUCCESS = "solved"
"""The outcome that counts as success."""


class Tagged(Level):
    """A level that knows its place in the sampler that handed it out, also as a copy or out of a pickle.

    Attributes:
        origin: The level as the sampler found it: what a source of its own is told of.
        tag: Its number there.
    """

    origin: Level
    tag: int

    def __init__(self, origin: Level, tag: int) -> None:
        self.__dict__.update(extent=origin.extent, name=origin.name, origin=origin, tag=tag)  # a level is frozen

    @property
    def content(self) -> Any:
        """That of the level itself."""
        return self.origin.content

    def rows_for(self, puzzle: Puzzle, extent: Extent, options: Any) -> tuple[Row, Row] | None:
        """Those of the level itself."""
        return self.origin.rows_for(puzzle, extent, options)


class Stateless:
    """A sampler's memory, for those that have none: a level depends on its word only."""

    def report(self, level: Level, outcome: str, score: float) -> None:
        """Not used: what comes next does not depend on how it went."""

    def get_state(self) -> Any:
        """Nothing."""
        return None

    def set_state(self, state: Any) -> None:
        """Nothing to set."""


def puzzle_of(puzzle: str | Puzzle) -> Puzzle:
    """The puzzle of an environment's id (``"Sokoban-v0"``), of a module, or itself.

    Raises:
        ValueError: There is none.
    """
    if isinstance(puzzle, str) and puzzle in gym.registry:
        puzzle = gym.spec(puzzle).kwargs.get("puzzle", puzzle)
    try:
        return load_puzzle(puzzle)
    except ImportError:
        raise ValueError(f"puzzle={puzzle!r} is not known: an environment's id is needed, e.g. 'Sokoban-v0'") from None


def levels_of(levels: Any, puzzle: str | Puzzle | None) -> list[Level]:
    """The levels of a list, or what :func:`~gridpuzzles_gym.engine.levels.find_levels` finds; at least one.

    Raises:
        ValueError: There are none, or they are to be looked up and ``puzzle`` is not given.
    """
    if not isinstance(levels, str) and isinstance(levels, Sequence):
        found: list[Level] = []
        for item in levels:
            found += [item] if isinstance(item, Level) else levels_of(item, puzzle)
        if not found:
            raise ValueError("levels=[]: at least one level is needed")
        return found
    if puzzle is None:
        raise ValueError(f"levels={levels!r} are to be looked up: puzzle= is needed, e.g. puzzle='Sokoban-v0'")
    return find_levels(puzzle_of(puzzle), levels)


def extent_for(parts: Iterable[Level | Sampler]) -> Extent:
    """The extent that all of these fit into."""
    return tuple(max(sizes) for sizes in zip(*(part.extent for part in parts), strict=True))


def entries(state: Any, *names: str) -> list[Any]:
    """Those entries of a sampler's saved state, in that order.

    Raises:
        ValueError: It is no dict, or one of them is missing.
    """
    if not isinstance(state, dict) or not all(name in state for name in names):
        raise ValueError(f"not a state of this sampler: a dict of {', '.join(names)} is needed")
    return [state[name] for name in names]


def close_all(sources: Iterable[Any]) -> None:
    """Close those that have something to close."""
    for source in sources:
        close = getattr(source, "close", None)
        if close is not None:
            close()
