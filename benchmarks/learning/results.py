"""The results in docs/learning/: small files, a pair for each run, so that those of several machines add up.

runs/NAME.json    what was trained, how long, and its scores
runs/NAME.csv     its learning curve, thinned
references.csv    the agents that curves are compared with
scores.csv        all final scores, made from these by `draw`
"""

import csv
import dataclasses
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Self

from gridpuzzles_gym.engine.system.files import write_text

ROWS = 240
"""Rows of a thinned curve: more than a chart has pixels for."""
NUMBERS = ("steps", "seconds", "return", "success", "deaths", "length")
"""Columns of a learning curve that are kept, after the phase."""
LIKELIEST, SAMPLED = "likeliest", "sampled"


@dataclasses.dataclass(frozen=True)
class Score:
    """The scores of a model or an agent in one test."""

    test: str
    action: str
    """`SAMPLED`: as the policy chooses; `LIKELIEST`: always the most probable action."""
    episodes: int
    mean: float
    """Mean return."""
    interval: float
    """Half the width of its 95 % confidence interval."""
    success: float
    deaths: float
    length: float
    steps: int = 0
    """Steps of training before the test; 0: all."""
    seconds: float = 0.0
    """Seconds of training before the test; 0: all."""


@dataclasses.dataclass(frozen=True)
class Result:
    """A run."""

    run: str
    experiment: str
    seed: int
    env_id: str
    steps: int
    minutes: float
    device: str
    command: str
    versions: dict[str, str]
    settings: dict[str, Any]
    scores: tuple[Score, ...] = ()
    """Scores of the finished model."""
    snapshots: tuple[Score, ...] = ()
    """Scores of earlier snapshots."""

    @classmethod
    def read(cls, file: Path) -> Self:
        """Read ``NAME.json``."""
        content = json.loads(file.read_text(encoding="utf-8"))
        for name in ("scores", "snapshots"):
            content[name] = tuple(Score(**row) for row in content[name])
        return cls(**content)

    def write(self, file: Path) -> None:
        """Write ``NAME.json``."""
        write_text(file, json.dumps(dataclasses.asdict(self), indent=1, sort_keys=True) + "\n")


def read_curve(file: Path) -> list[dict[str, Any]]:
    """Read the rows of a learning curve: the later of two with equal steps, and no broken ones."""
    rows: dict[int, dict[str, Any]] = {}
    with file.open(newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            try:
                numbers: dict[str, Any] = {name: float(row[name]) for name in NUMBERS}
            except (KeyError, TypeError, ValueError):
                continue
            rows[int(numbers["steps"])] = {**numbers, "phase": row.get("phase") or ""}
    return [rows[steps] for steps in sorted(rows)]


def thinned(rows: Sequence[dict[str, Any]], count: int = ROWS) -> list[dict[str, Any]]:
    """Return every n-th row and the last one; each is an average over thousands of episodes anyway."""
    every = -(-len(rows) // count) or 1
    return [row for number, row in enumerate(rows, start=1) if number % every == 0 or number == len(rows)]


def publish(result: Result, curve: Path, folder: Path) -> None:
    """Write the two files of a run.

    Args:
        result: The run.
        curve: Its ``curve.csv``.
        folder: docs/learning.
    """
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    lines = [",".join(("phase", *NUMBERS)), *map(_line, thinned(read_curve(curve)))]
    write_text(folder / "runs" / f"{result.run}.csv", "\n".join(lines) + "\n")
    result.write(folder / "runs" / f"{result.run}.json")


def _line(row: dict[str, Any]) -> str:
    return ",".join([row["phase"], f"{row['steps']:.0f}", *(f"{row[name]:.6g}" for name in NUMBERS[1:])])


def read_results(folder: Path) -> dict[str, Result]:
    """Read all runs, by name."""
    return {file.stem: Result.read(file) for file in sorted((folder / "runs").glob("*.json"))}


REFERENCES = ("chart", "agent", "episodes", "return", "interval", "success")


def read_references(folder: Path) -> list[dict[str, Any]]:
    """Read the agents that curves are compared with."""
    file = folder / "references.csv"
    if not file.exists():
        return []
    with file.open(newline="", encoding="utf-8") as stream:
        rows: list[dict[str, Any]] = list(csv.DictReader(stream))
    for row in rows:
        row.update({name: float(row[name]) for name in REFERENCES[2:]})
    return rows


def write_references(folder: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write them; those of the same chart and agent are replaced."""
    known = {(row["chart"], row["agent"]): row for row in [*read_references(folder), *rows]}
    lines = [",".join(REFERENCES)]
    for row in (known[key] for key in sorted(known)):
        numbers = [f"{row['episodes']:.0f}", f"{row['return']:.4f}", f"{row['interval']:.4f}", f"{row['success']:.6f}"]
        lines.append(",".join([row["chart"], row["agent"], *numbers]))
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / "references.csv", "\n".join(lines) + "\n")
