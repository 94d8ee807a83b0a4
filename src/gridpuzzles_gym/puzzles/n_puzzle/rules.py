"""All rules of the sliding-tile puzzle.

    level  int16[3 + 2*N]                        state  int16[2 + N]
    ┌────────┬────────────────────────────┐      ┌──────────┬─────────────────────────────────┐
    │ HEIGHT │ rows of squares            │      │ BLANK    │ square of the blank             │
    │ WIDTH  │ squares in a row           │      │ MISPLACED│ tiles off their home, the blank │
    │ HOMES_AT│ index of the first home   │      │          │ not counted: 0 is solved        │
    │ MOVES… │ per square: legal moves of │      │ TILES…   │ per square: the tile on it,     │
    │        │ a blank there, 1 << action │      │          │ 0 for the blank                 │
    │ homes… │ per tile (0 is the blank): │      └──────────┴─────────────────────────────────┘
    │        │ its square in the goal     │
    └────────┴────────────────────────────┘

N = HEIGHT * WIDTH. Squares are numbered row by row from the top left: ``square = row * WIDTH + column``.
Actions move the blank. The home of tile ``t``, ``level[level[HOMES_AT] + t]``, is returned by :func:`home`.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from ...engine.compile.compilation import rule
from ...engine.puzzle import SOLVED, UNFINISHED
from ...engine.random import below

HEIGHT, WIDTH, HOMES_AT, MOVES = range(4)
BLANK, MISPLACED, TILES = range(3)
UP, DOWN, LEFT, RIGHT = range(4)

# settings int64[4 + N]: what `generate` reads. If SCRAMBLE_MOST is 0, start states are uniform; otherwise they are
# SCRAMBLE_LEAST to SCRAMBLE_MOST moves from the goal. GOAL: the tile on each square in the goal.
SET_HEIGHT, SET_WIDTH, SCRAMBLE_LEAST, SCRAMBLE_MOST, GOAL = range(5)

EACH_STEP, PRIZE = -1.0, 1000.0


@rule
def home(level, tile):
    """Return the square of a tile in the goal."""
    return level[level[HOMES_AT] + tile]


@rule
def furnish(level, height, width):
    """Write a level except its homes: the size of the board, and the moves of the blank on each square."""
    level[HEIGHT] = height
    level[WIDTH] = width
    level[HOMES_AT] = MOVES + height * width
    place = MOVES
    for row in range(height):
        for column in range(width):
            up, down = row > 0, row + 1 < height
            left, right = column > 0, column + 1 < width
            level[place] = (up << UP) | (down << DOWN) | (left << LEFT) | (right << RIGHT)
            place += 1


@rule
def finish(level, state):
    """Derive BLANK and MISPLACED from the tiles."""
    state[MISPLACED] = 0
    for square in range(state.shape[0] - TILES):
        tile = state[TILES + square]
        if tile == 0:
            state[BLANK] = square
        elif home(level, tile) != square:
            state[MISPLACED] += 1


@rule
def goal(level, state):
    """Write the solved board."""
    for tile in range(state.shape[0] - TILES):
        state[TILES + home(level, tile)] = tile
    state[BLANK] = home(level, 0)
    state[MISPLACED] = 0


@rule
def slide(level, state, action):
    """Move the blank; if it cannot move, nothing changes.

    There is no branch, because in random play every second step would be mispredicted.
    """
    blank = state[BLANK]
    stride = level[WIDTH] if action < LEFT else 1
    forwards = ((action & 1) << 1) - 1
    there = blank + forwards * stride * ((level[MOVES + blank] >> action) & 1)
    tile = state[TILES + there]
    own = level[MOVES + state.shape[0] - TILES + tile]  # its home, without reading HOMES_AT
    state[TILES + there] = 0
    state[TILES + blank] = tile
    state[BLANK] = there
    state[MISPLACED] += ((own == there) * 1 - (own == blank) * 1) * (tile != 0)


@rule
def step(level, state, action, rng):
    """Apply one action in place, and return (reward, terminated)."""
    slide(level, state, action)
    done = state[MISPLACED] == 0
    return EACH_STEP + PRIZE * done, done


@rule
def solved(level, state):
    """Whether every tile is at home."""
    return state[MISPLACED] == 0


@rule
def outcome(level, state):
    """Return the outcome."""
    return SOLVED if state[MISPLACED] == 0 else UNFINISHED


@rule
def legal(level, state, action):
    """Whether there is a square on that side of the blank."""
    return (level[MOVES + state[BLANK]] >> action) & 1 == 1


@rule
def undo(level, state, action):
    """Undo an action, in place; False if no state leads here by this action.

    The solved board ends the episode, so no action is ever applied to it.
    """
    if not legal(level, state, action ^ 1):
        return False
    slide(level, state, action ^ 1)
    if state[MISPLACED] == 0:
        slide(level, state, action)
        return False
    return True


@rule
def shuffle(level, state, rng):
    """Turn a solved board into a random solvable one, with equal probabilities.

    This is a Fisher-Yates shuffle in which every swap changes the parity of the board. Half of all boards have the
    wrong parity; swapping tiles 1 and 2 maps them one to one to the other half.
    """
    squares = state.shape[0] - TILES
    width = level[WIDTH]
    odd = 0
    for last in range(squares - 1, 0, -1):
        other = below(rng, last + 1)
        if other != last:
            tile = state[TILES + last]
            state[TILES + last] = state[TILES + other]
            state[TILES + other] = tile
            odd ^= 1
    for square in range(squares):
        tile = state[TILES + square]
        if tile == 0:  # a move changes the parity and the colour, as on a chessboard, of the blank's square
            start = home(level, 0)
            odd ^= (square // width + square % width + start // width + start % width) & 1
    if odd:
        for square in range(squares):
            tile = state[TILES + square]
            if tile == 1 or tile == 2:
                state[TILES + square] = 3 - tile
    finish(level, state)


@rule
def scramble(level, state, rng, moves):
    """Apply random moves to a solved board, none undoing the one before; more moves follow if they end at the goal."""
    last = -1
    made = 0
    while made < moves or state[MISPLACED] == 0:
        action = below(rng, 4)
        while not legal(level, state, action) or (last >= 0 and action == last ^ 1):
            action = below(rng, 4)
        slide(level, state, action)
        last = action
        made += 1


@rule
def generate(settings, rng, level, state):
    """Generate a random board that is solvable but not solved; see the settings above."""
    height, width = settings[SET_HEIGHT], settings[SET_WIDTH]
    furnish(level, height, width)
    for square in range(height * width):
        level[level[HOMES_AT] + settings[GOAL + square]] = square
    goal(level, state)
    least, most = settings[SCRAMBLE_LEAST], settings[SCRAMBLE_MOST]
    if most > 0:
        scramble(level, state, rng, least + below(rng, most - least + 1))
    else:
        while state[MISPLACED] == 0:
            shuffle(level, state, rng)
