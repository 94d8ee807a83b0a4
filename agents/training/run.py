"""The base of training runs of all engines: their course, the learning curve, saving and resuming."""

import abc
import contextlib
import dataclasses
import json
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.config import EnvConfig
from gridpuzzles_gym.engine.levels.sources import Sampler
from gridpuzzles_gym.engine.messages import quote
from gridpuzzles_gym.engine.observations.format import ObservationFormat
from gridpuzzles_gym.engine.system.files import write_text
from gridpuzzles_gym.engine.vector import PuzzleVectorEnv

from ..level_sources.sampler_choice import make_sampler
from ..models.model_file import MODEL, Model, write_model
from ..networks.network import Network, Weights
from .checkpoints import CHECKPOINT, Learns, load_checkpoint, save_checkpoint
from .collector import REMEMBERED, Episode
from .monitoring.monitor import Monitor
from .monitoring.report import Callback, Report
from .phases import Moment, moment, read_phases
from .plain_state import from_plain, to_plain
from .provenance import described
from .setting_up import check_puzzle, network_for, starting_weights
from .settings import AUTO, Settings, read_settings

SETTINGS = "settings.json"


class TrainingRun(abc.ABC):
    """One training run; subclasses are the engines.

    Args:
        settings: Settings of the run.
        folder: Output folder.
        start: A model whose weights are the first ones; None: random weights.

    Raises:
        ValueError: The settings do not fit the environment, its sampler, teacher or cluster, or the first model.

    Attributes:
        sampler: The source of levels, if any.
        config: The configuration of the environments.
        network: The network.
        learner: The learner.
        device: The device it is trained on, in words.
        episodes: The latest episodes that were played.
        steps: Steps taken in all.
        seconds: Seconds of training in all, including those before it was resumed.
    """

    sampler: Sampler | None
    config: EnvConfig
    network: Network
    learner: Learns
    device: str

    def __init__(self, settings: Settings, folder: Path, start: str | Path | None = None) -> None:
        self.settings, self.folder = settings, folder
        self.phases = read_phases(settings.phases, settings.teacher is not None)
        self.start = None if start is None else str(start)
        check_puzzle(settings)
        self.sampler = make_sampler(settings.sampler, settings.env_id, settings.env_kwargs)
        self.episodes: deque[Episode] = deque(maxlen=REMEMBERED)
        self.steps, self.seconds = 0, 0.0

    @abc.abstractmethod
    def _advance(self, now: Moment) -> dict[str, float] | None:
        """Play a rollout and learn from it; add to ``steps`` and ``episodes``.

        Returns:
            Figures about the update; None if a callback ended the run.
        """

    @abc.abstractmethod
    def _begin_episodes(self) -> None:
        """Begin the first episodes; they differ from earlier ones if ``steps`` is more than 0."""

    @abc.abstractmethod
    def close(self) -> None:
        """Release the run's resources."""

    def _prepare(self, env: PuzzleVectorEnv) -> Weights:
        """Set the configuration and the network for these environments, and return the first weights."""
        if env.observation_format != ObservationFormat():
            raise ValueError("flat and dtype cannot be set here: training reads the puzzle's own observations")
        self.config, self.network = env.config, network_for(self.settings, env)
        return starting_weights(self.network, self.settings, self.start)

    def _centre(self, views: Callable[[], npt.NDArray[Any]]) -> None:
        """After the first rollout, set the mean that a centred network subtracts.

        Args:
            views: Returns the input of its first layer in that rollout, [N, ...].
        """
        if self.steps == 0 and self.start is None and "centre" in self.network.fixed:
            self.learner.set_weights({"centre": views().mean(0, dtype=np.float32)})

    def begin(self, resume: bool) -> None:
        """Prepare the first episodes, of a new run or after a checkpoint."""
        if resume:
            self._restore(self.folder / CHECKPOINT)
        self.folder.mkdir(parents=True, exist_ok=True)
        write_text(self.folder / SETTINGS, json.dumps(dataclasses.asdict(self.settings), indent=2) + "\n")
        self._begin_episodes()

    def _restore(self, checkpoint: Path) -> None:
        saved = load_checkpoint(checkpoint, self.learner)
        try:
            self.steps, self.seconds, self.start = int(saved["steps"]), float(saved["seconds"]), saved["start"]
            episodes = [Episode(float(score), int(length), outcome) for score, length, outcome in saved["episodes"]]
            state = from_plain(saved["sampler"], self.config.puzzle) if saved["of"] == self.settings.sampler else None
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{checkpoint} is damaged ({type(error).__name__}: {error})") from None
        self.episodes.extend(episodes)
        if self.sampler is not None and state is not None:
            self.sampler.set_state(state)

    def _seed(self) -> int:
        """Return the seed of the first episodes; a resumed run plays other episodes than before."""
        words = np.random.SeedSequence([self.settings.seed, self.steps])
        return int(words.generate_state(1)[0]) if self.steps else self.settings.seed

    def share(self) -> float:
        """Return the completed share of the run, by steps or by the clock, 0 to 1."""
        share = self.steps / self.settings.total_steps
        if self.settings.minutes is not None:
            share = max(share, self.seconds / (60 * self.settings.minutes))
        return min(share, 1.0)

    def go_on(self, callbacks: Sequence[Callback] = ()) -> None:
        """Train to the end of the run, or until a callback returns True; save at the end whatever was learned."""
        try:
            with contextlib.closing(self.reports()) as reports:
                for report in reports:
                    results = [callback(report) for callback in callbacks]  # each gets every report
                    if any(results):
                        break
        except KeyboardInterrupt:
            message = f"stopped after {self.steps:,} steps; saved in {self.folder}, resume it to continue (--resume)"
            if not self.steps:
                message = "stopped before the first update; nothing is saved"
            raise KeyboardInterrupt(message) from None

    def reports(self) -> Generator[Report, None, None]:
        """Train to the end of the run, and yield a report after each update; save at the end whatever was learned.

        Closing the generator ends the run.
        """
        settings = self.settings
        saved = self.seconds
        with Monitor(self.folder, f"{settings.env_id}, {settings.network}", self.sampler, self.steps) as monitor:
            before = time.monotonic()
            try:
                while (share := self.share()) < 1:
                    now = moment(self.phases, share)
                    monitor.show(share, self.steps, now.phase)
                    figures = self._advance(now)
                    if figures is None:
                        break
                    self.seconds, before = self.seconds + time.monotonic() - before, time.monotonic()
                    row = monitor.record(now.phase, self.steps, self.seconds, self.episodes, **figures)
                    if self.seconds - saved >= 60 * settings.checkpoint_minutes:
                        saved = self.seconds
                        self.save()
                    if row is not None:
                        paused = time.monotonic()
                        yield Report(self.steps, self.seconds, self.share(), row["return"], row)
                        before += time.monotonic() - paused
                else:
                    monitor.show(1.0, self.steps, "training")
            finally:
                if self.steps:  # otherwise nothing is learned, and the folder stays free for another attempt
                    self.save()

    def save(self) -> None:
        """Write the model, and the checkpoint from which the run can be resumed."""
        settings = self.settings
        about = described(settings, self.config, self.network, self.steps, self.seconds, self.device, self.start)
        state = None if self.sampler is None else self.sampler.get_state()
        run = {"steps": self.steps, "seconds": self.seconds, "of": settings.sampler, "start": self.start}
        run["sampler"] = to_plain(state, self.config.puzzle, self.config.options)
        run["episodes"] = list(self.episodes)
        # First the model, since that refuses numbers that are not finite.
        write_model(self.folder / MODEL, Model(about, dict(self.learner.arrays())))
        save_checkpoint(self.folder / CHECKPOINT, self.learner, run)


