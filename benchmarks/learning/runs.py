"""Trains a run of a row and tests it. Its result is ``docs/learning/ROW-SEED.json``."""

import dataclasses
import json
import shlex
import time
import tomllib
from pathlib import Path
from typing import Any

from gridpuzzles_gym.agents.evaluation import compare
from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.models.model_file import read_description
from gridpuzzles_gym.agents.puzzle_agents import option_words
from gridpuzzles_gym.engine.system.files import write_text

RESULTS = Path(__file__).parents[2] / "docs" / "learning"
POINTS = 150
"""Points of a learning curve that are kept."""
OF_CURVES = ("steps", "return", "success")
"""The columns of ``curve.csv`` that are kept."""


@dataclasses.dataclass(frozen=True)
class LevelTest:
    """Levels on which a finished model plays, with sampled actions and the registered rewards."""

    name: str
    settings: dict[str, Any] = dataclasses.field(default_factory=dict)
    """Keyword arguments of the environment."""
    episodes: int = 20_000
    bound: float | None = None
    """The highest expected return, where it is known."""


@dataclasses.dataclass(frozen=True)
class Row:
    """A recipe."""

    name: str
    env: str
    learner: str
    """For people: ``"PPO"``, ``"with a teacher"``."""
    tests: tuple[LevelTest, ...]
    training: dict[str, Any] = dataclasses.field(default_factory=dict)
    """Settings of training that differ from the environment's preset."""
    settings: dict[str, Any] = dataclasses.field(default_factory=dict)
    """Keyword arguments of the environment in training that differ from the preset's."""

    @property
    def command(self) -> str:
        """The command that trains it."""
        return shlex.join(["gridpuzzles", "train", self.env, *option_words(self.settings, self.training)])


def read_rows() -> dict[str, Row]:
    """Return the rows of ``rows.toml`` by name."""
    tables = tomllib.loads(Path(__file__).with_name("rows.toml").read_text(encoding="utf-8"))
    rows = {}
    for name, table in tables.items():
        tests = tuple(LevelTest(**test) for test in table.pop("tests"))
        rows[name] = Row(name, tests=tests, **table)
    return rows


def run(row: Row, seed: int, folder: Path) -> None:
    """Train a run in a subfolder of ``folder`` and write its result; do nothing if that is there."""
    from gridpuzzles_gym.agents.training.checkpoints import CHECKPOINT
    from gridpuzzles_gym.agents.training.monitor import CURVE
    from gridpuzzles_gym.agents.training.settings import preset_settings
    from gridpuzzles_gym.agents.training.trainer import TrainingRun

    name = f"{row.name}-{seed}"
    place, result = folder / name, RESULTS / f"{name}.json"
    if result.exists():
        return
    settings = preset_settings(Game.of(row.env, **row.settings), row.training | {"seed": seed, "threads": 1})
    resumed, begun = (place / CHECKPOINT).exists(), time.process_time()
    TrainingRun(settings, place).finish(resumed)
    about, seconds = read_description(place), time.process_time() - begun
    scores = []
    for test in row.tests:
        game = Game.of(row.env, **test.settings)
        (score,) = compare(game, [str(place)], test.episodes, num_envs=1024).scores
        scores.append(
            {"test": test.name} | {key: getattr(score, key) for key in ("episodes", "mean_return", "success")}
        )
        print(f"{name}, {test.name}: {score.mean_return:+.1f}, {score.success:.2%} of {score.episodes:,}")
    content = {"command": row.command, "seed": seed, "steps": about.steps, "versions": about.versions}
    content["minutes"] = round(about.minutes if resumed else seconds / 60, 1)  # of one core
    write_text(result, json.dumps(content | {"scores": scores, "curve": curve(place / CURVE)}) + "\n")


def curve(file: Path) -> list[list[float]]:
    """Return points of a learning curve, [steps, return, success] each, and the last one."""
    head, *lines = file.read_text(encoding="utf-8").splitlines()
    places = [head.split(",").index(name) for name in OF_CURVES]
    rows = [[float(f"{float(line.split(',')[k]):.4g}") for k in places] for line in lines]
    every = -(-len(rows) // POINTS)
    return [*rows[::every], rows[-1]]
