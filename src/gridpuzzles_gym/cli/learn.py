"""``gridpuzzles train`` and ``compare``: learning agents, and how they do beside the others."""

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from .options import Deterministic, EnvironmentId, Force, Json, Seed, Setting, TrustPickle, given, settings_of
from .terminal import console, examples, print_json, say

group = typer.Typer()


@group.command(
    rich_help_panel="Learn and measure",
    epilog=examples(
        "train Wumpus-v0 --minutes 10",
        "train EightPuzzle-v0",
        "train Wumpus-v0 --algorithm maskable-ppo --seed 1 --out runs/masked",
        "train Wumpus-v0 --set size=6 --hyper learning_rate=0.0005 --hyper hidden=128",
        "train Wumpus-v0 --out runs/masked --resume --steps 10000000",
        "train Sokoban-v0 --levels starter --sampler curriculum:by=pushes,up=0.7",
        "train EightPuzzle-v0 --sampler curriculum --minutes 5",
        "train Sokoban-v0 --sampler on-the-fly:width=7,height=7,boxes=2,workers=1",
    ),
)
def train(
    env_id: EnvironmentId,
    algorithm: Annotated[str | None, typer.Option(metavar="ppo|maskable-ppo", help="The learner.")] = None,
    steps: Annotated[int | None, typer.Option(metavar="N", min=1, help="Environment steps in all.")] = None,
    minutes: Annotated[
        float | None, typer.Option(metavar="M", help="Stop after so many minutes, even if steps are left.")
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Makes the run reproducible on one machine.")] = None,
    num_envs: Annotated[int | None, typer.Option(metavar="N", min=1, help="Environments side by side.")] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where the model goes.", show_default="runs/ID-ALGORITHM")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the model in the folder.")] = False,
    trust_pickle: TrustPickle = False,
    levels: Annotated[
        str | None, typer.Option(metavar="PACK|FILE", help="Train on these levels.", show_default="the environment's")
    ] = None,
    sampler: Annotated[
        str | None,
        typer.Option(
            metavar="NAME[:NAME=VALUE,…]",
            help="Which level comes next: [cyan]uniform[/]; [cyan]curriculum[/], from easy to hard with the success "
            "rate; [cyan]replay[/], prioritised level replay; [cyan]on-the-fly[/], new ones made in the background.",
            show_default="uniform",
        ),
    ] = None,
    settings: Setting = None,
    hyper: Annotated[
        list[str] | None,
        typer.Option(
            "--hyper", metavar="NAME=VALUE", help="Any other setting of the learner, e.g. n_steps=128; repeat it."
        ),
    ] = None,
) -> None:
    """Train PPO. Ctrl-C saves what was learned; [cyan]--resume[/] goes on.

    What is not given comes from the environment's preset, shown as training starts, where it has one
    ([cyan]gridpuzzles list ID[/] tells), else from the settings tuned on Wumpus-v0.
    """
    from ..app import learning
    from ..app.arguments import read_settings

    chosen = given(algorithm=algorithm, total_steps=steps, minutes=minutes, seed=seed, num_envs=num_envs)
    chosen |= given(sampler=sampler)
    kwargs = settings_of(settings) | given(levels=levels)
    learner = read_settings(hyper or (), "--hyper")
    model, watching = learning.train(env_id, kwargs, chosen, learner, out, resume, trust_pickle)
    say([f"model: {model}", f"watch it: {watching}"])


@group.command(
    rich_help_panel="Learn and measure",
    epilog=examples(
        "compare Wumpus-v0",
        "compare Wumpus-v0 --agent online-search --agent runs/Wumpus-v0-ppo/model.zip --episodes 10000",
        "compare Wumpus-v0 --set size=8 --csv scores.csv --chart scores.png",
    ),
)
def compare(
    env_id: EnvironmentId,
    agents: Annotated[
        list[str] | None,
        typer.Option("--agent", metavar="NAME|MODEL", help="Repeat it.", show_default="the usual ones"),
    ] = None,
    episodes: Annotated[int, typer.Option(metavar="N", min=1, help="How many, the same ones for every agent.")] = 1000,
    seed: Seed = None,
    num_envs: Annotated[int | None, typer.Option(metavar="N", min=1, help="Environments side by side.")] = None,
    settings: Setting = None,
    deterministic: Deterministic = False,
    trust_pickle: TrustPickle = False,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the table as CSV too.")] = None,
    chart: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw it as a PNG.")] = None,
    json: Json = False,
    force: Force = False,
) -> None:
    """Let agents play the same seeded episodes, and print how they did. Ctrl-C keeps the agents that are done."""
    from ..app import learning

    more = given(seed=seed, num_envs=num_envs)
    more |= {"deterministic": deterministic, "trust_pickle": trust_pickle, "progress": not json}
    comparison, written = learning.compare(
        env_id, agents, settings_of(settings), csv, chart, force, episodes=episodes, **more
    )
    done = len(comparison.scores)
    if json:
        print_json(dataclasses.asdict(comparison) | {"written": written})
    else:
        if done:
            console.print(comparison.table())
        say([f"written: {path}" for path in written])
    if comparison.missing:
        raise KeyboardInterrupt(f"stopped: {done} of {done + comparison.missing} agents are done")
