"""Parsing and formatting of caves as level text, and the text rendering.

A cave is a rectangle of symbols, one row per line. Caves are separated by blank lines. A line that begins with ``;`` is
a comment, and the last comment before a cave is its title:

    .  an empty square         A  the agent, facing east         W  the wumpus
    #  solid rock              ^ > v <  the agent, facing there  P  a pit       G  the gold

If several things share a square, all squares of the cave must be separated by spaces: ``. GP . A``.
Each cave has one agent, one gold, at most one wumpus, and neither the wumpus nor a pit on the agent's square.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ...engine.board.interaction import Palette
from ...engine.board.text_board import LETTER, WORD, TextBoard
from ...engine.levels.sources import read_blocks
from ...engine.puzzle import Extent, Level, LevelError
from ...engine.scene import Row, Scene
from .rules import (
    ALIVE,
    BREEZE,
    CELLS,
    CLIMB,
    EAST,
    FACING,
    GOLD,
    GOLD_AT,
    HEADING,
    HEIGHT,
    HELD,
    NORTH,
    PIT,
    SEEN,
    SOUTH,
    SQUARE,
    START,
    STENCH,
    TEXTBOOK,
    WALL,
    WEST,
    WIDTH,
    WUMPUS,
    begin,
    finish,
)
from .status import STATUS

ACTIONS = ("turn left", "turn right", "forward", "grab", "release", "shoot", "climb")
AGENTS = {"A": EAST, "^": NORTH, ">": EAST, "v": SOUTH, "<": WEST}
THINGS = {"#": WALL, "P": PIT, "W": WUMPUS}
ALLOWED = ". # P W G and the agent A ^ > v <"
LARGEST = 100
"""The maximum number of squares per side."""


def row_lengths(extent: Extent) -> tuple[int, int]:
    """Return the lengths of level and state rows for caves of up to (height, width)."""
    height, width = extent
    return CELLS + height * width, SEEN + height * width


def read(text: str, source: str) -> Iterator[Level | LevelError]:
    """Yield the caves in a text, and the errors of those that are invalid."""
    return read_blocks(text, source, _cave)


def _cave(title: str, lines: Sequence[tuple[int, str]], source: str) -> Level:
    """Return the level of some lines; raises LevelError if it is invalid."""
    spaced = any(" " in line.strip() for _, line in lines)
    board = TextBoard.read(lines, source, LARGEST, WORD if spaced else LETTER)
    board.check_symbols([*THINGS, *AGENTS, "G", "."], ALLOWED)
    extent = board.extent()
    agent, gold = board.find_one("agent", AGENTS), board.find_one("gold", "G")
    if len(wumpuses := board.find("W")) > 1:
        raise LevelError(
            f"{wumpuses[1].where}: a second wumpus, the first is at {wumpuses[0].where}; at most one is allowed"
        )
    for rock in board.find("#"):
        if len(rock.text) > 1:
            raise LevelError(f"{rock.where}: {rock.text!r} is invalid; a square of solid rock must be empty")
    if set(agent.text) & THINGS.keys():
        raise LevelError(f"{agent.where}: the agent is on a pit or the wumpus; its square must be safe")
    squares = board.squares()
    bits = [sum(bit for symbol, bit in THINGS.items() if symbol in square.text) for square in squares]
    heading = next(AGENTS[symbol] for symbol in agent.text if symbol in AGENTS)
    agent_at, gold_at = (divmod(squares.index(square), extent[1]) for square in (agent, gold))
    content = np.array(bits, np.int16).reshape(extent), agent_at, heading, gold_at
    return Level(extent, content, title or board.where, __package__)


def encode(level: Level, extent: Extent, options: Any) -> tuple[Row, Row]:
    """Return the rows of a cave in the top left corner of a board of size ``extent``, filled up with rock."""
    grid, agent, heading, gold = level.content
    board = np.full(extent, WALL, np.int16)
    board[: grid.shape[0], : grid.shape[1]] = grid
    agent_at, gold_at = (row * extent[1] + column for row, column in (agent, gold))
    row = make_level(board, agent_at, heading, gold_at, options)
    start = np.zeros(row_lengths(extent)[1], np.int16)
    begin(row, start)
    return row, start


def make_level(board: npt.NDArray[np.int16], start: int, heading: int, gold: int, options: Any) -> Row:
    """Make the level row of a cave.

    Args:
        board: The bits WALL, PIT and WUMPUS of each square, int16[H, W].
        start: The start square of the agent.
        heading: Its initial facing.
        gold: The square of the gold.
        options: The environment's options.
    """
    row = _level_with(board.tobytes(), board.shape).copy()
    row[[START, HEADING, GOLD_AT]] = start, heading, gold
    row[CLIMB], row[TEXTBOOK] = options.climb, options.reward == "textbook"
    return row


@lru_cache(maxsize=256)
def _level_with(board: bytes, extent: Extent) -> Row:
    """Return the level row of a cave with only the entries that depend on its board; cached, because caves repeat."""
    row = np.zeros(row_lengths(extent)[0], np.int16)
    row[[HEIGHT, WIDTH]] = extent
    row[CELLS:] = np.frombuffer(board, np.int16)
    finish(row)
    return row


def format_level(level: Row, state: Row) -> str:
    """Return level text of the cave in its current state; gold that the agent holds is on the agent's square."""
    height, width = int(level[HEIGHT]), int(level[WIDTH])
    gold = state[SQUARE] if state[GOLD] == HELD else state[GOLD]
    cells = []
    for square in range(height * width):
        bits = level[CELLS + square]
        cell = "".join(symbol for symbol, bit in THINGS.items() if bits & bit)
        cell += "G" if square == gold else ""
        cell += "^>v<"[state[FACING]] if square == state[SQUARE] else ""
        cells.append(cell or ".")
    space = " " if any(len(cell) > 1 for cell in cells) else ""
    lines = [space.join(cells[row * width : (row + 1) * width]) for row in range(height)]
    return "\n".join(lines) + "\n"


