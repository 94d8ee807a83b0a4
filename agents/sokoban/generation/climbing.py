"""Hill climbing from a finished level: random edits, each undone if the level gets easier.

An edit builds or removes a wall, or moves a box, a goal or the player; about every third edit is two of these. Squares
that the player could no longer reach become walls. No box of an edited level starts on a goal, so each has to be
pushed. The solver then solves the level, for its score; edits that make it unsolvable are undone, too.

Searches in the space of levels by such edits are common in the generation of puzzles (e.g. A. Khalifa, P. Bontrager,
S. Earle and J. Togelius, "PCGRL: Procedural content generation via reinforcement learning", AIIDE 2020, where a policy
is trained to edit).
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import dataclasses
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from numba import int16, int64, uint8, uint64

from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled, routine
from gridpuzzles_gym.engine.kernels import kernel
from gridpuzzles_gym.engine.random import RandomBits, below, chance
from gridpuzzles_gym.puzzles.sokoban import PUZZLE
from gridpuzzles_gym.puzzles.sokoban.boards import make_rows

from ...candidates import past
from .difficulty import Difficulty, Measured, measure

WALLS, GOALS, BOXES, LAYERS = range(4)
"""The layers of a board, uint8[LAYERS, N]: 1 on the squares with a wall, a goal, a box."""
NOT_A_LEVEL = -1
# Out of ten edits: of walls, of boxes, of goals; the others move the player.
_OF_WALLS, _OF_BOXES, _OF_GOALS, _TEN = 4, 3, 2, 10
_TWICE = (1 << 32) * 3 // 10
"""The probability of two edits at once, times 2**32."""


@routine
def edit(board, width, player, rng):
    """Edit a board once, in place; return the player's square, or NOT_A_LEVEL, which leaves the board as it is."""
    height = board.shape[1] // width
    square = (1 + below(rng, height - 2)) * width + 1 + below(rng, width - 2)
    kind = below(rng, _TEN)
    wall, taken = board[WALLS, square] == 1, board[BOXES, square] == 1 or square == player
    if kind < _OF_WALLS:
        if not wall and (taken or board[GOALS, square] == 1):
            return NOT_A_LEVEL
        board[WALLS, square] = not wall
        return player
    if kind < _OF_WALLS + _OF_BOXES + _OF_GOALS:
        layer = BOXES if kind < _OF_WALLS + _OF_BOXES else GOALS
        if wall or board[layer, square] == 1 or (layer == BOXES and taken):
            return NOT_A_LEVEL
        number = below(rng, int(board[layer].sum()))
        for old in range(board.shape[1]):
            if board[layer, old]:
                if number == 0:
                    board[layer, old], board[layer, square] = 0, 1
                    break
                number -= 1
        return player
    return NOT_A_LEVEL if wall or taken else square


@routine
def wall_up(board, width, player, queue):
    """Turn squares that the player could never reach into walls; return whether he can reach all boxes and goals."""
    reached = np.zeros(board.shape[1], np.uint8)
    reached[player], queue[0] = 1, player
    first, end = 0, 1
    while first < end:
        for step in (-width, width, -1, 1):
            there = queue[first] + step
            if not board[WALLS, there] and not reached[there]:
                reached[there], queue[end] = 1, there
                end += 1
        first += 1
    for square in range(board.shape[1]):
        if not reached[square]:
            if board[GOALS, square] or board[BOXES, square]:
                return False
            board[WALLS, square] = 1
    return True


def make_editor() -> Callable[..., int]:
    """``editor(board, width, player, rng, queue) -> int``: edits a board, in place.

    ``board`` is uint8[LAYERS, N] with outer walls, ``queue`` (int16[N]) is scratch. Returns the player's square, or
    NOT_A_LEVEL: then the board is invalid.
    """

    def editor(board, width, player, rng, queue):
        board, rng, queue = borrowed(board), borrowed(rng), borrowed(queue)
        player = edit(board, width, player, rng)
        if player != NOT_A_LEVEL and chance(rng, _TWICE):
            player = edit(board, width, player, rng)
        if player == NOT_A_LEVEL:
            return NOT_A_LEVEL
        for square in range(board.shape[1]):
            if board[BOXES, square] and board[GOALS, square]:
                return NOT_A_LEVEL
        return player if wall_up(board, width, player, queue) else NOT_A_LEVEL

    return compiled(editor, "sokoban-editor", int64(uint8[:, ::1], int64, int64, uint64[::1], int16[::1]))


@dataclasses.dataclass
class Climb:
    """A level that is being edited.

    Args:
        board: uint8[LAYERS, H, W].
        player: The player's square, ``row * W + column``.
        score: The level's score by the evaluation.
    """

    board: npt.NDArray[np.uint8]
    player: int
    score: float
    difficulty: Difficulty | None = None
    """What the evaluation measured, if any edit was accepted."""
    done: int = 0
    """Number of edits tried."""

    def climb(self, evaluation: Measured, edits: int, rng: RandomBits, deadline: float | None = None) -> None:
        """Try edits.

        Args:
            evaluation: Scores levels.
            edits: Number of edits to try, including those that make no level.
            rng: The random generator, uint64[1].
            deadline: Stop at this time in ``time.monotonic()``.
        """
        _, height, width = self.board.shape
        editor, queue, options = kernel(make_editor), np.empty(height * width, np.int16), PUZZLE.read_options()
        while self.done < edits and not past(deadline):
            self.done += 1
            board = self.board.copy()
            player = editor(board.reshape(LAYERS, -1), width, self.player, rng, queue)
            if player == NOT_A_LEVEL:
                continue
            walls, goals, boxes = board.astype(bool)
            rows = make_rows(walls, goals, boxes, player, options)
            difficulty = measure(*rows, evaluation.limit)
            score = evaluation.worth(difficulty)
            if difficulty.solved and score >= self.score:
                self.board, self.player, self.score, self.difficulty = board, player, score, difficulty
