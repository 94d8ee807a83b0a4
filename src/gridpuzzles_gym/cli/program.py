"""The commands, the options of ``gridpuzzles`` itself, and running one command.

A command's module is imported when the command is called, so that ``--help`` stays fast. Every error becomes one line
on standard error, written by :mod:`~gridpuzzles_gym.cli.common.errors`.
"""

import functools
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from .._version import __version__
from .common import errors
from .common.terminal import HelpfulGroup, console, examples, notices, tidy

COMMANDS = {
    "list": ("Look around", "List the environments, or show one."),
    "play": ("Look around", "Play in a window."),
    "watch": ("Look around", "Watch agents play in a window, or record them."),
    "web": ("Look around", "Play in the browser: serve the site on this computer."),
    "warmup": ("Look around", "Compile everything ahead of time, or build tables that are kept on disk."),
    "solve": ("Search", "Solve instances by search; print solutions and statistics."),
    "train": ("Learn and measure", "Train an agent from rewards (PPO), from a teacher, or both."),
    "compare": ("Learn and measure", "Compare agents on the same seeded episodes."),
    "levels": ("Levels", "Check, print, draw, count, convert, import, solve and rate levels."),
    "generate": ("Levels", "Generate levels that can be solved."),
    "grade": ("Teach", "Grade the agents of a class."),
    "ask": ("Language models", "Evaluate a language model behind an OpenAI-compatible endpoint."),
}
"""The commands, each in the module of its name, in the order of the help: the part of the help, and what it does."""


@functools.cache
def load(name: str) -> Any:
    """Return a command by its name, after importing its module."""
    command = typer.main.get_command(importlib.import_module(f".{name}", __package__).group)
    command.name = name
    return command


class Commands(HelpfulGroup):
    """The group of all commands. It handles Ctrl-C before the parser does, to keep the message of the interrupt."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command: for the list of all, one that only has its help."""
        if cmd_name not in COMMANDS:
            return None
        panel, what = COMMANDS[cmd_name]
        return TyperCommand(cmd_name, help=what, rich_help_panel=panel)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return a command's name, the command, and its arguments; raise ValueError if there is no such command."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, None if command is None else tidy(load(name), ctx), rest

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
        _open_window()


def _open_window() -> None:
    """Open the start screen; without a display or the extra ``app``, say why, and what there is instead."""
    try:
        from ..play.window.app import App

        App().run("start")
    except (ImportError, OSError) as error:
        line, code = errors.describe(error)
        notices.print(f"{line}; `gridpuzzles --help` shows all commands", markup=False, highlight=False)
        raise typer.Exit(code) from None


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Args:
        arguments: The command-line arguments, without the program's name; None takes them from ``sys.argv``.
    """
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    call = errors.Call()
    typed = None if arguments is None else list(arguments)

    def command() -> Any:
        from ..engine.system.process import uninterrupted_imports

        with uninterrupted_imports():
            parser = typer.main.get_command(app)
            return parser.main(typed, prog_name="gridpuzzles", standalone_mode=False, obj=call)

    return errors.guarded(command, call)


def main() -> None:
    """Entry point of the script ``gridpuzzles``."""
    sys.exit(run())
