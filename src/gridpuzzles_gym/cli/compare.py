"""``gridpuzzles compare``: compare agents on the same episodes."""

import dataclasses
import importlib
from pathlib import Path
from typing import Annotated

import typer

from gridpuzzles_gym.agents.evaluation import compare as compare_agents
from gridpuzzles_gym.agents.parallel import open_executor
from gridpuzzles_gym.agents.registry import compared_agents, observation_for

from ..engine.messages import plural
from ..play.arguments import new_file
from .common.options import (
    Algorithm,
    Deterministic,
    EnvironmentId,
    Force,
    Json,
    Levels,
    Ray,
    Seed,
    Setting,
    TrustPickle,
    Workers,
    drop_none,
    game_of,
    with_algorithm,
)
from .common.terminal import console, examples, print_json, say

group = typer.Typer()


@group.command(
    rich_help_panel="Learn and measure",
    epilog=examples(
        "compare wumpus",
        "compare wumpus --agent online-search --agent runs/Wumpus-v0-ppo --episodes 10000",
        "compare wumpus --set size=8 --csv scores.csv --chart scores.png --report agents.html",
        "compare sokoban --levels medium-test --every-level --agent sokoban",
    ),
)
def compare(
    env_id: EnvironmentId,
    agents: Annotated[
        list[str] | None,
        typer.Option(
            "--agent",
            metavar="NAME|MODEL|FILE.py",
            help="Agent to compare: its name, path of a trained model, or Python file with your own agent. Can be "
            "repeated.",
            show_default="the main agents of the puzzle",
        ),
    ] = None,
    episodes: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Number of episodes; every agent plays the same ones.", show_default="1000"
        ),
    ] = None,
    every_level: Annotated[
        bool, typer.Option("--every-level", help="Play each level of the pack once, in order, instead of --episodes.")
    ] = False,
    seed: Seed = None,
    num_envs: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Number of episodes that a process plays at the same time.", show_default="256"
        ),
    ] = None,
    workers: Workers = None,
    ray: Ray = None,
    levels: Levels = None,
    settings: Setting = None,
    deterministic: Deterministic = False,
    trust_pickle: TrustPickle = False,
    algorithm: Algorithm = None,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write the table as CSV.")] = None,
    chart: Annotated[Path | None, typer.Option(metavar="FILE", help="Also draw a chart as PNG.")] = None,
    json: Json = False,
    force: Force = False,
) -> None:
    """Compare agents on the same seeded episodes. Ctrl-C keeps the agents that have finished."""
    if every_level and episodes is not None:
        raise ValueError("--every-level and --episodes cannot be combined")
    game = game_of(env_id, settings, levels)
    if seed is not None and seed < 0:
        raise ValueError(f"seed={seed}: must be a non-negative integer")
    names = with_algorithm(agents or [], algorithm) or compared_agents(game)
    for name in names:
        observation_for(name, game.puzzle, game.id)
    if csv is not None:
        new_file(csv, force)
    if chart is not None:
        new_file(chart, force, ".png")
        importlib.import_module("matplotlib")
    with open_executor(workers, ray) as executor:
        comparison = compare_agents(
            game,
            names,
            executor=executor,
            every_level=every_level,
            deterministic=deterministic,
            trust_pickle=trust_pickle,
            progress=not json,
            **drop_none(seed=seed, num_envs=num_envs, episodes=episodes),
        )
    done = len(comparison.scores)
    written = []
    for path, write in ((csv, comparison.write_csv), (chart, comparison.write_chart)):
        if path is not None and done:
            write(path)
            written.append(path)
    if json:
        print_json(dataclasses.asdict(comparison) | {"written": written})
    else:
        if done:
            console.print(comparison.table())
        say([f"wrote {path}" for path in written])
    if comparison.missing:
        raise KeyboardInterrupt(f"stopped: {done} of {plural(done + comparison.missing, 'agent')} finished")
