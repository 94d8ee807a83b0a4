"""The reports of a training run in progress."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class Report(NamedTuple):
    """The progress of a run, after an update. There is none before the first episode has ended."""

    steps: int
    """Steps taken in all."""
    seconds: float
    """Seconds of training in all, without those spent in callbacks."""
    share: float
    """The completed share of the run, by steps or by the clock, 0 to 1."""
    score: float
    """The mean return of the learner's latest episodes, unscaled."""
    row: Mapping[str, Any]
    """The row of ``curve.csv``, by :data:`~gridpuzzles_gym.agents.training.monitoring.curve.FIELDS`."""


Callback = Callable[[Report], bool | None]
"""Called with each report. It returns True to stop the run, or raises, e.g. ``optuna.TrialPruned``; the model is saved
in both cases, and an exception is passed on to the caller."""
