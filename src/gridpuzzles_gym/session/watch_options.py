"""How agents are watched, in a window or in a recording."""

import dataclasses
from collections.abc import Mapping
from typing import Any

SLOWEST, FASTEST = 0.25, 120.0
"""The limits of a pace, in steps per second."""
PACE = 4.0
"""The default pace in windows and on pages, in steps per second."""


@dataclasses.dataclass(frozen=True)
class WatchOptions:
    """Which episodes agents play, how they play them, and how they are shown.

    Raises:
        ValueError: The number of episodes or the pace is invalid.
    """

    level: str | None = None
    """A level file, a bundled pack or a level's title; None: the levels of the environment."""
    seed: int | None = None
    """The seed of the first episode; later ones use seed+1, seed+2, …; None chooses one at random."""
    episodes: int | None = None
    """The number of episodes; None: no limit in a window, 1 in a recording."""
    fps: float | None = None
    """Actions per second; None: :data:`PACE`, but in a .gif or .mp4 file the ``render_fps`` of the environments."""
    notes: bool = True
    """Show what the agents think."""
    deterministic: bool = False
    """Trained models take their most likely actions instead of sampling."""
    trust_pickle: bool = False
    """Load a model that Stable-Baselines3 saved. Its file can run any code."""
    settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Keyword arguments of the environment."""

    def __post_init__(self) -> None:
        if self.episodes is not None and self.episodes < 1:
            raise ValueError(f"episodes={self.episodes}: must be a positive integer")
        if self.fps is not None and not SLOWEST <= self.fps <= FASTEST:
            raise ValueError(f"fps={self.fps:g}: must be a number from {SLOWEST:g} to {FASTEST:g}")
