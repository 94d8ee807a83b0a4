"""Generated levels of Sokoban: their difficulty compared with other levels, their rate, and the benefit of the search.

``python benchmarks/generating.py difficulty medium hard boxoban.xsb``: a row a file or shipped pack.
``python benchmarks/generating.py rate --edits 0 500``: levels a second on one core.
``python benchmarks/generating.py scores --csv scores.csv --plot docs/images/generator-scores.png``: the best score
after more and more simulations, against the best of as many random constructions. Run it on an idle machine.
"""

import argparse
import csv
import dataclasses
import itertools
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from gridpuzzles_gym.agents.level_sources.generating import LevelCollection, random_bits_of
from gridpuzzles_gym.agents.puzzle_agents import key_of
from gridpuzzles_gym.agents.sokoban.generation.candidates import Bounds, MeasuredCandidates
from gridpuzzles_gym.agents.sokoban.generation.difficulty import Difficulty, measure, prove_fewest_moves
from gridpuzzles_gym.agents.sokoban.generation.generator import Generator, Recipe
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.puzzles.sokoban import PUZZLE

FIGURES = ("pushes", "fewest_moves", "nodes", "proof_nodes", "box_changes", "deadlock_density")
SIZES = ((7, 2), (10, 4))
"""Squares a side, and boxes."""
SIMULATIONS = (100, 1_000, 10_000)
EVALUATIONS = ("original", "measured")
METHODS = ("tree search", "random construction")


# -- difficulty --------------------------------------------------------------------------------------


def measured(choice: str, limit: int) -> tuple[int, int, list[Difficulty], float]:
    """The number of levels of a file, of different ones, the measurements of solved ones, and seconds per level."""
    levels = find_levels(PUZZLE, choice)
    rows = [PUZZLE.encode(level, level.extent, PUZZLE.read_options()) for level in levels]
    measure(*rows[0], limit)  # compiles
    began = time.perf_counter()
    found = [measure(level, state, limit) for level, state in rows]
    seconds = (time.perf_counter() - began) / len(levels)
    proven = [
        prove_fewest_moves(level, state) if one.solved else None
        for one, (level, state) in zip(found, rows, strict=True)
    ]
    found = [dataclasses.replace(one, fewest_moves=moves) for one, moves in zip(found, proven, strict=True)]
    return len(levels), len({key_of(PUZZLE, level) for level in levels}), [one for one in found if one.solved], seconds


def median_of(found: Sequence[Difficulty], name: str) -> float:
    """The median of a measurement; unknown values count as infinite."""
    numbers = [getattr(one, name) for one in found]
    return float(np.median([np.inf if number is None else number for number in numbers]))


def rounded(median: float) -> str:
    """A median as text: fractions with two digits, numbers as they are."""
    return f"{median:,.2f}" if median < 1 else f"{median:,g}"


def difficulty(choices: Sequence[str], limit: int, console: Console) -> None:
    table = Table(title=f"Medians over solved levels; at most {limit:,} positions a search")
    table.add_column("levels")
    headings = ("number", "different", "solved", *(name.replace("_", " ") for name in FIGURES), "mean nodes", "ms each")
    for heading in headings:
        table.add_column(heading, justify="right")
    for choice in choices:
        number, different, found, seconds = measured(choice, limit)
        medians = [median_of(found, name) for name in FIGURES]
        nodes = np.mean([one.nodes for one in found])
        figures = [rounded(median) for median in medians]
        counts = [f"{count:,}" for count in (number, different, len(found))]
        table.add_row(Path(choice).stem, *counts, *figures, f"{nodes:,.1f}", f"{1000 * seconds:.2f}")
    console.print(table)


# -- rate --------------------------------------------------------------------------------------------


def rate(arguments: argparse.Namespace, console: Console) -> None:
    bound = f"levels that take the solver at least {arguments.least_nodes} positions"
    table = Table(title=f"CPU time of one core, {arguments.seconds:g} s each; {bound}")
    for heading in ("size", "boxes", "evaluation", "simulations", "edits"):
        table.add_column(heading, justify="right")
    for heading in ("levels a second", "yield", *(f"median {name.replace('_', ' ')}" for name in FIGURES)):
        table.add_column(heading, justify="right")
    choices = itertools.product(SIZES, arguments.evaluation, arguments.simulations, arguments.edits)
    for (size, boxes), evaluation, simulations, edits in choices:
        recipe = Recipe(size, size, boxes, simulations=simulations, edits=edits, evaluation=evaluation)
        maker = MeasuredCandidates(Generator(recipe), Bounds(least_nodes=arguments.least_nodes))
        collection, past = timed(maker, arguments.seconds)
        row = [f"{size}×{size}", f"{boxes}", evaluation, f"{simulations:,}", f"{edits:,}"]
        row += [f"{len(collection.kept) / past:.2f}", f"{len(collection.kept) / collection.tried:.0%}"]
        found = [candidate.difficulty for candidate in collection.kept]
        medians = (median_of(found, name) for name in FIGURES if found)
        table.add_row(*row, *map(rounded, medians))
    console.print(table)


