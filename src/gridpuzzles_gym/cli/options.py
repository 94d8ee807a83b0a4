"""Arguments and options that several commands take."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer


def resolved(name: str | None) -> str | None:
    """The id that somebody means: in any case, without its version, or by one of its short names."""
    if name is None:
        return None
    from ..app.arguments import resolve_id

    return resolve_id(name)


EnvironmentId = Annotated[
    str,
    typer.Argument(
        metavar="ID", callback=resolved, help="The environment, by an id or name of [cyan]gridpuzzles list[/]."
    ),
]
Setting = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="A setting of the environment; repeat it. Values are JSON or text."
    ),
]
LevelChoice = Annotated[
    str | None,
    typer.Option(
        "--level", metavar="NAME|FILE", help="A level file, a shipped pack or a level's title; :3 picks the 3rd."
    ),
]
Seed = Annotated[int | None, typer.Option(metavar="N", help="Of the first episode; the next has the next number.")]
TileSize = Annotated[int | None, typer.Option(metavar="N", min=8, max=512, help="Pixels a square is wide.")]
Style = Annotated[
    str | None,
    typer.Option(metavar="NAME|FOLDER", help="How pictures are drawn, where a puzzle has styles; or your own sprites."),
]
Deterministic = Annotated[
    bool, typer.Option("--deterministic", help="Let a trained model take its likeliest action instead of sampling.")
]
TrustPickle = Annotated[
    bool, typer.Option("--trust-pickle", help="Load a model somebody else trained: its file can run any code.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite what is written.")]


def given(**options: Any) -> dict[str, Any]:
    """The options that were given; what is left out keeps the default of the code behind."""
    return {name: value for name, value in options.items() if value is not None}


def settings_of(pairs: Sequence[str] | None, style: str | None = None) -> dict[str, Any]:
    """The environment's keyword arguments that ``--set`` and ``--style`` give.

    Raises:
        ValueError: A pair has no ``=`` or no name, or a name comes twice.
    """
    from ..app.arguments import read_settings

    return read_settings(pairs or ()) | given(style=style)
