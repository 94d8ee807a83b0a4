"""``gridpuzzles grade``: grade agents that others wrote."""

from pathlib import Path
from typing import Annotated, Any

import typer

from .common.options import EnvironmentId, Force, Json, Levels, Setting, environment_settings
from .common.terminal import console, examples, notices, print_json, say

group = typer.Typer()


@group.command(
    rich_help_panel="Teach",
    epilog=examples(
        "grade wumpus --template > my_agent.py",
        "grade wumpus my_agent.py",
        "grade sokoban submissions/ --levels starter-test --pass 50 --report class.html",
        "grade wumpus submissions/ --seed-file seed.txt --episodes 500 --csv marks.csv",
    ),
)
def grade(
    env_id: EnvironmentId,
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE|FOLDER", help="Python files with agents, or folders of them.")
    ] = None,
    levels: Levels = None,
    episodes: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Number of episodes.", show_default="100, but each of --levels once"),
    ] = None,
    seed_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File with the secret seed of the episodes, to repeat them; created with a new one if it is missing.",
            show_default="a new seed",
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
    measure: Annotated[
        str, typer.Option("--mark-by", metavar="return|success", help="What marks are based on.")
    ] = "return",
    passing: Annotated[
        float | None, typer.Option("--pass", metavar="MARK", help="Minimum mark to pass, from 0 to 100.")
    ] = None,
    seconds: Annotated[float, typer.Option(metavar="S", help="Time limit of each decision, in seconds.")] = 1,
    total: Annotated[
        float, typer.Option(metavar="S", help="Time limit of all decisions of an agent, in seconds.")
    ] = 60,
    memory: Annotated[int, typer.Option(metavar="MIB", help="Memory limit of an agent, in MiB.")] = 2048,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write the table as CSV.")] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write an .html page: the table, and films of the agents.")
    ] = None,
    template: Annotated[
        bool, typer.Option("--template", help="Print a template for an agent of this environment instead.")
    ] = False,
    force: Force = False,
    json: Json = False,
) -> None:
    """Grade agents that others wrote: every class with a method predict, on the same episodes.

    Each plays in a process of its own with limits of time and memory; its errors affect only its own marks. Python
    files can run any code. The first line says which sandbox this system has; without one, run only agents that you
    trust. Ctrl-C keeps the agents that have finished.
    """
    kwargs = environment_settings(env_id, settings, levels)
    if template:
        from ..commands.grading.template import template as agent_for

        print(agent_for(env_id, **kwargs), end="")
        return
    if not files:
        raise ValueError("grade needs Python files; --template prints one to begin with")
    from ..commands.compare import Files
    from ..commands.grading import grading
    from ..commands.grading.agent_process import AgentLimits

    limits = AgentLimits(seconds, total, memory)
    seed = None if seed_file is None else grading.secret_seed(seed_file)
    options = grading.GradeOptions(env_id, kwargs, episodes, seed, limits, baselines, measure, passing)

    def announce(words: str) -> None:
        """Say how agents are isolated."""
        (notices if json else console).print(words, markup=False, highlight=False)

    def show(grades: Any) -> None:
        """Print the table before files are written, which may fail."""
        if json:
            return
        if grades.rows:
            console.print(grades.table())
        say(grades.lines())
        console.print(grades.rule, markup=False, highlight=False)
        if seed is None:
            say([f"Seed of these episodes, to be kept secret (--seed-file): {grades.contest.seed}"])

    grades, written = grading.grade_to_files(
        files, options, Files(csv, report=report, force=force), show, not json, announce
    )
    if json:
        print_json(grades.as_json() | {"written": written})
    else:
        say(f"wrote {path}" for path in written)
    if grades.interrupted:
        raise KeyboardInterrupt(f"stopped: {grades.finished}")
