"""The rules of the sliding-tile puzzle, all of them.

    level  int16[3 + 2*N]                        state  int16[2 + N]
    ┌────────┬────────────────────────────┐      ┌──────────┬─────────────────────────────────┐
    │ HEIGHT │ rows of squares            │      │ BLANK    │ square of the blank             │
    │ WIDTH  │ squares in a row           │      │ MISPLACED│ tiles off their home, the blank │
    │ HOMES_AT│ where the homes begin     │      │          │ not counted: 0 is solved        │
    │ MOVES… │ a square each: the moves   │      │ TILES…   │ a square each: the tile on it,  │
    │        │ of a blank there, 1<<action│      │          │ 0 the blank                     │
    │ homes… │ a tile each (0 the blank): │      └──────────┴─────────────────────────────────┘
    │        │ its square in the goal     │
    └────────┴────────────────────────────┘

N = HEIGHT * WIDTH. Squares are numbered row by row from the top left: ``square = row * WIDTH + column``.
Actions move the blank. Tile ``t``'s home is ``level[level[HOMES_AT] + t]``, and :func:`home` tells it.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from ...engine.compilation import rule
from ...engine.puzzle import SOLVED, UNFINISHED
from ...engine.random import below

HEIGHT, WIDTH, HOMES_AT, MOVES = range(4)
BLANK, MISPLACED, TILES = range(3)
UP, DOWN, LEFT, RIGHT = range(4)

# settings int64[4 + N]: what `generate` reads. Where SCRAMBLE_MOST is 0, starts are uniform; else that many
# moves from the goal, and at least SCRAMBLE_LEAST. GOAL: the tile on each square in the goal.
SET_HEIGHT, SET_WIDTH, SCRAMBLE_LEAST, SCRAMBLE_MOST, GOAL = range(5)

EACH_STEP, PRIZE = -1.0, 1000.0


@rule
def home(level, tile):
    """The square of a tile in the goal."""
    return level[level[HOMES_AT] + tile]


@rule
def furnish(level, height, width):
    """Write all of a level but its homes: the size of the board, and where a blank can move."""
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
    """Fill in the solved board."""
    for tile in range(state.shape[0] - TILES):
        state[TILES + home(level, tile)] = tile
    state[BLANK] = home(level, 0)
    state[MISPLACED] = 0


@rule
def slide(level, state, action):
    """Move the blank; where it cannot, everything stays as it is.

    Without a branch: random play would mispredict one in two steps.
    """
    blank = state[BLANK]
    stride = level[WIDTH] if action < LEFT else 1
    forwards = ((action & 1) << 1) - 1
    there = blank + forwards * stride * ((level[MOVES + blank] >> action) & 1)
    tile = state[TILES + there]
    own = level[MOVES + state.shape[0] - TILES + tile]  # its home, without a look at HOMES_AT
    state[TILES + there] = 0
    state[TILES + blank] = tile
    state[BLANK] = there
    state[MISPLACED] += ((own == there) * 1 - (own == blank) * 1) * (tile != 0)


@rule
def step(level, state, action, rng):
    """Play one action in place; answer (reward, terminated)."""
    slide(level, state, action)
    done = state[MISPLACED] == 0
    return EACH_STEP + PRIZE * done, done


@rule
def solved(level, state):
    """Is every tile at home?"""
    return state[MISPLACED] == 0


@rule
def outcome(level, state):
    """How the episode stands."""
    return SOLVED if state[MISPLACED] == 0 else UNFINISHED


@rule
def legal(level, state, action):
    """Is there a square on that side of the blank?"""
    return (level[MOVES + state[BLANK]] >> action) & 1 == 1


@rule
def undo(level, state, action):
    """Take an action back, in place; False where there is nothing it can have led from.

    The solved board ends the episode, so nothing is ever played from it.
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
    """Any solvable board, each equally likely, from a solved one.

    Fisher and Yates's shuffle; each swap of two squares' tiles changes the parity of the board. Half of all boards
    have the wrong one, and renaming tiles 1 and 2 turns these into the other half, one to one.
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
    """That many random moves from a solved board, none taken straight back; more while they end on the goal."""
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
    """A random board that can be solved and is not; see the settings above."""
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