def check_folder(settings: Settings, folder: Path, resume: bool) -> None:
    """Raise ValueError unless a run can begin in a folder; with ``resume``, unless the one in it can be resumed."""
    model, checkpoint = folder / MODEL, folder / CHECKPOINT
    for missing in (checkpoint, model):
        if resume and not missing.is_file():
            raise ValueError(f"nothing to resume: {missing} does not exist")
    for existing in (model, checkpoint):
        if not resume and existing.exists():
            raise ValueError(f"{existing} already exists; resume it (--resume), or choose another folder")
    if resume:
        check_engine(settings.engine, folder)


def check_engine(engine: str, folder: Path) -> None:
    """Raise ValueError if the run in a folder is of another engine."""
    before = read_settings(folder).engine
    if engine not in (AUTO, before):
        raise ValueError(
            f"the run in {folder} is of engine={quote(before)}, and engine={quote(engine)} cannot resume it"
        )


def finish(run: TrainingRun, resume: bool, callbacks: Sequence[Callback] = ()) -> None:
    """Train to the end of a run, or until a callback returns True, and close it."""
    try:
        run.begin(resume)
        run.go_on(callbacks)
    finally:
        run.close()


def between(first: float, last: float, share: float) -> float:
    """Return a scheduled value after a share of the run, 0 to 1."""
    return first + share * (last - first)
