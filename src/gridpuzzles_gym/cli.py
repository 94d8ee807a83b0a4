"""The command line: ``gridpuzzles --help`` teaches it.

Each command imports what it needs itself, so that ``--help`` stays fast; whatever goes wrong becomes
one line in :mod:`~gridpuzzles_gym.app.errors`.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from ._version import __version__
from .app import errors, generate_command, levels_commands, warmup_command
from .app.options import Deterministic, EnvironmentId, Force, LevelChoice, Seed, Setting, Style, TileSize
from .app.terminal import console, examples, say


class Commands(TyperGroup):
    """All commands; an interrupt says its words here, before the parser takes it for one of its own."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was chosen."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:
            raise typer.Exit(errors.interrupted(interrupt)) from None


app = typer.Typer(
    name="gridpuzzles",
    cls=Commands,
    rich_markup_mode="rich",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(levels_commands.app, name="levels", rich_help_panel="Levels")
app.command(rich_help_panel="Levels", epilog=generate_command.EXAMPLES)(generate_command.generate)
app.command(rich_help_panel="Look around", epilog=warmup_command.EXAMPLES)(warmup_command.warmup)


def _given(**options: Any) -> dict[str, Any]:
    """The options that were given; what is left out keeps the default of the code behind."""
    return {name: value for name, value in options.items() if value is not None}


def _settings(pairs: Sequence[str] | None, style: str | None = None) -> dict[str, Any]:
    from .app.arguments import read_settings

    return read_settings(pairs or ()) | _given(style=style)


def _show_version(wanted: bool) -> None:
    if wanted:
        console.print(f"gridpuzzles_gym {__version__}", highlight=False)
        raise typer.Exit


@app.callback(
    epilog=examples("list", "play Wumpus-v0", "watch Wumpus-v0 --agent online-search", "play --help").replace(
        "Examples", "Start here"
    )
)
def options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", envvar="GRIDPUZZLES_DEBUG", help="Show where errors come from.")
    ] = False,
) -> None:
    """Classic AI puzzles: play them, watch agents play them, train agents, and compare them."""
    if isinstance(context.obj, errors.Call):
        context.obj.debug = debug


@app.command("list", rich_help_panel="Look around", epilog=examples("list", "list Wumpus-v0"))
def list_command(
    env_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="One environment, with its documentation.")
    ] = None,
) -> None:
    """List the environments: actions, observations, settings, levels, and the agents that play them."""
    from .app import catalogue

    if env_id is None:
        console.print(catalogue.overview())
    else:
        console.print(catalogue.describe(env_id))
        console.print(catalogue.documentation(env_id))


