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
"""What numbers may be, and the settings of which that holds; nothing of it is true of what is not a number."""


@dataclasses.dataclass(frozen=True)
class Settings:
    """What a training run is made from; written beside its model as ``settings.json``.

    The defaults are tuned on Wumpus-v0; what differs elsewhere is in
    :mod:`~gridpuzzles_gym.agents.training.presets`. Values that fall do so on a straight line over the
    run. Only a run without a clock (``minutes=None``) is reproducible, and on one thread.

    Raises:
        ValueError: A value is not allowed.
    """

    env_id: str = "Wumpus-v0"
    """The environment, a registered id."""
    env_kwargs: dict[str, Any] = dataclasses.field(default_factory=dict)
    """Its keyword arguments."""
    sampler: str = "uniform"
    """Which level comes next: a name of :data:`~gridpuzzles_gym.agents.level_sources.sampler_choice.SAMPLERS`, with
    parameters behind it where they are not the defaults: ``"curriculum:up=0.7,episodes=500"``."""
    algorithm: str = "ppo"
    """``"ppo"``, or ``"maskable-ppo"`` (sb3-contrib), which never tries an action that does nothing."""
    total_steps: int = 8_000_000
    """Environment steps in all."""
    minutes: float | None = 9.5
    """Stop after so many minutes even if steps are left; the schedules follow whichever ends first."""
    num_envs: int = 512
    """Environments stepped side by side."""
    n_steps: int = 64
    """Steps in each environment between two updates."""
    batch_size: int = 4096
    """Transitions in a gradient step."""
    n_epochs: int = 3
    """Passes over the transitions at each update."""
    learning_rate: float = 1.5e-3
    """Adam's step size at the start."""
    final_learning_rate: float = 1e-4
    """And at the end."""
    entropy: float = 0.1
    """Weight of the entropy bonus at the start: without it PPO learns to stand still for fear of death."""
    final_entropy: float = 0.01
    """And at the end."""
    gamma: float = 0.98
    """Discount a step."""
    gae_lambda: float = 0.95
    """Bias against variance of the advantage estimate."""
    clip_range: float = 0.2
    """How far an update may move the policy."""
    reward_scale: float = 0.005
    """Factor on rewards, so that returns are a few units, as the value network likes them."""
    turned: bool = False
    """Is each level played turned and mirrored too, in eight ways? For Sokoban, the same in all directions."""
    network: str = "mlp"
    """``"mlp"``; or ``"egocentric"``, which shifts the board so that the player is in the middle: for Sokoban."""
    hidden: int = 256
    """Width of the network's layers."""
    centred: bool = False
    """Does the network see observations less the mean of the first ones? Good where most of one never changes."""
    checkpoint_steps: int = 1_000_000
    """Environment steps between two checkpoints."""
    seed: int = 0
    """Of the caves, the network and the sampled actions."""
    threads: int = 2
    """Torch threads. On two idle cores two are 1.4 times as fast as one; on busy ones they can be slower."""

    def __post_init__(self) -> None:
        if self.algorithm not in ALGORITHMS:
            raise ValueError(f"algorithm={self.algorithm!r} is not known; allowed are {', '.join(ALGORITHMS)}")
        if self.network not in NETWORKS:
            raise ValueError(f"network={self.network!r} is not known; allowed are {', '.join(NETWORKS)}")
        if self.centred and self.network != "mlp":
            raise ValueError(f"centred=True is for network='mlp', not for network={self.network!r}")
        read_choice(self.sampler)
        for what, (allowed, names) in _ALLOWED.items():
            for name in names:
                value = getattr(self, name)
                if value is not None and not allowed(value):
                    raise ValueError(f"{name}={value}: {what} is needed")
        if self.num_envs * self.n_steps < 2:
            raise ValueError("num_envs × n_steps must be at least 2: an update needs more than one transition")
