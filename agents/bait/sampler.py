"""Random levels of Bait that can be won: rooms, doors with holes in them, and a search to verify them.

A board is cut into rooms, with a door in every cut. The avatar, the key and the goal are put into random rooms, and the
doors that cannot be avoided on the way from one to the next become holes: boxes have to be pushed into all of them,
and their number is the level's difficulty. A search then has to find a solution, or the level is generated again.
"""

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.arguments import integer
from gridpuzzles_gym.engine.messages import quote
from gridpuzzles_gym.engine.puzzle import Extent, Level
from gridpuzzles_gym.puzzles import bait
from gridpuzzles_gym.puzzles.bait.boards import FLOOR, LETTERS, WALL_SYMBOL, Symbols, make_rows

from ..samplers.base import Stateless
from ..search.heuristic import DEAD_END
from ..search.problem import INTERRUPTED, Limits, Problem
from ..search.searches import SEARCHES
from .heuristics import HEURISTICS

DIFFICULTIES = {"easy": 1, "medium": 2, "hard": 3}
"""Number of holes that have to be filled, by difficulty."""
SMALLEST, LARGEST = 7, 24
"""Limits on each side of the board in squares."""
SQUARES_A_HOLE, SPARED = 16, 7
"""Squares inside the outer walls that a board must have for each hole, and how many fewer in total will do."""
MOST_HOLES = 4
"""Maximum number of holes; with more, finding a level that can be won takes many seconds."""
_PATIENCE = Limits(nodes=500)
"""Limits of the search for a solution; a level that exceeds them is rejected."""
_AVATAR, _KEY, _GOAL, _HOLE, _BOX, _MUSHROOM = (LETTERS.index(letter) for letter in "Akg01m")
# Maximum numbers of surplus boxes, mushrooms, and single walls: one per this many squares.
_SPARE_BOXES, _SQUARES_A_MUSHROOM, _SQUARES_A_WALL = 2, 24, 12

Square = tuple[int, int]
Rooms = npt.NDArray[np.int64]
"""int64[H, W]: the number of each square's room, from 1; 0 for walls and doors."""
Random = np.random.Generator