@app.command(
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
    kwargs = _settings(settings, style)
    from .app.play import play as play_window

    say(play_window(env_id, level, seed, **_given(tile_size=tile_size), **kwargs))


@app.command(
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
    given = _given(level=level, seed=seed, episodes=episodes, fps=fps, tile_size=tile_size)
    kwargs = _settings(settings, style) | given | {"notes": notes, "deterministic": deterministic}
    if record is None:
        from .app.watch import watch as watch_window

        say(watch_window(env_id, agent, **kwargs))
    else:
        from .app.recording import record as record_file

        say([*record_file(env_id, agent, record, force=force, **kwargs), f"written: {record}"])


@app.command(
    rich_help_panel="Search",
    epilog=examples(
        "solve EightPuzzle-v0 --seed 7",
        'solve EightPuzzle-v0 "8 6 7 / 2 5 4 / 3 0 1" --watch',
        "solve FifteenPuzzle-v0 --search tile-ida-star --heuristic pdb-6-6-3",
        "solve EightPuzzle-v0 classic --search breadth-first --search depth-first --search astar",
        "solve EightPuzzle-v0 classic:3 --search all --seconds 5",
    ),
)
def solve(
    env_id: EnvironmentId,
    level: Annotated[
        str | None,
        typer.Argument(
            metavar="[LEVEL|FILE]", help="As --level elsewhere, or a board with / between its rows; else one is drawn."
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Of the instance drawn, and of random choices.")] = None,
    searches: Annotated[
        list[str] | None,
        typer.Option("--search", metavar="NAME", help="Repeat it, or say all.", show_default="astar"),
    ] = None,
    heuristic: Annotated[str | None, typer.Option(metavar="NAME", show_default="the puzzle's first")] = None,
    nodes: Annotated[int | None, typer.Option(metavar="N", help="Expand so many states at most.")] = None,
    depth: Annotated[int | None, typer.Option(metavar="N", help="Plan so many moves at most.")] = None,
    seconds: Annotated[float | None, typer.Option(metavar="S", help="Search so long at most.")] = None,
    memory: Annotated[int, typer.Option(metavar="MIB", help="Hold so much memory at most.")] = 4096,
    parameters: Annotated[
        list[str] | None,
        typer.Option("--param", metavar="NAME=VALUE", help="Of the search, e.g. weight=1.5; repeat it."),
    ] = None,
    settings: Setting = None,
    watch: Annotated[bool, typer.Option("--watch", help="Play the plans in a window.")] = False,
    style: Style = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Solve instances by search: plans and statistics. Ctrl-C ends a search with its best plan so far."""
    from .app import solving
    from .app.arguments import read_settings

    kwargs, chosen = _settings(settings, style), read_settings(parameters or (), "--param")
    limits = solving.limits(nodes, depth, seconds, memory)
    solutions = list(solving.solve(env_id, level, seed, searches or ["astar"], heuristic, limits, chosen, **kwargs))
    if json:
        print(solving.as_json(solutions))
    elif len(solutions) == 1:
        say(list(solving.describe(solutions[0])))
    else:
        console.print(solving.table(solutions))
    if solving.interrupted(solutions):
        raise typer.Exit(errors.INTERRUPTED)
    if watch:
        say(solving.show(env_id, level, solutions, **kwargs))


@app.command(
    rich_help_panel="Learn and measure",
    epilog=examples(
        "train Wumpus-v0 --minutes 10",
        "train EightPuzzle-v0",
        "train Wumpus-v0 --algorithm maskable-ppo --seed 1 --out runs/masked",
        "train Wumpus-v0 --set size=6 --hyper learning_rate=0.0005 --hyper hidden=128",
        "train Wumpus-v0 --out runs/masked --resume --steps 10000000",
        "train Sokoban-v0 --levels starter --sampler curriculum:by=pushes,up=0.7",
        "train EightPuzzle-v0 --sampler curriculum --minutes 5",
        "train Sokoban-v0 --sampler on-the-fly:width=7,height=7,boxes=2,workers=1",
    ),
)
def train(
    env_id: EnvironmentId,
    algorithm: Annotated[str | None, typer.Option(metavar="ppo|maskable-ppo", help="The learner.")] = None,
    steps: Annotated[int | None, typer.Option(metavar="N", min=1, help="Environment steps in all.")] = None,
    minutes: Annotated[
        float | None, typer.Option(metavar="M", help="Stop after so many minutes, even if steps are left.")
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Makes the run reproducible on one machine.")] = None,
    num_envs: Annotated[int | None, typer.Option(metavar="N", min=1, help="Environments side by side.")] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where the model goes.", show_default="runs/ID-ALGORITHM")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the model in the folder.")] = False,
    levels: Annotated[
        str | None, typer.Option(metavar="PACK|FILE", help="Train on these levels.", show_default="the environment's")
    ] = None,
    sampler: Annotated[
        str | None,
        typer.Option(
            metavar="NAME[:NAME=VALUE,…]",
            help="Which level comes next: [cyan]uniform[/]; [cyan]curriculum[/], from easy to hard with the success "
            "rate; [cyan]replay[/], prioritised level replay; [cyan]on-the-fly[/], new ones made in the background.",
            show_default="uniform",
        ),
    ] = None,
    settings: Setting = None,
    hyper: Annotated[
        list[str] | None,
        typer.Option(
            "--hyper", metavar="NAME=VALUE", help="Any other setting of the learner, e.g. n_steps=128; repeat it."
        ),
    ] = None,
) -> None:
    """Train PPO. Ctrl-C saves what was learned; [cyan]--resume[/] goes on.

    What is not given comes from the environment's preset (CatMouse-v0, EightPuzzle-v0, Bait-v0,
    Sokoban-v0 have one, shown as training starts), else from the settings tuned on Wumpus-v0.
    """
    from .app import learning
    from .app.arguments import read_settings

    chosen = _given(algorithm=algorithm, total_steps=steps, minutes=minutes, seed=seed, num_envs=num_envs)
    chosen |= _given(sampler=sampler)
    kwargs = _settings(settings) | _given(levels=levels)
    model, watching = learning.train(env_id, kwargs, chosen, read_settings(hyper or (), "--hyper"), out, resume)
    say([f"model: {model}", f"watch it: {watching}"])


@app.command(
    rich_help_panel="Learn and measure",
    epilog=examples(
        "compare Wumpus-v0",
        "compare Wumpus-v0 --agent online-search --agent runs/Wumpus-v0-ppo/model.zip --episodes 10000",
        "compare Wumpus-v0 --set size=8 --csv scores.csv --chart scores.png",
    ),
)
def compare(
    env_id: EnvironmentId,
    agents: Annotated[
        list[str] | None,
        typer.Option("--agent", metavar="NAME|MODEL", help="Repeat it.", show_default="the usual ones"),
    ] = None,
    episodes: Annotated[int, typer.Option(metavar="N", min=1, help="How many, the same ones for every agent.")] = 1000,
    seed: Seed = None,
    num_envs: Annotated[int | None, typer.Option(metavar="N", min=1, help="Environments side by side.")] = None,
    settings: Setting = None,
    deterministic: Deterministic = False,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the table as CSV too.")] = None,
    chart: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw it as a PNG.")] = None,
    force: Force = False,
) -> None:
    """Let agents play the same seeded episodes, and print how they did. Ctrl-C keeps the agents that are done."""
    from .app import learning

    more = _given(seed=seed, num_envs=num_envs)
    comparison, written = learning.compare(
        env_id, agents, _settings(settings), csv, chart, force, episodes=episodes, deterministic=deterministic, **more
    )
    done = len(comparison.scores)
    if done:
        console.print(comparison.table())
    say([f"written: {path}" for path in written])
    if comparison.missing:
        raise KeyboardInterrupt(f"stopped: {done} of {done + comparison.missing} agents are done")


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit code.

    Args:
        arguments: What was typed behind ``gridpuzzles``; None is ``sys.argv``.
    """
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    call = errors.Call()
    typed = None if arguments is None else list(arguments)

    def command() -> Any:
        from .engine.interrupts import uninterrupted_imports

        with uninterrupted_imports():
            parser = typer.main.get_command(app)
            return parser.main(typed, prog_name="gridpuzzles", standalone_mode=False, obj=call)

    return errors.guarded(command, call)


def main() -> None:
    """The entry point ``gridpuzzles``."""
    sys.exit(run())


if __name__ == "__main__":
    main()
