"""Building a Sokoban level, as a game for one player in three phases: carve, place, play.

    plan   int16[8]                                state  int16[5 + 3K + N]
    ┌────────┬──────────────────────────────┐      ┌────────┬────────────────────────────────────┐
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
Sokoban; *next* ends the game: boxes that never moved are removed, the squares of the others become goals, and the
boxes go back to where they were placed. So the moves played are a solution of the resulting level.

After B. Kartal, N. Sohre and S. Guy, "Data-driven Sokoban puzzle generation with Monte Carlo tree search", AIIDE 2016.
There, floor is made next to floor by deleting a wall, the player does not walk to it, and a box that never moved
becomes a wall.

**Rollouts** of the generator's tree search build at random. A simulation leaves the tree after a few actions, so
rollouts determine most of a level's looks. They are not uniform over the actions: a uniform player would walk back and
forth and hardly ever push.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from collections.abc import Callable

from numba import int16, int64

from gridpuzzles_gym.engine.compile.compilation import compiled, routine, rule
from gridpuzzles_gym.engine.random import below, chance

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


# Probabilities times 2**32 of going straight on when carving; of pushing the last box again; and otherwise, of
# choosing a box that has not moved yet.
STRAIGHT, AGAIN, FRESH = 1 << 31, 1 << 31, 1 << 30
PATIENCE = 4
"""Tries to find a square where a box could be pushed, per square of the board; then any square is used."""


@routine
def roll_out(spec, state, rng, trail, length, scratch):
    """Build to the end, in place; return the new length of ``trail``.

    Carves until a randomly chosen share of the board is floor; places all boxes; then makes a random number of pushes,
    and continues until all boxes have moved if required.

    Args:
        spec: See :mod:`.generation.building`.
        state: See :mod:`.generation.building`.
        rng: The random generator.
        trail: int16[T]: the actions so far, to be continued.
        length: How many there are.
        scratch: int16[2, N]: scratch arrays for a search.
    """
    if state[PHASE] == CARVE:
        length = next_phase(spec, state, trail, carve(spec, state, rng, trail, length))
    if state[PHASE] == PLACE:
        length = next_phase(spec, state, trail, place(spec, state, rng, trail, length))
    if state[PHASE] == PLAY:
        pushes, last = 1 + below(rng, spec[PUSHES]), -1
        for done in range(spec[PUSHES]):
            if done >= pushes and (boxes_moved(spec, state) == spec[BOXES] or not spec[EXACT]):
                break
            last, length = go_and_push(spec, state, rng, trail, length, scratch[0], scratch[1], last)
            if last < 0:
                break
        length = next_phase(spec, state, trail, length)
    return length


@rule
def do(spec, state, action, trail, length):
    """Play an action and record it; return the new length of the trail."""
    play(spec, state, action)
    trail[length] = action
    return length + 1


@routine
def next_phase(spec, state, trail, length):
    """Go to the next phase, if that is legal and the trail has space; return its new length."""
    if length < trail.shape[0] and legal(spec, state, NEXT):
        return do(spec, state, NEXT, trail, length)
    return length


@routine
def carve(spec, state, rng, trail, length):
    """Walk until enough is floor, stepping aside and back on the way; return the new length of the trail."""
    wanted = inner_squares(spec) * (spec[LEAST] + below(rng, spec[MOST] - spec[LEAST] + 1)) // 100
    side = below(rng, 4)
    while length < trail.shape[0] and (state[FLOOR] < wanted or not legal(spec, state, NEXT)):
        if not (chance(rng, STRAIGHT) and legal(spec, state, side)):
            side = below(rng, 4)
            while not legal(spec, state, side):
                side = below(rng, 4)
        length = do(spec, state, side, trail, length)
        percent = spec[WIDEN]
        while percent > 0 and length + 2 <= trail.shape[0]:
            aside = below(rng, 4)
            if below(rng, 100) < percent and legal(spec, state, aside):
                length = do(spec, state, aside ^ 1, trail, do(spec, state, aside, trail, length))
            percent -= 100
    return length


@routine
def place(spec, state, rng, trail, length):
    """Place boxes while there are boxes and squares left; return the new length of the trail."""
    squares = spec[HEIGHT] * spec[WIDTH]
    tries = PATIENCE * squares
    while length < trail.shape[0] and state[PLACED] < spec[BOXES] and state[PLACED] + 1 < state[FLOOR]:
        square = below(rng, squares)
        tries -= 1
        if legal(spec, state, BOX_ON + square) and (tries < 0 or pushable(spec, state, square)):
            length = do(spec, state, BOX_ON + square, trail, length)
    return length


@rule
def pushable(spec, state, square):
    """Whether there is floor on two opposite sides of a square, so that a box there could be pushed."""
    across = state[cell(spec, square - 1)] != WALL and state[cell(spec, square + 1)] != WALL
    return across or (
        state[cell(spec, square - spec[WIDTH])] != WALL and state[cell(spec, square + spec[WIDTH])] != WALL
    )


@routine
def go_and_push(spec, state, rng, trail, length, came, wave, last):
    """Walk to a box and push it once; return (that box, the length of the trail), the box -1 if there is none."""
    squares, here = spec[HEIGHT] * spec[WIDTH], state[PLAYER]
    for square in range(squares):
        came[square] = -1
    # Breadth-first search for the player: came[square] is the move that led there.
    came[here] = NEXT
    wave[0] = here
    first, end = 0, 1
    pushes, again, fresh = 0, 0, 0
    while first < end:
        square = wave[first]
        first += 1
        for side in range(4):
            there = ahead(spec, square, side)
            what = state[cell(spec, there)]
            if what == EMPTY:
                if came[there] < 0:
                    came[there] = side
                    wave[end] = there
                    end += 1
            elif what >= FIRST_BOX and state[cell(spec, ahead(spec, there, side))] == EMPTY:
                pushes += 1
                again += what - FIRST_BOX == last
                fresh += not state[moved(spec, what - FIRST_BOX)]
    if pushes == 0:
        return -1, length
    same = again > 0 and chance(rng, AGAIN)
    new = not same and fresh > 0 and chance(rng, FRESH)
    chosen = below(rng, again if same else fresh if new else pushes)
    for k in range(end):
        for side in range(4):
            there = ahead(spec, wave[k], side)
            what = state[cell(spec, there)]
            if what < FIRST_BOX or state[cell(spec, ahead(spec, there, side))] != EMPTY:
                continue
            if same and what - FIRST_BOX != last:
                continue
            if new and state[moved(spec, what - FIRST_BOX)]:
                continue
            if chosen > 0:
                chosen -= 1
                continue
            # The path there, recorded from its end.
            steps, square = 0, wave[k]
            while came[square] != NEXT:
                square = ahead(spec, square, came[square] ^ 1)
                steps += 1
            if length + steps + 2 > trail.shape[0]:
                return -1, length
            trail[length + steps] = side
            square = wave[k]
            for back in range(1, steps + 1):
                trail[length + steps - back] = came[square]
                square = ahead(spec, square, came[square] ^ 1)
            for step in range(length, length + steps + 1):
                play(spec, state, trail[step])
            return what - FIRST_BOX, length + steps + 1
    return -1, length


@routine
def solves(spec, state, end):
    """Whether all boxes that are moved in the game are on goals."""
    for box in range(spec[BOXES]):
        if end[moved(spec, box)]:
            there = end[cell(spec, state[at(spec, box)])]
            if there < FIRST_BOX or not end[moved(spec, there - FIRST_BOX)]:
                return False
    return True


def make_replay() -> Callable[..., int]:
    """``replay(spec, state, trail, moves) -> int``: plays a game from its start, in place.

    ``moves`` (int16[T], as long as ``trail``) receives the moves of the last phase up to the first that solves the
    level; their number is returned.
    """

    def replay(spec, state, trail, moves):
        now = state.copy()
        for k in range(trail.shape[0]):
            play(spec, state, trail[k])
        count = 0
        for k in range(trail.shape[0]):
            playing = now[PHASE] == PLAY and trail[k] != NEXT
            play(spec, now, trail[k])
            if playing:
                moves[count] = trail[k]
                count += 1
                if solves(spec, now, state):
                    break
        return count

    return compiled(replay, "sokoban-replay", int64(int16[::1], int16[::1], int16[::1], int16[::1]))
