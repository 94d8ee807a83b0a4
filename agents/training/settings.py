"""All settings of a training run, typed, in one place."""

import dataclasses
import math
from collections.abc import Callable
from typing import Any

from ..level_sources.sampler_choice import read_choice

ALGORITHMS = ("ppo", "maskable-ppo")
NETWORKS = ("mlp", "egocentric")
_ALLOWED: dict[str, tuple[Callable[[float], bool], tuple[str, ...]]] = {
    "a positive integer up to 10¹⁵": (lambda value: 1 <= value <= 10**15, ("total_steps", "checkpoint_steps")),
    "a positive integer up to 1,000,000": (
        lambda value: 1 <= value <= 1_000_000,
        ("num_envs", "n_steps", "batch_size", "n_epochs"),
    ),
    "a positive integer up to 65,536": (lambda value: 1 <= value <= 65_536, ("hidden",)),
    "a positive integer up to 1,024": (lambda value: 1 <= value <= 1024, ("threads",)),
    "an integer from 0 to 4,294,967,295": (lambda value: 0 <= value < 2**32, ("seed",)),
    "a positive number": (
        lambda value: 0 < value < math.inf,
        ("minutes", "learning_rate", "clip_range", "reward_scale"),
    ),
    "0 or a positive number": (
        lambda value: 0 <= value < math.inf,
        ("final_learning_rate", "entropy", "final_entropy"),
    ),
    "a number from 0 to 1": (lambda value: 0 <= value <= 1, ("gamma", "gae_lambda")),
}
"""The allowed range of numbers, with a test and the settings it applies to; the tests are false for NaN."""


@dataclasses.dataclass(frozen=True)
class Settings:
    """All settings of a training run; saved next to its model as ``settings.json``.

    The defaults are tuned on Wumpus-v0; presets for other environments are in
    :mod:`~gridpuzzles_gym.agents.training.presets`. Scheduled values decrease linearly over the
    run. Only a single-threaded run without a time limit (``minutes=None``) is reproducible.

    Raises:
        ValueError: A value is invalid.
    """

    env_id: str = "Wumpus-v0"
    """The environment, a registered id."""
    env_kwargs: dict[str, Any] = dataclasses.field(default_factory=dict)
    """Its keyword arguments."""
    sampler: str = "uniform"
    """The level sampler: a name of :data:`~gridpuzzles_gym.agents.level_sources.sampler_choice.SAMPLERS`, optionally
    followed by parameters: ``"curriculum:up=0.7,episodes=500"``."""
    algorithm: str = "ppo"
    """``"ppo"``, or ``"maskable-ppo"`` (sb3-contrib), which never takes an action that does nothing."""
    total_steps: int = 8_000_000
    """Total number of environment steps."""
    minutes: float | None = 9.5
    """Stop after this many minutes even if steps are left; the schedules follow whichever ends first."""
    num_envs: int = 512
    """Number of parallel environments."""
    n_steps: int = 64
    """Steps in each environment between updates."""
    batch_size: int = 4096
    """Transitions per gradient step."""
    n_epochs: int = 3
    """Passes over the transitions at each update."""
    learning_rate: float = 1.5e-3
    """Adam's learning rate at the start."""
    final_learning_rate: float = 1e-4
    """Adam's learning rate at the end."""
    entropy: float = 0.1
    """Weight of the entropy bonus at the start: without it PPO learns to stand still to avoid death."""
    final_entropy: float = 0.01
    """Weight of the entropy bonus at the end."""
    gamma: float = 0.98
    """Discount per step."""
    gae_lambda: float = 0.95
    """λ of GAE: trades bias against variance of the advantage estimate."""
    clip_range: float = 0.2
    """Clipping range of PPO: how far an update may change the policy."""
    reward_scale: float = 0.005
    """Factor on rewards, to bring returns to a few units for the value network."""
    turned: bool = False
    """Play levels rotated and mirrored, in eight orientations? Requires rules that are the same in all directions."""
    network: str = "mlp"
    """``"mlp"``; or ``"egocentric"``, which shifts the board to put the player in the middle: for Sokoban."""
    hidden: int = 256
    """Width of the network's layers."""
    centred: bool = False
    """Subtract the mean of the first observations from the network's input? Useful if most inputs never change."""
    checkpoint_steps: int = 1_000_000
    """Environment steps between checkpoints."""
    seed: int = 0
    """Random seed of the levels, the network and the sampled actions."""
    threads: int = 2
    """Torch threads. On two idle cores, two are 1.4 times as fast as one; on busy ones they can be slower."""

    def __post_init__(self) -> None:
        if self.algorithm not in ALGORITHMS:
            raise ValueError(f"algorithm={self.algorithm!r} is not known; allowed are {', '.join(ALGORITHMS)}")
        if self.network not in NETWORKS:
            raise ValueError(f"network={self.network!r} is not known; allowed are {', '.join(NETWORKS)}")
        if self.centred and self.network != "mlp":
            raise ValueError(f"centred=True requires network='mlp', not network={self.network!r}")
        read_choice(self.sampler)
        for what, (allowed, names) in _ALLOWED.items():
            for name in names:
                value = getattr(self, name)
                if value is not None and not allowed(value):
                    raise ValueError(f"{name}={value}: must be {what}")
        if self.num_envs * self.n_steps < 2:
            raise ValueError("num_envs × n_steps must be at least 2: an update requires more than one transition")
