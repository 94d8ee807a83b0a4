"""The error if no window can be opened; importing it does not import pygame."""

INVISIBLE_DRIVERS = frozenset({"dummy", "offscreen"})
"""The names of SDL's video drivers whose windows are invisible."""


class NoWindowError(OSError):
    """No window can be opened."""