def ansi(scene: Scene) -> str:
    """Render the cave as text: ``~`` is a stench, ``=`` a breeze, ``·`` an unvisited square."""
    level, state = scene.level, scene.state
    height, width = int(level[HEIGHT]), int(level[WIDTH])
    knowledge = scene.options.show == "knowledge"
    lines = []
    for row in range(height):
        cells = []
        for square in range(row * width, (row + 1) * width):
            bits, seen = level[CELLS + square], state[SEEN + square]
            things = ""
            if seen or not knowledge:
                things += "P" if bits & PIT else ""
                things += ("W" if state[ALIVE] else "x") if bits & WUMPUS else ""
                things += "G" if state[GOLD] == square else ""
            things += "^>v<"[state[FACING]] if square == state[SQUARE] else ""
            if seen:
                things += ("~" if bits & STENCH else "") + ("=" if bits & BREEZE else "")
            cells.append(("####" if bits & WALL else things or ("_" if seen else "·")).center(5))
        lines.append("|" + "|".join(cells) + "|")
    status = STATUS.describe(scene, ACTIONS)
    percepts, (arrow, gold), _ = status.groups
    felt = ", ".join(percept.words for percept in percepts if percept.lit) or "nothing"
    lines.append(f"step {scene.steps}  return {scene.score:g}  {status.words}")
    lines.append(f"feels {felt}; has {arrow.words}{', gold' if gold.lit else ''}")
    return "\n".join(lines) + "\n"


PIECES = {
    ".": "empty square",
    "#": "solid rock",
    "^": "agent facing north",
    ">": "agent facing east",
    "v": "agent facing south",
    "<": "agent facing west",
    "W": "wumpus",
    "P": "pit",
    "G": "gold",
}
_FACING = "^>v<"
SHARED = ("PW", "PG", "WG", "PWG", *(f"G{agent}" for agent in _FACING))
"""The pieces that can share a square, from bottom to top."""


def _example(agent: str, gold: str, wumpus: str) -> str:
    """Return a cave with the agent far from everything else, because its lantern lights the squares around it."""
    return f"{gold} . {wumpus} . P . # . . . . {agent}\n"


PALETTE = Palette(
    pieces=lambda extent: PIECES,
    sides=(2, LARGEST),  # several pieces on a square could not be distinguished from several squares in a column of one
    size=(4, 4),
    examples=lambda extent: (
        *(_example(agent, "G", "W") for agent in _FACING),
        *(_example(f"G{agent}", ".", "PW") for agent in _FACING),
        *(_example(">", shared, "." if "W" in shared else "W") for shared in SHARED if "G" in shared[1:]),
    ),
    combined={shared: shared for shared in SHARED},
    single=(_FACING, "W", "G"),
    aliases={"A": ">"},
)
