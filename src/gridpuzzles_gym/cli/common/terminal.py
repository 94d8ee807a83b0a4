"""Output shared by all commands."""

import json
from collections.abc import Iterable
from typing import Any

from rich.console import Console
from typer.core import TyperGroup

from .errors import unknown_command

console = Console()
"""Standard output."""
notices = Console(stderr=True)
"""Standard error: messages that are not part of a command's output."""


class HelpfulGroup(TyperGroup):
    """A group of commands that shows its help if no command is given."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command; the terminal wraps the paragraphs of its help, where Typer would keep the line breaks."""
        command = super().get_command(ctx, cmd_name)
        return None if command is None else tidy(command, ctx)

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options of the group itself."""
        return _shortened(super().get_params(ctx))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return a command's name, the command, and its arguments; raise ValueError if there is no such command."""
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            raise unknown_command(args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; without any, parse ``--help``."""
        return super().parse_args(ctx, args or ["--help"])


def tidy(command: Any, ctx: Any) -> Any:
    """Return a command whose help has paragraphs that the terminal wraps, and no ranges of numbers."""
    if command.help:
        command.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in command.help.split("\n\n"))
    _shortened(command.get_params(ctx))
    return command


def _shortened(parameters: list[Any]) -> list[Any]:
    """Make the help leave out ``<bool>`` and ranges such as ``[x>=1]``, so that 80 columns are enough; return them."""
    for parameter in parameters:
        if getattr(parameter, "is_flag", False) and parameter.metavar is None:
            parameter.metavar = ""
        if hasattr(parameter, "type_descriptor"):  # newer versions of Typer check what is declared, not these
            parameter.min = parameter.max = None
    return parameters


def examples(*lines: str) -> str:
    """Return the end of a command's help: example commands."""
    return "[bold]Examples[/]\n\n" + "\n\n".join(f"[cyan]gridpuzzles {line}[/]" for line in lines)


def say(lines: Iterable[str]) -> None:
    """Print lines unchanged. Long ones are left to the terminal to wrap, so that paths can be copied."""
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    print(json.dumps(value, indent=2, ensure_ascii=False, default=str))
