"""Parsing and formatting of sliding-tile boards as level text, and the text rendering.

A board is written as one row of tiles per line. Boards are separated by blank lines. A line that begins with ``;`` is a
comment, and the last comment before a board is its title. ``0``, ``_`` or ``.`` is the blank. Tiles are separated by
spaces, which may be omitted on boards of at most ten squares:

    1 3 4        134        134862705
    8 6 2        862
    7 _ 5        7_5

A square board may also be written on one line, as on the right, and so may any board with ``/`` or ``|`` between its
rows, or with its width and height before it, as in S. Tatham's puzzles: ``3x2:4,5,1,2,0,3``. A list of such boards may
have one per line, without blank lines between them. Commas are read as spaces. A board may state its goal on a separate
line, ``goal: spiral``, with any value of the keyword argument ``goal=``.
"""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...engine.board.interaction import Palette
from ...engine.board.text_board import WORD, Square, TextBoard
from ...engine.levels.sources import blocks
from ...engine.puzzle import Extent, Level, LevelError
from ...engine.scene import Row, Scene
from .boards import (
    GOALS,
    LARGEST,
    RUN_TOGETHER,
    SMALLEST,
    Tiles,
    arrange,
    describe,
    goal_tiles,
    make_rows,
    name_of,
    read_goal,
    why_unsolvable,
)
from .rules import HEIGHT, MISPLACED, TILES, WIDTH

BLANKS = ("0", "_", ".")
ACTIONS = ("up", "down", "left", "right")
DIGIT = r"\S"
"""A regular expression for a tile on a board without spaces."""
_ROW, _ROW_END = re.compile("[^|/]+"), re.compile("[|/]")
_SIZED, _TILE = re.compile(r"\s*([0-9]{1,2})[xX×]([0-9]{1,2}):"), re.compile(r"\S+")
_GOAL = "goal:"
_SIDES = {side * side: side for side in range(SMALLEST, LARGEST + 1)}
"""The side of a square board by its number of tiles."""


class Board(NamedTuple):
    """The content of a level."""

    tiles: Tiles
    goal: str | Tiles | None
    """The goal stated in the text, if any."""
    where: str
    """``source:line``, for messages."""


def read(text: str, source: str) -> Iterator[Level | LevelError]:
    """Yield the boards in a text, and the errors of those that are invalid."""
    for title, block in blocks(text, source):
        try:
            boards, goal = _read_block(block, source)
        except LevelError as error:
            yield error.named(title or f"{source}:{block[0][0]}")
            continue
        for place, board in enumerate(boards, start=1):
            name = f"{title} {place}" if title and len(boards) > 1 else title or board.where
            try:
                yield _level(board, goal, name)
            except LevelError as error:
                yield error.named(name)


def _read_block(block: Sequence[tuple[int, str]], source: str) -> tuple[list[TextBoard], str | Tiles | None]:
    """Return the boards in some lines, and the goal that is stated there, if any."""
    goal: str | Tiles | None = None
    lines: list[tuple[int, str]] = []
    for number, line in block:
        if not line.lstrip().lower().startswith(_GOAL):
            lines.append((number, line))
            continue
        if goal is not None:
            raise LevelError(f"{source}:{number}: a second goal; at most one is allowed")
        try:
            goal = read_goal(line.lstrip()[len(_GOAL) :].strip())
        except ValueError as error:
            raise LevelError(f"{source}:{number}: {error}") from None
    if not lines:
        raise LevelError(f"{source}:{block[0][0]}: a goal without a board")
    rows = [_rows(number, line, source) for number, line in lines]
    if all(len(each) == 1 for each in rows):
        # Each line may be a whole board, so the number of lines is not limited here.
        return _boards(_text_board([row for (row,) in rows], source)), goal
    boards = []
    for each in rows:
        board = _text_board(each, source)
        boards += _boards(board) if len(each) == 1 else [board]
    return boards, goal


