"""Draws the learning curves: return and success, against steps and against minutes, with a band between the seeds."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gridpuzzles_gym.engine.system.files import replacing

from .going_on import Curve, after, shown_curve, trained_before
from .plan import Chart, Experiment, Published
from .results import SAMPLED, Result, Score, read_curve

COLOURS = ("tab:blue", "tab:orange", "tab:green", "tab:purple", "tab:brown")
"""Of the experiments of a chart, in the order of the plan."""
GREYS, STYLES = ("0.2", "0.45", "0.6"), ("--", "-.", ":")
"""Of the agents."""
MARKERS = "^sDvP*"
PLACES = 200
AXES = {"steps": ("million steps", 1e6), "seconds": ("minutes", 60.0)}
KINDS = {"return": ("mean return", 1.0), "success": ("% solved", 100.0)}


class Panel(NamedTuple):
    """One of the four parts of a chart."""

    axes: Axes
    axis: str
    """A key of AXES."""
    kind: str
    """A key of KINDS."""

    def across(self, value: float) -> float:
        """Return the place of a number of steps or seconds."""
        return value / AXES[self.axis][1]

    def above(self, value: float) -> float:
        """Return the place of a return or a share of successes."""
        return value * KINDS[self.kind][1]


def draw_chart(
    chart: Chart,
    experiments: Sequence[Experiment],
    results: dict[str, Result],
    references: Sequence[dict[str, Any]],
    folder: Path,
) -> Path | None:
    """Draw one chart.

    Args:
        chart: What it shows.
        experiments: Its experiments.
        results: All runs, by name.
        references: The agents of this chart.
        folder: docs/learning.

    Returns:
        The picture; None if there is no run to draw.
    """
    runs = {
        experiment: [results[name] for name in map(experiment.run, experiment.seeds) if name in results]
        for experiment in experiments
    }
    if not any(runs.values()):
        return None
    curves: dict[str, Curve] = {}
    for experiment, some in runs.items():
        for k, run in enumerate(some):
            earlier = trained_before(run, experiment, results)
            curves[run.run] = shown_curve(read_curve(folder / "runs" / f"{run.run}.csv"), run, *earlier)
            some[k] = after(run, *earlier)
    figure = Figure(figsize=(8, 6.6), layout="constrained")
    grid = figure.subplots(len(KINDS), len(AXES), sharex="col", sharey="row")
    for row, kind in enumerate(KINDS):
        for column, axis in enumerate(AXES):
            panel = Panel(grid[row, column], axis, kind)
            for (experiment, some), colour in zip(runs.items(), COLOURS, strict=False):
                drawn = [curves[run.run] for run in some if curves[run.run]]
                _draw_band(panel, drawn, experiment.label, colour)
                _draw_snapshots(panel, chart, some, experiment.label, colour)
            _draw_lines(panel, chart, references)
            _draw_published(panel, chart.published)
            panel.axes.grid(alpha=0.3)
            panel.axes.set(xlabel=AXES[axis][0] if row else "", ylabel="" if column else KINDS[kind][0])
            if kind == "success":
                panel.axes.set_ylim(-2, 102)
    for axes in grid.flat:  # after all is drawn: it ends the search for limits that show everything
        axes.set_xlim(left=0)
    figure.suptitle(chart.title)
    entries = [zip(*axes.get_legend_handles_labels(), strict=True) for axes in grid.flat]
    unique = {label: handle for some in entries for handle, label in some}
    figure.legend(unique.values(), unique.keys(), loc="outside lower center", ncols=2, fontsize="small")
    picture = folder / f"{chart.name}.png"
    with replacing(picture) as unfinished:
        figure.savefig(unfinished, dpi=100, metadata={"Software": None})
    return picture


def band(
    curves: Sequence[Curve], axis: str, kind: str
) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]:
    """Return places, and the mean, the minimum and the maximum of several curves there.

    The places go from where the last curve begins to where the first one ends, so that all count everywhere.

    Args:
        curves: Learning curves, each with at least one row.
        axis: ``"steps"`` or ``"seconds"``.
        kind: ``"return"`` or ``"success"``.
    """
    begin = max(curve[0][axis] for curve in curves)
    end = min(curve[-1][axis] for curve in curves)
    places = np.linspace(begin, max(begin, end), PLACES)
    values = np.array([np.interp(places, [r[axis] for r in curve], [r[kind] for r in curve]) for curve in curves])
    return places, values.mean(axis=0), values.min(axis=0), values.max(axis=0)


def _draw_band(panel: Panel, curves: Sequence[Curve], label: str, colour: str) -> None:
    if not curves:
        return
    places, mean, low, high = band(curves, panel.axis, panel.kind)
    name = f"{label} ({len(curves)} seeds: mean and range)" if len(curves) > 1 else f"{label} (one seed)"
    panel.axes.plot(panel.across(places), panel.above(mean), color=colour, label=name)
    if len(curves) > 1:
        panel.axes.fill_between(
            panel.across(places), panel.above(low), panel.above(high), color=colour, alpha=0.2, linewidth=0
        )


def _draw_snapshots(panel: Panel, chart: Chart, runs: Sequence[Result], label: str, colour: str) -> None:
    """Draw a point for the success of each snapshot, and of the finished model, on the tests with ``curve``.

    Not their returns: a test may have other rewards than training.
    """
    for test in (test for test in chart.tests if test.curve and panel.kind == "success"):
        shown = [[s for s in _all_scores(run) if (s.test, s.action) == (test.name, SAMPLED)] for run in runs]
        for number, points in enumerate(some for some in shown if some):
            places = [panel.across(getattr(score, panel.axis)) for score in points]
            heights = [panel.above(score.success) for score in points]
            name = f"{label}: {test.name}" if number == 0 else "_"
            panel.axes.plot(places, heights, ":", marker="o", markersize=3, color=colour, label=name)


def _all_scores(run: Result) -> list[Score]:
    """Return the scores of a run's snapshots and of its finished model, each with its steps and seconds."""
    last = (dataclasses.replace(score, steps=run.steps, seconds=60 * run.minutes) for score in run.scores)
    return [*run.snapshots, *last]


def _draw_lines(panel: Panel, chart: Chart, references: Sequence[dict[str, Any]]) -> None:
    """Draw the agents and the bound."""
    for number, row in enumerate(references):
        colour, style = GREYS[number % len(GREYS)], STYLES[number % len(STYLES)]
        height = panel.above(row[panel.kind])
        panel.axes.axhline(height, color=colour, linestyle=style, linewidth=1.2, label=f"agent {row['agent']}")
    if chart.bound and panel.kind in chart.bound:
        height = panel.above(chart.bound[panel.kind])
        panel.axes.axhline(height, color="tab:red", linewidth=1.2, label=chart.bound["label"])


def _draw_published(panel: Panel, published: Sequence[Published]) -> None:
    if panel.kind != "success":
        return
    labels = dict.fromkeys(point.label for point in published)
    for label, marker in zip(labels, MARKERS, strict=False):
        points = [point for point in published if point.label == label and point.at(panel.axis) is not None]
        places = [panel.across(point.at(panel.axis) or 0) for point in points]
        heights = [panel.above(point.success) for point in points]
        if points:
            panel.axes.plot(
                places, heights, marker, color="black", markerfacecolor="none", label=f"{label} (published)"
            )
