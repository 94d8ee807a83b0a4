"""The command line: ``gridpuzzles --help`` teaches it.

Each command imports what it needs itself, so that ``--help`` stays fast; whatever goes wrong becomes
one line in :mod:`~gridpuzzles_gym.cli.errors`.
"""

import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from .._version import __version__
from . import errors, generate, learn, levels, look, solve, warmup
from .terminal import HelpfulGroup, console, examples


class Commands(HelpfulGroup):
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
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
# The order here is the order of the help.
app.add_typer(look.group)
app.add_typer(warmup.group)
app.add_typer(solve.group)
app.add_typer(learn.group)
app.add_typer(levels.group, name="levels", rich_help_panel="Levels")
app.add_typer(generate.group)


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


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit code.

    Args:
        arguments: What was typed behind ``gridpuzzles``; None is ``sys.argv``.
    """
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    call = errors.Call()
    typed = None if arguments is None else list(arguments)

    def command() -> Any:
        from ..engine.interrupts import uninterrupted_imports

        with uninterrupted_imports():
            parser = typer.main.get_command(app)
            return parser.main(typed, prog_name="gridpuzzles", standalone_mode=False, obj=call)

    return errors.guarded(command, call)


def main() -> None:
    """The entry point ``gridpuzzles``."""
    sys.exit(run())
