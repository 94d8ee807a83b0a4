"""The part of a run that is drawn: without its beginning, and after the run that it continues."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym

import gridpuzzles_gym  # noqa: F401  (registers the environments)

from .plan import Experiment
from .results import Result

Curve = Sequence[dict[str, Any]]
"""The rows of a learning curve."""


def trained_before(run: Result, experiment: Experiment, results: Mapping[str, Result]) -> tuple[int, float]:
    """Return the steps and the minutes of the run that a run continues; zeros if it continues none."""
    first = results.get(experiment.begins_with(run.seed) or "")
    return (0, 0.0) if first is None else (first.steps, first.minutes)


def shown_curve(curve: Curve, run: Result, steps: int, minutes: float) -> list[dict[str, Any]]:
    """Return the rows of a curve that are drawn, with the steps and seconds of the earlier run added.

    They begin when every environment has ended an episode: until then only short episodes have, and a mean over these
    says little about the policy.

    Args:
        curve: All rows.
        run: The run.
        steps: Steps before it.
        minutes: Minutes before it.
    """
    limit = run.settings["env_kwargs"].get("max_episode_steps") or gym.spec(run.env_id).max_episode_steps or 0
    first = run.settings["num_envs"] * limit
    rows = [row for row in curve if row["steps"] >= first] or list(curve[-1:])
    return [row | {"steps": row["steps"] + steps, "seconds": row["seconds"] + 60 * minutes} for row in rows]


def after(run: Result, steps: int, minutes: float) -> Result:
    """Return a run whose steps and minutes, and those of its snapshots, include the earlier run's."""
    snapshots = (
        dataclasses.replace(score, steps=score.steps + steps, seconds=score.seconds + 60 * minutes)
        for score in run.snapshots
    )
    return dataclasses.replace(run, steps=run.steps + steps, minutes=run.minutes + minutes, snapshots=tuple(snapshots))
