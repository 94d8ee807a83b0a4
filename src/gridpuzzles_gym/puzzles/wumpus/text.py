"""Level text of caves, both ways, and the picture in letters.

A cave is a rectangle of symbols, a row a line, caves separated by blank lines; a line beginning
with ``;`` is a comment, the last before a cave its title:

    .  an empty square         A  the agent, facing east        W  the wumpus
    #  solid rock              ^ > v <  the agent, facing so    P  a pit       G  the gold

Where several things share a square, write the whole cave with spaces between squares: ``. GP . A``.
Each cave has one agent, one gold, at most one wumpus, and neither wumpus nor pit under the agent.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ...engine.levels import blocks
from ...engine.puzzle import Extent, Level, LevelError, Row, Scene
from .rules import (
    ALIVE,
    ARROW,
    BREEZE,
    BUMP,
    CELLS,
    CLIMB,
    EAST,
    EATEN,
    ENDING,
    FACING,
    FELL,
    GOLD,
    GOLD_AT,
    HEADING,
    HEIGHT,
    HELD,
    NORTH,
    PIT,
    RUNNING,
    SCREAM,
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

AGENTS = {"A": EAST, "^": NORTH, ">": EAST, "v": SOUTH, "<": WEST}
THINGS = {"#": WALL, "P": PIT, "W": WUMPUS}
KINDS = {"W": "wumpus", "G": "gold"} | dict.fromkeys(AGENTS, "agent")
"""What a cave has one of at most."""
ALLOWED = ". # P W G and the agent A ^ > v <"
LARGEST = 100
"""Squares a side."""


def sizes(extent: Extent) -> tuple[int, int]:
    """The lengths of level and state rows for caves of up to (height, width)."""
    height, width = extent
    return CELLS + height * width, SEEN + height * width


def parse(text: str, source: str) -> list[Level]:
    """Read the caves in a text.

    Raises:
        LevelError: What is wrong, as ``source:line:column``, and what is allowed.
    """
    return [_parse_cave(title, board, source) for title, board in blocks(text)]


class _Found(NamedTuple):
    """Where the one agent, gold or wumpus of a cave is."""

    square: tuple[int, int]
    symbol: str
    where: str
    """``source:line:column``, for messages."""


def _parse_cave(title: str, board: list[tuple[int, str]], source: str) -> Level:
    first = f"{source}:{board[0][0]}"
    rows = _rectangle(board, source)
    grid = np.zeros((len(rows), len(rows[0])), np.int16)
    found: dict[str, _Found] = {}
    for row, cells in enumerate(rows):
        for column, (where, cell) in enumerate(cells):
            for symbol in cell.replace(".", ""):
                if symbol in THINGS:
                    grid[row, column] |= THINGS[symbol]
                elif symbol not in KINDS:
                    raise LevelError(f"{where}: unknown symbol {symbol!r}; allowed are {ALLOWED}")
                kind = KINDS.get(symbol)
                if kind in found:
                    raise LevelError(f"{where}: a second {kind}; a cave has one")
                if kind:
                    found[kind] = _Found((row, column), symbol, where)
            if "#" in cell and len(cell) > 1:
                raise LevelError(f"{where}: {cell!r} puts something into solid rock")
    for kind in ("agent", "gold"):
        if kind not in found:
            raise LevelError(f"{first}: no {kind} in this cave; it needs one ({ALLOWED})")
    agent = found["agent"]
    if grid[agent.square]:
        raise LevelError(f"{agent.where}: the agent stands on a pit or the wumpus; its square must be safe")
    content = (grid, agent.square, AGENTS[agent.symbol], found["gold"].square)
    return Level(grid.shape, content, title or first)


def _rectangle(board: list[tuple[int, str]], source: str) -> list[list[tuple[str, str]]]:
    """The squares of a cave, row by row, each with where it stands; raises LevelError on a bad shape."""
    spaced = any(" " in line.strip() for _, line in board)
    rows = [[(f"{source}:{number}:{place}", cell) for place, cell in _cells(line, spaced)] for number, line in board]
    width, height = len(rows[0]), len(rows)
    for (number, line), cells in zip(board, rows, strict=True):
        if len(cells) != width:
            where = cells[width][0] if len(cells) > width else f"{source}:{number}:{len(line) + 1}"
            raise LevelError(
                f"{where}: this row has {len(cells)} squares, the cave's first has {width}; "
                "all rows of a cave are equally long"
            )
    if width * height < 2 or max(width, height) > LARGEST:
        raise LevelError(
            f"{source}:{board[0][0]}: a cave of {width}x{height} squares; at most {LARGEST} a side, at least 2 in all"
        )
    return rows


def _cells(line: str, spaced: bool) -> Iterator[tuple[int, str]]:
    """The squares of a row with their columns in the text, from 1."""
    if not spaced:
        yield from enumerate(line, start=1)
        return
    place = 0
    for word in line.split():
        place = line.index(word, place)
        yield place + 1, word
        place += len(word)


def encode(level: Level, extent: Extent, options: Any) -> tuple[Row, Row]:
    """The rows of a cave, in the top left corner of a board of ``extent``, rock around it."""
    grid, agent, heading, gold = level.content
    height, width = extent
    level_size, state_size = sizes(extent)
    row, start = np.zeros(level_size, np.int16), np.zeros(state_size, np.int16)
    board = np.full((height, width), WALL, np.int16)
    board[: grid.shape[0], : grid.shape[1]] = grid
    row[[HEIGHT, WIDTH, HEADING]] = height, width, heading
    row[START] = agent[0] * width + agent[1]
    row[GOLD_AT] = gold[0] * width + gold[1]
    row[CLIMB], row[TEXTBOOK] = options.climb, options.reward == "textbook"
    row[CELLS:] = board.ravel()
    finish(row)
    begin(row, start)
    return row, start


def format_level(level: Row, state: Row) -> str:
    """Level text of the cave as it is now: agent and gold where they stand (the gold in hand: under the agent)."""
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


def percept_words(level: Row, state: Row) -> list[str]:
    """The percepts of the moment, as words."""
    cell = level[CELLS + state[SQUARE]]
    felt = {
        "stench": cell & STENCH,
        "breeze": cell & BREEZE,
        "glitter": state[GOLD] == state[SQUARE],
        "bump": state[BUMP],
        "scream": state[SCREAM],
    }
    return [word for word, here in felt.items() if here]


def state_line(scene: Scene) -> str:
    """The original program's word for how things stand."""
    state = scene.state
    if state[ENDING] != RUNNING:
        return "died" if state[ENDING] in (FELL, EATEN) else "back home"
    if scene.steps == 0:
        return "waiting"
    if state[SCREAM]:
        return "wumpus killed"
    return "gold found" if state[GOLD] in (HELD, state[SQUARE]) else "moving"


def ansi(scene: Scene) -> str:
    """The cave as text: a square a pair, ``~`` a stench, ``=`` a breeze; small dots where the agent has not been."""
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
    hand = ("arrow" if state[ARROW] else "no arrow") + (", gold" if state[GOLD] == HELD else "")
    felt = ", ".join(percept_words(level, state)) or "nothing"
    lines.append(f"step {scene.steps}  score {scene.score:g}  {state_line(scene)}")
    lines.append(f"feels {felt}; has {hand}")
    return "\n".join(lines) + "\n"
