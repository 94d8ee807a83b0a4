"""Solutions as text, in the notation that Sokoban programs exchange (LURD).

Each move is a letter, ``u d l r``, in upper case if it pushes a box. A number repeats the letter, or the moves in
parentheses, after it: ``3r2(uL)`` is ``rrruLuL``.
"""

from collections.abc import Sequence

import numpy as np

from ...engine.messages import quote
from ...engine.scene import Row
from .rules import PLAYER, box_on, step

LETTERS = "udlr"
"""The letter of each action."""
_LONGEST = 1_000_000
_DEEPEST = 16


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
    """Return the actions of a solution; whether upper-case moves push is not checked.

    Args:
        text: Letters, numbers and parentheses; white space is ignored.

    Raises:
        ValueError: The text is invalid; the message gives the position as ``line:column``.
    """
    actions: list[int] = []
    groups: list[tuple[list[int], int, str]] = []
    digits = ""
    line, column = 1, 0
    for symbol in text:
        line, column = (line + 1, 0) if symbol == "\n" else (line, column + 1)
        where = f"{line}:{column}"
        if symbol.isspace():
            continue
        if "0" <= symbol <= "9":
            digits += symbol
            if len(digits) > 6:
                raise ValueError(f"solution {where}: {digits} moves; the maximum is {_LONGEST:,}")
            continue
        count, digits = int(digits or 1), ""
        action = LETTERS.find(symbol.lower())
        if symbol == "(":
            if len(groups) == _DEEPEST:
                raise ValueError(f"solution {where}: over {_DEEPEST} nested parentheses")
            groups.append((actions, count, where))
            actions = []
            continue
        if symbol == ")" and groups and count == 1:
            outer, times, _ = groups.pop()
            moves, actions = actions, outer
        elif action >= 0:
            moves, times = [action], count
        else:
            raise ValueError(
                f"solution {where}: {quote(symbol)} is not a move; allowed are u d l r U D L R and numbers"
            )
        if len(actions) + len(moves) * times > _LONGEST:
            raise ValueError(f"solution {where}: over {_LONGEST:,} moves")
        actions.extend(moves * times)
    if digits:
        raise ValueError(f"solution {line}:{column}: {digits} must be followed by the moves that it repeats")
    if groups:
        raise ValueError(f"solution {groups[-1][2]}: this parenthesis is not closed")
    return actions