class BaitSampler(Stateless):
    """Generates levels that can be won, for ``gym.make("Bait-v0", levels=BaitSampler(…))``.

    Args:
        width: Columns, outer walls included.
        height: Rows, outer walls included.
        difficulty: ``"easy"``, ``"medium"``, ``"hard"``, or the number of holes that have to be filled.

    Raises:
        ValueError: A size is out of range, there is no such difficulty, or the board is too small for the holes.
    """

    def __init__(self, width: int = 9, height: int = 9, difficulty: str | int = "easy") -> None:
        self.extent: Extent = integer("height", height, SMALLEST, LARGEST), integer("width", width, SMALLEST, LARGEST)
        if isinstance(difficulty, str) and difficulty not in DIFFICULTIES:
            raise ValueError(f"difficulty={quote(difficulty)}: must be one of {', '.join(DIFFICULTIES)} or a number")
        most = min(((height - 2) * (width - 2) + SPARED) // SQUARES_A_HOLE, MOST_HOLES)
        holes = DIFFICULTIES[difficulty] if isinstance(difficulty, str) else difficulty
        if isinstance(holes, int) and holes > most:
            raise ValueError(f"difficulty={quote(difficulty)}: the maximum for {width}x{height} squares is {most}")
        self.holes = integer("difficulty", holes, 1, most)
        self._options = bait.PUZZLE.read_options()

    def sample(self, random_bits: int) -> Level:
        """Return the level of these random bits; equal bits give equal levels."""
        random = np.random.default_rng(random_bits)
        while True:
            symbols = random_board(random, self.extent, self.holes)
            if symbols is not None and self.wins(symbols):
                name = f"{self.holes} to fill, {random_bits:016x}"
                return Level(self.extent, symbols, name, bait.PUZZLE.module)

    def wins(self, symbols: Symbols) -> bool:
        """Whether a short search finds a solution."""
        problem = Problem(bait.PUZZLE, *make_rows(symbols, self._options), self._options)
        heuristic = HEURISTICS["first-times"]
        if heuristic.function()(problem.level, problem.state, heuristic.prepare(problem.level)) == DEAD_END:
            return False
        result = SEARCHES["greedy"].solve(problem, heuristic, _PATIENCE)
        if result.status == INTERRUPTED:
            raise KeyboardInterrupt
        return result.solved


def random_board(random: Random, extent: Extent, holes: int) -> Symbols | None:
    """Return a random board with this many holes to fill; None if the attempt failed."""
    symbols: Symbols = np.full(extent, WALL_SYMBOL, np.uint8)
    symbols[1:-1, 1:-1] = FLOOR
    rooms, doors = cut(random, symbols, holes)
    if len(doors) < holes:
        return None
    size = (extent[0] - 2) * (extent[1] - 2)
    floor = np.flatnonzero((symbols == FLOOR) & (rooms > 0))
    order: list[Square] = list(zip(*np.unravel_index(random.permutation(floor), extent), strict=True))
    avatar, key, goal = order[:3]
    shut = doors_between(rooms, doors, avatar, key) | doors_between(rooms, doors, key, goal)
    if len(shut) != holes:
        return None
    boxes = holes + int(random.integers(_SPARE_BOXES + 1))
    mushrooms = int(random.integers(size // _SQUARES_A_MUSHROOM + 1))
    walls = int(random.integers(size // _SQUARES_A_WALL + 1))
    for square, thing in zip(
        order, [_AVATAR, _KEY, _GOAL] + [_MUSHROOM] * mushrooms + [WALL_SYMBOL] * walls, strict=False
    ):
        symbols[square] = thing
    free = [square for square in order if symbols[square] == FLOOR and not in_corner(symbols, square)]
    for square in free[:boxes]:
        symbols[square] = _BOX
    for square in shut:
        symbols[square] = _HOLE
    return symbols


def cut(random: Random, symbols: Symbols, cuts: int) -> tuple[Rooms, set[Square]]:
    """Cut the floor into rooms by walls with one door each; returns the rooms, and the doors."""
    height, width = symbols.shape
    boxes, doors = [(1, 1, height - 1, width - 1)], set()
    for _ in range(cuts):
        # The largest room, across its longer side: each side needs two squares, to push a box through the door.
        top, left, bottom, right = box = max(boxes, key=lambda box: (box[2] - box[0]) * (box[3] - box[1]))
        high, wide = bottom - top, right - left
        if max(high, wide) < 5:
            break
        boxes.remove(box)
        if wide < high or (wide == high and random.random() < 0.5):
            row = int(random.integers(top + 2, bottom - 2))
            symbols[row, left:right] = WALL_SYMBOL
            doors.add((row, int(random.integers(left, right))))
            boxes += [(top, left, row, right), (row + 1, left, bottom, right)]
        else:
            column = int(random.integers(left + 2, right - 2))
            symbols[top:bottom, column] = WALL_SYMBOL
            doors.add((int(random.integers(top, bottom)), column))
            boxes += [(top, left, bottom, column), (top, column + 1, bottom, right)]
    rooms: Rooms = np.zeros(symbols.shape, np.int64)
    for number, (top, left, bottom, right) in enumerate(boxes, start=1):
        rooms[top:bottom, left:right] = number
    for door in doors:
        symbols[door] = FLOOR
    return rooms, doors


def in_corner(symbols: Symbols, square: Square) -> bool:
    """Whether there are walls on two adjacent sides; a box there can never move."""
    up, down, left, right = (symbols[near] == WALL_SYMBOL for near in neighbours(square))
    return bool((up or down) and (left or right))


def neighbours(square: Square) -> list[Square]:
    """Return the four neighbours of a square."""
    row, column = square
    return [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]


def doors_between(rooms: Rooms, doors: set[Square], start: Square, end: Square) -> set[Square]:
    """Return the doors on the way from one square to another: the only way, as rooms and doors make a tree."""
    waiting: list[tuple[int, frozenset[Square]]] = [(int(rooms[start]), frozenset())]
    while waiting:
        room, way = waiting.pop()
        if room == rooms[end]:
            return set(way)
        for door in doors - way:
            sides = {int(rooms[near]) for near in neighbours(door)} - {0}
            if room in sides:
                waiting += [(other, way | {door}) for other in sides - {room}]
    return set()
