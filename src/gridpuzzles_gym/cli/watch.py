"""``gridpuzzles watch``: watch agents play, or record them."""

from pathlib import Path
from typing import Annotated

import typer

from .common.options import (
    Algorithm,
    Deterministic,
    EnvironmentId,
    Force,
    Levels,
    Seed,
    Setting,
    Style,
    TileSize,
    TrustPickle,
    drop_none,
    game_of,
    with_algorithm,
)
from .common.terminal import examples, say

group = typer.Typer()


@group.command(
    rich_help_panel="Look around",
    epilog=examples(
        "watch wumpus --agent online-search",
        "watch wumpus --agent runs/Wumpus-v0-ppo --seed 3 --fps 4",
        "watch wumpus --agent online-search --episodes 3 --record cave.gif",
    ),
)
def watch(
    env_id: EnvironmentId,
    agents: Annotated[
        list[str],
        typer.Option(
            "--agent",
            metavar="NAME|MODEL|FILE.py",
            help="Name of an agent, path of a trained model, or Python file with your own agent. Repeat it "
            "for several: the first plays, the others can be chosen in the window's menu.",
        ),
    ],
    levels: Levels = None,
    seed: Seed = None,
    episodes: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Number of episodes.", show_default="1 for --record, otherwise no limit"),
    ] = None,
    fps: Annotated[
        float | None, typer.Option(metavar="N", min=0.25, max=120, help="Actions per second, 0.25 to 120.")
    ] = None,
    settings: Setting = None,
    no_notes: Annotated[bool, typer.Option("--no-notes", help="Do not show what the agent thinks.")] = False,
    deterministic: Deterministic = False,
    trust_pickle: TrustPickle = False,
    algorithm: Algorithm = None,
    record: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a .gif or .mp4 file instead of opening a window.",
        ),
    ] = None,
    force: Force = False,
    tile_size: TileSize = None,
    style: Style = None,
) -> None:
    """Watch agents play in a window, or record them.

    In the window, space pauses, → and ← go one step, + and - change the pace; F1 shows all keys. While recording,
    Ctrl-C keeps the frames so far.
    """
    from ..play.session import WatchOptions

    agents = with_algorithm(agents, algorithm)
    game = game_of(env_id, settings, levels, style)
    notes = not no_notes
    options = WatchOptions(seed, episodes, fps, notes, deterministic, trust_pickle)
    if record is None:
        if tile_size is not None:
            raise ValueError("--tile-size is for --record; in a window, squares are as large as it allows")
        from ..play.window.app import watch as watch_window

        say(watch_window(game, agents, options))
        return
    from ..play.recording import record as record_file

    if len(agents) != 1:
        raise ValueError(f"--agent is given {len(agents)} times; a recording shows one agent")
    lines = record_file(game, agents[0], record, options, **drop_none(tile_size=tile_size), force=force)
    say([*lines, f"wrote {record}"])
