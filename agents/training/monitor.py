"""The output of a training run: its reports, learning curve and chart, TensorBoard's events, and the progress bar."""

import csv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from gridpuzzles_gym.engine.levels.sources import Sampler
from gridpuzzles_gym.engine.messages import quote
from gridpuzzles_gym.engine.puzzle import Outcome
from gridpuzzles_gym.engine.system.csv_text import write_table
from gridpuzzles_gym.engine.system.files import replacing, write_text

CURVE = "curve.csv"
"""Name of the table in a run folder."""
FIELDS = ("phase", "steps", "seconds", "return", "success", "deaths", "length", "curriculum")
"""Columns of the table; the first is the phase of the run, the last the progress of a curriculum, 0 to
1, and empty if there is none."""


class Episode(NamedTuple):
    """The result of an episode that the learner played."""

    score: float
    """The sum of its rewards, unscaled."""
    length: int
    outcome: Outcome


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
    """The row of ``curve.csv``, by :data:`FIELDS`."""


Callback = Callable[[Report], bool | None]
"""Called with each report. It returns True to stop the run, or raises, e.g. ``optuna.TrialPruned``; the model is saved
in both cases, and an exception is passed on to the caller."""


class Monitor:
    """Writes ``curve.csv`` and its chart, TensorBoard's events, and shows a progress bar.

    Args:
        folder: Folder of the run.
        title: Title of the chart.
        sampler: The source of levels, if any; its ``metrics()`` are recorded.
        done: Number of steps of a resumed run; later rows of the table are removed, since those steps are repeated.
    """

    def __init__(self, folder: Path, title: str, sampler: Sampler | None, done: int = 0) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self._folder, self._title, self._curve = folder, title, folder / CURVE
        self._metrics: Callable[[], dict[str, float]] = getattr(sampler, "metrics", dict)
        if not done or not self._curve.exists():
            write_text(self._curve, ",".join(FIELDS) + "\n")
        else:
            _cut(self._curve, done)
        self._events: Any = SummaryWriter(str(folder / "tensorboard"), purge_step=done)
        columns = (
            TextColumn("{task.fields[phase]}"),
            BarColumn(),
            TextColumn("{task.fields[steps]:,} steps{task.description}"),
            TimeRemainingColumn(),
        )
        self._bar = Progress(*columns)
        self._task = self._bar.add_task("", total=1.0, steps=done, phase="training")

    def __enter__(self) -> "Monitor":
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()
        self._events.close()
        draw_curve(self._curve, self._folder / "learning_curve.png", self._title)

    def show(self, share: float, steps: int, phase: str) -> None:
        """Update the progress bar: the completed share of the run, 0 to 1, the steps taken, and the phase."""
        self._bar.update(self._task, completed=share, steps=steps, phase=phase)

    def record(
        self, phase: str, steps: int, seconds: float, episodes: Sequence[Episode], **figures: float
    ) -> dict[str, Any] | None:
        """Write a row of the curve from the latest episodes, if there are any.

        Args:
            phase: The phase of the run.
            steps: Steps taken in all.
            seconds: Seconds of training in all.
            episodes: The learner's latest episodes.
            **figures: Other numbers, for TensorBoard.

        Returns:
            The row; None if there is none.
        """
        if not episodes:
            return None
        outcomes = np.array([episode.outcome for episode in episodes])
        shares = {
            "success": float(np.mean(outcomes == Outcome.SOLVED)),
            "deaths": float(np.mean(outcomes == Outcome.DIED)),
        }
        score = float(np.mean([episode.score for episode in episodes]))
        length = float(np.mean([episode.length for episode in episodes]))
        metrics = self._metrics()
        row: dict[str, Any] = {"phase": phase, "steps": steps, "seconds": round(seconds, 1), "length": length, **shares}
        row |= {"return": score, "curriculum": metrics.get("curriculum", "")}
        with self._curve.open("a", newline="") as file:
            write_table(file, FIELDS, [row], header=False, end="\n")
        events = {"rollout/return": score, "rollout/length": length}
        events |= {f"rollout/{name}": share for name, share in shares.items()}
        events |= {f"levels/{name}": value for name, value in metrics.items()}
        for name, value in (events | figures).items():
            self._events.add_scalar(name, value, steps)
        description = f", return {score:+.0f}, success {shares['success']:.0%}, deaths {shares['deaths']:.0%}"
        if "curriculum" in metrics:
            description += f", curriculum {metrics['curriculum']:.0%}"
        self._bar.update(self._task, description=description)
        return row


def _cut(curve: Path, done: int) -> None:
    """Remove the rows of a curve after a number of steps, and a last row that is incomplete."""
    rows = [row for row in _read(curve) if float(row["steps"] or 0) <= done]
    lines = [",".join(FIELDS), *(",".join(row.get(name) or "" for name in FIELDS) for row in rows)]
    write_text(curve, "\n".join(lines) + "\n")


def _read(curve: Path) -> list[dict[str, str]]:
    """Return the complete rows of a curve; raises ValueError if one is damaged."""
    with curve.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if None not in row.values()]
    for row in rows:
        for name in FIELDS[1:]:
            try:
                float(row[name] or 0)
            except (KeyError, ValueError):
                raise ValueError(f"{curve} is damaged: {name}={quote(row.get(name))} must be a number") from None
    return rows


def draw_curve(table: Path, picture: Path, title: str) -> None:
    """Plot ``curve.csv`` (columns `FIELDS`) as a PNG: return above, success and deaths below, phases apart.

    Does nothing if the table has no rows yet.
    """
    table_rows = _read(table)
    rows = [{name: float(row[name]) for name in FIELDS[1:] if row[name]} for row in table_rows]
    if not rows:
        return
    from matplotlib.figure import Figure

    steps = [row["steps"] / 1e6 for row in rows]
    figure = Figure(figsize=(7, 5), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    above.plot(steps, [row["return"] for row in rows], color="tab:blue")
    above.axhline(0, color="0.8", linewidth=0.8)
    above.set(title=title, ylabel="mean return")
    below.plot(steps, [100 * row["success"] for row in rows], color="tab:green", label="success")
    below.plot(steps, [100 * row["deaths"] for row in rows], color="tab:red", label="deaths")
    if any("curriculum" in row for row in rows):
        way = [100 * row.get("curriculum", float("nan")) for row in rows]
        below.plot(steps, way, color="tab:purple", linestyle="--", label="curriculum, % of the way")
    phases = [row["phase"] for row in table_rows]
    for k in range(1, len(phases)):
        if phases[k] != phases[k - 1]:
            for panel in (above, below):
                panel.axvline(steps[k - 1], color="0.7", linestyle=":", linewidth=0.8)
            place = above.get_xaxis_transform()
            above.text(steps[k - 1], 1.0, f" {phases[k]}", transform=place, va="bottom", fontsize=8)
    below.set(xlabel="million steps", ylabel="% of episodes", ylim=(0, 100))
    figure.legend(loc="outside lower right", ncols=3)  # below: curves may run anywhere
    with replacing(picture) as unfinished:
        figure.savefig(unfinished, dpi=120)
