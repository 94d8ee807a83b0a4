"""What the mouse does on a board: a click on a tile slides it and all tiles between it and the blank."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from ...engine.board import touch
from ...engine.board.ways import neighbour
from ...engine.compile.compilation import rule
from .picture import area
from .rules import BLANK, DOWN, LEFT, MISPLACED, RIGHT, TILES, UP, WIDTH, slide

NOWHERE = -1


@rule
def way(level, state, square):
    """Return the action that moves the blank towards a square in its row or column; NOWHERE for others or if solved."""
    blank, columns = state[BLANK], level[WIDTH]
    if square == blank or state[MISPLACED] == 0:
        return NOWHERE
    if square // columns == blank // columns:
        return LEFT if square < blank else RIGHT
    if square % columns == blank % columns:
        return UP if square < blank else DOWN
    return NOWHERE


@rule
def click(level, state, square, out):
    """Write the moves of the blank to a square in its row or column; they end early if the board is solved."""
    action, played, n = way(level, state, square), state.copy(), 0
    while action != NOWHERE and played[BLANK] != square and played[MISPLACED] > 0:
        slide(level, played, action)
        out[n] = action
        n += 1
    return n


@rule
def target(level, state, grabbed):
    """Return the square to which a tile slides; -1 if it cannot."""
    action, squares = way(level, state, grabbed), state.shape[0] - TILES
    return -1 if action == NOWHERE else neighbour(grabbed, action ^ 1, level[WIDTH], squares)


@rule
def drag(level, state, start, end, out):
    """Write what a click on the tile does, if it is dragged one square towards the blank."""
    return click(level, state, start, out) if end == target(level, state, start) else 0


@rule
def reach(level, state, grabbed, out):
    """Write the squares of the tiles that can slide, or the square to which the grabbed tile slides."""
    for square in range(state.shape[0] - TILES):
        out[square] = way(level, state, square) != NOWHERE if grabbed < 0 else square == target(level, state, grabbed)


@rule
def actor(level, state):
    """Return the square of the blank."""
    return state[BLANK]


TOUCH = touch.Touch(
    "n_puzzle",
    touch.Rules(area, click, reach, actor, drag),
    click_words="slide the tile, and those between it and the blank",
    drag_words="slide the tile towards the blank",
)