def _rows(number: int, line: str, source: str) -> list[tuple[int, str]]:
    """Return the rows in a line, at least one; blanks in front of each keep its columns.

    Raises:
        LevelError: There are over :data:`LARGEST` rows in the line, or not as many tiles as its size says.
    """
    line = line.replace(",", " ")
    if sized := _SIZED.match(line):
        width, height = int(sized[1]), int(sized[2])
        tiles = list(_TILE.finditer(line, sized.end()))
        if len(tiles) != width * height or not tiles:
            raise LevelError(f"{source}:{number}: {len(tiles)} tiles; a board of {width}x{height} has {width * height}")
        rows = [tiles[first : first + width] for first in range(0, len(tiles), width)]
        return [(number, " " * row[0].start() + line[row[0].start() : row[-1].end()]) for row in rows]
    if not _ROW_END.search(line):
        return [(number, line)]
    found = list(itertools.islice((match for match in _ROW.finditer(line) if match[0].strip()), LARGEST + 1))
    if len(found) > LARGEST:
        raise LevelError(f"{source}:{number}: over {LARGEST} rows in this line; the maximum is {LARGEST}")
    return [(number, " " * match.start() + match[0]) for match in found] or [(number, line)]


def _text_board(rows: Sequence[tuple[int, str]], source: str) -> TextBoard:
    run_together = all(len(row.split(None, 1)) == 1 for _, row in rows)
    return TextBoard.read(rows, source, LARGEST**2, DIGIT if run_together else WORD, len(rows))


def _boards(block: TextBoard) -> list[TextBoard]:
    """Split a block into boards: one per line if most lines have a square number of tiles and a blank, else one."""
    whole = [_side(line) is not None and bool({tile.text for tile in line} & {*BLANKS}) for line in block.rows]
    if len(whole) > 1 and 2 * sum(whole) <= len(whole):  # a board has one blank
        return [block]
    if len(whole) == 1 and _side(block.rows[0]) is None:
        return [block]
    boards = []
    for line in block.rows:
        side = _side(line) or len(line)
        boards.append(TextBoard([line[start : start + side] for start in range(0, len(line), side)]))
    return boards


def _side(line: Sequence[Square]) -> int | None:
    """Return the side of the square board that is written on a line; None if the number of tiles is not a square."""
    return _SIDES.get(len(line))


def _level(board: TextBoard, goal: str | Tiles | None, name: str) -> Level:
    """Return the level of a board; raises LevelError if it is invalid."""
    (height, width), where = board.extent(), board.where
    if not all(SMALLEST <= side <= LARGEST for side in (height, width)):
        one = "; a board on one line must have 4, 9, 16 … tiles, or / between its rows" if height == 1 else ""
        raise LevelError(
            f"{where}: a board of {width}x{height} squares; allowed are {SMALLEST} to {LARGEST} per side{one}"
        )
    tiles = board.squares()
    if height * width > RUN_TOGETHER and all(len(tile.text) == 1 for tile in tiles):
        raise LevelError(
            f"{where}: tiles without spaces between them; boards of more than {RUN_TOGETHER} squares need spaces"
        )
    numbers = [0 if tile.text in BLANKS else _number(tile, width, height) for tile in tiles]
    _check_each_once(tiles, numbers)
    return Level((height, width), Board(tuple(numbers), goal, where), name, __package__)


def _number(tile: Square, width: int, height: int) -> int:
    if not (tile.text.isascii() and tile.text.isdigit()):
        raise LevelError(
            f"{tile.where}: {tile.text!r} is not a tile; allowed are numbers, and 0, _ or . for the blank, "
            f"separated by spaces (which may be omitted on boards of at most {RUN_TOGETHER} squares)"
        )
    last = height * width - 1
    if len(tile.text) > 9 or int(tile.text) > last:
        raise LevelError(f"{tile.where}: no tile {tile.text} on {width}x{height} squares; allowed are 1 to {last}")
    return int(tile.text)


def _check_each_once(tiles: list[Square], numbers: list[int]) -> None:
    """Raise LevelError on a duplicate tile."""
    missing = sorted({*range(len(numbers))} - {*numbers})
    for tile, number, first in zip(tiles, numbers, map(numbers.index, numbers), strict=True):
        if tile is not tiles[first]:
            twice = f"tile {number}" if number else "blank"
            lost = " and ".join(f"tile {other}" if other else "the blank" for other in missing[:3])
            raise LevelError(
                f"{tile.where}: a second {twice}, the first is at {tiles[first].where}; "
                f"{lost} {'is' if len(missing) == 1 else 'are'} missing"
            )


