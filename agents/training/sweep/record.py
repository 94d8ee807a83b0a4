"""The record of a sweep on disk: its search space, and the state of each trial.

``sweep.json`` is written once. Each trial has a folder ``trials/NN``, the run folder of its training, in which
``trial.json`` is replaced atomically when the trial begins and when it ends. A sweep that was killed at any time can be
resumed from these files alone.
"""

import csv
import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gridpuzzles_gym.engine.arguments import step_limit
from gridpuzzles_gym.engine.messages import one_line
from gridpuzzles_gym.engine.system.files import write_text
from gridpuzzles_gym.engine.system.json_text import read_json
from gridpuzzles_gym.registration import spec_of

from ...models.model_file import MODEL
from ..monitoring.curve import CURVE
from ..settings import Settings
from .search_space import Space, read_space, written

SWEEP, TRIAL = "sweep.json", "trial.json"
"""Names of the files."""
UNFINISHED, FINISHED, STOPPED, FAILED = "unfinished", "finished", "stopped early", "failed"
STATES = (UNFINISHED, FINISHED, STOPPED, FAILED)
"""The states of a trial: running or interrupted; trained to its end; stopped because others were better; ended by an
error."""


@dataclasses.dataclass(frozen=True)
class Trial:
    """A trial."""

    number: int
    """From 1."""
    folder: Path
    """Its run folder."""
    chosen: Mapping[str, Any]
    """Its values of the settings that are searched."""
    state: str = UNFINISHED
    """One of :data:`STATES`."""
    error: str = ""
    """Why it failed."""

    @property
    def model(self) -> Path:
        """The file of its model."""
        return self.folder / MODEL

    def curve(self) -> list[tuple[int, float, float]]:
        """Return the learning curve: steps, seconds and score; empty if there is none yet."""
        try:
            with (self.folder / CURVE).open(newline="") as file:
                rows = [row for row in csv.DictReader(file) if None not in row.values()]  # the last may be incomplete
            return [(int(row["steps"]), float(row["seconds"]), float(row["return"])) for row in rows]
        except FileNotFoundError:
            return []

    def score(self) -> float | None:
        """Return the latest score; None if there is none, or the trial failed."""
        curve = self.curve()
        return curve[-1][2] if curve and self.state != FAILED else None

    def write(self) -> None:
        """Write ``trial.json``."""
        self.folder.mkdir(parents=True, exist_ok=True)
        about = {"settings": dict(self.chosen), "state": self.state, "error": self.error}
        write_text(self.folder / TRIAL, json.dumps(about, indent=2) + "\n")


@dataclasses.dataclass(frozen=True)
class Sweep:
    """A sweep: its search space and settings."""

    folder: Path
    """Its folder."""
    base: Settings
    """The settings of all trials, except those that are searched."""
    space: Space
    """The settings that are searched."""
    given: Mapping[str, Any]
    """The settings that the user chose for all trials: those of the environment under ``env_kwargs``."""
    trials: int
    """Number of trials."""
    seed: int
    """Random seed of the proposed settings."""

    def settings(self, trial: Trial) -> Settings:
        """Return the settings of a trial."""
        return dataclasses.replace(self.base, **trial.chosen)

    def trial(self, number: int, chosen: Mapping[str, Any]) -> Trial:
        """Return a new trial."""
        return Trial(number, self.folder / "trials" / f"{number:02}", chosen)

    def settled(self, trial: Trial) -> int:
        """Return the steps until an episode has ended in each environment of a trial.

        The first episodes that end are short ones, so earlier scores mean little.
        """
        settings = self.settings(trial)
        limit = settings.env_kwargs.get("max_episode_steps", spec_of(settings.env_id).max_episode_steps)
        return settings.num_envs * (step_limit(limit) or 0)

    def settled_curve(self, trial: Trial) -> list[tuple[int, float, float]]:
        """Return the learning curve of a trial from there on, and at least its last row."""
        curve, settled = trial.curve(), self.settled(trial)
        return [row for row in curve if row[0] >= settled] or curve[-1:]

    def write(self) -> None:
        """Write ``sweep.json``."""
        about: dict[str, Any] = {"settings": dataclasses.asdict(self.base), "search": written(self.space)}
        about |= {"given": dict(self.given), "trials": self.trials, "seed": self.seed}
        write_text(self.folder / SWEEP, json.dumps(about, indent=2) + "\n")

    def recorded(self) -> list[Trial]:
        """Return the trials that have begun, in order.

        Raises:
            ValueError: The record of one is damaged.
        """
        found = []
        for number in range(1, self.trials + 1):
            trial = self.trial(number, {})
            path = trial.folder / TRIAL
            if path.exists():
                about = _read(path)
                chosen, state = about.get("settings"), about.get("state")
                if not isinstance(chosen, dict) or set(chosen) != set(self.space) or state not in STATES:
                    raise ValueError(f"{path} is damaged: it is not a trial of this sweep")
                if any(chosen[name] not in values for name, values in self.space.items()):
                    raise ValueError(f"{path} is damaged: its settings are not among those that are searched")
                found.append(dataclasses.replace(trial, chosen=chosen, state=state, error=str(about.get("error", ""))))
        return found


def read_sweep(folder: Path) -> Sweep:
    """Read the record of a sweep.

    Raises:
        ValueError: There is no sweep in this folder, its record is damaged, or it is of another version.
    """
    path = folder / SWEEP
    if not path.is_file():
        raise ValueError(f"nothing to resume: {path} does not exist")
    about = _read(path)
    try:
        base = Settings(**about["settings"])
        space = read_space(about["search"], base)
        return Sweep(folder, base, space, dict(about["given"]), int(about["trials"]), int(about["seed"]))
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is damaged, or of another version ({one_line(error)})") from None


def ranked(trials: Sequence[Trial]) -> list[tuple[Trial, float | None]]:
    """Return the trials with their scores, the best first; those without a score are last."""
    scored = [(trial, trial.score()) for trial in trials]
    return sorted(scored, key=lambda pair: (-math.inf if pair[1] is None else pair[1], -pair[0].number), reverse=True)


def _read(path: Path) -> dict[str, Any]:
    try:
        about = read_json(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"{path} is damaged ({one_line(error)})") from None
    if not isinstance(about, dict):
        raise ValueError(f"{path} is damaged: it must be an object")
    return about
