"""``gridpuzzles grade``: grade agents that others wrote."""

import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from gridpuzzles_gym.agents.evaluation import pack_of, score_of

from ..engine.system.csv_text import write_table
from ..engine.system.files import replacing
from ..engine.system.progress_bar import progress
from ..engine.system.tables import NumberTable
from ..play.arguments import check_settings, environment, new_file
from .common.options import EnvironmentId, Force, Levels, Setting, environment_settings
from .common.terminal import console, examples, say
from .grading.agent_process import NO_SANDBOX, SANDBOX, AgentLimits, sandbox
from .grading.contest import Contest, Performance

group = typer.Typer()
EPISODES = 100
"""The number of episodes, if levels are not played once each."""
SECRET_SEEDS = range(2**60, 2**62)
"""The seeds to choose from: too many to find one by trying, and small enough for the random seeds of agents."""


@group.command(
    rich_help_panel="Teach",
    epilog=examples(
        "grade wumpus my_agent.py",
        "grade sokoban submissions/ --levels starter-test",
        "grade wumpus submissions/ --episodes 500 --csv marks.csv",
    ),
)
def grade(
    env_id: EnvironmentId,
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE|FOLDER", help="Python files with agents, or folders of them.")
    ],
    levels: Levels = None,
    episodes: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Number of episodes.", show_default="100, but each of --levels once"),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="Secret seed of the first episode, to repeat episodes; agents can find a small one by trying.",
            show_default="a new large one",
        ),
    ] = None,
    settings: Setting = None,
    baselines: Annotated[
        list[str] | None,
        typer.Option(
            "--baseline",
            metavar="NAME|MODEL",
            help="Agent of the suite to compare with, in addition to random. Can be repeated.",
            show_default="the best of the puzzle",
        ),
    ] = None,
    seconds: Annotated[float, typer.Option(metavar="S", help="Time limit of each decision, in seconds.")] = 1,
    total: Annotated[
        float, typer.Option(metavar="S", help="Time limit of all decisions of an agent, in seconds.")
    ] = 60,
    memory: Annotated[int, typer.Option(metavar="MIB", help="Memory limit of an agent, in MiB.")] = 2048,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write the table as CSV.")] = None,
    force: Force = False,
) -> None:
    """Grade agents that others wrote, each a class with a method predict in a file of its own, on the same episodes.

    Each plays in a process of its own with limits of time and memory; its errors affect only its own marks. Python
    files can run any code: the first line says whether bubblewrap isolates them; if not, run only agents that you
    trust. Ctrl-C keeps the agents that have finished.
    """
    kwargs = environment_settings(env_id, settings, levels)
    if os.name != "posix":
        raise OSError("agents can be graded on Linux and macOS only: other systems do not limit processes")
    puzzle, limits = environment(env_id)[1], AgentLimits(seconds, total, memory)
    check_settings(puzzle, kwargs)
    if csv is not None:
        new_file(csv, force)
    # A sampler's description has no levels to play once each.
    every_level = episodes is None and isinstance(kwargs.get("levels"), str | list)
    number = len(pack_of(env_id, kwargs)) if every_level else episodes or EPISODES
    first = secrets.choice(SECRET_SEEDS) if seed is None else seed
    contest, found = Contest(env_id, kwargs, number, first, every_level), find_files(files)
    names = dict.fromkeys(["random", *(contest.default_baselines(puzzle) if baselines is None else baselines)])
    for name in names:
        contest.play_baseline(name, only_check=True)
    say([SANDBOX if sandbox() else NO_SANDBOX])
    performances, interrupted = _play(contest, list(names), found, limits)
    rows = grades(performances)
    if rows:
        _write(contest, rows, csv)
    if seed is None:
        say([f"Seed of these episodes, to be kept secret: --seed {first}"])
    if interrupted:
        raise KeyboardInterrupt(f"stopped: agents graded: {sum(not row['baseline'] for row in rows)}")


