"""Random building: the rollouts of the generator's tree search.

A simulation leaves the tree after a few actions, so rollouts determine most of a level's looks. They are not uniform
over the actions: a uniform player would walk back and forth and hardly ever push.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from gridpuzzles_gym.engine.compile.compilation import routine, rule
from gridpuzzles_gym.engine.random import below, chance

from .building import (
    BOX_ON,
    BOXES,
    CARVE,
    EMPTY,
    EXACT,
    FIRST_BOX,
    FLOOR,
    HEIGHT,
    LEAST,
    MOST,
    NEXT,
    PHASE,
    PLACE,
    PLACED,
    PLAY,
    PLAYER,
    PUSHES,
    WALL,
    WIDEN,
    WIDTH,
    ahead,
    boxes_moved,
    cell,
    inner_squares,
    legal,
    moved,
    play,
)

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
