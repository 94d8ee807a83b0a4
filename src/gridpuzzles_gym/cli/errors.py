"""The one place where an exception becomes one line for the person at the terminal."""

import dataclasses
import os
import sys
import traceback
from collections.abc import Callable
from typing import Any

from ..engine import messages

FAILED, BAD_USAGE, INTERRUPTED = 1, 2, 130


@dataclasses.dataclass
class Call:
    """What the command line knows of this call."""

    debug: bool = False
    """Show tracebacks."""


def guarded(command: Callable[[], Any], call: Call) -> int:
    """Run a command; whatever goes wrong, say so in one line on standard error.

    Bad input is a ``ValueError`` all over the suite; files and displays fail with an ``OSError``, and memory can run
    out. Anything else is a bug: its line asks to report it.

    Returns:
        The exit code: 0, 1 (failed), 2 (bad usage) or 130 (Ctrl-C).
    """
    try:
        code = command()
        sys.stdout.flush()
    except KeyboardInterrupt as interrupt:
        return interrupted(interrupt)
    except BrokenPipeError:  # the reader of our output has gone, e.g. `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except Exception as error:
        if call.debug:
            traceback.print_exc()
        line, code = describe(error)
        print(f"gridpuzzles: {one_line(line)}", file=sys.stderr)
        return code
    return code if isinstance(code, int) else 0


def interrupted(interrupt: KeyboardInterrupt) -> int:
    """The exit code of Ctrl-C; where work that has kept what was done put words into it, they are said."""
    if interrupt.args:
        print(f"gridpuzzles: {one_line(interrupt)}", file=sys.stderr)
    return INTERRUPTED


def describe(error: Exception) -> tuple[str, int]:
    """An exception as one line, and its exit code."""
    usage = _usage(error)
    if usage is not None:
        return usage, BAD_USAGE
    if isinstance(error, ImportError) and not (error.name or "").startswith("gridpuzzles_gym"):
        what = f"{error.name} is not installed" if error.name else one_line(error)
        return f'{what}; pip install "gridpuzzles_gym[train]" brings what this needs', FAILED
    if isinstance(error, ValueError):
        return one_line(error), BAD_USAGE
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return where + (error.strerror or one_line(error)), FAILED
    if isinstance(error, MemoryError):
        return f"out of memory{_detail(error)}; smaller numbers or boards need less", FAILED
    if isinstance(error, RecursionError):
        return f"something in the input is nested too deeply{_detail(error)}", BAD_USAGE
    what = f"{type(error).__name__}{_detail(error)}"
    return f"{what} (this is a bug: please report it, with what --debug shows)", FAILED


def _detail(error: Exception) -> str:
    """What an exception says, behind a colon; nothing where it says nothing."""
    detail = one_line(error)
    return f": {detail}" if detail else ""


def _usage(error: Exception) -> str | None:
    """What the command line's parser says of a mistyped command; None where the error is another."""
    # Typer carries a parser of its own or uses click's, depending on its version: both have these two.
    format_message = getattr(error, "format_message", None)
    if format_message is None or not hasattr(error, "exit_code"):
        return None
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "gridpuzzles"
    return f"{one_line(format_message()).rstrip('.')}. Try '{path} --help'."


def one_line(text: object) -> str:
    """A message in one line of limited length; the terminal is sent no control characters."""
    return messages.shorten(messages.one_line(text))
