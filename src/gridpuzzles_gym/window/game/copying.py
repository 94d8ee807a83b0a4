"""The clipboard of the system."""

import pygame

from ...engine.messages import one_line, shorten

LONGEST_LINE = 160
"""Maximum length of a message, in characters."""


def said(message: object) -> str:
    """Return an error or another message as one line of limited length."""
    return shorten(one_line(message), LONGEST_LINE)


def copy_text(name: str, text: str) -> str:
    """Copy a text, and return what is said to the person.

    Args:
        name: What it is, such as "the level".
        text: The text.
    """
    try:
        pygame.scrap.put_text(text)
    except pygame.error as error:
        return f"the clipboard cannot be used: {error}"
    line = text.strip()
    return f"copied {name}" if "\n" in line else said(f"copied {name}: {line}")


def pasted_text() -> str:
    """Return the text in the clipboard; raises ValueError if the clipboard cannot be used."""
    try:
        return str(pygame.scrap.get_text())
    except pygame.error as error:
        raise ValueError(f"the clipboard cannot be used: {error}") from None
