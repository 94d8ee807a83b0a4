"""The results of a sweep as a chart."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gridpuzzles_gym.engine.system.files import replacing

from .record import FINISHED, STOPPED, UNFINISHED, Sweep, Trial
from .search_space import Choice, Range

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARKS = {FINISHED: "o", STOPPED: "X", UNFINISHED: "D"}
_ACROSS = 4
"""Panels in a row."""
_MARGIN = 0.05
"""Margin of an axis, as a share of the range of its setting."""


def draw_sweep(sweep: Sweep, scored: Sequence[tuple[Trial, float]], picture: Path, title: str) -> None:
    """Draw a PNG: the curves of all trials, coloured by their latest score, and that score against each setting.

    Args:
        sweep: The sweep.
        scored: The trials that have a score, at least one, with it.
        picture: The file.
        title: Title of the chart.
    """
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure

    scores = [score for _, score in scored]
    scale, colours = Normalize(min(scores), max(scores)), colormaps["viridis"]
    rows = -(-len(sweep.space) // _ACROSS)
    figure = Figure(figsize=(11, 4.2 + 2.4 * rows), layout="constrained")
    grid = figure.add_gridspec(1 + rows, _ACROSS, height_ratios=[4.2] + [2.4] * rows)
    above = figure.add_subplot(grid[0, :])
    for trial, score in sorted(scored, key=lambda pair: pair[1]):  # the best on top
        steps, _, returns = zip(*sweep.settled_curve(trial), strict=True)
        above.plot([step / 1e6 for step in steps], returns, color=colours(scale(score)), linewidth=1.5)
        mark = _MARKS[trial.state]
        above.plot(steps[-1] / 1e6, returns[-1], mark, color=colours(scale(score)), markeredgecolor="black")
    above.set(title=title, xlabel="million steps", ylabel="mean return")
    above.grid(color="0.9")
    figure.colorbar(ScalarMappable(scale, colours), ax=above, label="latest mean return")
    for state in dict.fromkeys(trial.state for trial, _ in scored):
        above.plot([], [], _MARKS[state], color="0.7", markeredgecolor="black", label=state)
    figure.legend(loc="outside lower right", ncols=len(_MARKS))
    first: Axes | None = None
    for index, (name, values) in enumerate(sweep.space.items()):
        panel = figure.add_subplot(grid[1 + index // _ACROSS, index % _ACROSS], sharey=first)
        first = first or panel
        for trial, score in scored:
            place = _place(values, trial.chosen[name])
            panel.plot(place, score, _MARKS[trial.state], color=colours(scale(score)), markeredgecolor="black")
        _scale(panel, values)
        panel.set(xlabel=name, ylabel="" if index % _ACROSS else "mean return")
        panel.grid(color="0.9")
    with replacing(picture) as unfinished:
        figure.savefig(unfinished, dpi=120)


def _place(values: Range | Choice, value: Any) -> Any:
    """Return the position of a value on its axis; the values of a choice are next to each other."""
    return values.values.index(value) if isinstance(values, Choice) else value


def _scale(panel: "Axes", values: Range | Choice) -> None:
    """Show all values that were allowed on the axis of a panel."""
    from matplotlib.ticker import NullLocator

    if isinstance(values, Choice):
        panel.set_xticks(range(len(values.values)), [str(value) for value in values.values])
        panel.set_xlim(-0.5, len(values.values) - 0.5)
        return
    low, high = values.low, values.high
    if values.log:
        panel.set_xscale("log")
        ticks = [low, math.sqrt(low * high), high]
        panel.set_xticks(ticks, [f"{tick:.2g}" for tick in ticks])
        panel.xaxis.set_minor_locator(NullLocator())
        panel.set_xlim(low * (low / high) ** _MARGIN, high * (high / low) ** _MARGIN)
        return
    panel.set_xlim(low - _MARGIN * (high - low), high + _MARGIN * (high - low))
    if isinstance(low, int) and high - low < _ACROSS**2:
        panel.set_xticks(range(low, int(high) + 1))
