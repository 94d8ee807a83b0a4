"""Solutions as text, in the notation that Sokoban programs exchange (LURD).

A letter a move, ``u d l r``, a capital where it pushes. A number stands for so many of the letter behind it, or of
the moves in parentheses behind it: ``3r2(uL)`` is ``rrruLuL``.
"""

from collections.abc import Sequence

import numpy as np

from ...engine.puzzle import Row
from .rules import PLAYER, box_on, step

LETTERS = "udlr"
"""The letter of each action."""
_LONGEST = 1_000_000
_DEEPEST = 16


def write_lurd(level: Row, state: Row, actions: Sequence[int]) -> str:
    """The solution that actions are, played from ``state``; what is played after the end is left out of account."""
    now, rng, letters = state.copy(), np.ones(1, np.uint64), []
    for action in actions:
        before = now.copy()
        step(level, now, action, rng)
        letter = LETTERS[action]
        letters.append(letter.upper() if box_on(before, now[PLAYER]) else letter)
    return "".join(letters)


def read_lurd(text: str) -> list[int]:
    """The actions that a solution is; whether it pushes where it says so is not looked at.

    Args:
        text: Letters, numbers and parentheses; blanks and line breaks do not count.

    Raises:
        ValueError: Something else is in it; the message says where, as ``line:column``.
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
                raise ValueError(f"solution {where}: {digits} moves; at most {_LONGEST:,} are allowed")
            continue
        count, digits = int(digits or 1), ""
        action = LETTERS.find(symbol.lower())
        if symbol == "(":
            if len(groups) == _DEEPEST:
                raise ValueError(f"solution {where}: over {_DEEPEST} parentheses within each other")
            groups.append((actions, count, where))
            actions = []
            continue
        if symbol == ")" and groups and count == 1:
            outer, times, _ = groups.pop()
            moves, actions = actions, outer
        elif action >= 0:
            moves, times = [action], count
        else:
            raise ValueError(f"solution {where}: {symbol!r} is no move; allowed are u d l r U D L R and numbers")
        if len(actions) + len(moves) * times > _LONGEST:
            raise ValueError(f"solution {where}: over {_LONGEST:,} moves")
        actions.extend(moves * times)
    if digits:
        raise ValueError(f"solution {line}:{column}: {digits} of what? A number stands before what it repeats")
    if groups:
        raise ValueError(f"solution {groups[-1][2]}: this parenthesis is not closed")
    return actions
