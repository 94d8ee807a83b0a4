"""Writes the tables of docs/learning.md, between comments that name them; the text around them is written by hand."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from gridpuzzles_gym.engine.system.files import write_text

from .plan import Chart, Plan
from .results import LIKELIEST, SAMPLED, Result, Score

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


def write_page(page: Path, plan: Plan, results: dict[str, Result], references: Sequence[dict[str, Any]]) -> Path:
    """Replace the blocks ``<!-- NAME -->`` … ``<!-- /NAME -->`` of the page; other text stays.

    Args:
        page: docs/learning.md; next to it is the folder of results.
        plan: What is drawn.
        results: All runs, by name.
        references: The agents that curves are compared with.

    Raises:
        ValueError: The page has a block that is not known.
    """
    blocks: dict[str, Callable[[], Iterable[str]]] = {
        "scores": lambda: _score_table(plan, results, references),
        "published": lambda: _published_table(plan, results),
        "charts": lambda: _pictures(plan, page),
        "commands": lambda: _commands(plan, results),
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


def _score_table(plan: Plan, results: dict[str, Result], references: Sequence[dict[str, Any]]) -> Iterable[str]:
    yield "| environment | levels | agent | return | success | return, likeliest action | success, likeliest action |"
    yield "|---|---|---|---:|---:|---:|---:|"
    for chart in plan.charts.values():
        for test in chart.tests:
            for experiment in plan.experiments_of(chart):
                runs = [results[name] for name in map(experiment.run, experiment.seeds) if name in results]
                cells: list[str] = []
                for action in (SAMPLED, LIKELIEST):
                    scores = [_score(run.scores, test.name, action) for run in runs]
                    found = [score for score in scores if score is not None]
                    cells += [spread([s.mean for s in found], points), spread([s.success for s in found], percent)]
                if set(cells) != {"–"}:
                    yield f"| {chart.title} | {test.name} | {experiment.label} | {' | '.join(cells)} |"
        for row in references:
            if row["chart"] == chart.name:
                numbers = f"{points(row['return'])} | {percent(row['success'])}"
                yield f"| {chart.title} | as in training | `{row['agent']}` | {numbers} | | |"
        if chart.bound:
            mean = points(chart.bound["return"]) if "return" in chart.bound else ""
            success = percent(chart.bound["success"]) if "success" in chart.bound else ""
            yield f"| {chart.title} | as in training | {chart.bound['label']} | {mean} | {success} | | |"


def _score(scores: Iterable[Score], test: str, action: str) -> Score | None:
    return next((score for score in scores if (score.test, score.action) == (test, action)), None)


def _published_table(plan: Plan, results: dict[str, Result]) -> Iterable[str]:
    yield "| | frames | minutes | success |"
    yield "|---|---:|---:|---:|"
    for chart in plan.charts.values():
        if not chart.published:
            continue
        for point in chart.published:
            steps = f"{point.steps / 1e6:.0f} M" if point.steps else "–"
            minutes = f"{point.minutes:.0f}" if point.minutes else "–"
            yield f"| {point.label} | {steps} | {minutes} | {percent(point.success)} |"
        for experiment in plan.experiments_of(chart):
            for run in (results[name] for name in map(experiment.run, experiment.seeds) if name in results):
                for score in (*run.snapshots, *run.scores):
                    if score.action == SAMPLED and any(t.curve and t.name == score.test for t in chart.tests):
                        steps, seconds = score.steps or run.steps, score.seconds or 60 * run.minutes
                        name = f"**{experiment.label}**, seed {run.seed}, {score.test}, {run.device}"
                        yield f"| {name} | {steps / 1e6:.1f} M | {seconds / 60:.0f} | {percent(score.success)} |"


def _pictures(plan: Plan, page: Path) -> Iterable[str]:
    for chart in plan.charts.values():
        if (page.parent / page.stem / f"{chart.name}.png").exists():
            yield f"![Learning curves of {chart.title}]({page.stem}/{chart.name}.png)\n"


def _commands(plan: Plan, results: dict[str, Result]) -> Iterable[str]:
    yield "| run | steps | minutes | device | the same by hand |"
    yield "|---|---:|---:|---|---|"
    for experiment in plan.experiments:
        name = next((name for name in map(experiment.run, experiment.seeds) if name in results), None)
        if name is not None:
            run = results[name]
            yield f"| {name} | {run.steps / 1e6:.1f} M | {run.minutes:.1f} | {run.device} | `{run.command}` |"


def chart_references(chart: Chart, references: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return those of a chart, in its order."""
    found = {row["agent"]: row for row in references if row["chart"] == chart.name}
    return [found[agent] for agent in chart.agents if agent in found]
