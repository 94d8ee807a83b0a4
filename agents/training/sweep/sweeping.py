"""A sweep over training settings on Ray Tune (https://docs.ray.io): several trials at a time, bad ones stopped early.

Each trial is a training run in its own folder and process. Ray Tune starts and stops them; :mod:`.proposals` chooses
their settings, and the record of each trial is on disk (:mod:`.record`), so that a sweep that was interrupted or killed
can be resumed without Ray's own records.
"""

import contextlib
import dataclasses
import importlib
import logging
import os
import shutil
import time
from collections.abc import Callable, Generator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import ray
from ray import tune
from ray.tune.schedulers import ASHAScheduler
from ray.tune.search import Searcher

from gridpuzzles_gym.engine.messages import one_line

from ...parallel.ray_connection import connection, count_cores
from ..checkpoints import CHECKPOINT
from ..monitoring.report import Report
from ..settings import SB3, Settings
from .proposals import Proposals
from .record import FAILED, FINISHED, STOPPED, UNFINISHED, Sweep, Trial

if TYPE_CHECKING:
    from ..run import TrainingRun

RETRIES = 3
"""Maximum number of times that a trial resumes after its process was lost."""
REDUCTION = 3
"""After 1/9 and 1/3 of its run, a trial continues only if its score is among the best third of those that got there."""
_PARTS = 5 * REDUCTION**2
"""Number of reports of a whole run; decisions are made at some of them."""
_LONGEST = 5.0
"""Maximum number of seconds between two reports of a trial."""
_SHARE, _SCORE, _ERROR = "share", "score", "error"
_TUNE = "tune"
"""The folder of Ray Tune's own files within that of the sweep; it is removed at the end."""
_QUIET = {
    "RAY_CHDIR_TO_TRIAL_DIR": "0",  # files named in the settings are where the command was started
    "TUNE_DISABLE_AUTO_CALLBACK_LOGGERS": "1",
    "TUNE_DISABLE_SIGINT_HANDLER": "1",
    "TUNE_DISABLE_STRICT_METRIC_CHECKING": "1",  # a run that failed has no score
    "TUNE_WARN_INSUFFICENT_RESOURCE_THRESHOLD_S": "1e9",
    "RAY_AIR_NEW_OUTPUT": "0",
}

Watch = Callable[[int, float, float | None], None]
"""``watch(done, share, best)``: the number of trials that have ended; that number with the shares of the running ones;
the best score of those that have ended, if there is one."""


