"""The learning curve as a chart."""

import csv
from pathlib import Path

from gridpuzzles_gym.engine.system.files import replacing

CURVE = "curve.csv"
"""Name of the table in a run folder."""
FIELDS = ("phase", "steps", "seconds", "return", "success", "deaths", "length", "curriculum")
"""Columns of the table; the first is the phase of the run (:mod:`.phases`), the last the progress of a curriculum, 0 to
1, and empty if there is none."""


def draw_curve(table: Path, picture: Path, title: str) -> None:
    """Plot ``curve.csv`` (columns `FIELDS`) as a PNG: return above, success and deaths below, phases apart.

    Does nothing if the table has no rows yet.
    """
    with table.open(newline="") as file:
        table_rows = list(csv.DictReader(file))
    rows = [{name: float(row[name]) for name in FIELDS[1:] if row.get(name)} for row in table_rows]
    if not rows:
        return
    from matplotlib.figure import Figure

    steps = [row["steps"] / 1e6 for row in rows]
    figure = Figure(figsize=(7, 5), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    above.plot(steps, [row["return"] for row in rows], color="tab:blue")
    above.axhline(0, color="0.8", linewidth=0.8)
    above.set(title=title, ylabel="mean return")
    below.plot(steps, [100 * row["success"] for row in rows], color="tab:green", label="success")
    below.plot(steps, [100 * row["deaths"] for row in rows], color="tab:red", label="deaths")
    if any("curriculum" in row for row in rows):
        way = [100 * row.get("curriculum", float("nan")) for row in rows]
        below.plot(steps, way, color="tab:purple", linestyle="--", label="curriculum, % of the way")
    phases = [row["phase"] for row in table_rows]
    for k in range(1, len(phases)):
        if phases[k] != phases[k - 1]:
            for panel in (above, below):
                panel.axvline(steps[k - 1], color="0.7", linestyle=":", linewidth=0.8)
            place = above.get_xaxis_transform()
            above.text(steps[k - 1], 1.0, f" {phases[k]}", transform=place, va="bottom", fontsize=8)
    below.set(xlabel="million steps", ylabel="% of episodes", ylim=(0, 100))
    figure.legend(loc="outside lower right", ncols=3)  # below: curves may run anywhere
    with replacing(picture) as unfinished:
        figure.savefig(unfinished, dpi=120)
