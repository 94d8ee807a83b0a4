"""What happens where no window can be opened. Nothing here imports pygame."""

UNSEEN = frozenset({"dummy", "offscreen"})
"""The names of SDL's video drivers whose windows are invisible."""


class NoWindowError(OSError):
    """No window can be opened."""
