"""Building a Sokoban level, as a game for one player in three phases: carve, place, play.

    plan   int16[7]                                state  int16[5 + 3K + N]
    ┌────────┬──────────────────────────────┐      ┌────────┬────────────────────────────────────┐
    │ HEIGHT │ rows, outer walls included   │      │ PHASE  │ CARVE, PLACE, PLAY or DONE         │
    │ WIDTH  │ squares in a row, the same   │      │ PLAYER │ the square he stands on            │
    │ BOXES  │ K: places for boxes          │      │ HOME   │ where he stood when carving ended  │
    │ EXACT  │ 1: all of them are needed    │      │ PLACED │ boxes so far                       │
    │ LEAST  │ of the inner squares that a  │      │ FLOOR  │ squares that are no wall           │
    │ MOST   │ roll-out carves: percent     │      │ AT…    │ K numbers: where each box is now   │
    │ PUSHES │ the most in a roll-out       │      │ FROM…  │ K: where it was placed             │
    └────────┴──────────────────────────────┘      │ MOVED… │ K: 1 once it was pushed            │
                                                   │ CELLS… │ N: WALL, EMPTY, or FIRST_BOX + box │
                                                   └────────┴────────────────────────────────────┘

**Carve.** All is wall but the square of the player. A move goes through walls and makes floor of them; the outer walls
stay. *Next* freezes the walls. **Place.** A box on any empty square; *next* ends it. **Play.** Moves by the rules of
Sokoban; *next* ends the game: boxes that never moved are removed, where a box now stands is a goal, and the boxes go
back to where they were placed. So whatever is played is a solution of the level that it makes.

After B. Kartal, N. Sohre and S. Guy, "Data-driven Sokoban puzzle generation with Monte Carlo tree search", AIIDE 2016.
There, floor is made next to floor by deleting a wall, the player does not walk to it, and a box that never moved
becomes a wall.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from gridpuzzles_gym.engine.compilation import routine, rule
from gridpuzzles_gym.engine.random import below

HEIGHT, WIDTH, BOXES, EXACT, LEAST, MOST, PUSHES = range(7)
PHASE, PLAYER, HOME, PLACED, FLOOR, HEADER = range(6)
CARVE, PLACE, PLAY, DONE = range(4)
WALL, EMPTY, FIRST_BOX = range(3)
# Actions: the four moves, as in the rules of Sokoban, then to the next phase, then a box on a square.
UP, DOWN, LEFT, RIGHT, NEXT, BOX_ON = range(6)


@rule
def at(spec, box):
    """Where in the state it says where a box is."""
    return HEADER + box


@rule
def origin(spec, box):
    """Where in the state it says where a box was placed."""
    return HEADER + spec[BOXES] + box


@rule
def moved(spec, box):
    """Where in the state it says whether a box has moved."""
    return HEADER + 2 * spec[BOXES] + box


@rule
def cell(spec, square):
    """Where in the state it says what is on a square."""
    return HEADER + 3 * spec[BOXES] + square


@rule
def ahead(spec, square, action):
    """The square next to one in the direction of a move."""
    return square + ((action & 1) * 2 - 1) * (spec[WIDTH] if action < LEFT else 1)


@rule
def inner(spec, square):
    """Is a square not one of the outer walls?"""
    row, column = square // spec[WIDTH], square % spec[WIDTH]
    return 0 < row < spec[HEIGHT] - 1 and 0 < column < spec[WIDTH] - 1


@rule
def inner_squares(spec):
    """How many squares are not outer walls."""
    return (spec[HEIGHT] - 2) * (spec[WIDTH] - 2)


@routine
def actions(spec):
    """How many numbers of actions there are."""
    return BOX_ON + spec[HEIGHT] * spec[WIDTH]


@routine
def begin(spec, state, rng):
    """All walls, and the player on any inner square."""
    for k in range(state.shape[0]):
        state[k] = 0
    row, column = 1 + below(rng, spec[HEIGHT] - 2), 1 + below(rng, spec[WIDTH] - 2)
    state[PLAYER] = row * spec[WIDTH] + column
    state[FLOOR] = 1
    state[cell(spec, state[PLAYER])] = EMPTY


@routine
def legal(spec, state, action):
    """May this be done, and does it change anything?"""
    if state[PHASE] == DONE:
        return False
    if action == NEXT:
        if state[PHASE] == CARVE:
            return state[FLOOR] > 1 + spec[EXACT] * spec[BOXES]
        if state[PHASE] == PLACE:
            return state[PLACED] == spec[BOXES] if spec[EXACT] else state[PLACED] > 0
        return True
    if action >= BOX_ON:
        square = action - BOX_ON
        free = state[cell(spec, square)] == EMPTY and square != state[PLAYER]
        return state[PHASE] == PLACE and state[PLACED] < spec[BOXES] and free
    there = ahead(spec, state[PLAYER], action)
    if state[PHASE] == CARVE:
        return inner(spec, there)
    what = state[cell(spec, there)]
    return (
        state[PHASE] == PLAY
        and what != WALL
        and (what == EMPTY or state[cell(spec, ahead(spec, there, action))] == EMPTY)
    )


@routine
def play(spec, state, action):
    """Do what is legal, in place."""
    if action == NEXT:
        if state[PHASE] == CARVE:
            state[HOME] = state[PLAYER]
        state[PHASE] += 1
    elif action >= BOX_ON:
        square, box = action - BOX_ON, state[PLACED]
        state[at(spec, box)] = state[origin(spec, box)] = square
        state[cell(spec, square)] = FIRST_BOX + box
        state[PLACED] += 1
    else:
        there = ahead(spec, state[PLAYER], action)
        what = state[cell(spec, there)]
        if what == WALL:
            state[FLOOR] += 1
        elif what >= FIRST_BOX:
            beyond, box = ahead(spec, there, action), what - FIRST_BOX
            state[cell(spec, beyond)] = what
            state[at(spec, box)] = beyond
            state[moved(spec, box)] = 1
        state[cell(spec, there)] = EMPTY
        state[PLAYER] = there


@routine
def finished(spec, state):
    """Is the level built?"""
    return state[PHASE] == DONE


@routine
def boxes_moved(spec, state):
    """How many boxes have been pushed."""
    count = 0
    for box in range(state[PLACED]):
        count += state[moved(spec, box)]
    return count


@routine
def valid(spec, state):
    """Is it a level that was built: are there boxes, as many as asked for, and not all on goals from the start?"""
    if state[PHASE] != DONE:
        return False
    count, astray = 0, 0
    for box in range(state[PLACED]):
        if state[moved(spec, box)]:
            count += 1
            under = state[cell(spec, state[origin(spec, box)])]
            # A box that has moved stands on a goal at the start if any such box stands there in the end.
            astray += under < FIRST_BOX or not state[moved(spec, under - FIRST_BOX)]
    return astray > 0 and (count == spec[BOXES] or not spec[EXACT])
