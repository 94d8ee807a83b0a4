"""The unvisited squares that are certainly safe, given what has been perceived and the number of pits.

Everything is decided by counting and covering, with integers only. Suppose the wumpus is on a certain square. Then pits
are possible on the other unvisited squares that are next to no visited square without a breeze. Every breeze needs a
pit next to it, and more pits on possible squares contradict nothing. So a number of pits is possible if so many can
explain all breezes, and there are as many possible squares; and if a square is left for the gold, unless it was seen.
"""

from collections.abc import Sequence
from typing import NamedTuple

from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.wumpus.rules import ALIVE, BREEZE, CELLS, GOLD, SEEN, STENCH, WALL, WIDTH


class Knowledge(NamedTuple):
    """What a player who has not shot the arrow knows about a cave; squares are numbered row by row."""

    neighbours: tuple[frozenset[int], ...]
    """For each square, the squares next to it, without rock."""
    unvisited: frozenset[int]
    """The squares that were not visited, without rock."""
    stenches: frozenset[int]
    """The visited squares with a stench."""
    breezes: frozenset[int]
    """The visited squares with a breeze."""
    gold_seen: bool
    pits: int


def knowledge(level: Row, state: Row, pits: int) -> Knowledge:
    """What the agent knows in a state.

    Args:
        level: The level; only what the agent has perceived of it is used.
        state: The state.
        pits: The number of pits in the cave.

    Raises:
        ValueError: The wumpus is dead, or the agent has the gold.
    """
    if not state[ALIVE] or state[GOLD] < 0:
        raise ValueError("the wumpus must be alive, and the gold must lie in the cave")
    cells, seen, width = level[CELLS:].tolist(), state[SEEN:].tolist(), int(level[WIDTH])
    squares = [square for square, cell in enumerate(cells) if not cell & WALL]
    visited = {square for square in squares if seen[square]}
    return Knowledge(
        tuple(frozenset(_next_to(square, width, len(cells)) & {*squares}) for square in range(len(cells))),
        frozenset(squares) - visited,
        frozenset(square for square in visited if cells[square] & STENCH),
        frozenset(square for square in visited if cells[square] & BREEZE),
        int(state[GOLD]) in visited,
        pits,
    )


def certainly_safe(known: Knowledge) -> list[int]:
    """Return the unvisited squares with no pit and no wumpus in any cave that agrees with the percepts, ascending."""
    dangerous: set[int] = set()
    for lair in known.unvisited:
        if not _may_be_lair(known, lair) or not _possible(known, lair):
            continue
        dangerous.add(lair)
        dangerous |= {pit for pit in known.unvisited - dangerous if _possible(known, lair, pit)}
    return sorted(known.unvisited - dangerous)


def _next_to(square: int, width: int, squares: int) -> set[int]:
    column = square % width
    sides = {square - width, square + width} | ({square - 1} if column else set())
    return {there for there in sides | ({square + 1} if column + 1 < width else set()) if 0 <= there < squares}


def _may_be_lair(known: Knowledge, lair: int) -> bool:
    """Whether a wumpus there explains which visited squares have a stench."""
    return known.neighbours[lair] - known.unvisited == known.stenches


def _possible(known: Knowledge, lair: int, pit: int | None = None) -> bool:
    """Whether there is a cave with the wumpus on a square, and a pit on another."""
    free = {
        square
        for square in known.unvisited - {lair}
        if known.neighbours[square] - known.unvisited <= known.breezes  # no calm visited square is next to it
    }
    if pit is not None and pit not in free:
        return False
    left = known.pits - (pit is not None)
    squares_for_gold = len(known.unvisited) - 1 - known.pits
    if left < 0 or known.pits > len(free) or squares_for_gold < (not known.gold_seen):
        return False
    waiting = [known.neighbours[breeze] & free for breeze in known.breezes]
    return _covers([options for options in waiting if pit is None or pit not in options], left)


def _covers(waiting: Sequence[frozenset[int] | set[int]], most: int) -> bool:
    """Whether at most so many squares have one in each of these sets."""
    if not waiting:
        return True
    if most == 0:
        return False
    fewest = min(waiting, key=len)
    return any(_covers([options for options in waiting if pit not in options], most - 1) for pit in fewest)