def _play(
    contest: Contest, baselines: list[str], files: list[Path], limits: AgentLimits
) -> tuple[list[Performance], bool]:
    """Return the results of the agents that have finished, and whether Ctrl-C came before the others had."""
    performances: list[Performance] = []
    try:
        with progress(len(baselines) + len(files), noun="agent") as advance:
            for name in baselines:
                performances.append(contest.play_baseline(name))
                advance()
            for path in files:
                performances.append(contest.play_file(path, limits))
                advance()
    except KeyboardInterrupt:
        return performances, True
    return performances, False


def find_files(files: Sequence[Path]) -> list[Path]:
    """Return the Python files, those in folders sorted by name.

    Raises:
        ValueError: There is no such file, or a folder has none.
    """
    found: list[Path] = []
    for path in files:
        inside = sorted(file for file in path.glob("*.py") if file.name[0] not in "._") if path.is_dir() else [path]
        if not inside or (not path.is_dir() and (path.suffix != ".py" or not path.is_file())):
            raise ValueError(f"{path}: must be a Python file or a folder of them")
        found += inside
    return found


def grades(performances: Sequence[Performance]) -> list[dict[str, Any]]:
    """Return a row per agent, the best first.

    Args:
        performances: The agents' results: the random agent, the other baselines, then those to grade. Without a
            baseline there are no marks.
    """
    random = performances[0].results[:, 0] if performances else np.zeros(0)
    means = [float(np.mean(np.where(np.isnan(own), random, own))) for own in (p.results[:, 0] for p in performances)]
    marks = [mean for mean, each in zip(means, performances, strict=True) if each.baseline]
    rows: list[tuple[float, dict[str, Any]]] = []
    for mean, each in zip(means, performances, strict=True):
        finished = each.results[~np.isnan(each.results[:, 0])]
        mark = None
        if marks and not each.baseline:
            least, best = marks[0], max(marks)
            level = float(mean >= best) if best <= least else (mean - least) / (best - least)
            mark = 100 * float(np.clip(level, 0, 1)) if len(finished) else 0.0
        score = score_of(each.agent, finished, each.decision_ms) if len(finished) else None
        fields = ("mean_return", "interval", "success", "steps", "decision_ms")
        numbers = {name: None if score is None else getattr(score, name) for name in fields}
        row = {"agent": each.agent, "baseline": each.baseline, "mark": mark, **numbers, "happened": each.happened}
        rows.append((mean, row))
    return [row for _, row in sorted(rows, key=lambda each: (-each[0], not each[1]["baseline"]))]


def _write(contest: Contest, rows: list[dict[str, Any]], csv: Path | None) -> None:
    """Print the table, and write it to a file."""
    cells = []
    for row in rows:
        mark = "baseline" if row["baseline"] else "–" if row["mark"] is None else f"{row['mark']:.0f}"
        numbers = ["–"] * 4
        if row["mean_return"] is not None:
            numbers = [f"{row['mean_return']:+.1f} ± {row['interval']:.1f}", f"{row['success']:.0%}"]
            numbers += [f"{row['steps']:.1f}", f"{row['decision_ms']:.2f}"]
        cells.append([row["agent"], mark, *numbers])
    title = f"{contest.env_id}: {contest.episodes:,} {'levels' if contest.every_level else 'episodes'}"
    console.print(NumberTable(("agent",), ("mark", "return ± 95 %", "success", "steps", "ms"), cells, title))
    say(f"{row['agent']}: {row['happened']}" for row in rows if row["happened"])
    best = next((row["agent"] for row in rows if row["baseline"]), None)
    rule = (
        f"Marks say how far the mean return is from random (0) to {best} (100). An episode that was not finished "
        "counts as random played it. ms is per decision."
    )
    console.print(rule, markup=False, highlight=False)
    if csv is not None:
        with replacing(csv) as unfinished, unfinished.open("w", newline="", encoding="utf-8") as file:
            write_table(file, list(rows[0]), rows)
        say([f"wrote {csv}"])
