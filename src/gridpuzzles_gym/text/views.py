"""Observations as text, and back: a view shows exactly what the observation shows.

The text cannot reveal anything hidden, because it is a function of the observation; and nothing is missing, because
:meth:`View.read` returns the same observation.
"""

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..engine.arguments import choice
from ..engine.config import EnvConfig
from ..engine.messages import plural, quote
from ..engine.wording import Numbers, Seen, Wording, wording_of

Rows = list[list[str]]
"""The symbols of a board, row by row."""
_FACT = re.compile(r"([^:]+): (\(\d+, \d+\)(?:, \(\d+, \d+\))*)")
_SQUARE = re.compile(r"\((\d+), (\d+)\)")


class _Style(NamedTuple):
    """A way to write boards."""

    write: "Callable[[View, Numbers], list[str]]"
    """``write(view, boards)``: a text for each board ``[B, H, W]``."""
    read: "Callable[[View, list[str]], tuple[Rows, list[str]]]"
    """``read(view, lines)``: the symbols of the board, and the lines after it; raises ValueError."""
    legend: "Callable[[View, str], str]"
    """``legend(view, symbols)``: the explanation of the text, given that of the symbols."""


class View:
    """Writes the observations of an environment as text, and reads them back.

    Args:
        config: The environment's configuration, ``env.unwrapped.config``.
        style: ``"board"``: the board, a row a line; ``"facts"``: for each kind of thing, the squares where it is.

    Attributes:
        config: The environment's configuration.
        style: The style.
        observation: The ``observation=`` that an environment needs for this view.
        legend: The meaning of symbols and coordinates, in lines.

    Raises:
        ValueError: There is no such style, or the puzzle has no wording.
    """

    def __init__(self, config: EnvConfig, style: str = "board") -> None:
        self.config = config
        self.style = choice("view", style, VIEWS)
        self.wording: Wording = wording_of(config.puzzle)
        self.observation = self.wording.observation
        self.height, self.width = config.extent[:2]
        self.symbols: Mapping[str, tuple[str, ...]] = self.wording.symbols(config.extent)
        self.numbers = {symbol: number for number, symbol in enumerate(self.symbols)}
        self.joined = not self.wording.spaced and all(len(symbol) == 1 for symbol in self.symbols)
        self._style = _STYLES[style]
        self.legend = self._style.legend(self, self.wording.legend(config.extent))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy by arguments, because a wording consists of functions."""
        return View, (self.config, self.style)

    def write(self, observations: npt.NDArray[Any]) -> list[str]:
        """Return a text for each observation.

        Args:
            observations: ``[B, ...]``, observations named :attr:`observation`.
        """
        texts = self._style.write(self, self.wording.numbers(observations))
        if self.wording.remarks is None:
            return texts
        return [text + remarks for text, remarks in zip(texts, self.wording.remarks(observations), strict=True)]

    def read(self, text: str) -> Seen:
        """Return the observation that :meth:`write` wrote as this text.

        Raises:
            ValueError: There is no such observation; the message says why.
        """
        rows, remarks = self._style.read(self, text.splitlines())
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
        return self.wording.read(board, remarks)

    # -- boards ----------------------------------------------------------------------------------

    def _board(self, boards: Numbers) -> list[str]:
        return _grids(boards, list(self.symbols), "" if self.joined else " ")

    def _read_board(self, lines: list[str]) -> tuple[Rows, list[str]]:
        rows = [list(line) if self.joined else line.split() for line in lines[: self.height]]
        return rows, lines[self.height :]

    # -- facts -----------------------------------------------------------------------------------

    @functools.cached_property
    def _parts(self) -> dict[str, list[int]]:
        """The numbers of the symbols that show each kind of thing, by name."""
        found: dict[str, list[int]] = {}
        for number, parts in enumerate(self.symbols.values()):
            for part in parts:
                found.setdefault(part, []).append(number)
        return found

    @functools.cached_property
    def _has(self) -> npt.NDArray[np.bool_]:
        """Whether a symbol shows a kind of thing, bool[things, symbols]."""
        table = np.zeros((len(self._parts), len(self.symbols)), np.bool_)
        for row, numbers in zip(table, self._parts.values(), strict=True):
            row[numbers] = True
        return table

    def _facts(self, boards: Numbers) -> list[str]:
        present = self._has[:, boards].swapaxes(0, 1).reshape(len(boards), len(self._parts), len(self._squares))
        squares = [self._squares[square] for square in np.nonzero(present)[2].tolist()]
        texts, place = [], 0
        for counts in present.sum(axis=2).tolist():
            lines = [self._size]
            for name, count in zip(self._parts, counts, strict=True):
                if count:
                    lines.append(f"{name}: {', '.join(squares[place : place + count])}")
                    place += count
            texts.append("\n".join(lines) + "\n")
        return texts

    @functools.cached_property
    def _squares(self) -> list[str]:
        return [f"({row}, {column})" for row in range(1, self.height + 1) for column in range(1, self.width + 1)]

    @functools.cached_property
    def _size(self) -> str:
        return f"Board: {plural(self.height, 'row')}, {plural(self.width, 'column')}"

    def _read_facts(self, lines: list[str]) -> tuple[Rows, list[str]]:
        if lines[:1] != [self._size]:
            raise ValueError(f"the first line must be {quote(self._size)}")
        present: dict[tuple[int, int], set[str]] = {}
        count = 1
        while count < len(lines) and (fact := _FACT.fullmatch(lines[count])):
            for square in _SQUARE.finditer(fact[2]):
                row, column = int(square[1]) - 1, int(square[2]) - 1
                if not (0 <= row < self.height and 0 <= column < self.width):
                    raise ValueError(f"{square[0]} is not on the board")
                present.setdefault((row, column), set()).add(fact[1])
            count += 1
        rows = [[self._symbol(row, column, present) for column in range(self.width)] for row in range(self.height)]
        return rows, lines[count:]

    def _symbol(self, row: int, column: int, present: Mapping[tuple[int, int], set[str]]) -> str:
        """Return the symbol of a square, given what is on it; raises ValueError if there is none."""
        parts = frozenset(present.get((row, column), ()))
        symbol = self._symbol_of.get(parts)
        if symbol is None:
            wrong = " and ".join(sorted(parts)) or "nothing"
            raise ValueError(f"({row + 1}, {column + 1}) cannot have {wrong}; allowed are {', '.join(self._parts)}")
        return symbol

    @functools.cached_property
    def _symbol_of(self) -> dict[frozenset[str], str]:
        return {frozenset(parts): symbol for symbol, parts in self.symbols.items()}


def _grids(boards: Numbers, names: Sequence[str], separator: str) -> list[str]:
    """Return boards ``[B, H, W]`` as lines of words, aligned to the right in each board.

    Args:
        boards: The number of the word on each square.
        names: The words, in ASCII.
        separator: The text between two words: a space, or nothing.
    """
    lengths = np.array(list(map(len, names)))
    widths = lengths[boards].max(axis=(1, 2))
    texts = [""] * len(boards)
    for width in np.unique(widths).tolist():
        which = np.flatnonzero(widths == width)
        aligned = (name.rjust(width)[:width] + separator for name in names)  # longer names are on none of these boards
        words = np.array([list(name.encode("ascii")) for name in aligned], np.uint8)
        letters = words[boards[which]].reshape(len(which), boards.shape[1], -1)
        if separator:
            letters[:, :, -1] = ord("\n")
        else:
            letters = np.insert(letters, letters.shape[2], ord("\n"), axis=2)
        size = letters[0].size
        text = letters.tobytes().decode("ascii")
        for place, index in enumerate(which.tolist()):
            texts[index] = text[place * size : (place + 1) * size]
    return texts


def _facts_legend(view: View, symbols: str) -> str:
    empty = view.wording.empty
    rest = f" Squares that are not listed are {empty}." if empty else ""
    return f"Squares are written (row, column), counted from 1 at the top left.{rest}"


_STYLES = {
    "board": _Style(View._board, View._read_board, lambda view, symbols: symbols),
    "facts": _Style(View._facts, View._read_facts, _facts_legend),
}
VIEWS = tuple(_STYLES)
"""The styles of views."""
