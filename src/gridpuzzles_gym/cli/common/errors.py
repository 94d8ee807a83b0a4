"""Exceptions as one line on standard error, and their exit codes."""

import dataclasses
import os
import re
import sys
import traceback
import warnings
from collections.abc import Callable
from typing import Any

from ...engine import messages
from ...engine.arguments import UnexpectedArgumentError
from ...engine.levels.level_text import LevelWarning
from ...engine.messages import did_you_mean, quote, suggestion
from ...play.window import CrashError

FAILED, BAD_USAGE, INTERRUPTED = 1, 2, 130
ID = "ID"
"""What the help calls an environment's id."""
_WHERE = "; gridpuzzles list shows all, and gridpuzzles alone opens a window to choose in"


@dataclasses.dataclass
class Call:
    """State of one call of the command line."""

    debug: bool = False
    """Show tracebacks."""


_INSTALLED_BY = {
    "PIL": "imageio",
    "i18n": "pygame_gui",
}
"""The requirement of this package that installs a module of another name."""


def extra_of(module: str) -> str:
    """Return the optional extra that installs a missing module; ``train`` if none names it."""
    import importlib.metadata

    requirement = _INSTALLED_BY.get(module, module).replace("_", "-").lower()
    try:
        lines = importlib.metadata.requires("gridpuzzles_gym") or []
    except importlib.metadata.PackageNotFoundError:  # run from its files, without being installed
        lines = []
    for line in lines:
        found = re.match(r"([\w.-]+).*;.*\bextra == ['\"](\w+)['\"]", line)
        if found and found[1].replace("_", "-").lower() == requirement:
            return found[2]
    return "train"


def guarded(command: Callable[[], Any], call: Call) -> int:
    """Run a command; print any error as one line on standard error.

    Throughout the suite invalid input raises ``ValueError``; files and displays raise ``OSError``. Lack of memory and
    deeply nested input have messages of their own. Any other exception is a bug, and its message asks for a report.

    Returns:
        The exit code: 0, 1 (failed), 2 (invalid usage) or 130 (Ctrl-C).
    """
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _shower(warnings.showwarning)
            code = command()
        sys.stdout.flush()
    except KeyboardInterrupt as interrupt:
        return interrupted(interrupt)
    except BrokenPipeError:  # the reader of our output has closed it, e.g. `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except Exception as error:
        if call.debug:
            traceback.print_exc()
        line, code = describe(error)
        print(f"gridpuzzles: {one_line(line)}", file=sys.stderr)
        return code
    return code if isinstance(code, int) else 0


def _shower(show: Callable[..., None]) -> Callable[..., None]:
    """Return a function that shows a warning about levels as one line on standard error, others by ``show``."""

    def shown(message: Warning | str, category: type[Warning], *where: Any) -> None:
        if issubclass(category, LevelWarning):
            print(f"gridpuzzles: {messages.one_line(message)}", file=sys.stderr)
        else:
            show(message, category, *where)

    return shown


def interrupted(interrupt: KeyboardInterrupt) -> int:
    """Print the message of an interrupt, if it has one (e.g. what was saved), and return its exit code."""
    if interrupt.args:
        print(f"gridpuzzles: {one_line(interrupt)}", file=sys.stderr)
    return INTERRUPTED


def describe(error: Exception) -> tuple[str, int]:
    """Return the one-line message for an exception, and its exit code."""
    problem = usage(error)
    if problem is not None:
        return one_line(problem), BAD_USAGE
    if isinstance(error, ImportError) and not (error.name or "").startswith("gridpuzzles_gym"):
        if not error.name:
            return one_line(error), FAILED
        extra = extra_of(error.name.partition(".")[0])
        return f'{error.name} is not installed; to install it: pip install "gridpuzzles_gym[{extra}]"', FAILED
    if isinstance(error, UnexpectedArgumentError):
        return one_line(error.__cause__ or error), BAD_USAGE  # Gymnasium repeats it with all other arguments
    if isinstance(error, ValueError):
        return one_line(error), BAD_USAGE
    if isinstance(error, CrashError):
        return one_line(error), FAILED
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return where + (error.strerror or one_line(error)), FAILED
    if isinstance(error, MemoryError):
        return f"out of memory{_detail(error)}; try a smaller board or smaller limits", FAILED
    if isinstance(error, RecursionError):
        return f"the input is nested too deeply{_detail(error)}", BAD_USAGE
    what = f"{type(error).__name__}{_detail(error)}"
    return f"{what} (this is a bug: please report it with the output of --debug)", FAILED


