"""Arguments and options that several commands take."""

from typing import Annotated

import typer

EnvironmentId = Annotated[
    str, typer.Argument(metavar="ID", help="The environment, as [cyan]gridpuzzles list[/] names it.")
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
Force = Annotated[bool, typer.Option("--force", help="Overwrite what is written.")]
