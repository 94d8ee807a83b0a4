"""The commands, the options of ``gridpuzzles`` itself, and running one command.

Each command imports what it needs inside its own function, so that ``--help`` stays fast. Every error becomes one line
on standard error, written by :mod:`~gridpuzzles_gym.cli.common.errors`.
"""

import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from .._version import __version__
from . import (
    ask,
    compare,
    demonstrate,
    export,
    generate,
    grade,
    levels,
    play,
    solve,
    sweep,
    train,
    warmup,
    watch,
    web,
    worksheet,
)
from . import list as list_  # not `list`, which annotations below need
from .common import errors
from .common.terminal import HelpfulGroup, console, examples, notices


class Commands(HelpfulGroup):
    """The group of all commands. It handles Ctrl-C before the parser does, to keep the message of the interrupt."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; without any, :func:`options` opens the window."""
        parsed: list[str] = TyperGroup.parse_args(self, ctx, args)
        return parsed

    def invoke(self, ctx: Any) -> Any:
        """Run the chosen command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:
            raise typer.Exit(errors.interrupted(interrupt)) from None


app = typer.Typer(
    name="gridpuzzles",
    cls=Commands,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
# The order here is the order of the help.
for module in (list_, play, watch, web, warmup, solve, train, export, compare, demonstrate, sweep):
    app.add_typer(module.group)
app.add_typer(levels.group, name="levels", rich_help_panel="Levels")
for module in (generate, worksheet, grade, ask):
    app.add_typer(module.group)


def _show_version(wanted: bool) -> None:
    if wanted:
        console.print(f"gridpuzzles_gym {__version__}", highlight=False)
        raise typer.Exit


@app.callback(
    invoke_without_command=True,
    epilog=examples("list", "play wumpus", "watch wumpus --agent online-search", "play --help").replace(
        "Examples", "Getting started"
    ),
)
def options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", envvar="GRIDPUZZLES_DEBUG", help="Show the traceback of errors.")
    ] = False,
) -> None:
    """Classic AI puzzles: play them, watch agents play them, train agents and compare agents.

    Without a command, a window opens, if there is a display.
    """
    if isinstance(context.obj, errors.Call):
        context.obj.debug = debug
    if context.invoked_subcommand is None:
        _open_window(context)


def _open_window(context: typer.Context) -> None:
    """Open the start screen; without a display or the extra ``app``, show the help and say why."""
    from ..window.start import start

    try:
        start()
    except (ImportError, OSError) as error:
        typer.echo(context.get_help())
        notices.print(errors.describe(error)[0], markup=False, highlight=False)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Args:
        arguments: The command-line arguments, without the program's name; None takes them from ``sys.argv``.
    """
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    call = errors.Call()
    typed = None if arguments is None else list(arguments)

    def command() -> Any:
        from ..engine.system.interrupts import uninterrupted_imports

        with uninterrupted_imports():
            parser = typer.main.get_command(app)
            return parser.main(typed, prog_name="gridpuzzles", standalone_mode=False, obj=call)

    return errors.guarded(command, call)


def main() -> None:
    """Entry point of the script ``gridpuzzles``."""
    sys.exit(run())
