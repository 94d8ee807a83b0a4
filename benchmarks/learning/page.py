"""Writes the tables of docs/learning.md, between comments that name them; the text around them is written by hand."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from gridpuzzles_gym.engine.system.files import write_text

from .plan import Chart, Plan
from .results import SAMPLED, Result, Score

COLUMNS = ("chart", "experiment", "run", "seed", "steps", "minutes", "test", "action", "episodes")
COLUMNS += ("return", "interval", "success", "deaths", "length")


def write_scores(folder: Path, plan: Plan, results: dict[str, Result]) -> Path:
    """Write ``scores.csv``: a row for each final score of each run."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    charts = {experiment.name: experiment.chart for experiment in plan.experiments}
    for result in results.values():
        first = [charts.get(result.experiment, ""), result.experiment, result.run, result.seed]
        first += [result.steps, f"{result.minutes:.2f}"]
        for score in result.scores:
            numbers = [f"{x:.4f}" for x in (score.mean, score.interval, score.success, score.deaths, score.length)]
            writer.writerow([*first, score.test, score.action, score.episodes, *numbers])
    write_text(folder / "scores.csv", text.getvalue())
    return folder / "scores.csv"


def write_page(page: Path, plan: Plan, results: dict[str, Result]) -> Path:
    """Replace the blocks ``<!-- NAME -->`` … ``<!-- /NAME -->`` of the page; other text stays.

    Args:
        page: docs/learning.md; next to it is the folder of results.
        plan: What is drawn.
        results: All runs, by name.

    Raises:
        ValueError: The page has a block that is not known.
    """
    blocks: dict[str, Callable[[], Iterable[str]]] = {
        "scores": lambda: _score_table(plan, results),
        "published": lambda: _published_table(plan),
        "charts": lambda: _pictures(plan, page),
    }

    def filled(match: re.Match[str]) -> str:
        name = match[1]
        if name not in blocks:
            raise ValueError(f"{page}: unknown block {name!r}; known are {', '.join(blocks)}")
        lines = "\n".join(blocks[name]())
        return f"<!-- {name} -->\n\n{lines}\n\n<!-- /{name} -->"

    text = page.read_text(encoding="utf-8")
    write_text(page, re.sub(r"<!-- (\w+) -->\n.*?<!-- /\1 -->", filled, text, flags=re.DOTALL))
    return page


def spread(values: Sequence[float], form: Callable[[float], str]) -> str:
    """Return the mean of some seeds, and in brackets the lowest and the highest, each as ``form`` writes it."""
    if not values:
        return "–"
    mean, low, high = map(form, (sum(values) / len(values), min(values), max(values)))
    return mean if low == high else f"{mean} ({low} … {high})"


def points(value: float) -> str:
    """Return a return as text."""
    return f"{value:+.1f}"


def percent(value: float) -> str:
    """Return a share, 0 to 1, as text; more digits near 0 and 1."""
    return f"{100 * value:.{2 if 0 < min(value, 1 - value) < 0.01 else 1}f} %"


def _score_table(plan: Plan, results: dict[str, Result]) -> Iterable[str]:
    yield "| environment | tested on | learner | seeds | steps | minutes | return | success | share of the bound |"
    yield "|---|---|---|---:|---:|---:|---:|---:|---:|"
    for chart in plan.charts.values():
        for test in (test for test in chart.tests if test.listed):
            for experiment in (experiment for experiment in plan.experiments_of(chart) if experiment.listed):
                runs = [results[name] for name in map(experiment.run, experiment.seeds) if name in results]
                scored = [(run, _score(run.scores, test.name, SAMPLED)) for run in runs]
                scores = [score for _, score in scored if score is not None]
                if scores:
                    steps = sum(run.steps for run in runs) / len(runs) / 1e6
                    minutes = sum(run.minutes for run in runs) / len(runs)
                    mean = sum(score.mean for score in scores) / len(scores)
                    gpu = "" if all(run.device.startswith("CPU") for run in runs) else ", GPU"
                    cells = [chart.title.partition(":")[0], test.name, experiment.label + _mark(runs)]
                    cells += [str(len(scores)), f"{steps:.1f} M", f"{minutes:.0f}{gpu}"]
                    cells += [spread([s.mean for s in scores], points), spread([s.success for s in scores], percent)]
                    cells.append(percent(mean / test.bound) if test.bound else "")
                    yield f"| {' | '.join(cells)} |"


def _mark(runs: Iterable[Result]) -> str:
    """Return a mark for runs that neither Stable-Baselines3 nor a program of its own made."""
    ours = (run.settings.get("engine") == "sb3" or run.command.startswith("python") for run in runs)
    return "" if all(ours) else " †"


def _score(scores: Iterable[Score], test: str, action: str) -> Score | None:
    return next((score for score in scores if (score.test, score.action) == (test, action)), None)


def _published_table(plan: Plan) -> Iterable[str]:
    yield "| | frames | minutes | success |"
    yield "|---|---:|---:|---:|"
    for chart in plan.charts.values():
        for point in chart.published:
            steps = f"{point.steps / 1e6:.0f} M" if point.steps else "–"
            minutes = f"{point.minutes:.0f}" if point.minutes else "–"
            yield f"| {point.label} | {steps} | {minutes} | {percent(point.success)} |"


def _pictures(plan: Plan, page: Path) -> Iterable[str]:
    for chart in plan.charts.values():
        if (page.parent / page.stem / f"{chart.name}.png").exists():
            yield f"![Learning curves of {chart.title}]({page.stem}/{chart.name}.png)\n"


def chart_references(chart: Chart, references: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return those of a chart, in its order."""
    found = {row["agent"]: row for row in references if row["chart"] == chart.name}
    return [found[agent] for agent in chart.agents if agent in found]