def _detail(error: Exception) -> str:
    """Return ``: `` and the message of an exception; an empty string if it has no message."""
    detail = one_line(error)
    return f": {detail}" if detail else ""


def one_line(text: object) -> str:
    """Return a message as one line of limited length, without control characters."""
    return messages.shorten(messages.one_line(text))


def usage(error: Any) -> str | None:
    """Return the message about a mistyped command; None if the exception is not the parser's."""
    # Depending on its version, Typer uses click's parser or a copy of it: these attributes exist in both.
    if not (hasattr(error, "format_message") and hasattr(error, "exit_code")):
        return None
    context = getattr(error, "ctx", None)
    path = "" if context is None else f"{context.command_path} "
    problem = _problem(error, context)
    return f"{problem}{' ' if problem.endswith('?') else '; '}{path}--help shows what is possible"


def unknown_command(name: str, known: list[str]) -> ValueError:
    """Return the error for a command that does not exist."""
    return ValueError(f"unknown command {quote(name)}; {did_you_mean(name, known)}")


def _problem(error: Any, context: Any) -> str:
    parameter, kind = getattr(error, "param", None), type(error).__name__
    if kind == "MissingParameter" and parameter is not None:
        return f"{_name(parameter)} is missing{_example(context)}{_WHERE if parameter.metavar == ID else ''}"
    if kind == "NoSuchOption":
        known = (
            [] if context is None else [each for param in context.command.get_params(context) for each in param.opts]
        )
        options = [name for name in known if name.startswith("-")]
        similar = suggestion(error.option_name, options).rstrip()
        return f"unknown option {quote(error.option_name)}{similar and '; '}{similar}"
    if kind == "BadOptionUsage":
        flag = "not take a value" in error.message
        return f"{error.option_name} {'takes no value' if flag else 'needs a value'}"
    if kind == "BadParameter" and parameter is not None and (expected := _expected(parameter)):
        problems: list[Any] = getattr(error.__cause__, "errors", list)()
        value = f" {quote(problems[0]['input'])}" if problems else ""
        return f"{_name(parameter)}{value}: must be {expected}"
    extra = re.fullmatch(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)", str(error.message))
    return f"unexpected {quote(extra[1])}" if extra else str(error.format_message()).rstrip(".?")


def _name(parameter: Any) -> str:
    """Return an option's name, or what the help calls an argument."""
    return str(parameter.opts[0] if parameter.opts[0].startswith("-") else parameter.metavar)


def _example(context: Any) -> str:
    """Return the first example of a command's help."""
    found = None if context is None else re.search(r"\[cyan\](.*?)\[/\]", context.command.epilog or "")
    return f", e.g. {found[1]}" if found else ""


def _expected(parameter: Any) -> str:
    """Return which numbers an option takes; empty if it takes no number."""
    declared = getattr(parameter, "type_descriptor", None)
    if declared is not None:
        kind, bounds = declared.annotation, declared.parameter_info
    else:
        kind, bounds = {"integer": int, "float": float}.get(parameter.type.name.split()[0]), parameter.type
    if kind not in (int, float):
        return ""
    least, most = getattr(bounds, "min", None), getattr(bounds, "max", None)
    what = "an integer" if kind is int else "a number"
    if least is None:
        return what
    return f"{what} of at least {least}" if most is None else f"{what} from {least} to {most:,}"
