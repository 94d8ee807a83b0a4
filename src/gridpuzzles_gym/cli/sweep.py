"""``gridpuzzles sweep``: search training settings."""

from pathlib import Path
from typing import Annotated

import typer

from .common.options import EnvironmentId, Levels, Setting, TrainingRay, environment_settings
from .common.terminal import console, examples, say

group = typer.Typer()


@group.command(
    rich_help_panel="Learn and measure",
    epilog=examples(
        "sweep 8-puzzle",
        "sweep 8-puzzle --trials 8 --steps 1000000 --concurrency 2",
        "sweep wumpus --search learning_rate=1e-4..1e-2:log --search hidden=128,256,512",
        "sweep wumpus --set size=6 --hyper algorithm=maskable-ppo --minutes 3",
        "sweep 8-puzzle --resume --trials 32",
        "sweep sokoban --ray 10.0.0.1:6379 --trials 200 --out shared/sokoban",
    ),
)
def sweep(
    env_id: EnvironmentId,
    trials: Annotated[int | None, typer.Option(metavar="N", help="Number of trials.", show_default="16")] = None,
    steps: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="Environment steps of each trial.", show_default="a tenth of the preset's"
        ),
    ] = None,
    minutes: Annotated[float | None, typer.Option(metavar="M", help="Minutes of each trial, instead of steps.")] = None,
    search: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUES",
            help="Setting to search: [cyan]NAME=LOW..HIGH[/] (uniform), [cyan]NAME=LOW..HIGH:log[/] (log-uniform) or "
            "[cyan]NAME=A,B,C[/] (one of these). Can be repeated.",
            show_default="learning_rate, entropy, n_epochs, batch_size, clip_range, gamma and gae_lambda, around the "
            "preset's",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", help="Random seed of the proposed settings and of training.", show_default="0"),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Folder for the trials.", show_default="runs/sweep-ID")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the sweep in the folder, after an interruption or with --trials.")
    ] = False,
    ray: TrainingRay = None,
    concurrency: Annotated[
        int | None,
        typer.Option(metavar="N", help="Number of trials that run at the same time.", show_default="one for each core"),
    ] = None,
    levels: Levels = None,
    settings: Setting = None,
    hyper: Annotated[
        list[str] | None,
        typer.Option("--hyper", metavar="NAME=VALUE", help="Training setting of all trials. Can be repeated."),
    ] = None,
) -> None:
    """Search for training settings by many short trainings on Ray Tune; bad ones are stopped early.

    The score of a trial is the mean return of its latest training episodes. The first trial has the preset's settings;
    Optuna proposes the others. Each has an ordinary run folder. Ctrl-C keeps results; [cyan]--resume[/] continues.
    """
    from ..commands import sweep as work
    from ..engine.messages import plural
    from ..session.arguments import read_settings

    fixed = read_settings(hyper or (), "--hyper")
    options = work.SweepOptions(
        env_id, environment_settings(env_id, settings, levels), fixed, search or (), steps, minutes, seed
    )
    results = work.sweep(options, out, resume, trials, ray, concurrency)
    if results.ranked:
        console.print(results.table())
    say(results.lines())
    if results.ended < results.sweep.trials:
        done = f"{results.ended} of {plural(results.sweep.trials, 'trial')} ended"
        raise KeyboardInterrupt(f"stopped: {done}; saved in {results.sweep.folder}, --resume goes on")
