"""Observations as text, and back: a text shows exactly what the observation shows.

The text cannot reveal anything hidden, because it is a function of the observation; and nothing is missing, because
:meth:`View.read` returns the same observation.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..engine.config import EnvConfig
from ..engine.messages import plural, quote
from ..engine.wording import Numbers, Seen, Wording, wording_of


class View:
    """Writes the observations of an environment as text, a row of the board a line, and reads them back.

    Args:
        config: The environment's configuration, ``env.unwrapped.config``.

    Attributes:
        config: The environment's configuration.
        observation: The ``observation=`` that an environment needs for this view.
        legend: The meaning of symbols, in lines.

    Raises:
        ValueError: The puzzle has no wording.
    """

    def __init__(self, config: EnvConfig) -> None:
        self.config = config
        self.wording: Wording = wording_of(config.puzzle)
        self.observation = self.wording.observation
        self.height, self.width = config.extent[:2]
        self.symbols: Mapping[str, tuple[str, ...]] = self.wording.symbols(config.extent)
        self.numbers = {symbol: number for number, symbol in enumerate(self.symbols)}
        self.joined = not self.wording.spaced and all(len(symbol) == 1 for symbol in self.symbols)
        self.legend = self.wording.legend(config.extent)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy by arguments, because a wording consists of functions."""
        return View, (self.config,)

    def write(self, observations: npt.NDArray[Any]) -> list[str]:
        """Return a text for each observation.

        Args:
            observations: ``[B, ...]``, observations named :attr:`observation`.
        """
        texts = _grids(self.wording.numbers(observations), list(self.symbols), "" if self.joined else " ")
        if self.wording.remarks is None:
            return texts
        return [text + remarks for text, remarks in zip(texts, self.wording.remarks(observations), strict=True)]

    def read(self, text: str) -> Seen:
        """Return the observation that :meth:`write` wrote as this text.

        Raises:
            ValueError: There is no such observation; the message says why.
        """
        lines = text.splitlines()
        rows = [list(line) if self.joined else line.split() for line in lines[: self.height]]
        if len(rows) != self.height or any(len(row) != self.width for row in rows):
            sizes = ", ".join(map(str, sorted({len(row) for row in rows}))) or "no"
            raise ValueError(
                f"the board has {plural(len(rows), 'row')} of {sizes} squares; "
                f"it must have {self.height} of {self.width}"
            )
        unknown = next((symbol for row in rows for symbol in row if symbol not in self.numbers), None)
        if unknown is not None:
            raise ValueError(f"unknown symbol {quote(unknown)} on the board; allowed are {' '.join(self.symbols)}")
        board = np.array([[self.numbers[symbol] for symbol in row] for row in rows], np.int64)
        return self.wording.read(board, lines[self.height :])


def _grids(boards: Numbers, names: Sequence[str], separator: str) -> list[str]:
    """Return boards ``[B, H, W]`` as lines of words, aligned to the right in each board.

    Args:
        boards: The number of the word on each square.
        names: The words.
        separator: The text between two words: a space, or nothing.
    """
    texts = []
    for board in boards.tolist():
        rows = [[names[number] for number in row] for row in board]
        width = max(len(name) for row in rows for name in row)
        texts.append("".join(separator.join(name.rjust(width) for name in row) + "\n" for row in rows))
    return texts
