"""Searching training settings: the work of ``gridpuzzles sweep``."""

import contextlib
import dataclasses
import importlib.util
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from gridpuzzles_gym.agents.command_words import option_words
from gridpuzzles_gym.agents.level_sources.sampler_choice import make_sampler
from gridpuzzles_gym.agents.training.presets import preset_settings
from gridpuzzles_gym.agents.training.settings import OWN, RLLIB, SB3, Settings
from gridpuzzles_gym.agents.training.sweep.record import FAILED, SWEEP, UNFINISHED, Sweep, Trial, ranked, read_sweep
from gridpuzzles_gym.agents.training.sweep.search_space import default_space, read_space, written

from ..engine.messages import plural
from ..engine.system.csv_text import table_text
from ..engine.system.files import write_text
from ..engine.system.interrupts import Interruption
from ..session.arguments import check_settings, environment, writable
from .train import with_hyper

TABLE, CHART = "trials.csv", "sweep.png"
"""Names of the files in the folder of a sweep."""
TRIALS, SHARE = 16, 10
"""Default number of trials, and the default length of each: this part of the steps of a whole training."""
MANY = 6
"""With at least this many searched settings, the columns of the table are next to each other."""
_NEEDED = ("ray", "optuna", "pyarrow", "pandas", "torch", "tensorboard", "matplotlib")


@dataclasses.dataclass(frozen=True)
class SweepOptions:
    """What a new sweep searches."""

    env_id: str
    """A registered id."""
    env_kwargs: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Settings of the environment."""
    hyper: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Training settings of all trials; others are those of the preset."""
    search: Sequence[str] = ()
    """The settings to search, as :func:`~gridpuzzles_gym.agents.training.sweep.search_space.read_space` reads them; if
    there are none, those of the default space that ``hyper`` does not have."""
    steps: int | None = None
    """Environment steps of each trial."""
    minutes: float | None = None
    """Minutes of each trial, instead of steps."""
    seed: int | None = None
    """Random seed of the proposed settings and of training."""


@dataclasses.dataclass(frozen=True)
class Results:
    """The results of a sweep so far."""

    sweep: Sweep
    ranked: Sequence[tuple[Trial, float | None]]
    """The trials that have begun and their scores, the best first."""

    @property
    def scored(self) -> list[tuple[Trial, float]]:
        """The trials that have a score."""
        return [(trial, score) for trial, score in self.ranked if score is not None]

    @property
    def ended(self) -> int:
        """The number of trials that have ended."""
        return sum(trial.state != UNFINISHED for trial, _ in self.ranked)

    def table(self) -> Table:
        """A table for the terminal, the best trial first."""
        gap = int(len(self.sweep.space) < MANY)
        table = Table(box=box.SIMPLE_HEAD, padding=(0, gap, 0, 0), pad_edge=False, show_edge=False)
        table.add_column("", justify="right")
        table.add_column("score", justify="right", no_wrap=True)
        table.add_column("million\nsteps", justify="right", no_wrap=True)
        for name in self.sweep.space:
            table.add_column(name.replace("_", "\n"), justify="right")
        table.add_column("")
        for rank, (trial, score) in enumerate(self.ranked, start=1):
            curve = trial.curve()
            cells = [f"{rank}", "" if score is None else f"{score:+.1f}", f"{curve[-1][0] / 1e6:.2f}" if curve else ""]
            chosen = [f"{trial.chosen[name]}" for name in self.sweep.space]
            table.add_row(*cells, *chosen, trial.state.removesuffix(" early"))
        return table

    def command(self) -> str:
        """Return the command that trains the best settings, as long as the preset does."""
        given = dict(self.sweep.given)
        kwargs, best = given.pop("env_kwargs", {}), self.scored[0][0]
        words = ["gridpuzzles", "train", self.sweep.base.env_id]
        return shlex.join([*words, *option_words(kwargs, given | dict(best.chosen))])

    def lines(self) -> Iterator[str]:
        """Yield the lines below the table.

        Raises:
            ValueError: All trials failed.
        """
        failed = [trial for trial, _ in self.ranked if trial.state == FAILED]
        if failed and not self.scored:
            raise ValueError(f"all trials failed, the first with {failed[0].error}")
        for trial in failed:
            yield f"trial {trial.number} failed: {trial.error}"
        if self.scored:
            yield f"wrote {self.sweep.folder / TABLE} and {self.sweep.folder / CHART}"
            yield f"best model: {self.scored[0][0].model}"
            yield f"train its settings fully: {self.command()}"

    def write(self) -> None:
        """Write the table as CSV, and the chart, if a trial has a score."""
        columns = ("rank", "trial", "score", "steps", "seconds", "state", *self.sweep.space, "folder")
        rows: list[dict[str, Any]] = []
        for rank, (trial, score) in enumerate(self.ranked, start=1):
            steps, seconds, _ = trial.curve()[-1] if trial.curve() else ("", "", "")
            row = {"rank": rank, "trial": trial.number, "score": score, "steps": steps, "seconds": seconds}
            rows.append(row | {"state": trial.state, **trial.chosen, "folder": str(trial.folder)})
        write_text(self.sweep.folder / TABLE, table_text(columns, rows))
        if self.scored:
            from gridpuzzles_gym.agents.training.sweep.chart import draw_sweep

            title = f"{self.sweep.base.env_id}: {plural(len(self.ranked), 'trial')}"
            draw_sweep(self.sweep, self.scored, self.sweep.folder / CHART, title)


