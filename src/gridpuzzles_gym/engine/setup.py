"""What an environment is made of: all that an agent may know of it, beside what it observes."""

import dataclasses
from typing import Any

import gymnasium as gym

from .levels import Sampler
from .puzzle import Extent, Level, Puzzle


@dataclasses.dataclass(frozen=True)
class Setup:
    """How a single or vector environment was made; ``env.unwrapped.setup``."""

    puzzle: Puzzle
    options: Any
    """The puzzle's own options, as they are in force."""
    observation: str
    """A key of :attr:`Puzzle.observations`."""
    extent: Extent
    """Of its boards."""
    levels: tuple[Level, ...]
    """The levels that ``levels=`` gave; empty where levels are generated or sampled."""
    sampler: Sampler | None
    """What chooses its levels, where ``levels=`` was a sampler."""
    limit: int | None
    """Steps after which an episode is truncated; None where nothing is known to truncate it."""

    @property
    def action_names(self) -> tuple[str, ...]:
        """The name of each action, in order."""
        return self.puzzle.actions(self.options)

    @property
    def space(self) -> gym.Space[Any]:
        """The space of one observation."""
        return self.puzzle.observations[self.observation].space(self.extent)

    @property
    def generated(self) -> bool:
        """Do the puzzle's own rules generate the instances?"""
        return not self.levels and self.sampler is None


def setup_of(env: Any) -> Setup:
    """The setup of one of the suite's environments, single or vector, wrapped or not.

    A vector environment knows its step limit itself; that of a single one is in the wrapper around it.

    Raises:
        ValueError: It is none of the suite's environments.
    """
    setup = getattr(env.unwrapped, "setup", None)
    if not isinstance(setup, Setup):
        raise ValueError(f"{env} is not an environment of this suite: it has no setup")
    if setup.limit is None and env.spec is not None:
        return dataclasses.replace(setup, limit=env.spec.max_episode_steps)
    return setup
