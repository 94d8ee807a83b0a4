"""Arguments and options shared by several commands."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .errors import ID

if TYPE_CHECKING:
    from gridpuzzles_gym.agents.game import Game

ZIP = ".zip"
"""The suffix of models of Stable-Baselines3."""


def resolved(name: str | None) -> str | None:
    """Return the id of a name: an id in any case, with or without its version, or a short name."""
    if name is None:
        return None
    from ...play.arguments import resolve_id

    return resolve_id(name)


EnvironmentId = Annotated[
    str,
    typer.Argument(
        metavar=ID, callback=resolved, help="ID or short name of an environment; see [cyan]gridpuzzles list[/]."
    ),
]
Setting = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Setting of the environment, as [cyan]gridpuzzles list ID[/] shows them; the value is JSON or text. "
        "Can be repeated.",
    ),
]
LEVELS_HELP = (
    "Levels: a file, folder, bundled pack, title of a bundled level, a board with / between its rows, or a JSON list "
    "of these; NAME:3 is the third level of NAME; - is standard input."
)
"""How levels are given: after ``--levels`` by a command for an environment, as the argument of one for levels."""


def read_input(levels: str | None) -> str | None:
    """Return levels as they are given; of ``-``, the text on standard input, with a line feed after it."""
    from ...play.arguments import STDIN, read_stdin

    return levels if levels != STDIN else f"{read_stdin()}\n"


Levels = Annotated[
    str | None,
    typer.Option(
        "--levels", metavar="NAME|FILE", callback=read_input, help=LEVELS_HELP, show_default="the environment's"
    ),
]
Seed = Annotated[
    int | None, typer.Option(metavar="N", help="Seed of the first episode; later ones use seed+1, seed+2, …")
]
TileSize = Annotated[
    int | None, typer.Option(metavar="N", min=8, max=512, help="Size of a square in a recording, in pixels, 8 to 512.")
]
Style = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Style of the pictures, for puzzles that have styles."),
]
HeuristicName = Annotated[
    str | None,
    typer.Option("--heuristic", metavar="NAME", help="Heuristic to use.", show_default="the puzzle's first"),
]
Nodes = Annotated[
    int | None, typer.Option("--nodes", metavar="N", help="Maximum number of states to expand, for each level.")
]
Memory = Annotated[int, typer.Option("--memory", metavar="MIB", help="Memory limit of a process's search in MiB.")]
Parameters = Annotated[
    list[str] | None,
    typer.Option("--param", metavar="NAME=VALUE", help="Parameter of the search, e.g. weight=1.5. Can be repeated."),
]
Deterministic = Annotated[
    bool, typer.Option("--deterministic", help="A trained model takes its most likely action instead of sampling.")
]
TrustPickle = Annotated[
    bool, typer.Option("--trust-pickle", help="Allow a model of Stable-Baselines3, whose file can run any code.")
]
Algorithm = Annotated[
    str | None,
    typer.Option(
        "--algorithm",
        metavar="PPO|DQN|…",
        help="Algorithm of the Stable-Baselines3 models.",
        show_default="detected automatically",
    ),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Make an invalid level an error, instead of leaving it out with a warning.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite existing files.")]
Workers = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        max=1024,
        help="Number of processes; it does not change the results.",
        show_default="one for each core",
    ),
]
Ray = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="ADDRESS",
        help="Run on a Ray cluster instead: that of this machine (auto), a new one on this machine (local), or that at "
        "HOST:PORT.",
        show_default="this machine only",
    ),
]


def drop_none(**options: Any) -> dict[str, Any]:
    """Return the options that are not None; the others keep the defaults of the functions called."""
    return {name: value for name, value in options.items() if value is not None}


def with_algorithm(agents: Sequence[str], algorithm: str | None) -> list[str]:
    """Return agents with the algorithm that ``--algorithm`` names for the models of Stable-Baselines3 among them.

    Raises:
        ValueError: There is no such model.
    """
    if algorithm is None:
        return list(agents)
    if not any(agent.endswith(ZIP) for agent in agents):
        raise ValueError(f"--algorithm {algorithm}: no --agent is a model of Stable-Baselines3 ({ZIP})")
    return [f"{agent}:{algorithm}" if agent.endswith(ZIP) else agent for agent in agents]


def settings_of(pairs: Sequence[str] | None, style: str | None = None, alone: bool = False) -> dict[str, Any]:
    """Return the environment's keyword arguments given by ``--set`` and ``--style``.

    Args:
        pairs: The pairs after ``--set``.
        style: The value of ``--style``.
        alone: Whether a name without ``=`` is allowed; see :func:`~gridpuzzles_gym.play.arguments.read_settings`.

    Raises:
        ValueError: A pair has no ``=`` or no name, a name is given twice, or it is that of levels.
    """
    from ...play.arguments import read_settings

    settings = read_settings(pairs or (), alone=alone)
    if "levels" in settings:
        raise ValueError("--set levels=…: levels are chosen with --levels")
    return settings | drop_none(style=style)


def game_of(env_id: str, pairs: Sequence[str] | None, levels: str | None, style: str | None = None) -> "Game":
    """Return the game given by an id, ``--set``, ``--levels`` and ``--style``.

    Raises:
        ValueError: As for :func:`settings_of`; or a setting is invalid, or there are no such levels.
    """
    from gridpuzzles_gym.agents.game import Game

    return Game.of(env_id, **settings_of(pairs, style), **drop_none(levels=levels))
