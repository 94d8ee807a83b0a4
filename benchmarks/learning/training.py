"""Trains, tests and publishes one run after another; complete runs are skipped, stopped ones continue."""

import dataclasses
import importlib.metadata
import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import gridpuzzles_gym  # noqa: F401  (registers the environments)
from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.models.model_file import MODEL, Description, read_description, read_model, write_model
from gridpuzzles_gym.agents.training.checkpoints import CHECKPOINT
from gridpuzzles_gym.agents.training.monitor import Report
from gridpuzzles_gym.agents.training.settings import Settings, preset_settings, read_settings
from gridpuzzles_gym.agents.training.trainer import TrainingRun
from gridpuzzles_gym.engine.system.files import replacing

from .plan import Chart, Experiment, LevelTest, Plan
from .results import Result, Score, publish, write_references
from .testing import score_agent, score_model

RESULT = "result.json"
"""The file in a run's folder that has its scores."""
SNAPSHOTS = "snapshots"
OF_MODELS = ("test", "action", "episodes", "mean", "interval", "success", "deaths", "length")


class Snapshots:
    """Keeps a run's model every few minutes.

    Args:
        run: The run.
        every: Minutes between two; 0: none are kept.
    """

    def __init__(self, run: TrainingRun, every: float) -> None:
        self._run, self._every, self._kept = run, every, run.folder / SNAPSHOTS
        self._latest = max((read_description(file).minutes for file in self._kept.glob("*.safetensors")), default=0.0)

    def take(self, report: Report | None = None) -> None:
        """Keep the model if it is time to; with a report, after saving the run."""
        minutes = self._run.seconds / 60
        if not self._every or minutes - self._latest < self._every:
            return
        self._latest = minutes
        if report is not None:
            self._run.save()
        self._kept.mkdir(exist_ok=True)
        with replacing(self._kept / f"{self._run.steps:012d}.safetensors") as unfinished:
            shutil.copyfile(self._run.folder / MODEL, unfinished)


