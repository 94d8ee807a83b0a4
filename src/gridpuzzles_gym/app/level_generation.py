"""Draw levels: what ``gridpuzzles levels generate`` does."""

from collections.abc import Callable, Iterator

import numpy as np

from gridpuzzles_gym.agents.generator.bait import BaitSampler

from ..engine.levels import Sampler
from ..engine.puzzle import Level, Puzzle
from ..engine.random import word_from
from .arguments import puzzle_named

SAMPLERS: dict[str, Callable[..., Sampler]] = {"bait": BaitSampler}
"""A sampler for each puzzle that has one, by its name: called with width, height and difficulty."""


def generate(puzzle: str, count: int, width: int, height: int, difficulty: str, seed: int) -> Iterator[str]:
    """Draw levels, one after the other, as level text.

    Args:
        puzzle: Its name or id.
        count: How many.
        width: Squares from left to right.
        height: Squares from top to bottom.
        difficulty: A name or a number; which there are, the sampler tells.
        seed: Of the first; equal seeds give equal levels.

    Raises:
        ValueError: There is no sampler for the puzzle, or a number is out of range.
    """
    record = puzzle_named(puzzle)
    if record.name not in SAMPLERS:
        raise ValueError(f"no levels of {record.title} can be drawn; there are samplers for {', '.join(SAMPLERS)}")
    if count < 1:
        raise ValueError(f"count={count}: a positive integer is needed")
    sampler = SAMPLERS[record.name](width, height, int(difficulty) if difficulty.isdecimal() else difficulty)
    random = np.random.default_rng(seed)
    return (_text_of(record, sampler.sample(word_from(random))) for _ in range(count))


def _text_of(puzzle: Puzzle, level: Level) -> str:
    """A level as level text, its name above."""
    return f"; {level.name}\n{puzzle.format(*puzzle.encode(level, level.extent, puzzle.read_options()))}\n"
