"""What every command says and shows itself with."""

import json
from collections.abc import Iterable
from typing import Any

from rich.console import Console
from typer.core import TyperGroup

console = Console()
"""Standard output."""
notices = Console(stderr=True)
"""Standard error: what is said beside what a command prints."""


class HelpfulGroup(TyperGroup):
    """Commands that show their help where none of them is named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The arguments; without any, ``--help``."""
        return super().parse_args(ctx, args or ["--help"])


def examples(*lines: str) -> str:
    """The end of a command's help: what one can type, and what it does."""
    return "[bold]Examples[/]\n\n" + "\n\n".join(f"[cyan]gridpuzzles {line}[/]" for line in lines)


def say(lines: Iterable[str]) -> None:
    """Print lines as they are; where they are long the terminal wraps them, so that paths can be copied."""
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    print(json.dumps(value, indent=2, ensure_ascii=False, default=str))