class Bench:
    """The runs of a plan in a folder of runs, and their results.

    Args:
        plan: The plan.
        runs: Folder of the runs, one folder each.
        out: Folder of the results, docs/learning.
        minutes: Train as long, instead of as the plan says: to try it.
        episodes: Episodes in each test at most; None: as the plan says.
    """

    def __init__(
        self, plan: Plan, runs: Path, out: Path, minutes: float | None = None, episodes: int | None = None
    ) -> None:
        self.plan, self.runs, self.out, self.minutes, self.episodes = plan, runs, out, minutes, episodes

    def settings(self, experiment: Experiment, seed: int, environment: dict[str, Any]) -> Settings:
        """Return the settings of a run."""
        chosen = dict(experiment.training) | {"seed": seed}
        if self.minutes is not None:
            chosen["minutes"] = self.minutes
        return preset_settings(Game.of(self.plan.charts[experiment.chart].env, **environment), chosen)

    def run(self, experiment: Experiment, seed: int) -> bool:
        """Train, test and publish a run, except for steps already done; return whether its variables are set."""
        name, chart = experiment.run(seed), self.plan.charts[experiment.chart]
        environment = experiment.environment()
        if environment is None:
            print(f"{name}: left out, because a variable is not set: {experiment.settings}")
            return False
        folder = self.runs / name
        settings = self.settings(experiment, seed, environment)
        if experiment.tile is None:
            self.train(settings, folder, self._start(experiment, seed), chart.snapshot_minutes)
            self.test(experiment, seed, folder)
        else:
            from .pixels import MODEL as PIXELS_MODEL
            from .pixels import train_on_pixels

            command = f"python -m benchmarks.learning run {name}"
            about = {"run": name, "experiment": experiment.name, "seed": seed, "command": command}
            self._test(train_on_pixels(settings, experiment.tile, folder, about), folder / PIXELS_MODEL)
        return True

    def test(self, experiment: Experiment, seed: int, folder: Path) -> None:
        """Test and publish the model in a folder, as a run of an experiment, except for steps already done."""
        settings, about = read_settings(folder), read_description(folder)
        result = Result(
            run=experiment.run(seed),
            experiment=experiment.name,
            seed=seed,
            env_id=about.env_id,
            steps=about.steps,
            minutes=about.minutes,
            device=about.device,
            command=about.command,
            versions={**about.versions, "numba": importlib.metadata.version("numba")},
            settings=json.loads(json.dumps(dataclasses.asdict(settings))),
        )
        self._test(result, folder / MODEL)

    def _test(self, result: Result, model: Path) -> None:
        """Test and publish a model, whose result has no scores yet, except for steps already done."""
        folder = model.parent
        before = Result.read(folder / RESULT) if (folder / RESULT).exists() else None
        if before is not None and before.steps == result.steps:
            result = dataclasses.replace(result, scores=before.scores, snapshots=before.snapshots)
        chart = next(each.chart for each in self.plan.experiments if each.name == result.experiment)
        for test in self.plan.charts[chart].tests:
            result = self._tested(result, test, model)
        publish(result, folder / "curve.csv", self.out)
        print(f"{result.run}: {result.steps:,} steps in {result.minutes:.1f} minutes")
        for score in result.scores:
            print(f"    {score.test}, {score.action}: {score.mean:+.1f} ± {score.interval:.1f}, {score.success:.2%}")

    def train(self, settings: Settings, folder: Path, start: str | None, snapshot_minutes: float) -> None:
        """Train to the end; continue a stopped run, and do nothing if it has ended."""
        if _is_trained(folder, settings):
            return
        resume = (folder / CHECKPOINT).is_file()
        if not resume:
            (folder / MODEL).unlink(missing_ok=True)  # of a run that was stopped between its first two files
        run = TrainingRun(settings, folder, start)
        snapshots = Snapshots(run, snapshot_minutes)
        run.finish(resume, [snapshots.take])
        snapshots.take()

    def references(self, charts: Iterable[Chart]) -> None:
        """Measure the agents that curves are compared with, and save each."""
        for chart in charts:
            settings = LevelTest("", chart.settings).resolved()
            for agent in chart.agents if settings is not None else ():
                episodes = min(chart.episodes, self.episodes or chart.episodes)
                row = score_agent(agent, chart.env, settings, episodes)
                write_references(self.out, [row | {"chart": chart.name}])
                print(f"{chart.name}: {agent}: {row['return']:+.1f} ± {row['interval']:.1f}, {row['success']:.2%}")

    def _start(self, experiment: Experiment, seed: int) -> str | None:
        start = experiment.begins_with(seed)
        if start is None or start == "pretrained":
            return start
        run = self.runs / start
        return str(run if run.exists() else start)

    def _tested(self, result: Result, test: LevelTest, model: Path) -> Result:
        """Return a result with the scores of a test, after saving it."""
        environment, folder, env_id = test.resolved(), model.parent, result.env_id
        if environment is None:
            print(f"{result.run}: without the test {test.name!r}, because a variable is not set: {test.settings}")
            return result
        if not any(score.test == test.name for score in result.scores):
            own = result.settings["env_kwargs"]
            environment = {name: own[name] for name in ("observation", "tile") if name in own} | environment
            found = tuple(score_model(model, env_id, environment, test, self.episodes))
            result = dataclasses.replace(result, scores=(*result.scores, *found))
            result.write(folder / RESULT)
            if model.name == MODEL:
                _describe(model, result.scores)
        known = {score.steps for score in result.snapshots if score.test == test.name}
        for file in sorted((folder / SNAPSHOTS).glob("*.safetensors")) if test.curve else ():
            about: Description = read_description(file)
            if about.steps in known:
                continue
            score = next(iter(score_model(file, env_id, environment, test, self.episodes)))
            score = dataclasses.replace(score, steps=about.steps, seconds=60 * about.minutes)
            result = dataclasses.replace(result, snapshots=(*result.snapshots, score))
            result.write(folder / RESULT)
        return result


def _is_trained(folder: Path, settings: Settings) -> bool:
    """Return whether there is a model that was trained as long as the settings say; its minutes are rounded."""
    if not (folder / MODEL).is_file():
        return False
    about = read_description(folder)
    return about.steps >= settings.total_steps or about.minutes + 0.01 >= (settings.minutes or float("inf"))


def _describe(file: Path, scores: Iterable[Score]) -> None:
    """Write the scores into the model's description."""
    model = read_model(file)
    rows = [{name: value for name, value in dataclasses.asdict(score).items() if name in OF_MODELS} for score in scores]
    write_model(file, model._replace(description=dataclasses.replace(model.description, scores=rows)))
