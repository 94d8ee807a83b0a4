"""``gridpuzzles train`` and ``compare``: train agents, and compare agents on the same episodes."""

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from .options import (
    Algorithm,
    Deterministic,
    EnvironmentId,
    Force,
    Json,
    Ray,
    Seed,
    Setting,
    TrainingRay,
    TrustPickle,
    Workers,
    given,
    settings_of,
    with_algorithm,
)
from .terminal import console, examples, print_json, say

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
            metavar="ppo|maskable-ppo", help="[cyan]maskable-ppo[/] takes legal actions only.", show_default="ppo"
        ),
    ] = None,
    teacher: Annotated[
        str | None,
        typer.Option(
            metavar="NAME[:NAME=VALUE,…]",
            help="Agent or search to learn from; [cyan]auto[/] is the best for the puzzle.",
            show_default="none: learn from rewards alone",
        ),
    ] = None,
    phases: Annotated[
        str | None,
        typer.Option(
            metavar="NAME=SHARE,…",
            help="What the time is spent on, in this order: [cyan]clone[/], imitate the teacher while it plays; "
            "[cyan]dagger[/], imitate it where the learner gets to; [cyan]ppo[/], learn from rewards.",
            show_default="0.2, 0.5 and 0.3 with a teacher",
        ),
    ] = None,
    network: Annotated[
        str | None,
        typer.Option(
            metavar="mlp|egocentric|residual|recurrent|map",
            help="[cyan]egocentric[/] has the player in the middle; [cyan]residual[/] plays boards of any size; "
            "[cyan]recurrent[/] remembers; [cyan]map[/] draws a map of Wumpus's percepts.",
            show_default="mlp",
        ),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(metavar="auto|cpu|cuda|mps", help="Where the network is trained.", show_default="auto"),
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
        typer.Option("--from", metavar="MODEL|pretrained", help="Trained model to begin with.", show_default="none"),
    ] = None,
    levels: Annotated[
        str | None, typer.Option(metavar="PACK|FILE", help="Levels to train on.", show_default="the environment's")
    ] = None,
    sampler: Annotated[
        str | None,
        typer.Option(
            metavar="NAME[:NAME=VALUE,…]",
            help="How the next level is chosen: [cyan]uniform[/]; [cyan]curriculum[/], harder as the success rate "
            "rises; [cyan]replay[/], prioritized level replay; [cyan]on-the-fly[/], generated in the background.",
            show_default="uniform",
        ),
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            metavar="own|rllib",
            help="[cyan]rllib[/] trains by Ray's RLlib, on the cluster [cyan]--ray[/]; by rewards alone.",
            show_default="own",
        ),
    ] = None,
    ray: TrainingRay = None,
    learners: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Processes of the cluster that learn; 0: this process learns.", show_default="0"
        ),
    ] = None,
    env_runners: Annotated[
        int | None,
        typer.Option(metavar="N", help="Processes of the cluster that play.", show_default="one for each core"),
    ] = None,
    settings: Setting = None,
    hyper: Annotated[
        list[str] | None,
        typer.Option("--hyper", metavar="NAME=VALUE", help="Other hyperparameter, e.g. n_steps=128. Can be repeated."),
    ] = None,
) -> None:
    """Train an agent by rewards (PPO), by a teacher, or by both. Ctrl-C saves the model; [cyan]--resume[/] continues.

    Options that are not given default to the environment's preset, if it has one ([cyan]gridpuzzles list ID[/] shows
    it), otherwise to general settings.
    """
    from ..commands import learning
    from ..session.arguments import read_settings

    chosen = given(algorithm=algorithm, total_steps=steps, minutes=minutes, seed=seed, num_envs=num_envs)
    chosen |= given(sampler=sampler, teacher=teacher, phases=phases, network=network, device=device)
    chosen |= given(engine=engine, learners=learners, env_runners=env_runners)
    kwargs = settings_of(settings) | given(levels=levels)
    learner = read_settings(hyper or (), "--hyper")
    model, command = learning.train(env_id, kwargs, chosen, learner, out, resume, start, ray)
    say([f"model: {model}", f"watch it: {command}"])


@group.command(
    rich_help_panel="Learn and measure",
    epilog=examples(
        "export runs/Wumpus-v0-ppo --out wumpus.onnx",
        "export runs/EightPuzzle-v0-maskable-ppo/model.safetensors --out 8-puzzle.zip",
    ),
)
def export(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="Trained model: its file, or the folder of its run.")],
    out: Annotated[
        Path,
        typer.Option(
            metavar="FILE.zip|FILE.onnx", help="A model for Stable-Baselines3's PPO (.zip), or for ONNX (.onnx)."
        ),
    ],
    force: Force = False,
) -> None:
    """Write a trained model for other programs."""
    from ..commands import learning

    say([f"wrote {learning.export(model, out, force)}"])


@group.command(
    rich_help_panel="Learn and measure",
    epilog=examples(
        "compare wumpus",
        "compare wumpus --agent online-search --agent runs/Wumpus-v0-ppo --episodes 10000",
        "compare wumpus --set size=8 --csv scores.csv --chart scores.png --report agents.html",
        "compare sokoban --set levels=medium-test --every-level --agent sokoban",
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
    settings: Setting = None,
    deterministic: Deterministic = False,
    trust_pickle: TrustPickle = False,
    algorithm: Algorithm = None,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write the table as CSV.")] = None,
    chart: Annotated[Path | None, typer.Option(metavar="FILE", help="Also draw a chart as PNG.")] = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write an .html page: the table, and the agents side by side."),
    ] = None,
    json: Json = False,
    force: Force = False,
) -> None:
    """Compare agents on the same seeded episodes. Ctrl-C keeps the agents that have finished."""
    from ..commands import learning
    from ..engine.messages import plural

    if every_level and episodes is not None:
        raise ValueError("--every-level and --episodes cannot be combined")
    agents = with_algorithm(agents or [], algorithm) or None
    more = given(seed=seed, num_envs=num_envs, episodes=episodes, workers=workers, ray=ray)
    more |= {"deterministic": deterministic, "trust_pickle": trust_pickle, "progress": not json}
    comparison, written = learning.compare(
        env_id, agents, settings_of(settings), csv, chart, report, force, every_level=every_level, **more
    )
    done = len(comparison.scores)
    if json:
        print_json(dataclasses.asdict(comparison) | {"written": written})
    else:
        if done:
            console.print(comparison.table())
        say([f"wrote {path}" for path in written])
    if comparison.missing:
        raise KeyboardInterrupt(f"stopped: {done} of {plural(done + comparison.missing, 'agent')} finished")


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
    levels: Annotated[
        str | None, typer.Option(metavar="PACK|FILE", help="Levels to play.", show_default="the environment's")
    ] = None,
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
    from ..commands import datasets

    kwargs = settings_of(settings) | given(levels=levels)
    more = given(seed=seed, workers=workers, ray=ray, author=author)
    more |= {"deterministic": deterministic, "trust_pickle": trust_pickle}
    (agent,) = with_algorithm([agent], algorithm)
    dataset = datasets.demonstrate(
        env_id, agent, kwargs, out, resume, force, episodes=episodes, only_successes=only_successes, **more
    )
    say(dataset.lines())
