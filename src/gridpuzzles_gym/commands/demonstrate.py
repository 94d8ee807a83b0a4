"""Datasets of demonstrations: the work of ``gridpuzzles demonstrate``."""

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from gridpuzzles_gym.agents.demonstrations.request import Request
from gridpuzzles_gym.agents.parallel import TaskExecutor, open_executor

from ..engine.messages import plural
from ..session.arguments import check_settings, environment

if TYPE_CHECKING:
    from gridpuzzles_gym.agents.demonstrations.dataset import DatasetFolder
    from gridpuzzles_gym.agents.evaluation import Score

AUTHOR = "gridpuzzles_gym"


class Dataset(NamedTuple):
    """A dataset that has been written."""

    folder: Path
    load: str
    """The expression that loads it."""
    score: "Score"
    """The results of its episodes."""

    def lines(self) -> list[str]:
        """Return what the command prints."""
        score = self.score
        return [
            f"dataset: {self.folder}",
            f"{plural(score.episodes, 'episode')}: return {score.mean_return:+.1f} ± {score.interval:.1f}, "
            f"success {score.success:.1%}, {score.steps:.1f} steps",
            f"load it: {self.load}",
        ]


def demonstrate(
    request: Request,
    folder: Path | None = None,
    resume: bool = False,
    force: bool = False,
    workers: int | None = None,
    ray: str | None = None,
    author: str = AUTHOR,
    trust_pickle: bool = False,
) -> Dataset:
    """Write a dataset of episodes that an agent plays, in the format of Minari.

    Args:
        request: What the dataset is to hold.
        folder: The folder of the dataset; None is ENVIRONMENT/AGENT-v0 in the folder in which Minari looks for them.
        resume: Go on with a dataset that is not complete.
        force: Replace a dataset.
        workers: The number of processes; None is one for each core.
        ray: The address of a Ray cluster that plays instead; None: this machine.
        author: Who makes the dataset.
        trust_pickle: Load models that can run any code.

    Raises:
        ValueError: A setting is invalid, the agent does not play the environment, or there is nothing to resume.
        OSError: The folder has something already, or cannot be written.
        ImportError: Minari is not installed.
        KeyboardInterrupt: Ctrl-C; the message says how to go on.
    """
    spec, puzzle = environment(request.env_id)
    check_settings(puzzle, request.env_kwargs)
    for package in ("h5py", "minari"):
        importlib.import_module(package)
    from gridpuzzles_gym.agents.demonstrations.dataset import DatasetFolder, dataset_name, minari_folder
    from gridpuzzles_gym.agents.demonstrations.recording import Recorder

    Recorder(request, 1, trust_pickle).close()  # to report errors before anything is written
    if folder is None:
        agent = Path(request.agent)
        name = agent.parent.name if agent.suffix else request.agent
        folder = minari_folder() / spec.id.rpartition("-v")[0].lower() / dataset_name(name)
    place = DatasetFolder(folder)
    try:
        with open_executor(workers, ray) as executor:
            place.begin(request, resume, force)
            score = _make(place, request, executor, author, trust_pickle)
    except KeyboardInterrupt:
        played = f"{place.played(request):,} of {plural(request.episodes, 'episode')}"
        raise KeyboardInterrupt(f"stopped: {played} played; the same command with --resume goes on") from None
    found = place.dataset_id != place.folder.name or place.folder.parent == minari_folder()
    load = f'minari.load_dataset("{place.dataset_id}")' if found else f'minari.MinariDataset("{place.folder}/data")'
    return Dataset(place.folder, load, score)


def _make(place: "DatasetFolder", request: Request, executor: TaskExecutor, author: str, trust_pickle: bool) -> "Score":
    """Make a dataset, with a progress bar on a terminal."""
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("episodes", total=request.episodes)
        return place.make(request, executor, author, trust_pickle, lambda played: bar.advance(task, played))
