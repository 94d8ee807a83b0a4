"""``gridpuzzles train``: train an agent."""

import dataclasses
import shlex
import typing
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.level_sources.named_samplers import make_sampler, read_sampler
from gridpuzzles_gym.agents.models.model_file import MODEL, read_description
from gridpuzzles_gym.agents.models.trained_agent import model_to_start
from gridpuzzles_gym.agents.puzzle_agents import option_line, option_words
from gridpuzzles_gym.agents.registry import observation_for
from gridpuzzles_gym.agents.training.settings import Settings, preset_settings, read_settings

from ..engine.messages import did_you_mean, quote
from ..play.arguments import read_settings as read_pairs
from ..play.arguments import writable
from .common.options import EnvironmentId, Levels, Setting, drop_none, game_of
from .common.terminal import examples, say

group = typer.Typer()

_NOT_HYPER = ("env_id", "env_kwargs")
_NETWORK = ("algorithm", "network", "hidden", "depth", "channels", "blocks", "centred")
"""The settings that make the network of a model."""
_WORDS: dict[Any, str] = {str: "text", int: "an integer", bool: "True or False"}


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
        "train wumpus --from pretrained --set size=5 --minutes 5",
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
            "[cyan]residual[/] plays boards of any size.",
            show_default="mlp",
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
            "rises; [cyan]backwards[/], in the middle of a teacher's games, near the end at first; "
            "[cyan]replay[/], prioritized level replay; [cyan]on-the-fly[/], generated in the "
            "background. Parameters can follow.",
            show_default="uniform",
        ),
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
    chosen = drop_none(algorithm=algorithm, total_steps=steps, minutes=minutes, seed=seed, num_envs=num_envs)
    chosen |= drop_none(sampler=sampler, teacher=teacher, phases=phases, network=network)
    learner = read_pairs(hyper or (), "--hyper")
    model, command = train_model(game_of(env_id, settings, levels), chosen, learner, out, resume, start)
    say([f"model: {model}", f"watch it: {command}"])


def train_model(
    game: Game,
    chosen: dict[str, Any],
    hyper: dict[str, Any],
    folder: Path | None,
    resume: bool,
    start: str | None = None,
) -> tuple[Path, str]:
    """Train a model; see :func:`gridpuzzles_gym.agents.training.trainer.train`.

    Settings that are not given come from the environment's preset, if it has one
    (:func:`gridpuzzles_gym.agents.training.settings.preset_settings`), otherwise from the defaults.

    Args:
        game: The game to learn.
        chosen: Training settings given by their own flags.
        hyper: Other training settings.
        folder: Output folder; None is ``runs/ID-ALGORITHM``.
        resume: Continue training the model in the folder, with its own settings where none are given.
        start: A model to begin with instead of random weights: its path, or ``"pretrained"``. Its network is used where
            none is chosen.

    Returns:
        The path of the saved model, and the command to watch it on levels like those it was trained on.

    Raises:
        ValueError: A setting is invalid, or the folder already has a model (with ``resume``: none).
        OSError: The folder cannot be written.
        ImportError: Stable-Baselines3 is not installed.
    """
    chosen = with_hyper(chosen, hyper)
    if start is not None and resume:
        raise ValueError("--from begins a run, --resume continues one: give one of them")
    if start is not None:
        game, chosen = _started(start, game, chosen)
    settings = preset_settings(game, chosen)
    if not resume and read_sampler(settings.sampler).name != "backwards":  # for which a teacher plays
        make_sampler(settings.sampler, settings.game)  # to report errors before PyTorch is loaded
    folder = folder or Path("runs") / f"{game.spec.id}-{settings.algorithm}"
    writable(folder / MODEL)
    with Console().status("Loading PyTorch"):
        from gridpuzzles_gym.agents.training import trainer
    if resume:
        if not (folder / MODEL).is_file():
            raise ValueError(f"nothing to resume: {folder / MODEL} does not exist")
        before = read_settings(folder)
        if before.env_id != game.id:
            raise ValueError(f"the model in {folder} was trained on {before.env_id}, not on {game.id}")
        settings = dataclasses.replace(before, env_kwargs={**before.env_kwargs, **game.settings}, **chosen)
    Console().print(f"settings: {_shown(settings)}", markup=False, highlight=False)  # wrapped between words
    model: Path = trainer.train(settings, folder, resume, start)
    own_levels = read_sampler(settings.sampler).name != "uniform" and settings.env_kwargs.get("levels") is None
    shown = {**(game.agents.generated_with if own_levels else {}), **game.settings}
    return model, shlex.join(["gridpuzzles", "watch", game.id, "--agent", str(model), *option_words(shown)])


def with_hyper(chosen: dict[str, Any], hyper: dict[str, Any]) -> dict[str, Any]:
    """Return training settings that were given by their own flags, together with those given by ``--hyper``.

    Raises:
        ValueError: A setting is unknown, given twice, or of another type.
    """
    tunable = [field.name for field in dataclasses.fields(Settings) if field.name not in _NOT_HYPER]
    for name in hyper:
        if name not in tunable:
            raise ValueError(f"unknown hyperparameter {quote(name)}; {did_you_mean(name, tunable)}")
        if name in chosen:
            raise ValueError(f"--hyper {name} cannot be combined with the flag for {name}")
    chosen = chosen | hyper
    _check_types(chosen)
    return chosen


def _shown(settings: Settings) -> str:
    """Return the settings of a run that are not the defaults, as they are typed."""
    given = option_line(settings.env_kwargs, settings.changed())
    return f"{given}; otherwise the defaults" if given else "the defaults"


def _started(start: str, game: Game, chosen: dict[str, Any]) -> tuple[Game, dict[str, Any]]:
    """Return the game and the settings to begin with a model, with its observation and network by default."""
    path = model_to_start(start, game.id)
    observation = observation_for(str(path), game.puzzle, game.id)
    trained = read_description(path).settings
    network = {name: trained[name] for name in _NETWORK if name in trained}
    return game.with_settings(**{"observation": observation, **game.settings}), network | chosen


def _check_types(chosen: dict[str, Any]) -> None:
    """Raise ValueError if a setting has another type than its field; integers are numbers too."""
    hints = typing.get_type_hints(Settings)
    for name, value in chosen.items():
        kinds = typing.get_args(hints[name]) or (hints[name],)
        if type(value) not in kinds and not (type(value) is int and float in kinds):
            raise ValueError(f"{name}={quote(value)}: must be {_WORDS.get(kinds[0], 'a number')}")
