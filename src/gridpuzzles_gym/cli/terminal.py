"""What every command says and shows itself with."""

from collections.abc import Iterable

from rich.console import Console

console = Console()
"""Standard output."""
notices = Console(stderr=True)
"""Standard error: what is said beside what a command prints."""


def examples(*lines: str) -> str:
    """The end of a command's help: what one can type, and what it does."""
    return "[bold]Examples[/]\n\n" + "\n\n".join(f"[cyan]gridpuzzles {line}[/]" for line in lines)


def say(lines: Iterable[str]) -> None:
    """Print lines as they are; where they are long the terminal wraps them, so that paths can be copied."""
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)
