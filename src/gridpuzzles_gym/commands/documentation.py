"""The documentation page of a puzzle (its module's docstring) as text for the terminal."""

import importlib
import inspect
import re

from rich.text import Text

from ..session.arguments import environment

_MARKUP = re.compile(r":\w+:`~?(?P<name>[^`]+)`|``(?P<code>.+?)``|\*\*(?P<strong>.+?)\*\*|`(?P<plain>[^`]+)`")
_STYLES = {"name": "cyan", "code": "cyan", "strong": "bold", "plain": "cyan"}


def documentation(env_id: str) -> Text:
    """Return the documentation page of an id's puzzle.

    Raises:
        ValueError: The id is unknown.
    """
    where = environment(env_id)[0].kwargs["puzzle"]
    page = inspect.getdoc(importlib.import_module(where)) if isinstance(where, str) else None
    return rendered(page or "")


def rendered(docstring: str) -> Text:
    """Convert docstring markup to styled text: each paragraph becomes one line; indented lines are unchanged."""
    paragraphs = []
    for paragraph in docstring.split("\n\n"):
        indented = any(line.startswith((" ", "- ", "* ")) for line in paragraph.splitlines())
        paragraphs.append(_styled(paragraph if indented else " ".join(paragraph.split())))
    return Text("\n\n").join(paragraphs)


def _styled(markup: str) -> Text:
    text, end = Text(), 0
    for match in _MARKUP.finditer(markup):
        kind = match.lastgroup
        assert kind is not None
        text.append(markup[end : match.start()])
        text.append(match[kind], _STYLES[kind])
        end = match.end()
    return text.append(markup[end:])
