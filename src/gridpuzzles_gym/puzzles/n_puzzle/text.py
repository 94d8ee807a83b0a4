"""Level text of sliding-tile boards, both ways, and the picture in letters.

A board is its rows of tiles, a row a line, boards separated by blank lines; a line beginning with
``;`` is a comment, the last before a board its title. ``0``, ``_`` or ``.`` is the blank. Tiles are
separated by blanks; in a board of ten squares at most they may run together:

    1 3 4        134        134862705
    8 6 2        862
    7 _ 5        7_5

A square board fits in one line, as on the right; so a list of instances may have one a line, without
blank lines between. A board may state its goal, in a line beside its rows: ``goal: spiral``, or any
other that the keyword argument ``goal=`` takes.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...engine.levels import blocks
from ...engine.puzzle import Extent, Level, LevelError, Row, Scene
from ...engine.text_board import WORD, Square, TextBoard
from .boards import (
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
"""What is a tile where they run together."""
_GOAL = "goal:"


class Board(NamedTuple):
    """What a level holds."""

    tiles: Tiles
    goal: str | Tiles | None
    """As the text states it; None where it states none."""
    where: str
    """``source:line``, for messages."""


def parse(text: str, source: str) -> list[Level]:
    """Read the boards in a text.

    Raises:
        LevelError: What is wrong, as ``source:line:column``, and what is allowed.
    """
    levels = []
    for title, block in blocks(text, source):
        goal: str | Tiles | None = None
        lines: list[tuple[int, str]] = []
        for number, line in block:
            if not line.lstrip().lower().startswith(_GOAL):
                lines.append((number, line))
                continue
            if goal is not None:
                raise LevelError(f"{source}:{number}: a second goal; a board has one")
            try:
                goal = read_goal(line.lstrip()[len(_GOAL) :].strip())
            except ValueError as error:
                raise LevelError(f"{source}:{number}: {error}") from None
        if not lines:
            raise LevelError(f"{source}:{block[0][0]}: a goal without a board")
        run_together = all(len(line.split(None, 1)) == 1 for _, line in lines)
        # A line may hold a whole board, and any number of them may follow each other.
        read = TextBoard.read(lines, source, LARGEST**2, DIGIT if run_together else WORD, len(lines))
        boards = _boards(read)
        for place, board in enumerate(boards, start=1):
            name = f"{title} {place}" if title and len(boards) > 1 else title or board.where
            levels.append(_level(board, goal, name))
    return levels


def _boards(block: TextBoard) -> list[TextBoard]:
    """A block as boards: one; or one a line, where each line is a square number of tiles with a blank."""
    several = len(block.rows) > 1
    if any(_side(line) is None or (several and not {tile.text for tile in line} & {*BLANKS}) for line in block.rows):
        return [block]
    boards = []
    for line in block.rows:
        side = _side(line) or 1
        boards.append(TextBoard([line[start : start + side] for start in range(0, len(line), side)]))
    return boards


def _side(line: Sequence[Square]) -> int | None:
    """The side of the square board that a line of tiles can hold; None where it holds none."""
    return next((side for side in range(SMALLEST, LARGEST + 1) if side * side == len(line)), None)


def _level(board: TextBoard, goal: str | Tiles | None, name: str) -> Level:
    """The level of a board; raises LevelError on what it cannot be."""
    (height, width), where = board.extent(), board.where
    if not all(SMALLEST <= side <= LARGEST for side in (height, width)):
        one = "; one line holds a square board, 4, 9, 16 … tiles" if height == 1 else ""
        raise LevelError(f"{where}: a board of {width}x{height} squares; {SMALLEST} to {LARGEST} a side{one}")
    tiles = board.squares()
    if height * width > RUN_TOGETHER and all(len(tile.text) == 1 for tile in tiles):
        raise LevelError(f"{where}: tiles run together; in a board of over {RUN_TOGETHER} squares blanks separate them")
    numbers = [0 if tile.text in BLANKS else _number(tile, width, height) for tile in tiles]
    _check_each_once(tiles, numbers)
    return Level((height, width), Board(tuple(numbers), goal, where), name)


def _number(tile: Square, width: int, height: int) -> int:
    if not (tile.text.isascii() and tile.text.isdigit()):
        raise LevelError(
            f"{tile.where}: {tile.text!r} is no tile; allowed are numbers, and 0, _ or . for the blank, "
            f"with blanks between them (a board of {RUN_TOGETHER} squares at most may run them together)"
        )
    last = height * width - 1
    if len(tile.text) > 9 or int(tile.text) > last:
        raise LevelError(f"{tile.where}: no tile {tile.text} on {width}x{height} squares; they are 1 to {last}")
    return int(tile.text)


def _check_each_once(tiles: list[Square], numbers: list[int]) -> None:
    """Raise LevelError on a tile that is there twice."""
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
    """The rows of a board. Its goal is the options', else its own, else by rows.

    Raises:
        LevelError: Its size is not ``extent``, it states another goal than the options, or it cannot be solved.
    """
    board: Board = level.content
    height, width = level.extent
    if level.extent != tuple(extent):
        raise LevelError(
            f"{board.where}: a board of {width}x{height} squares, but this environment's are {extent[1]}x{extent[0]}; "
            "all boards of one are equally large"
        )
    try:
        goal = arrange(read_goal(options.goal if options.goal is not None else board.goal or "rows"), height, width)
        stated = goal if board.goal is None else arrange(board.goal, height, width)
    except ValueError as error:
        raise LevelError(f"{board.where}: {error}") from None
    if stated != goal:
        raise LevelError(
            f"{board.where}: this board's goal is {describe(name_of(stated, height, width))}, but the environment's "
            f"is {describe(name_of(goal, height, width))}; give it goal= as the board states"
        )
    reason = why_unsolvable(board.tiles, goal, width)
    if reason:
        raise LevelError(f"{board.where}: {reason} (the goal is {describe(name_of(goal, height, width))})")
    return make_rows(board.tiles, goal, level.extent)


def format_level(level: Row, state: Row) -> str:
    """Level text of the board as it is now; it states the goal unless that is by rows."""
    height, width = int(level[HEIGHT]), int(level[WIDTH])
    goal = name_of(goal_tiles(level), height, width)
    stated = "" if goal == "rows" else f"{_GOAL} {describe(goal)}\n"
    return "".join(f"{row}\n" for row in _grid(level, state, "0")) + stated


def _grid(level: Row, state: Row, blank: str) -> list[str]:
    """The rows of a board, its tiles aligned."""
    height, width = int(level[HEIGHT]), int(level[WIDTH])
    digits = len(str(height * width - 1))
    words = [(str(tile) if tile else blank).rjust(digits) for tile in state[TILES:].tolist()]
    return [" ".join(words[row * width : (row + 1) * width]) for row in range(height)]


def ansi(scene: Scene) -> str:
    """The board in a frame; below it steps, score, and what was done last."""
    rows = _grid(scene.level, scene.state, " ")
    frame = "─" * (len(rows[0]) + 2)
    board = [f"┌{frame}┐", *(f"│ {row} │" for row in rows), f"└{frame}┘"]
    return "\n".join([*board, f"step {scene.steps}  score {scene.score:g}  {state_line(scene)}"]) + "\n"


def state_line(scene: Scene) -> str:
    """How things stand, in a few words."""
    if scene.state[MISPLACED] == 0:
        return "solved"
    if scene.action is None:
        return "scrambled"
    moved = scene.before is None or (scene.before != scene.state).any()
    return f"blank {ACTIONS[scene.action]}" if moved else f"no way {ACTIONS[scene.action]}"
