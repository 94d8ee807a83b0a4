"""The clipboard of the system."""

import pygame

from ...engine.messages import shorten

LONGEST_LINE = 160
"""Maximum length of a message, in characters."""


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
    return f"copied {name}" if "\n" in line else shorten(f"copied {name}: {line}", LONGEST_LINE)


def pasted_text() -> str:
    """Return the text in the clipboard; raises ValueError if the clipboard cannot be used."""
    try:
        return str(pygame.scrap.get_text())
    except pygame.error as error:
        raise ValueError(f"the clipboard cannot be used: {error}") from None
