"""What messages are made of: nothing in them is longer than somebody reads."""

from typing import Any

LONGEST = 500
"""Characters of a message."""
_LONGEST_QUOTE = 80


def shorten(text: str, longest: int = LONGEST) -> str:
    """A text of at most so many characters: of a longer one the middle is left out."""
    if len(text) <= longest:
        return text
    head = longest // 2
    return f"{text[:head]}…{text[head + 1 - longest :]}"


def quote(value: Any, longest: int = _LONGEST_QUOTE) -> str:
    """A value as Python writes it, in one line and shortened."""
    if isinstance(value, str) and len(value) > longest:  # most of it is not even looked at
        value = value[:longest] + value[-longest:]
    try:
        text = repr(value)
    except Exception:  # an integer of thousands of digits, or somebody's own type
        text = f"<{type(value).__name__}>"
    return shorten(one_line(text), longest)


def plural(number: int, noun: str, nouns: str = "") -> str:
    """``1 level``, ``2 levels``; ``nouns`` is the plural where it is not made with an s."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def one_line(text: object) -> str:
    """A text without line breaks and control characters; what is blank about it becomes one space."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in str(text)).split())
