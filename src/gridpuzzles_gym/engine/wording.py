"""The interface of a puzzle's ``wording.py``: its rules in sentences, and what its observations show in symbols.

It is for language models, and for people who cannot see pictures. It is optional.
"""

import dataclasses
import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .config import EnvConfig
from .messages import plural
from .puzzle import Extent, Puzzle

Seen = npt.NDArray[Any]
"""One observation, in the shape of its space."""
Numbers = npt.NDArray[np.integer[Any]]
"""The symbol on each square of a board, as a position in :attr:`Wording.symbols`: ``[H, W]``."""


def first_channel(observations: Seen) -> Numbers:
    """Return the symbols that observations ``[B, 1, H, W]`` consist of: ``[B, H, W]``."""
    numbers: Numbers = observations[:, 0]
    return numbers


def one_channel(numbers: Numbers, remarks: Sequence[str]) -> Seen:
    """Return the observation uint8[1, H, W] that consists of these symbols.

    Raises:
        ValueError: There are remarks.
    """
    if remarks:
        raise ValueError(f"{plural(len(remarks), 'line')} after the board; there must be none")
    return numbers[None].astype(np.uint8)


@dataclasses.dataclass(frozen=True, eq=False)
class Wording:
    """How a puzzle is described in words. An observation is a board of symbols, with lines of remarks below it."""

    rules: Callable[[EnvConfig], str]
    """``rules(config)``: the rules with these options, in sentences; paragraphs are separated by a blank line."""
    observation: str
    """The observation that it is about: a key of :attr:`Puzzle.observations <gridpuzzles_gym.engine.puzzle.Puzzle>`."""
    symbols: Callable[[Extent], Mapping[str, tuple[str, ...]]]
    """``symbols(extent)``: the symbols, without whitespace, with the names of what is on the square; that of the empty
    square has none."""
    empty: str
    """The name of the empty square."""
    legend: Callable[[Extent], str]
    """``legend(extent)``: what the symbols mean, in lines."""
    spaced: bool = False
    """Whether the squares of a row are separated by spaces although every symbol is one character."""
    numbers: Callable[[Seen], Numbers] = first_channel
    """``numbers(observations)``: the symbols of observations ``[B, ...]``, positions in ``symbols``: ``[B, H, W]``."""
    remarks: Callable[[Seen], Sequence[str]] | None = None
    """``remarks(observations)``: what each of observations ``[B, ...]`` shows in addition to the board, in lines;
    None if there is nothing."""
    read: Callable[[Numbers, Sequence[str]], Seen] = one_channel
    """``read(numbers, remarks)``: the observation that has this board and these remarks. Raises ValueError if there is
    none."""


def wording_of(puzzle: Puzzle) -> Wording:
    """Import and return a puzzle's :class:`Wording`.

    Raises:
        ValueError: The puzzle has no wording.
    """
    name = f"{puzzle.module}.wording"
    try:
        found = getattr(importlib.import_module(name), "WORDING", None)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        found = None
    if not isinstance(found, Wording):
        raise ValueError(f"{puzzle.title} cannot be described in words: there is no WORDING in a module {name}")
    return found


def listed(symbols: Mapping[str, tuple[str, ...]], empty: str) -> str:
    """Return a legend with one line for each symbol: ``@ player``."""
    return "\n".join(f"{symbol} {' and '.join(parts) or empty}" for symbol, parts in symbols.items())


def unwrapped(text: str) -> str:
    """Return paragraphs, which are separated by blank lines, each on one line."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.strip().split("\n\n"))


def scoring(*parts: str) -> str:
    """Return the sentence about rewards, such as "Scoring: every action costs 1 point; winning gives 1000 points."."""
    return f"Scoring: {'; '.join(parts)}."
