"""The plan of the runs, tests and charts, read from ``plan.toml``."""

import dataclasses
import fnmatch
import os
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("plan.toml")
VARIABLES = {"LEVELS": "runs/levels"}
"""Variables that paths may begin with, and their defaults: where ``benchmarks/training_levels.py`` writes. Others must
be set in the shell: ``BOXOBAN`` is a copy of boxoban-levels."""


@dataclasses.dataclass(frozen=True)
class LevelTest:
    """Levels on which finished models are measured."""

    name: str
    settings: dict[str, Any] = dataclasses.field(default_factory=dict)
    """Keyword arguments of the environment; ``$NAME`` at the start of a text is a variable of the shell."""
    every: bool = False
    """Whether every level of the pack is played once, instead of ``episodes`` episodes."""
    episodes: int = 100_000
    curve: bool = False
    """Whether the snapshots of a run are measured on it, too."""
    bound: float | None = None
    """The highest expected return, where it is known."""
    listed: bool = True
    """Whether the page's table has rows for it."""

    def resolved(self) -> dict[str, Any] | None:
        """Return the settings with variables replaced; None if one is not set, so that the test cannot be made."""
        found = {name: _expanded(value) for name, value in self.settings.items()}
        return None if any(map(_is_unknown, found.values())) else found


@dataclasses.dataclass(frozen=True)
class Published:
    """A published figure, drawn as a point."""

    label: str
    success: float
    """0 to 1."""
    steps: float | None = None
    minutes: float | None = None

    def at(self, axis: str) -> float | None:
        """Return its ``"steps"`` or ``"seconds"``; None if they are not known."""
        seconds = None if self.minutes is None else 60 * self.minutes
        return self.steps if axis == "steps" else seconds


@dataclasses.dataclass(frozen=True)
class Chart:
    """One environment in one setting, with the lines to compare with."""

    name: str
    title: str
    env: str
    """A registered id."""
    settings: dict[str, Any] = dataclasses.field(default_factory=dict)
    """Keyword arguments of the environment in which the agents below are measured: those of training."""
    agents: tuple[str, ...] = ()
    """Agents that are drawn as horizontal lines."""
    episodes: int = 10_000
    """Episodes of each of these agents."""
    bound: dict[str, Any] | None = None
    """``label``, and ``return`` or ``success`` (0 to 1), or both: an upper bound for all agents."""
    tests: tuple[LevelTest, ...] = ()
    published: tuple[Published, ...] = ()
    snapshot_minutes: float = 0.0
    """Minutes between snapshots, for tests with ``curve``; 0: none are made."""


@dataclasses.dataclass(frozen=True, eq=False)
class Experiment:
    """Runs that differ in their seed only."""

    name: str
    chart: str
    label: str
    """In the legend: "PPO", "with a teacher"."""
    seeds: tuple[int, ...] = (0, 1, 2)
    training: dict[str, Any] = dataclasses.field(default_factory=dict)
    """Settings of training that differ from the environment's preset: ``teacher``, ``network``, ``minutes`` …"""
    settings: dict[str, Any] = dataclasses.field(default_factory=dict)
    """Keyword arguments of the environment that differ from the preset's."""
    start: str | None = None
    """The model to begin with: the name of a run, for its seed if it ends in ``-*``; ``"pretrained"``; or a path."""
    tile: int | None = None
    """The width of a square in pixels, to train on pixels (:mod:`.pixels`); None: not on pixels."""
    listed: bool = True
    """Whether the page's table has rows for it."""

    def run(self, seed: int) -> str:
        """Return the name of the run with a seed."""
        return f"{self.name}-{seed}"

    def begins_with(self, seed: int) -> str | None:
        """Return the model that a run begins with: the name of another run, or what ``start`` says; None: none."""
        if self.start is None or not self.start.endswith("-*"):
            return self.start
        return f"{self.start.removesuffix('*')}{seed}"

    def environment(self) -> dict[str, Any] | None:
        """Return the settings of the environment with variables replaced; None if one is not set."""
        return LevelTest("", self.settings).resolved()


@dataclasses.dataclass(frozen=True)
class Plan:
    """Everything in ``plan.toml``."""

    charts: dict[str, Chart]
    experiments: tuple[Experiment, ...]

    def runs(self, patterns: Sequence[str] = ()) -> list[tuple[Experiment, int]]:
        """Return the runs whose names match one of the patterns (``wumpus-*``), or all: first seeds come first."""
        pairs = [(experiment, seed) for experiment in self.experiments for seed in experiment.seeds]
        pairs.sort(key=lambda pair: pair[0].seeds.index(pair[1]))
        chosen = [
            (experiment, seed)
            for experiment, seed in pairs
            if not patterns or any(fnmatch.fnmatch(experiment.run(seed), pattern) for pattern in patterns)
        ]
        if not chosen:
            raise SystemExit(f"no run is called {' or '.join(patterns)}; see `python -m benchmarks.learning list`")
        return chosen

    def experiments_of(self, chart: Chart) -> list[Experiment]:
        """Return the experiments of a chart."""
        return [experiment for experiment in self.experiments if experiment.chart == chart.name]


def read_plan(file: Path = FILE) -> Plan:
    """Read a plan.

    Raises:
        TypeError: A table has an unknown key, or lacks one.
        ValueError: An experiment belongs to no chart, or two have one name.
    """
    tables = tomllib.loads(file.read_text(encoding="utf-8"))
    charts = {}
    for name, table in tables["charts"].items():
        parts = {"tests": LevelTest, "published": Published}
        lists = {key: tuple(kind(**row) for row in table.pop(key, ())) for key, kind in parts.items()}
        charts[name] = Chart(name, agents=tuple(table.pop("agents", ())), **table, **lists)
    experiments = []
    for table in tables["experiments"]:
        table["training"] = tables.get("training", {}) | table.get("training", {})
        table["seeds"] = tuple(table.get("seeds", (0, 1, 2)))
        experiments.append(Experiment(**table))
        if experiments[-1].chart not in charts:
            raise ValueError(f"{experiments[-1].name}: there is no chart {experiments[-1].chart!r}")
    names = [experiment.name for experiment in experiments]
    if len(set(names)) < len(names):
        raise ValueError(f"names occur twice: {names}")
    return Plan(charts, tuple(experiments))


def _is_unknown(value: Any) -> bool:
    """Return whether this, or an entry of this list, is a text with a variable that is not set."""
    if isinstance(value, list):
        return any(map(_is_unknown, value))
    return isinstance(value, str) and value.startswith("$")


def _expanded(value: Any) -> Any:
    """Return a text with ``$NAME`` at its start replaced, if it is set, also in a list; other values as they are."""
    if isinstance(value, list):
        return [_expanded(each) for each in value]
    if not isinstance(value, str) or not value.startswith("$"):
        return value
    name, slash, rest = value[1:].partition("/")
    found = os.environ.get(name, VARIABLES.get(name))
    return value if found is None else f"{found}{slash}{rest}"
