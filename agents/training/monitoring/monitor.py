"""The output of a run: the learning curve, its chart, TensorBoard's events, the progress bar."""

import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from gridpuzzles_gym.engine.levels.sources import Sampler
from gridpuzzles_gym.engine.system.csv_text import write_table
from gridpuzzles_gym.engine.system.files import write_text

from ..collector import Episode
from .curve import CURVE, FIELDS, draw_curve


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
        shares = {"success": float(np.mean(outcomes == "solved")), "deaths": float(np.mean(outcomes == "died"))}
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
    with curve.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if None not in row.values() and int(row["steps"] or 0) <= done]
    lines = [",".join(FIELDS), *(",".join(row.get(name) or "" for name in FIELDS) for row in rows)]
    write_text(curve, "\n".join(lines) + "\n")