def sweep(
    options: SweepOptions,
    folder: Path | None = None,
    resume: bool = False,
    trials: int | None = None,
    ray: str | None = None,
    concurrent: int | None = None,
) -> Results:
    """Search training settings; Ctrl-C keeps what is done.

    Args:
        options: What is searched.
        folder: Output folder; None is ``runs/sweep-ID``.
        resume: Go on with the sweep in the folder, with its own settings.
        trials: Number of trials.
        ray: The address of a Ray cluster; None starts Ray on this machine, until the end.
        concurrent: Number of trials that run at the same time; None: as many as there are cores for.

    Returns:
        What is known in the end. If trials are unfinished, Ctrl-C was pressed.

    Raises:
        ValueError: A setting or an option is invalid, or the folder has a sweep already (with ``resume``: none).
        OSError: The folder cannot be written, or no cluster can be reached.
        ImportError: A package is missing.
    """
    spec, puzzle = environment(options.env_id)
    check_settings(puzzle, options.env_kwargs)
    for name, number in (("--trials", trials), ("--concurrency", concurrent)):
        if number is not None and number < 1:
            raise ValueError(f"{name} {number}: must be a positive integer")
    folder = folder or Path("runs") / f"sweep-{spec.id}"
    if resume:
        if options != SweepOptions(options.env_id):
            allowed = "--trials, --ray, --concurrency and --out"
            raise ValueError(f"--resume goes on with the settings of {folder}; it can be combined with {allowed} only")
        plan = _resumed(folder, options.env_id, trials)
    else:
        if (folder / SWEEP).exists():
            raise ValueError(f"{folder / SWEEP} already exists; resume it, or choose another folder with --out")
        plan = _planned(options, folder, trials or TRIALS)
    for name in _NEEDED:
        if importlib.util.find_spec(name) is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    writable(folder / SWEEP)
    Console().print(f"searching {', '.join(written(plan.space))}", markup=False, highlight=False)
    with Interruption() as interruption:
        with _progress(plan.trials) as watch, contextlib.suppress(KeyboardInterrupt):  # the second Ctrl-C
            from gridpuzzles_gym.agents.training.sweep.sweeping import run_sweep

            run_sweep(plan, ray or "local", concurrent, watch, lambda: interruption.wanted)
        results = Results(plan, ranked(plan.recorded()))
        results.write()
    return results


def _resumed(folder: Path, env_id: str, trials: int | None) -> Sweep:
    found = read_sweep(folder)
    if found.base.env_id != env_id:
        raise ValueError(f"the sweep in {folder} is of {found.base.env_id}, not of {env_id}")
    if trials is not None and trials < found.trials:
        raise ValueError(f"--trials {trials}: the sweep in {folder} has {found.trials} already")
    return dataclasses.replace(found, trials=trials or found.trials)


def _planned(options: SweepOptions, folder: Path, trials: int) -> Sweep:
    """Return a new sweep."""
    hyper = dict(options.hyper)
    if options.steps is not None and options.minutes is not None:
        raise ValueError("--steps and --minutes cannot be combined: trials are compared when they are equally far")
    if hyper.get("engine") == RLLIB:
        raise ValueError(f"--hyper engine={RLLIB}: each trial is trained by one process, with engine={SB3} or {OWN}")
    flags = {"total_steps": "--steps", "minutes": "--minutes", "seed": "--seed"}
    for name in hyper.keys() & flags.keys():
        raise ValueError(f"--hyper {name}: must be given as {flags[name]}")
    given = with_hyper({} if options.seed is None else {"seed": options.seed}, hyper)
    whole = preset_settings(options.env_id, options.env_kwargs, given)
    length: dict[str, Any] = {"minutes": options.minutes}
    if options.minutes is None:
        length["total_steps"] = options.steps or max(whole.total_steps // SHARE, 1)
    base: Settings = dataclasses.replace(whole, **{"threads": 1} | {k: v for k, v in hyper.items() if k == "threads"})
    base = dataclasses.replace(base, **length)
    make_sampler(base.sampler, options.env_id, base.env_kwargs)  # to report errors before any process is started
    space = read_space(options.search, base) if options.search else default_space(base, tuple(hyper))
    for name in space:
        if name in hyper:
            raise ValueError(f"--search {name} and --hyper {name} cannot be combined")
    if not space:
        raise ValueError("--hyper has all settings that are searched by default: --search must name others")
    own = {"env_kwargs": options.env_kwargs} if options.env_kwargs else {}
    return Sweep(folder, base, space, given | own, trials, base.seed)


@contextlib.contextmanager
def _progress(total: int) -> Iterator[Callable[[int, float, float | None], None]]:
    """Show a progress bar on a terminal; yields the function that updates it."""
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.fields[done]}/{task.total} trials"), BarColumn(), TextColumn("{task.description}"),
        TimeElapsedColumn(), console=console, redirect_stdout=sys.stdout.isatty(), transient=True,
    )  # fmt: skip
    task = bar.add_task("starting Ray", total=total, done=0)

    def watch(done: int, share: float, best: float | None) -> None:
        bar.update(task, completed=share, done=done, description="" if best is None else f"best {best:+.1f}")

    with bar if console.is_terminal else contextlib.nullcontext():
        yield watch
