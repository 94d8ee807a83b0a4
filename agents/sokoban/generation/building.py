"""Building a Sokoban level, as a game for one player in three phases: carve, place, play.

    plan   int16[8]                                state  int16[5 + 3K + N]
    ┌────────┬──────────────────────────────┐      ┌────────┬────────────────────────────────────┐
    │ HEIGHT │ rows, outer walls included   │      │ PHASE  │ CARVE, PLACE, PLAY or DONE         │
    │ HEIGHT │ rows, outer walls included   │      │ PHASE  │ CARVE, PLACE, PLAY or DONE         │
    │ WIDTH  │ columns, outer walls included│      │ PLAYER │ the player's square                │
    │ BOXES  │ K: maximum number of boxes   │      │ HOME   │ the player's square after carving  │
    │ EXACT  │ 1: all of them are required  │      │ PLACED │ boxes so far                       │
    │ LEAST  │ share of the inner squares   │      │ FLOOR  │ squares that are not wall          │
    │ MOST   │ a rollout carves: percent    │      │ AT…    │ K: the square of each box now      │
    │ PUSHES │ maximum in a rollout         │      │ FROM…  │ K: the square where it was placed  │
    │ WIDEN  │ percent of its steps that    │      │ MOVED… │ K: 1 once it was pushed            │
    │        │ also carve a neighbour       │      │ CELLS… │ N: WALL, EMPTY, or FIRST_BOX + box │
    └────────┴──────────────────────────────┘      └────────┴────────────────────────────────────┘

**Carve.** All squares but the player's are walls. A move goes through walls and turns them into floor; the outer walls
remain. *Next* freezes the walls. **Place.** A box on any empty square; *next* ends it. **Play.** Moves by the rules of
Sokoban; *next* ends the game: boxes that never moved are removed, the squares of the others become goals, and the boxes
go back to where they were placed. So the moves played are a solution of the resulting level.

After B. Kartal, N. Sohre and S. Guy, "Data-driven Sokoban puzzle generation with Monte Carlo tree search", AIIDE 2016.
There, floor is made next to floor by deleting a wall, the player does not walk to it, and a box that never moved
becomes a wall.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from gridpuzzles_gym.engine.compile.compilation import routine, rule
from gridpuzzles_gym.engine.random import below

HEIGHT, WIDTH, BOXES, EXACT, LEAST, MOST, PUSHES, WIDEN = range(8)
PHASE, PLAYER, HOME, PLACED, FLOOR, HEADER = range(6)
CARVE, PLACE, PLAY, DONE = range(4)
WALL, EMPTY, FIRST_BOX = range(3)
# Actions: the four moves, as in the rules of Sokoban, then the next phase, then placing a box on each square.
UP, DOWN, LEFT, RIGHT, NEXT, BOX_ON = range(6)


@rule
def at(spec, box):
    """Return the index in the state of a box's square."""
    return HEADER + box


@rule
def origin(spec, box):
    """Return the index in the state of the square where a box was placed."""
    return HEADER + spec[BOXES] + box


@rule
def moved(spec, box):
    """Return the index in the state of the flag of a box that has moved."""
    return HEADER + 2 * spec[BOXES] + box


@rule
def cell(spec, square):
    """Return the index in the state of a square's content."""
    return HEADER + 3 * spec[BOXES] + square


@rule
def ahead(spec, square, action):
    """Return the neighbouring square in the direction of a move."""
    return square + ((action & 1) * 2 - 1) * (spec[WIDTH] if action < LEFT else 1)


@rule
def inner(spec, square):
    """Whether a square is not one of the outer walls."""
    row, column = square // spec[WIDTH], square % spec[WIDTH]
    return 0 < row < spec[HEIGHT] - 1 and 0 < column < spec[WIDTH] - 1


@rule
def inner_squares(spec):
    """Return the number of squares that are not outer walls."""
    return (spec[HEIGHT] - 2) * (spec[WIDTH] - 2)


@routine
def actions(spec):
    """Return the number of action indices."""
    return BOX_ON + spec[HEIGHT] * spec[WIDTH]


@routine
def begin(spec, state, rng):
    """Fill in the start state: all walls, and the player on a random inner square."""
    for k in range(state.shape[0]):
        state[k] = 0
    row, column = 1 + below(rng, spec[HEIGHT] - 2), 1 + below(rng, spec[WIDTH] - 2)
    state[PLAYER] = row * spec[WIDTH] + column
    state[FLOOR] = 1
    state[cell(spec, state[PLAYER])] = EMPTY


@routine
def legal(spec, state, action):
    """Whether an action is possible and changes anything."""
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
    """Play a legal action, in place."""
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
    """Whether the level is built."""
    return state[PHASE] == DONE


@routine
def boxes_moved(spec, state):
    """Return the number of boxes that have been pushed."""
    count = 0
    for box in range(state[PLACED]):
        count += state[moved(spec, box)]
    return count


@routine
def valid(spec, state):
    """Whether the result is a level: it has boxes, as many as required, and not all on goals at the start."""
    if state[PHASE] != DONE:
        return False
    count, off_goals = 0, 0
    for box in range(state[PLACED]):
        if state[moved(spec, box)]:
            count += 1
            under = state[cell(spec, state[origin(spec, box)])]
            # A moved box starts on a goal if any moved box ends on its start square.
            off_goals += under < FIRST_BOX or not state[moved(spec, under - FIRST_BOX)]
    return off_goals > 0 and (count == spec[BOXES] or not spec[EXACT])