def encode(level: Level, extent: Extent, options: Any) -> tuple[Row, Row]:
    """Return the rows of a board. The goal is that of the options, else the one stated by the board, else ``"rows"``.

    Raises:
        LevelError: Its size is not ``extent``, it states a different goal than the options, or it cannot be solved.
    """
    board: Board = level.content
    height, width = level.extent
    if level.extent != tuple(extent):
        raise LevelError(
            f"{board.where}: a board of {width}x{height} squares; this environment's must be {extent[1]}x{extent[0]}, "
            "because all boards of an environment must have the same size"
        )
    try:
        goal = arrange(read_goal(options.goal if options.goal is not None else board.goal or "rows"), height, width)
        stated = goal if board.goal is None else arrange(board.goal, height, width)
    except ValueError as error:
        raise LevelError(f"{board.where}: {error}") from None
    if stated != goal:
        raise LevelError(
            f"{board.where}: this board's goal is {describe(name_of(stated, height, width))}, but the environment's "
            f"is {describe(name_of(goal, height, width))}; pass goal= with the board's goal"
        )
    reason = why_unsolvable(board.tiles, goal, width)
    if reason:
        raise LevelError(f"{board.where}: {reason} (the goal is {describe(name_of(goal, height, width))})")
    return make_rows(board.tiles, goal, level.extent)


def format_level(level: Row, state: Row) -> str:
    """Return level text of the board in its current state; it states the goal unless that is ``"rows"``."""
    height, width = int(level[HEIGHT]), int(level[WIDTH])
    goal = name_of(goal_tiles(level), height, width)
    stated = "" if goal == "rows" else f"{_GOAL} {describe(goal)}\n"
    return "".join(f"{row}\n" for row in _grid(level, state, "0")) + stated


def _grid(level: Row, state: Row, blank: str) -> list[str]:
    """Return the rows of a board with aligned tiles."""
    height, width = int(level[HEIGHT]), int(level[WIDTH])
    digits = len(str(height * width - 1))
    words = [(str(tile) if tile else blank).rjust(digits) for tile in state[TILES:].tolist()]
    return [" ".join(words[row * width : (row + 1) * width]) for row in range(height)]


def ansi(scene: Scene) -> str:
    """Render the board in a frame, with steps, return and status below it."""
    rows = _grid(scene.level, scene.state, " ")
    frame = "─" * (len(rows[0]) + 2)
    board = [f"┌{frame}┐", *(f"│ {row} │" for row in rows), f"└{frame}┘"]
    return "\n".join([*board, f"step {scene.steps}  return {scene.score:g}  {state_line(scene)}"]) + "\n"


def state_line(scene: Scene) -> str:
    """Return the status of the episode in a few words."""
    if scene.state[MISPLACED] == 0:
        return "solved"
    if scene.action is None:
        return "scrambled"
    moved = scene.before is None or (scene.before != scene.state).any()
    return f"blank {ACTIONS[scene.action]}" if moved else f"cannot move {ACTIONS[scene.action]}"


def pieces(extent: Extent) -> Mapping[str, str]:
    """Return the name of the blank and of each tile."""
    return {"0": "blank", **{str(tile): f"tile {tile}" for tile in range(1, extent[0] * extent[1])}}


def examples(extent: Extent) -> Sequence[str]:
    """Return a board without any tile on its goal square, because these look different."""
    height, width = extent
    tiles = list(range(height * width))
    if why_unsolvable(tuple(tiles), GOALS["rows"](height, width), width):
        tiles[1], tiles[3] = tiles[3], tiles[1]
    return ["".join(" ".join(map(str, tiles[row * width : (row + 1) * width])) + "\n" for row in range(height))]


PALETTE = Palette(
    pieces=pieces,
    sides=(SMALLEST, LARGEST),
    size=(3, 3),
    examples=examples,
    arranged=True,
    aliases={"_": "0", ".": "0"},
    endings={("" if goal == "rows" else f"goal: {goal}\n"): f"goal: {goal}" for goal in GOALS},
)
