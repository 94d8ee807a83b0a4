"""``gridpuzzles grade``: grade agents that others wrote."""

import contextlib
import os
import secrets
import textwrap
from pathlib import Path
from string import Template
from typing import Annotated, Any

import gymnasium as gym
import typer

from gridpuzzles_gym.agents.evaluation import pack_of
from gridpuzzles_gym.agents.own_agent import task_of

from ..engine.arguments import choice
from ..engine.config import config_of
from ..engine.system.csv_text import write_table
from ..engine.system.files import replacing, write_text
from ..engine.system.progress_bar import progress
from ..play.arguments import check_settings, environment, new_file
from .common.options import EnvironmentId, Force, Levels, Setting, environment_settings
from .common.terminal import console, examples, say
from .grading.agent_process import NO_SANDBOX, SANDBOX, AgentLimits, sandbox
from .grading.contest import MEASURES, Contest, Performance, find_files, grades, table

group = typer.Typer()
EPISODES = 100
"""The number of episodes, if levels are not played once each."""
SECRET_SEEDS = range(2**60, 2**62)
"""The seeds to choose from: too many to find one by trying, and small enough for the random seeds of agents."""


@group.command(
    rich_help_panel="Teach",
    epilog=examples(
        "grade wumpus --template > my_agent.py",
        "grade wumpus my_agent.py",
        "grade sokoban submissions/ --levels starter-test --pass 50 --report class.html",
        "grade wumpus submissions/ --episodes 500 --csv marks.csv",
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
    measure: Annotated[
        str, typer.Option("--mark-by", metavar="return|success", help="What marks are based on.")
    ] = "return",
    passing: Annotated[
        float | None, typer.Option("--pass", metavar="MARK", min=0, max=100, help="Minimum mark to pass, 0 to 100.")
    ] = None,
    seconds: Annotated[float, typer.Option(metavar="S", help="Time limit of each decision, in seconds.")] = 1,
    total: Annotated[
        float, typer.Option(metavar="S", help="Time limit of all decisions of an agent, in seconds.")
    ] = 60,
    memory: Annotated[int, typer.Option(metavar="MIB", help="Memory limit of an agent, in MiB.")] = 2048,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write the table as CSV.")] = None,
    report: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write the table as an .html page.")] = None,
    template: Annotated[
        bool, typer.Option("--template", help="Print a template for an agent of this environment instead.")
    ] = False,
    force: Force = False,
) -> None:
    """Grade agents that others wrote: every class with a method predict, on the same episodes.

    Each plays in a process of its own with limits of time and memory; its errors affect only its own marks. Python
    files can run any code: the first line says whether bubblewrap isolates them; if not, run only agents that you
    trust. Ctrl-C keeps the agents that have finished.
    """
    kwargs = environment_settings(env_id, settings, levels)
    if template:
        print(agent_template(env_id, **kwargs), end="")
        return
    if not files:
        raise ValueError("grade needs Python files; --template prints one to begin with")
    if os.name != "posix":
        raise OSError("agents can be graded on Linux and macOS only: other systems do not limit processes")
    puzzle, limits = environment(env_id)[1], AgentLimits(seconds, total, memory)
    choice("mark-by", measure, MEASURES)
    check_settings(puzzle, kwargs)
    for path, suffixes in ((csv, ()), (report, (".html",))):
        if path is not None:
            new_file(path, force, *suffixes)
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
    rows = grades(performances, measure, passing)
    if rows:
        _write(contest, rows, measure, passing, csv, report)
    if seed is None:
        say([f"Seed of these episodes, to be kept secret: --seed {first}"])
    if interrupted:
        raise KeyboardInterrupt(f"stopped: agents graded: {sum(row['mark'] is not None for row in rows)}")


def _play(
    contest: Contest, baselines: list[str], files: dict[Path, str], limits: AgentLimits
) -> tuple[list[Performance], bool]:
    """Return the results of all agents until Ctrl-C, and whether it came."""
    performances: list[Performance] = []
    try:
        with progress(len(baselines) + len(files), noun="file") as advance:
            for name in baselines:
                performances.append(contest.play_baseline(name))
                advance()
            for path, prefix in files.items():
                for performance in contest.play_file(path, prefix, limits):
                    performances.append(performance)
                    if performance.stopped:
                        return performances, True
                advance()
    except KeyboardInterrupt:
        return performances, True
    return performances, False


def _write(
    contest: Contest,
    rows: list[dict[str, Any]],
    measure: str,
    passing: float | None,
    csv: Path | None,
    page: Path | None,
) -> None:
    """Print the table, and write it to files."""
    title = f"{contest.env_id}: {contest.episodes:,} {'levels' if contest.every_level else 'episodes'}"
    console.print(table(rows, title))
    say(f"{row['agent']}: {row['happened']}" for row in rows if row["happened"])
    best = next((row["agent"] for row in rows if row["baseline"]), None)
    passed = "" if passing is None else f" A mark of {passing:g} or more passes."
    rule = (
        f"Marks say how far the mean {measure} is from random (0) to {best} (100). An episode that was not finished "
        f"counts as random played it.{passed} ms is per decision."
    )
    console.print(rule, markup=False, highlight=False)
    if csv is not None:
        with replacing(csv) as unfinished, unfinished.open("w", newline="", encoding="utf-8") as file:
            write_table(file, list(rows[0]), rows)
        say([f"wrote {csv}"])
    if page is not None:
        body = f"{table(rows, title, happened=True)._repr_html_()}<p>{rule}</p>"
        write_text(page, f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>{body}</html>\n')
        say([f"wrote {page}"])


_TEMPLATE = Template('''"""An agent for $env_id. To grade it: gridpuzzles grade $env_id THIS_FILE

Observations, each an array whose first axis has these channels:

$observations
"""

import numpy as np

$actions


class MyAgent:
    """Plays a random legal action. Change predict() to play well, and give the class a name of your own."""

    observation = "$observation"  # what predict() sees: one of the observations above

    def __init__(self, task):
        # task has env_id, actions, observation, channels, shape and max_episode_steps; this parameter may be left out.
        # Long computations belong here, not into predict().
        self.channels = task.channels
        self.random = np.random.default_rng(0)

    def reset(self):
        """Called before each episode: forget the one before. This method may be left out."""

    def predict(self, observation, action_masks):
        """Return the next action. action_masks is True for actions that change anything; it may be left out."""
        legal = np.flatnonzero(action_masks)
        return self.random.choice(legal) if len(legal) else 0

    def see(self, observation, channel):
        """Return one channel of an observation, by its name."""
        return observation[self.channels.index(channel)]
''')


def agent_template(env_id: str, **settings: Any) -> str:
    """Return a Python file with an agent that plays random legal actions in an environment with these settings."""
    with contextlib.closing(gym.make(env_id, disable_env_checker=True, **settings)) as env:
        task, config = task_of(env), config_of(env)
    extent = config.extent
    lines = [
        f"{name}, {observation.space(extent)}: {', '.join(observation.channels(extent))}"
        for name, observation in config.puzzle.observations.items()
    ]
    constants = [
        "".join(letter if letter.isalnum() else "_" for letter in action.upper()) for action in task["actions"]
    ]
    return _TEMPLATE.substitute(
        env_id=env_id,
        actions=f"{', '.join(constants)} = range({len(constants)})",
        observations="\n".join(textwrap.fill(line, 100, subsequent_indent="    ") for line in lines),
        observation=task["observation"],
    )
