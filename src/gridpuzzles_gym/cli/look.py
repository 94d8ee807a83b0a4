"""``gridpuzzles list``, ``play`` and ``watch``: what there is, and how it looks."""

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from .options import (
    Deterministic,
    EnvironmentId,
    Force,
    Json,
    LevelChoice,
    Seed,
    Setting,
    Style,
    TileSize,
    TrustPickle,
    given,
    resolved,
    settings_of,
)
from .terminal import console, examples, print_json, say

group = typer.Typer()


@group.command("list", rich_help_panel="Look around", epilog=examples("list", "list Wumpus-v0"))
def list_command(
    env_id: Annotated[
        str | None,
        typer.Argument(metavar="[ID]", callback=resolved, help="One environment, with its documentation."),
    ] = None,
    json: Json = False,
) -> None:
    """List the environments; or one with its actions, observations, settings, levels, agents and documentation."""
    from ..app import arguments, catalogue, documentation

    if json:
        entries = [catalogue.Entry.of(each) for each in ([env_id] if env_id else arguments.known_ids())]
        print_json([dataclasses.asdict(entry) for entry in entries])
    elif env_id is None:
        console.print(catalogue.overview())
    else:
        console.print(catalogue.Entry.of(env_id).panel())
        console.print(documentation.documentation(env_id))


@group.command(
    rich_help_panel="Look around",
    epilog=examples(
        "play Wumpus-v0",
        "play Wumpus-v0 --level textbook",
        "play Wumpus-v0 --set size=8 --set show=knowledge --seed 7",
        "play Sokoban-v0 --style paper",
    ),
)
def play(
    env_id: EnvironmentId,
    level: LevelChoice = None,
    seed: Seed = None,
    settings: Setting = None,
    tile_size: TileSize = None,
    style: Style = None,
) -> None:
    """Play in a window, by keyboard. The keys are shown below the picture; u takes an action back."""
    kwargs = settings_of(settings, style)
    from ..app.play import play as play_window

    say(play_window(env_id, level, seed, **given(tile_size=tile_size), **kwargs))


@group.command(
    rich_help_panel="Look around",
    epilog=examples(
        "watch Wumpus-v0 --agent online-search",
        "watch Wumpus-v0 --agent runs/Wumpus-v0-ppo/model.zip --seed 3 --fps 4",
        "watch Wumpus-v0 --agent online-search --episodes 3 --record cave.gif",
    ),
)
def watch(
    env_id: EnvironmentId,
    agent: Annotated[str, typer.Option(metavar="NAME|MODEL", help="An agent's name, or a trained model.")],
    level: LevelChoice = None,
    seed: Seed = None,
    episodes: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="How many; one in a recording, else without end.")
    ] = None,
    fps: Annotated[float | None, typer.Option(metavar="N", min=0.25, max=120, help="Actions a second.")] = None,
    settings: Setting = None,
    notes: Annotated[bool, typer.Option(help="Write on the squares what the agent thinks of them.")] = True,
    deterministic: Deterministic = False,
    trust_pickle: TrustPickle = False,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a .gif or .mp4 instead of opening a window.")
    ] = None,
    force: Force = False,
    tile_size: TileSize = None,
    style: Style = None,
) -> None:
    """Watch an agent play, in a window: space pauses, → steps, + and - change the pace.

    Or record it: Ctrl-C keeps what is drawn by then.
    """
    chosen = given(level=level, seed=seed, episodes=episodes, fps=fps, tile_size=tile_size)
    kwargs = settings_of(settings, style) | chosen
    kwargs |= {"notes": notes, "deterministic": deterministic, "trust_pickle": trust_pickle}
    if record is None:
        from ..app.watch import watch as watch_window

        say(watch_window(env_id, agent, **kwargs))
    else:
        from ..app.recording import record as record_file

        say([*record_file(env_id, agent, record, force=force, **kwargs), f"written: {record}"])