def timed(maker: MeasuredCandidates, seconds: float) -> tuple[LevelCollection, float]:
    """Generate levels for so many seconds of CPU time in this process; return them and the time taken."""
    maker(1)  # compiles
    collection = LevelCollection(set())
    began = time.process_time()
    for bits in random_bits_of(0):
        collection.add(maker(bits))
        if time.process_time() - began >= seconds:
            break
    return collection, time.process_time() - began


# -- scores ------------------------------------------------------------------------------------------


class Point(NamedTuple):
    """The mean of the best scores of several runs: a row of the table."""

    evaluation: str
    method: str
    simulations: int
    runs: int
    mean: float
    error: float
    """Half the width of the 95 % confidence interval of the mean."""


def best_scores(evaluation: str, method: str, simulations: int, runs: int) -> Iterator[float]:
    """The best score of each run; a random construction is a roll-out from a start of its own, nothing learned."""
    size, boxes = SIZES[-1]
    searching = method == METHODS[0]
    recipe = Recipe(size, size, boxes, simulations=simulations if searching else 1, evaluation=evaluation)
    generator, stream = Generator(recipe), random_bits_of(0)
    for _ in range(runs):
        made = [generator.make(bits) for bits in itertools.islice(stream, 1 if searching else simulations)]
        yield max((one.score for one in made if one), default=0.0)


def points(runs: int) -> Iterator[Point]:
    for evaluation in EVALUATIONS:
        for method in METHODS:
            for simulations in SIMULATIONS:
                scores = np.array(list(best_scores(evaluation, method, simulations, runs)))
                error = 1.96 * scores.std(ddof=1) / np.sqrt(runs)
                yield Point(evaluation, method, simulations, runs, round(scores.mean(), 4), round(error, 4))


def scores(runs: int, target: Path | None, plot: Path | None, console: Console) -> None:
    found = []
    for point in points(runs):
        found.append(point)
        console.print(f"{point.evaluation}, {point.method}, {point.simulations:,}: {point.mean} ± {point.error}")
    if target:
        with target.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerows([Point._fields, *found])
    if plot:
        draw(found, plot)


def draw(found: Sequence[Point], path: Path) -> None:
    """Draw one panel per evaluation, with one line per method."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.4), layout="constrained")
    for axes, evaluation in zip(figure.subplots(1, len(EVALUATIONS)), EVALUATIONS, strict=True):
        for method in METHODS:
            line = [point for point in found if (point.evaluation, point.method) == (evaluation, method)]
            numbers, means, errors = ([getattr(one, name) for one in line] for name in ("simulations", "mean", "error"))
            axes.errorbar(numbers, means, errors, marker="o", markersize=4, capsize=3, label=method)
        axes.set(xscale="log", xlabel="simulations, or constructions", title=f"evaluation: {evaluation}")
        axes.grid(alpha=0.3)
    figure.axes[0].set_ylabel("best score, mean of the runs")
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(METHODS))
    figure.savefig(path, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    tasks = parser.add_subparsers(dest="task", required=True)
    first = tasks.add_parser("difficulty")
    first.add_argument("levels", nargs="+", help="files, folders or shipped packs")
    first.add_argument("--limit", type=int, default=100_000, help="positions of each search on each level")
    second = tasks.add_parser("rate")
    second.add_argument("--simulations", type=int, nargs="+", default=[1000])
    second.add_argument("--edits", type=int, nargs="+", default=[0])
    second.add_argument("--evaluation", nargs="+", choices=EVALUATIONS, default=["measured"])
    second.add_argument("--least-nodes", type=int, default=0, help="leave out levels that take fewer nodes")
    second.add_argument("--seconds", type=float, default=20, help="for each line of the table")
    third = tasks.add_parser("scores")
    third.add_argument("--runs", type=int, default=20)
    third.add_argument("--csv", type=Path)
    third.add_argument("--plot", type=Path)
    arguments = parser.parse_args()
    console = Console(width=150)
    if arguments.task == "difficulty":
        difficulty(arguments.levels, arguments.limit, console)
    elif arguments.task == "rate":
        rate(arguments, console)
    else:
        scores(arguments.runs, arguments.csv, arguments.plot, console)


if __name__ == "__main__":
    main()
