"""The picture: white floor, grey walls, a green goal, a blue player.

Its rules put sprites on squares, as rows of numbers: ``engine/pictures/placement.py`` describes them. Windows, films,
files and web pages draw these rows, so this file is all that each of them needs.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from gridpuzzles_gym.engine.compile.compilation import rule
from gridpuzzles_gym.engine.pictures.picture import Frame, Picture
from gridpuzzles_gym.engine.pictures.placement import cover, move_from

from .rules import GOAL, HEIGHT, WALLS, WIDTH

SPRITES = ("#ffffff", "#787878", "goal", "player")
"""Colours, and the names of files in the folder ``art``."""
FLOOR, WALL, FLAG, PLAYER = range(len(SPRITES))


@rule
def area(level, out):
    """Write the size of the board, then what is drawn of it, its top, left, height and width: here all of it."""
    rows, columns = level[HEIGHT], level[WIDTH]
    out[0], out[1], out[2], out[3], out[4], out[5] = rows, columns, 0, 0, rows, columns


@rule
def ground(level, scene, out):
    """Write what never moves, and return the number of rows; ``cover`` writes one and returns the number so far."""
    n = 0
    for square in range(level.shape[0] - WALLS):
        n = cover(out, n, WALL if level[WALLS + square] else FLOOR, square)
    return cover(out, n, FLAG, level[GOAL])


@rule
def pieces(level, start, before, state, scene, out):
    """Write everything else: the player, who comes from the square before the last action."""
    n = cover(out, 0, PLAYER, state[0])
    move_from(out, n, before[0])
    return n


PICTURE = Picture(
    package=__package__,
    sprites=SPRITES,
    area=area,
    ground=ground,
    pieces=pieces,
    frame=Frame("#303030", "#606060", share=0.1, least=2, most=12),
)