def run_sweep(
    sweep: Sweep,
    address: str = "local",
    concurrent: int | None = None,
    watch: Watch = lambda done, share, best: None,
    stopping: Callable[[], bool] = lambda: False,
) -> None:
    """Run the trials of a sweep that have not ended; the results are in its folder.

    Args:
        sweep: The sweep; its record is written when Ray has started.
        address: ``"local"`` starts Ray on this machine, until the end; ``"auto"`` is the cluster of this machine;
            otherwise a host and port.
        concurrent: Number of trials that run at the same time; None: as many as there are cores for.
        watch: Called when there is news.
        stopping: Polled; when it returns True, running trials are saved, and no other is begun.

    Raises:
        ValueError: The address is invalid, the cluster has another version of Ray or Python, or the record of the sweep
            is damaged.
        OSError: No cluster can be reached there, or the folder cannot be written from there.
    """
    trials = sweep.recorded()
    search = _Search(sweep, trials, watch, stopping)
    if not search.waiting:
        return
    os.environ.update(_QUIET)
    with connection(address), _silent(), _own_files(sweep.folder / _TUNE) as files:
        sweep.write()
        tune.run(
            _Training,
            name=_TUNE,
            num_samples=len(search.waiting),
            search_alg=search,
            scheduler=_scheduler(sweep, trials),
            stop=_Stop(stopping),
            max_concurrent_trials=(concurrent := concurrent or count_cores() // sweep.base.threads or 1),
            resources_per_trial=_resources(sweep.base, concurrent),
            max_failures=RETRIES,
            raise_on_failed_trial=False,
            storage_path=str(files),
            trial_dirname_creator=lambda trial: str(trial.trial_id),
            verbose=0,
        )


class _Training(tune.Trainable):  # type: ignore[misc]  # Ray ships no type information
    """A training run in its own process; each step is a part of it, the first until its score is meaningful."""

    def setup(self, config: dict[str, Any]) -> None:
        """Store the settings; errors are reported by the first step."""
        self._settings, self._folder, self._settled = config["settings"], Path(config["folder"]), config["settled"]
        self._run: TrainingRun | None = None
        self._reports: Generator[Report, None, None] | None = None

    def step(self) -> dict[str, Any]:
        """Train for a while, and report."""
        try:
            return self._train()
        except Exception as error:  # an error of the training, which a retry would repeat
            self.cleanup()
            return {_ERROR: f"{type(error).__name__}: {one_line(error)}", "done": True}

    def _train(self) -> dict[str, Any]:
        if self._run is None or self._reports is None:
            self._begin()
        assert self._run is not None
        assert self._reports is not None
        before, begun = int(_PARTS * self._run.share()), time.monotonic()
        latest: dict[str, Any] = {}
        for report in self._reports:
            latest = {_SCORE: report.score}
            if report.steps < self._settled:
                continue
            enough = int(_PARTS * report.share) > before or time.monotonic() - begun > _LONGEST
            if enough and report.share < 1:
                return latest | {_SHARE: report.share}
        return latest | {_SHARE: 1.0, "done": True}  # the run has ended, and saved its model

    def _begin(self) -> None:
        """Begin the run, or resume its last checkpoint after an interruption or the loss of a process."""
        from ..setting_up import with_engine
        from ..trainer import run_for

        settings = Settings(**self._settings)
        module = settings.env_id.rpartition(":")[0]
        if module:
            importlib.import_module(module)  # registers the environment
        resume = (self._folder / CHECKPOINT).is_file()
        self._run = run_for(with_engine(settings, self._folder if resume else None), self._folder)
        self._run.begin(resume)
        self._reports = self._run.reports()

    def cleanup(self) -> None:
        """Save the model, and end the run."""
        run, self._run = self._run, None
        if run is not None:
            try:
                if self._reports is not None:
                    self._reports.close()
            finally:
                run.close()


class _Search(Searcher):  # type: ignore[misc]  # Ray ships no type information
    """Gives Ray Tune the settings of each trial, and records its state."""

    def __init__(self, sweep: Sweep, trials: list[Trial], watch: Watch, stopping: Callable[[], bool]) -> None:
        super().__init__(metric=_SCORE, mode="max")
        self._sweep, self._watch, self._stopping = sweep, watch, stopping
        self._proposals = Proposals(sweep.space, sweep.seed)
        self._running: dict[str, Trial] = {}
        self._shares: dict[str, float] = {}
        self._best: float | None = None
        begun = {trial.number: trial for trial in trials}
        unfinished = [trial.number for trial in trials if trial.state == UNFINISHED]
        numbers = [number for number in range(1, sweep.trials + 1) if number not in begun]
        self.waiting = [(number, begun.get(number)) for number in [*unfinished, *numbers]]
        self._ended = sweep.trials - len(self.waiting)
        for trial in trials:
            score = trial.score()
            if trial.state != UNFINISHED and score is not None:
                self._proposals.add(trial.chosen, score)
                self._improve(score)

    def suggest(self, trial_id: str) -> Any:
        """Return the settings of the next trial, those that were interrupted first."""
        self._show()
        while self.waiting and not self._stopping():
            number, trial = self.waiting.pop(0)
            chosen = self._proposals.propose(number, self._known(number, trial))
            trial = trial or self._sweep.trial(number, chosen)
            try:
                settings = self._sweep.settings(trial)
            except ValueError as error:  # values that are allowed, but not together
                self._end(trial, FAILED, one_line(error))
                continue
            trial.write()
            self._running[trial_id] = trial
            config = {"settings": dataclasses.asdict(settings), "settled": self._sweep.settled(trial)}
            return config | {"folder": str(trial.folder.resolve())}
        return Searcher.FINISHED

    def _known(self, number: int, trial: Trial | None) -> dict[str, Any] | None:
        """Return the settings of a trial that has begun; those of the first trial are the base."""
        if trial is not None:
            return dict(trial.chosen)
        base = {name: getattr(self._sweep.base, name) for name in self._sweep.space}
        allowed = all(base[name] in values for name, values in self._sweep.space.items())
        return base if number == 1 and allowed else None

    def on_trial_result(self, trial_id: str, result: dict[str, Any]) -> None:
        """Record the progress of a trial."""
        trial = self._running[trial_id]
        if not trial.curve():
            raise OSError(
                f"{trial.folder} was written on another machine: all of them must share the folder of a sweep"
            )
        self._shares[trial_id] = result[_SHARE]
        self._show()

    def on_trial_complete(self, trial_id: str, result: dict[str, Any] | None = None, error: bool = False) -> None:
        """Record the end of a trial."""
        trial = self._running.pop(trial_id, None)
        self._shares.pop(trial_id, None)
        if trial is None:
            return
        result = result or {}
        if error or _ERROR in result:
            self._end(trial, FAILED, result.get(_ERROR, f"its process was lost {RETRIES + 1} times"))
        elif result.get(_SHARE, 0) >= 1:
            self._end(trial, FINISHED)
        elif not self._stopping():  # else it is resumed later
            self._end(trial, STOPPED)

    def _end(self, trial: Trial, state: str, error: str = "") -> None:
        ended = dataclasses.replace(trial, state=state, error=error)
        ended.write()
        score = ended.score()
        self._proposals.finish(trial.number, score)
        self._ended += 1
        if score is not None:
            self._improve(score)
        self._show()

    def _improve(self, score: float) -> None:
        self._best = score if self._best is None else max(self._best, score)

    def _show(self) -> None:
        self._watch(self._ended, self._ended + sum(self._shares.values()), self._best)

    def save(self, checkpoint_path: str) -> None:
        """Do nothing: the record of the sweep has everything."""

    def restore(self, checkpoint_path: str) -> None:
        """Do nothing."""


class _Stop(tune.Stopper):  # type: ignore[misc]  # Ray ships no type information
    """Stops all trials when ``stopping`` returns True."""

    def __init__(self, stopping: Callable[[], bool]) -> None:
        self._stopping = stopping

    def __call__(self, trial_id: str, result: dict[str, Any]) -> bool:
        """Return False: trials end by themselves."""
        return False

    def stop_all(self) -> bool:
        """Whether to stop all trials."""
        return self._stopping()


def _scheduler(sweep: Sweep, trials: list[Trial]) -> ASHAScheduler:
    """Return the scheduler, which knows the trials that have ended."""
    scheduler = ASHAScheduler(
        time_attr=_SHARE, metric=_SCORE, mode="max", max_t=1, grace_period=REDUCTION**-2, reduction_factor=REDUCTION
    )
    for trial in trials:
        if trial.state in (FINISHED, STOPPED):
            known = SimpleNamespace(trial_id=f"before-{trial.number}")
            scheduler.on_trial_add(None, known)
            for steps, seconds, score in sweep.settled_curve(trial):
                share = steps / sweep.base.total_steps
                if sweep.base.minutes is not None:
                    share = max(share, seconds / (60 * sweep.base.minutes))
                scheduler.on_trial_result(None, known, {_SHARE: share, _SCORE: score})
    return scheduler


def _resources(settings: Settings, concurrent: int) -> dict[str, float]:
    """Return the resources of a trial; several share a core or a GPU if there are more trials."""
    wanted = {"cpu": min(settings.threads, count_cores() / concurrent)}
    devices = ray.cluster_resources().get("GPU", 0)
    if devices and settings.engine != SB3 and settings.device in ("auto", "cuda"):
        wanted["gpu"] = min(1.0, int(1e4 * devices / concurrent) / 1e4)  # Ray's unit is 1/10,000
    return wanted


@contextlib.contextmanager
def _own_files(folder: Path) -> Generator[Path, None, None]:
    """Create a folder for Ray Tune's own files, and remove it at the end."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        yield folder.resolve()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _silent() -> Generator[None, None, None]:
    """Suppress Ray's messages on the terminal: the record has the results."""
    logger = logging.getLogger("ray")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)
