"""``gridpuzzles play``: play in a window."""

from typing import Annotated

import typer

from .common.options import EnvironmentId, Levels, Setting, Style, game_of
from .common.terminal import examples

group = typer.Typer()


@group.command(
    rich_help_panel="Look around",
    epilog=examples(
        "play wumpus",
        "play wumpus --levels textbook",
        "play wumpus --set size=8 --set show=knowledge --seed 7",
        "play sokoban --style paper",
    ),
)
def play(
    env_id: EnvironmentId,
    levels: Levels = None,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", help="Seed of a random instance, or of the random events in a level."),
    ] = None,
    settings: Setting = None,
    style: Style = None,
) -> None:
    """Play in a window, with keys and mouse; F1 shows both. The game is saved when the window is closed.

    Without a command, gridpuzzles opens the window's start screen: levels, agents, a generator and an editor.
    """
    game = game_of(env_id, settings, levels, style)
    from ..play.window.app import play as play_window

    play_window(game, seed)
