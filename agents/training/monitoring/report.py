"""What a training run reports while it goes on."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class Report(NamedTuple):
    """How far a run is, after an update. There is none before the first episode has ended."""

    steps: int
    """Steps taken in all."""
    seconds: float
    """Seconds of training in all, without those spent in callbacks."""
    share: float
    """The share of the run that is done, by steps or by the clock, 0 to 1."""
    score: float
    """The mean return of the learner's latest episodes, unscaled."""
    row: Mapping[str, Any]
    """The row of ``curve.csv``, by :data:`~gridpuzzles_gym.agents.training.monitoring.curve.FIELDS`."""


Callback = Callable[[Report], bool | None]
"""Called with each report. It returns True to stop the run, or raises, e.g. ``optuna.TrialPruned``; what is trained is
saved in both cases, and an exception goes on to the caller."""
