"""``gridpuzzles train``: train an agent."""

from pathlib import Path
from typing import Annotated

import typer

from .common.options import EnvironmentId, Levels, Setting, TrainingRay, environment_settings, given
from .common.terminal import examples, say

group = typer.Typer()


@group.command(
    rich_help_panel="Learn and measure",
    epilog=examples(
        "train wumpus --minutes 10",
        "train 8-puzzle",
        "train wumpus --algorithm maskable-ppo --seed 1 --out runs/masked",
        "train wumpus --set size=6 --hyper learning_rate=0.0005 --hyper hidden=128",
        "train wumpus --out runs/masked --resume --steps 10000000",
        "train sokoban --levels starter --sampler curriculum:by=pushes,up=0.7",
        "train 8-puzzle --sampler curriculum --minutes 5",
        "train sokoban --sampler on-the-fly:width=7,height=7,boxes=2,workers=1",
        "train 8-puzzle --teacher auto",
        "train bait --teacher greedy:nodes=20000 --phases clone=1,dagger=3",
        "train wumpus --network map --set observation=percepts",
        "train wumpus --from pretrained --set size=5 --minutes 5",
        "train cat-mouse --engine rllib --ray 10.0.0.1:6379 --env-runners 16",
    ),
)
def train(
    env_id: EnvironmentId,
    algorithm: Annotated[
        str | None,
        typer.Option(
            metavar="ppo|maskable-ppo", help="[cyan]maskable-ppo[/] takes only legal actions.", show_default="ppo"
        ),
    ] = None,
    teacher: Annotated[
        str | None,
        typer.Option(
            metavar="NAME[:…]",
            help="Agent or search to learn from; [cyan]auto[/] is the best for the puzzle. Parameters can follow: "
            "[cyan]NAME:NAME=VALUE,…[/]",
            show_default="learn from rewards alone",
        ),
    ] = None,
    phases: Annotated[
        str | None,
        typer.Option(
            metavar="NAME=SHARE,…",
            help="Shares of the training time, in this order: [cyan]clone[/], imitate the teacher while it plays; "
            "[cyan]dagger[/], imitate it in states that the learner reaches; [cyan]ppo[/], learn from rewards.",
            show_default="0.2, 0.5 and 0.3 with a teacher",
        ),
    ] = None,
    network: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="[cyan]mlp[/] reads the board as it is; [cyan]egocentric[/] centres the board on the player; "
            "[cyan]residual[/] plays boards of any size; [cyan]recurrent[/] has a memory; "
            "[cyan]map[/] remembers Wumpus's percepts on a map.",
            show_default="mlp",
        ),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(
            metavar="auto|cpu|cuda|mps",
            help="Device on which the network is trained; environments are on it too if it is [cyan]cuda[/] and there "
            "is no teacher or level sampler.",
            show_default="auto",
        ),
    ] = None,
    steps: Annotated[int | None, typer.Option(metavar="N", min=1, help="Total number of environment steps.")] = None,
    minutes: Annotated[float | None, typer.Option(metavar="M", help="Time limit in minutes.")] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Random seed; makes the run reproducible on one machine.")
    ] = None,
    num_envs: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Number of environments stepped in parallel.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Folder for the model.", show_default="runs/ID-ALGORITHM")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue training the model in the folder.")] = False,
    start: Annotated[
        str | None,
        typer.Option("--from", metavar="MODEL", help="Trained model to begin with, or [cyan]pretrained[/]."),
    ] = None,
    levels: Levels = None,
    sampler: Annotated[
        str | None,
        typer.Option(
            metavar="NAME[:…]",
            help="How the next level is chosen: [cyan]uniform[/]; [cyan]curriculum[/], harder as the success rate "
            "rises; [cyan]replay[/], prioritized level replay; [cyan]on-the-fly[/], generated in the "
            "background. Parameters can follow.",
            show_default="uniform",
        ),
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            metavar="sb3|own|rllib",
            help="Whose PPO: [cyan]sb3[/], Stable-Baselines3's, learns from rewards on the CPU; [cyan]own[/] also from "
            "a teacher or on a GPU; [cyan]rllib[/], of Ray's RLlib, from rewards on the cluster [cyan]--ray[/].",
            show_default="sb3; own where it is needed",
        ),
    ] = None,
    ray: TrainingRay = None,
    learners: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Number of RLlib processes that learn; 0: this process learns.", show_default="0"
        ),
    ] = None,
    env_runners: Annotated[
        int | None,
        typer.Option(metavar="N", help="Number of RLlib processes that play.", show_default="one for each core"),
    ] = None,
    settings: Setting = None,
    hyper: Annotated[
        list[str] | None,
        typer.Option("--hyper", metavar="NAME=VALUE", help="Other hyperparameter, e.g. n_steps=128. Can be repeated."),
    ] = None,
) -> None:
    """Train an agent from rewards (PPO), from a teacher, or both. Ctrl-C saves the model; [cyan]--resume[/] continues.

    Options that are not given default to the environment's preset, if it has one ([cyan]gridpuzzles list ID[/] shows
    it), otherwise to general settings.
    """
    from ..commands import train as work
    from ..session.arguments import read_settings

    chosen = given(algorithm=algorithm, total_steps=steps, minutes=minutes, seed=seed, num_envs=num_envs)
    chosen |= given(sampler=sampler, teacher=teacher, phases=phases, network=network, device=device)
    chosen |= given(engine=engine, learners=learners, env_runners=env_runners)
    kwargs = environment_settings(env_id, settings, levels)
    learner = read_settings(hyper or (), "--hyper")
    model, command = work.train(env_id, kwargs, chosen, learner, out, resume, start, ray)
    say([f"model: {model}", f"watch it: {command}"])
