"""Draw the learning curves of the page on training: ``python docs/make_curves.py label=runs/one label=runs/two …``.

Each run is a folder that ``gridpuzzles train`` wrote; its ``curve.csv`` is drawn as one line.
"""

import csv
import sys
from pathlib import Path

from matplotlib.figure import Figure

TARGET = Path(__file__).parent / "images" / "learning-curves.png"


def main(runs: list[str]) -> None:
    """Draw one line for each ``label=folder``."""
    figure = Figure(figsize=(7, 3.6), layout="constrained")
    axes = figure.subplots()
    for run in runs:
        label, _, folder = run.partition("=")
        with (Path(folder) / "curve.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        axes.plot([float(r["steps"]) / 1e6 for r in rows], [float(r["return"]) for r in rows], label=label)
    axes.axhline(0, color="0.8", linewidth=0.8)
    axes.set(xlabel="million steps", ylabel="mean return, sampled", title="PPO on Wumpus-v0, by observation")
    figure.legend(loc="outside lower center", ncols=3)
    figure.savefig(TARGET, dpi=120)
    print(TARGET)


if __name__ == "__main__":
    main(sys.argv[1:] or sys.exit(__doc__))
