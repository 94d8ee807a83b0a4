"""Helpers for error messages: quoting, shortening, plurals and similar names."""

import difflib
import os
import re
import reprlib
from collections.abc import Callable, Iterable
from typing import Any

LONGEST = 500
"""The maximum length of a message, in characters."""
_LONGEST_QUOTE = 80
_PARTS, _LEVELS = 28, 3
"""The maximum number of parts of a container that are quoted, and of containers within each other."""


def shorten(text: str, longest: int = LONGEST) -> str:
    """Return the text with its middle replaced by an ellipsis if it has more than ``longest`` characters."""
    if len(text) <= longest:
        return text
    head = longest // 2
    return f"{text[:head]}…{text[head + 1 - longest :]}"


class _Shortened(reprlib.Repr):
    """The library's, without hiding errors of ``__repr__`` behind an address in memory."""

    def repr_instance(self, x: Any, level: int) -> str:
        """Return the ``repr`` of what is no container, string or integer."""
        return shorten(repr(x), self.maxother)


def quote(value: Any, longest: int = _LONGEST_QUOTE) -> str:
    """Return the ``repr`` of a value, on one line and shortened; however large it is, that takes little time."""
    short = _Shortened()
    short.maxlevel, short.maxstring, short.maxlong, short.maxother = _LEVELS, 2 * longest, 2 * longest, 2 * longest
    for kind in ("tuple", "list", "array", "dict", "set", "frozenset", "deque"):
        setattr(short, f"max{kind}", _PARTS)
    try:
        text = short.repr(value)
    except Exception:  # an integer of thousands of digits, or a user's type whose repr fails
        text = f"<{type(value).__name__}>"
    return shorten(one_line(text), longest)


def plural(number: int, noun: str, nouns: str = "") -> str:
    """Return a number with its noun: ``1 level``, ``2 levels``; ``nouns`` is an irregular plural."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def printable(text: object) -> str:
    """Return the text with each line break, tab and control character replaced by a space, and its ends stripped."""
    return "".join(letter if letter.isprintable() else " " for letter in str(text)).strip()


def one_line(text: object) -> str:
    """Return the text with each run of white space and control characters replaced by one space."""
    return " ".join(printable(text).split())


def suggestion(word: object, known: Iterable[str]) -> str:
    """Return "did you mean …? " with the known name most similar to a word; empty if none is similar.

    Case and the version of an id (``-v0``) are ignored.
    """
    if not isinstance(word, str | os.PathLike):
        return ""
    by_stem = {_stem(name): name for name in reversed(list(known))}
    stem = _stem(str(word))
    near = difflib.get_close_matches(stem, by_stem, n=1)
    near = near or [name for name in by_stem if stem and name.startswith(stem)][:1]
    return f"did you mean {by_stem[near[0]]!r}? " if near else ""


def did_you_mean(word: object, known: Iterable[str], show: Callable[[str], str] = str) -> str:
    """Return the end of an error message: the known name most similar to a word, if any, and all of them.

    Args:
        word: What was given; it is no known name.
        known: The names that are allowed.
        show: How names are written in the list.
    """
    names = list(dict.fromkeys(known))
    return f"{suggestion(word, names)}allowed are {', '.join(map(show, names)) or 'none'}"


def _stem(name: str) -> str:
    return re.sub(r"-v\d+$", "", name.lower())
