"""Levels on standard input."""

import sys

from ..engine.levels.level_text import MAX_BYTES, decode_level_text

STDIN, FROM_STDIN = "-", "standard input"
"""The argument for standard input, and its name in messages."""


def read_stdin() -> str:
    """Read standard input as the text of a level file.

    Raises:
        LevelError: The input is too large or is not text.
    """
    return decode_level_text(sys.stdin.buffer.read(MAX_BYTES + 1), FROM_STDIN)
