"""The base of samplers, and those that need no memory: packs, generated levels, and all levels except certain ones."""

import bisect
import itertools
import math
from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium as gym
import numpy as np

from gridpuzzles_gym.engine.kernels import kernel, make_generate
from gridpuzzles_gym.engine.levels.rows import RowLevel
from gridpuzzles_gym.engine.levels.sources import Sampler, find_levels
from gridpuzzles_gym.engine.messages import quote
from gridpuzzles_gym.engine.puzzle import Extent, Level, Outcome, Puzzle, load_puzzle
from gridpuzzles_gym.engine.scene import Row

from ..puzzle_agents import key_of

_MASK = 2**64 - 1
_GAMMA = 0x9E3779B97F4A7C15


def mix(random_bits: int, number: int = 0) -> int:
    """Return output number ``number`` of a SplitMix64 generator that starts from ``random_bits``: a uint64.

    (G. Steele, D. Lea and C. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.)
    """
    mixed = (random_bits + (number + 1) * _GAMMA) & _MASK
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
    return mixed ^ (mixed >> 31)


def below(random_bits: int, n: int) -> int:
    """Return a uniform integer in ``[0, n)`` from uniform random bits (bias below ``n / 2**64``)."""
    return random_bits * n >> 64


def share(random_bits: int) -> float:
    """Return a uniform number in ``[0, 1)`` from uniform random bits."""
    return (random_bits >> 11) * 2.0**-53


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

    def report(self, level: Level, outcome: Outcome, score: float) -> None:
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


class Pack(Stateless):
    """Levels sampled independently of each other: ``levels=Pack("first", "Sokoban-v0", weights=…)``.

    Args:
        levels: Levels, or anything an environment takes as ``levels=``: a pack's name, a path, a text, a list.
        puzzle: An environment id, or the puzzle; required unless all are :class:`Level` objects.
        weights: Relative probabilities of the levels, as non-negative numbers; None: uniform.

    Raises:
        ValueError: There are no levels, or weights are too few, too many, negative or all 0.
    """

    def __init__(self, levels: Any, puzzle: str | Puzzle | None = None, weights: Sequence[float] | None = None) -> None:
        self.levels = levels_of(levels, puzzle)
        self.extent = extent_for(self.levels)
        self._sums = None if weights is None else _sums(weights, len(self.levels))

    def sample(self, random_bits: int) -> Level:
        """Return the level that these random bits select."""
        if self._sums is None:
            return self.levels[below(random_bits, len(self.levels))]
        return self.levels[bisect.bisect_right(self._sums, share(random_bits) * self._sums[-1])]


def _sums(weights: Sequence[float], count: int) -> list[float]:
    """Return the cumulative sums of the weights."""
    numbers = [float(weight) for weight in weights]
    if len(numbers) != count:
        raise ValueError(f"{len(numbers)} weights for {count} levels: there must be one for each")
    if not all(math.isfinite(weight) and weight >= 0 for weight in numbers) or not any(numbers):
        raise ValueError("weights: must be non-negative numbers, not all of them 0")
    return list(itertools.accumulate(numbers))


class GeneratedLevels(Stateless):
    """The levels an environment generates by itself: ``GeneratedLevels("EightPuzzle-v0", scramble=12)``.

    Args:
        puzzle: An environment id, or the puzzle: Wumpus caves, random mazes, scrambled tiles.
        **options: The puzzle's own, as for ``gym.make``. The environment also needs those that are
            not part of level text, for example a tile puzzle's ``goal``.

    Raises:
        ValueError: The puzzle generates no levels, or not with these options; or an option is invalid.
    """

    def __init__(self, puzzle: str | Puzzle, **options: Any) -> None:
        self.puzzle = puzzle_of(puzzle)
        self.options = self.puzzle.read_options(**options)
        generation = self.puzzle.generation_with(self.options)
        if generation is None:
            why = "of its own" if self.puzzle.generation is None else "with these options, but plays those of its pack"
            raise ValueError(f"{self.puzzle.title} generates no levels {why}")
        self.extent = tuple(generation.extent(self.options))
        self.options = self.puzzle.resolve_options(self.options, self.extent, ())
        self._settings = generation.settings(self.options)

    def sample(self, random_bits: int) -> Level:
        """Return the level of these random bits; equal bits give equal levels."""
        rows = [np.zeros(size, np.int16) for size in self.puzzle.row_lengths(self.extent)]
        rng = np.array([mix(random_bits) or 1], np.uint64)  # the random generator of the rules must not be zero
        kernel(make_generate, self.puzzle)(self._settings, rng, *rows)
        name = f"generated {random_bits:016x}"
        return RowLevel(self.puzzle, self.extent, self.options, (rows[0], rows[1]), name, generated=True)


MAX_TRIES = 1000
"""Maximum number of consecutive rejections; then there are probably no other levels."""


class Avoiding(Stateless):
    """The levels of a source except certain ones: ``Avoiding(SokobanSampler(boxes=2), "medium-test", "Sokoban-v0")``.

    Sokoban boards are avoided in all eight orientations.

    Args:
        source: A sampler whose levels depend only on their random bits: :class:`~.GeneratedLevels`,
            or a generator.
        levels: Levels to avoid: anything ``gym.make`` takes as ``levels=``, or a list of levels.
        puzzle: An environment's id, or the puzzle.

    Raises:
        ValueError: There are no such levels, or no such puzzle.
    """

    def __init__(self, source: Sampler, levels: Any, puzzle: str | Puzzle) -> None:
        self.puzzle = puzzle_of(puzzle)
        self.source = source
        self.extent: Extent = source.extent
        self._known = frozenset(key_of(self.puzzle, level) for level in levels_of(levels, self.puzzle))

    def sample(self, random_bits: int) -> Level:
        """Return the level of these random bits; if it must be avoided, of further bits derived from them.

        Raises:
            ValueError: Too many levels in a row were to be avoided.
        """
        for number in range(MAX_TRIES):
            level = self.source.sample(mix(random_bits, number - 1) if number else random_bits)
            if key_of(self.puzzle, level) not in self._known:
                return level
        raise ValueError(f"all of {MAX_TRIES:,} new levels are among the {len(self._known):,} to be avoided")
