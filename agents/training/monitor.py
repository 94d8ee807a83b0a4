"""A training callback: schedules, the learning curve, checkpoints, the progress bar."""

import csv
import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.progress import Progress
from stable_baselines3.common.callbacks import BaseCallback

from gridpuzzles_gym.engine.files import write_text
from gridpuzzles_gym.engine.levels import Sampler

from .curve import FIELDS, draw_curve
from .settings import Settings


class TrainingMonitor(BaseCallback):
    """A callback that updates the schedules, and writes ``curve.csv``, its chart and checkpoints.

    Args:
        settings: Settings of the run.
        folder: Folder of the run.
        progress: The progress bar.
        save: Saves the model to a path.
        sampler: The source of levels, if any; its ``metrics()`` are recorded.
    """

    def __init__(
        self,
        settings: Settings,
        folder: Path,
        progress: Progress,
        save: Callable[[Path], None],
        sampler: Sampler | None = None,
    ) -> None:
        super().__init__()
        self._metrics: Callable[[], dict[str, float]] = getattr(sampler, "metrics", dict)
        self.settings, self.folder, self.progress, self.save = settings, folder, progress, save
        self.task = progress.add_task("", total=1.0, steps=0)  # share of the run, by steps or time

    def _on_training_start(self) -> None:
        self.begun = time.monotonic()
        self.checkpoint = self.num_timesteps
        self._show_progress()
        self.curve = self.folder / "curve.csv"
        if not self.curve.exists():
            write_text(self.curve, ",".join(FIELDS) + "\n")

    def _seconds(self) -> float:
        return time.monotonic() - self.begun

    def _share_done(self) -> float:
        """The completed share of the run, by steps or by the clock, 0 to 1."""
        share = self.num_timesteps / self.settings.total_steps
        if self.settings.minutes is not None:
            share = max(share, self._seconds() / (60 * self.settings.minutes))
        return min(share, 1.0)

    def _show_progress(self) -> None:
        self.progress.update(self.task, completed=self._share_done(), steps=self.num_timesteps)

    def _on_rollout_start(self) -> None:
        settings, share = self.settings, self._share_done()
        rate = settings.learning_rate + share * (settings.final_learning_rate - settings.learning_rate)
        self.model.lr_schedule = lambda _: rate
        bonus = settings.entropy + share * (settings.final_entropy - settings.entropy)
        self.model.ent_coef = bonus  # type: ignore[attr-defined]  # PPO has it

    def _on_step(self) -> bool:
        self._show_progress()
        minutes = self.settings.minutes
        return minutes is None or self._seconds() < 60 * minutes

    def _on_rollout_end(self) -> None:
        episodes = list(self.model.ep_info_buffer or ())
        if episodes:
            outcomes = np.array([episode["outcome"] for episode in episodes])
            words = {"success": "solved", "deaths": "died"}
            shares = {name: float(np.mean(outcomes == word)) for name, word in words.items()}
            mean_return = float(np.mean([episode["r"] for episode in episodes]))
            length = float(np.mean([episode["l"] for episode in episodes]))
            for name, share in shares.items():
                self.logger.record(f"rollout/{name}", share)
            metrics = self._metrics()
            for name, value in metrics.items():
                self.logger.record(f"levels/{name}", value)
            row: dict[str, float | str] = dict(
                steps=self.num_timesteps, seconds=round(self._seconds(), 1), length=length, **shares
            )
            row |= {"return": mean_return, "curriculum": metrics.get("curriculum", "")}
            with self.curve.open("r+", newline="") as file:
                known = next(csv.reader(file))  # a run started by an older version has fewer columns
                file.seek(0, os.SEEK_END)
                csv.writer(file).writerow([row[name] for name in known])
            description = f", return {mean_return:+.0f}, success {shares['success']:.0%}, deaths {shares['deaths']:.0%}"
            if "curriculum" in metrics:
                description += f", curriculum {metrics['curriculum']:.0%}"
            self.progress.update(self.task, description=description)
        if self.num_timesteps - self.checkpoint >= self.settings.checkpoint_steps:
            self.checkpoint = self.num_timesteps
            self.save(self.folder / "checkpoints" / f"{self.num_timesteps}.zip")

    def _on_training_end(self) -> None:
        draw_curve(self.curve, self.folder / "learning_curve.png", f"PPO on {self.settings.env_id}")
