"""Solutions as text, in the notation that Sokoban programs exchange (LURD).

Each move is a letter, ``u d l r``, in upper case if it pushes a box.
"""

from collections.abc import Sequence

import numpy as np

from ...engine.messages import quote
from ...engine.scene import Row
from .rules import PLAYER, box_on, step

LETTERS = "udlr"
"""The letter of each action."""


def write_lurd(level: Row, state: Row, actions: Sequence[int]) -> str:
    """Return actions, played from ``state``, in this notation; actions after the end of the episode are ignored."""
    now, rng, letters = state.copy(), np.ones(1, np.uint64), []
    for action in actions:
        before = now.copy()
        step(level, now, action, rng)
        letter = LETTERS[action]
        letters.append(letter.upper() if box_on(before, now[PLAYER]) else letter)
    return "".join(letters)


def read_lurd(text: str) -> list[int]:
    """Return the actions of a solution; whether upper-case moves push is not checked, and white space is ignored.

    Raises:
        ValueError: A letter is not a move.
    """
    letters = "".join(text.split()).lower()
    for letter in letters:
        if letter not in LETTERS:
            raise ValueError(f"solution: {quote(letter)} is not a move; allowed are u d l r U D L R")
    return [LETTERS.index(letter) for letter in letters]
