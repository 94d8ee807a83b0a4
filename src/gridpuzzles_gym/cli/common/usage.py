"""Messages about a mistyped command: the parser's exceptions in the words of the suite."""

import re
from typing import Any

from ...engine.messages import did_you_mean, quote, suggestion

ID = "ID"
"""What the help calls an environment's id."""
_WHERE = "; gridpuzzles list shows all, and gridpuzzles alone opens a window to choose in"


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
