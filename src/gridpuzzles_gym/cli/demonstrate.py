"""``gridpuzzles demonstrate``: write a dataset of episodes."""

from pathlib import Path
from typing import Annotated

import typer

from .common.options import (
    Algorithm,
    Deterministic,
    EnvironmentId,
    Force,
    Levels,
    Ray,
    Seed,
    Setting,
    TrustPickle,
    Workers,
    environment_settings,
    given,
    with_algorithm,
)
from .common.terminal import examples, say

group = typer.Typer()


@group.command(
    rich_help_panel="Learn and measure",
    epilog=examples(
        "demonstrate wumpus --agent optimal",
        "demonstrate 8-puzzle --agent astar --episodes 20000 --out data/8-puzzle-astar-v0",
        "demonstrate sokoban --agent sokoban --levels starter --only-successes",
        "demonstrate wumpus --agent bayesian --set observation=percepts --set size=6",
        "demonstrate wumpus --agent optimal --episodes 100000 --resume",
    ),
)
def demonstrate(
    env_id: EnvironmentId,
    agent: Annotated[str, typer.Option(metavar="NAME|MODEL", help="Agent that plays the episodes.")],
    episodes: Annotated[int, typer.Option(metavar="N", min=1, help="Number of episodes.")] = 1000,
    seed: Seed = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Folder of the dataset; its name ends in a version: data/wumpus-v0.",
            show_default="ENVIRONMENT/AGENT-v0 in Minari's folder",
        ),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue after an interruption.")] = False,
    workers: Workers = None,
    ray: Ray = None,
    only_successes: Annotated[
        bool, typer.Option("--only-successes", help="Leave out the episodes that are not solved.")
    ] = False,
    levels: Levels = None,
    settings: Setting = None,
    author: Annotated[str | None, typer.Option(metavar="NAME", help="Author, named in the dataset.")] = None,
    deterministic: Deterministic = False,
    trust_pickle: TrustPickle = False,
    algorithm: Algorithm = None,
    force: Force = False,
) -> None:
    """Write a dataset of episodes that an agent plays: observations, actions, rewards and infos, with action masks.

    It is a Minari dataset (https://minari.farama.org), for imitation and offline reinforcement learning. Ctrl-C keeps
    what has been played; [cyan]--resume[/] continues. The same request gives the same files, byte for byte.
    """
    from gridpuzzles_gym.agents.demonstrations.request import request

    from ..commands import demonstrate as work

    (agent,) = with_algorithm([agent], algorithm)
    playing = {"episodes": episodes, "deterministic": deterministic, "only_successes": only_successes}
    wanted = request(env_id, agent, environment_settings(env_id, settings, levels), **playing, **given(seed=seed))
    dataset = work.demonstrate(
        wanted, out, resume, force, workers, ray, trust_pickle=trust_pickle, **given(author=author)
    )
    say(dataset.lines())
