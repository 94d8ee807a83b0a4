"""Docstrings as Markdown: their markup, the fields of dataclasses, and the arguments of a class."""

import ast
import inspect
import re
import textwrap
from typing import Any, NamedTuple

_CODE = re.compile(r"``(.+?)``", re.DOTALL)
_ROLE = re.compile(r":(\w+):`(~?)([^`]+)`")


FIELDS = ("attribute", "data", "property")
"""The kinds of objects that autodoc treats as fields."""
COLON = "\ue000"
"""Replaces a colon that separates nothing."""


class Field(NamedTuple):
    """A field of a dataclass."""

    name: str
    type: str
    """Its annotation, as it is written."""
    words: str
    """Its docstring, in Markdown."""


def as_markdown(text: str) -> str:
    """Return a docstring in Markdown: its code and its cross-references as MyST writes them."""
    text = _ROLE.sub(lambda role: f"{{py:{role[1]}}}`{role[2] if role[1] != 'mod' else ''}{role[3]}`", text)
    return _CODE.sub(r"`\1`", text)


def line_of(text: str) -> str:
    """Return a docstring in Markdown on one line."""
    return as_markdown(" ".join(text.split()))


def fields(dataclass: type[Any]) -> list[Field]:
    """Return the fields of a dataclass with the strings below them, which Python does not keep."""
    (body,) = ast.parse(textwrap.dedent(inspect.getsource(dataclass))).body
    assert isinstance(body, ast.ClassDef)
    found = []
    for statement, following in zip(body.body, body.body[1:], strict=False):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            words = ""
            if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
                words = line_of(str(following.value.value))
            found.append(Field(statement.target.id, ast.unparse(statement.annotation), words))
    return found


def arguments(documented: Any) -> dict[str, str]:
    """Return the arguments that a Google-style docstring describes, in Markdown, by name."""
    section = re.search(r"^Args:\n((?:[ ]+.*\n|\n)*)", inspect.getdoc(documented) or "", re.MULTILINE)
    entries = re.split(r"^    (?=\S)", section[1] if section else "", flags=re.MULTILINE)
    pairs = (entry.partition(":") for entry in entries if entry.strip())
    return {name.strip(): line_of(words) for name, _, words in pairs}


def prepare(what: str, lines: list[str]) -> None:
    """Mark up a docstring, in place, before it is read as Google's style.

    Indented paragraphs of a module are drawings of rows and tables of arrays, which keep their lines. The first line of
    a field is a sentence, in which a colon does not separate a type from a description.

    Args:
        what: What is documented, as autodoc names it.
        lines: The docstring.
    """
    if what == "module":
        for place in range(len(lines) - 1, 1, -1):
            if lines[place].startswith("    ") and not lines[place - 1] and _ends_text(lines[place - 2]):
                lines[place - 1 : place - 1] = ["", "::"]
    elif what in FIELDS and lines:
        lines[0] = lines[0].replace(":", COLON)


def restore(what: str, lines: list[str]) -> None:
    """Undo, in place, what :func:`prepare` did for the time in which a field's docstring was read."""
    if what in FIELDS:
        lines[:] = [line.replace(COLON, ":") for line in lines]


def _ends_text(line: str) -> bool:
    return bool(line) and not line.startswith(" ") and not line.endswith("::")
