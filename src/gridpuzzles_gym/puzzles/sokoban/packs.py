"""Reads and encodes many levels at once: packs for long training runs have a hundred thousand.

One by one, each takes a third of a millisecond; here, a twentieth of that. Only the simplest kind of text is read, the
one that ``gridpuzzles generate`` writes and Boxoban's levels have; all others, and everything invalid, is left to
:mod:`.text`.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ...engine.compile.compilation import compiled, is_worth_compiling, plain
from ...engine.kernels import kernel
from ...engine.levels.sources import MAX_LINES
from ...engine.puzzle import Extent, Level
from .boards import LARGEST, MOST_SQUARES, fill_rows, meanings_of, sizes
from .checking import Plain, count_reached
from .rules import ASTRAY, CELLS, COUNT, GOAL, PLAYER, WALL, finish, stuck

MANY = 1000
"""Fewer levels are not worth it."""
WORTH = 5000
"""If the kernel is not compiled yet, it is after this many levels in packs."""
_SLICE = 2**22
"""Squares encoded at a time, to bound the memory for it."""
_SYMBOLS = frozenset("# .$*@+")

Rows = npt.NDArray[np.int16]
_seen = 0


def make_survey() -> Callable[[Rows, Rows, npt.NDArray[np.uint8]], None]:
    """``survey(levels, states, playable)``: ``finish`` for many boards.

    ``playable`` (uint8[K]) receives 1 for boards that are not solved, with as many boxes as goals, where the player can
    reach all squares without walls, and that are not obviously impossible. Walls must be on all edges.
    """

    def survey(levels, states, playable):
        squares = levels.shape[1] - CELLS
        for k in range(levels.shape[0]):
            level, state = levels[k], states[k]
            finish(level, state)
            goals, floor = 0, 0
            for square in range(squares):
                goals += level[CELLS + square] & GOAL != 0
                floor += level[CELLS + square] & WALL == 0
            fair = goals == level[COUNT] and state[ASTRAY] > 0 and count_reached(level, state[PLAYER]) == floor
            playable[k] = fair and not stuck(level, state)

    return compiled(survey, "sokoban-survey-many")


def encode_many(levels: Sequence[Level], extent: Extent, options: Any) -> tuple[Rows, Rows] | None:
    """Return the rows of many levels (int16[K, L] and int16[K, S]); None if encoding them one by one is as good."""
    if not _is_worth_it(len(levels)):
        return None
    rows = [np.empty((len(levels), size), np.int16) for size in sizes(extent)]
    for some in _slices(len(levels), extent):
        rows[0][some], rows[1][some], _ = _survey([level.content for level in levels[some]], extent, options)
    return rows[0], rows[1]


def read_pack(text: str) -> list[Level] | None:
    """Return the levels of a text; None if it has few, any of them is invalid, or it is not of the simplest kind.

    Each board must be below its title, a line with a ``;`` but without a colon, and must have walls on all edges; blank
    lines separate them.
    """
    if text.count("\n\n") + 1 < MANY or text.count("\n") > MAX_LINES:
        return None
    titles, boards = [], []
    for block in text.strip("\n").split("\n\n"):
        title, *rows = block.strip("\n").split("\n")
        titles.append(title.strip().lstrip(";").strip())
        if not title.startswith(";") or ":" in title or not titles[-1] or not _enclosed(rows):
            return None
        boards.append(tuple(rows))
    if not _is_worth_it(len(boards)):
        return None
    extents = [(len(rows), len(rows[0])) for rows in boards]
    extent = max(height for height, _ in extents), max(width for _, width in extents)
    if extent[0] * extent[1] > MOST_SQUARES:
        return None
    for some in _slices(len(boards), extent):
        if not _survey(boards[some], extent, Plain())[2].all():
            return None
    return [Level(*each, __package__) for each in zip(extents, boards, titles, strict=True)]


def _slices(count: int, extent: Extent) -> Iterator[slice]:
    """Divide so many boards into slices of about :data:`_SLICE` squares."""
    step = max(_SLICE // (extent[0] * extent[1]), 1)
    return (slice(start, start + step) for start in range(0, count, step))


def _enclosed(rows: list[str]) -> bool:
    """Whether these rows are a rectangle of plain XSB with walls on all edges."""
    if not 3 <= len(rows) <= LARGEST or not 3 <= len(rows[0]) <= LARGEST or len(set(map(len, rows))) > 1:
        return False
    board, width = "".join(rows), len(rows[0])
    edges = rows[0] + rows[-1] + board[::width] + board[width - 1 :: width]
    return edges == "#" * len(edges) and _SYMBOLS.issuperset(board)


def _is_worth_it(count: int) -> bool:
    """Whether so many levels are worth the compilation of the kernel."""
    global _seen
    survey = kernel(make_survey)
    if count < MANY or plain(survey) is survey:  # numba is switched off
        return False
    _seen += count
    rows = np.zeros((0, 1), np.int16)
    return _seen >= WORTH or is_worth_compiling(survey, rows, rows, np.zeros(0, np.uint8))


def _survey(boards: Sequence[Sequence[str]], extent: Extent, options: Any) -> tuple[Rows, Rows, npt.NDArray[np.bool_]]:
    """Return the rows of boards in plain XSB, and whether each has one player and is playable."""
    height, width = extent
    text = "".join(["".join([row.ljust(width, "#") for row in rows]).ljust(height * width, "#") for rows in boards])
    symbols = np.frombuffer(text.encode("ascii"), np.uint8).reshape(-1, height, width)
    walls, goals, boxes, player = meanings_of(symbols)
    flat = player.reshape(len(boards), -1)
    levels, states = (np.zeros((len(boards), size), np.int16) for size in sizes(extent))
    fill_rows(levels, states, walls, goals, boxes, flat.argmax(1), options)
    playable = np.zeros(len(boards), np.uint8)
    kernel(make_survey)(levels, states, playable)
    return levels, states, (playable != 0) & (flat.sum(1) == 1)
