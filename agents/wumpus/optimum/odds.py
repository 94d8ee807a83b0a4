"""What the optimal agent knows about the squares that it could enter next, and where its current move leads."""

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.puzzles.wumpus.rules import FORWARD, TURN_LEFT, TURN_RIGHT

from .knowledge import FOUND, PERCEPTS, caves, evidence_row, look
from .playing import BREEZES, FACING, GLITTER, HAND, LAIRS, MOVE, NOTHING, SHOT, SQUARE, VISITED, after, carry_out
from .solver import STOP
from .world import CLIMB, SQUARES, START, World

Memory = npt.NDArray[np.int64]
"""A row int64[11], see the top of :mod:`.playing`."""


def odds_of(world: World, memory: Memory) -> tuple[int, dict[int, tuple[float, float]]]:
    """Return the number of caves that agree with all percepts; and the odds of squares next to visited ones.

    Returns:
        The number; and for each square the probability of death there, and that of the gold. Without the caves that
        the world generates, in a given one for instance, 0 and nothing.
    """
    visited, breezes, lairs, arrow = (int(memory[place]) for place in (VISITED, BREEZES, LAIRS, SHOT))
    held = int(memory[HAND] or memory[GLITTER])
    with np.errstate(over="ignore"):  # hashes, as in machine code
        row = evidence_row(world, visited, breezes)
        total = 0 if row < 0 else int(caves(world, visited, row, lairs, held))
        found = {}
        for square in range(int(world.facts[SQUARES])) if total else ():
            if not visited >> square & 1 and int(world.around[square]) & visited:
                percepts = np.zeros((PERCEPTS, 4), np.int64)
                count, alive = look(world, visited, breezes, lairs, arrow, held, square, percepts)
                found[square] = 1 - alive / total, float(percepts[:count, FOUND].sum() / total)
    return total, found


def walk_of(world: World, memory: Memory) -> list[int]:
    """Return the squares of the agent's current move, beginning with its own; one alone if it stays there."""
    move, walk, row = int(memory[MOVE]), [int(memory[SQUARE])], memory.copy()
    home = int(world.facts[START])
    stays = move == STOP and not world.facts[CLIMB] and not memory[HAND]
    if move == NOTHING or stays:
        return walk
    for _ in range(4 * len(world.neighbours)):
        action = carry_out(world, row, move)
        arrived = not memory[VISITED] >> walk[-1] & 1 or (move == STOP and walk[-1] == home)
        if arrived or action not in (FORWARD, TURN_LEFT, TURN_RIGHT):
            break
        row[SQUARE], row[FACING] = divmod(int(after(world, 4 * row[SQUARE] + row[FACING], action)), 4)
        if action == FORWARD:
            walk.append(int(row[SQUARE]))
    return walk
