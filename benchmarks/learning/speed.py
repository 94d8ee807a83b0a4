"""Steps a second of training, of this version and of an earlier one, by turns on one machine."""

import csv
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from gridpuzzles_gym.engine.system.files import write_text

from .plan import Speed
from .results import read_curve

COLUMNS = ("environment", "network", "before", "after")
_TRAIN = "import sys; from gridpuzzles_gym.cli import main; sys.exit(main())"


def measure_speeds(speeds: Sequence[Speed], out: Path, before: Path | None, seconds: float, rounds: int) -> Path:
    """Write ``frames.csv``: the medians of some rounds, a row for each of `speeds`, as soon as it is known.

    Args:
        speeds: What to measure.
        out: docs/learning.
        before: A checkout of the earlier version; None leaves that column empty.
        seconds: Seconds of each training.
        rounds: Number of trainings of each version.
    """
    out.mkdir(parents=True, exist_ok=True)
    file = out / "frames.csv"
    rows = {}
    if file.exists():
        with file.open(newline="", encoding="utf-8") as stream:
            rows = {(row["environment"], row["network"]): row for row in csv.DictReader(stream)}
    for speed in speeds:
        found: dict[str, list[float]] = {"before": [], "after": []}
        for _ in range(rounds):
            for column, checkout in (("before", before), ("after", None)):
                if column == "after" or before is not None:
                    found[column].append(steps_a_second(speed, checkout, seconds))
        known = rows.get((speed.env, speed.network), {})
        row = {"environment": speed.env, "network": speed.network}
        for column, numbers in found.items():
            row[column] = f"{statistics.median(numbers):.0f}" if numbers else known.get(column, "")
        rows[speed.env, speed.network] = row
        write_text(
            file, "\n".join([",".join(COLUMNS), *(",".join(r[c] for c in COLUMNS) for r in rows.values())]) + "\n"
        )
        print(f"{speed.env}, {speed.network}: {row['before'] or '–'} before, {row['after']} now")
    return file


def steps_a_second(speed: Speed, checkout: Path | None, seconds: float) -> float:
    """Train for some seconds and return the steps a second, without those before the first row of the curve.

    Args:
        speed: What to measure.
        checkout: A checkout of the version to measure; None: the installed one.
        seconds: Seconds of training.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = dict(os.environ)
        if checkout is not None:  # as `make types` does: its packages in one folder
            package = folder / "path" / "gridpuzzles_gym"
            package.mkdir(parents=True)
            for source in (*(checkout / "src" / "gridpuzzles_gym").iterdir(), checkout / "agents", checkout / "levels"):
                (package / source.name).symlink_to(source.resolve())
            environment["PYTHONPATH"] = str(package.parent)
        words = [
            "train",
            speed.env,
            "--minutes",
            str(seconds / 60),
            "--steps",
            str(10**9),
            "--out",
            str(folder / "run"),
        ]
        words += ["--hyper", f"network={speed.network}", *speed.options]
        if checkout is None:  # earlier versions had no choice of engines
            words += ["--engine", "own"]
        done = subprocess.run(
            [sys.executable, "-c", _TRAIN, *words], env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(f"gridpuzzles {' '.join(words)}: {done.stderr or done.stdout}")
        rows = read_curve(folder / "run" / "curve.csv")
    if len(rows) < 2:
        raise SystemExit(f"{speed.env}: only {len(rows)} updates in {seconds:g} seconds; take more")
    return (rows[-1]["steps"] - rows[0]["steps"]) / (rows[-1]["seconds"] - rows[0]["seconds"])
