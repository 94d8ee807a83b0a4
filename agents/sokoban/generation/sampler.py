"""The Sokoban generator as a sampler, for background processes and stages of a curriculum."""

from typing import Any

from gridpuzzles_gym.engine.puzzle import Extent, Level

from ...samplers.base import Stateless
from ...samplers.mixing import mix
from .generator import Generator, read_recipe


class SokobanSampler(Stateless):
    """Generates levels by Monte-Carlo tree search: ``OnTheFly(SokobanSampler(width=7, height=7, boxes=2))``.

    Args:
        **recipe: Fields of :class:`~.generator.Recipe`, and weights as :func:`~.generator.read_recipe` takes them.

    Raises:
        ValueError: A value is invalid.
    """

    def __init__(self, **recipe: Any) -> None:
        self.generator = Generator(read_recipe(recipe))
        self.extent: Extent = self.generator.extent

    def sample(self, random_bits: int) -> Level:
        """Return the level of these random bits; if they produce none, of further bits derived from them."""
        number = 0
        while True:
            made = self.generator.make(random_bits if number == 0 else mix(random_bits, number))
            number += 1
            if made is not None:
                return made.level
