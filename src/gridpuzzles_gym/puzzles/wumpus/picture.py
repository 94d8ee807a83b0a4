"""The picture of a cave: its squares, the darkness over unknown ones, percepts, the agent with its light, its arrow."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np
import numpy.typing as npt

from ...engine.board.ways import neighbour
from ...engine.compile.compilation import rule
from ...engine.pictures.picture import Frame, Picture
from ...engine.pictures.placement import (
    ACTION,
    AFTER,
    ALWAYS,
    ANGLE,
    DURING,
    FROM,
    KNOWN,
    OPACITY,
    SETTINGS,
    UNIT,
    cover,
    move_from,
    put,
    show,
    stretch,
    turn,
    when,
)
from ...engine.scene import Row
from .rules import (
    ALIVE,
    ARROW,
    BREEZE,
    BUMP,
    CELLS,
    EATEN,
    ENDING,
    FACING,
    FELL,
    GOLD,
    HEIGHT,
    HELD,
    PIT,
    SCREAM,
    SEEN,
    SHOOT,
    SQUARE,
    START,
    STENCH,
    WALL,
    WIDTH,
    WUMPUS,
)

SPRITES = (
    "fog", "rock", "floor_1", "floor_2", "floor_3", "stairs", "pit",
    "shadow", "wumpus", "wumpus_feast", "wumpus_dead", "gold",
    "~#0b0913", "stench", "breeze", "glitter",
    "+glow", "beam", "agent", "death", "icon_bump", "#f3e3c0", "flying_arrow", "icon_scream",
)  # fmt: skip
(
    FOG, ROCK, FLOOR, _, _, STAIRS, PIT_SPRITE,
    SHADOW, WUMPUS_ALIVE, _, _, GOLD_SPRITE,
    DARKNESS, STENCH_SPRITE, BREEZE_SPRITE, GLITTER,
    GLOW, BEAM, AGENT, DEATH, BUMP_ICON, TRAIL, FLYING_ARROW, SCREAM_ICON,
) = range(len(SPRITES))  # fmt: skip
FLOORS = 3
SHOWS = ("world", "knowledge")
WORLD, KNOWLEDGE = range(len(SHOWS))
DIMMED, FOGGED = 145, 150
"""The opacity of the darkness over unknown squares for WORLD and KNOWLEDGE."""
FALLEN = 150
"""The opacity of the agent in a pit."""
STUCK = 180
"""How far an arrow gets beyond the middle of the last square."""
NOTHING, ALIVE_HERE, EATING, DEAD_HERE, GOLD_HERE, AGENT_HERE = 0, 1, 2, 3, 4, 8
"""What is on a square: one of four for the wumpus, in the order of its sprites, and bits."""
SPOTS = np.array(
    [
        [500, 500, 800],
        [690, 310, 560], [360, 620, 660],
        [270, 280, 500], [740, 300, 480], [500, 680, 620],
        [800, 800, 360],
    ]
)  # fmt: skip
"""The (x, y, size) of one, two or three things that share a square, the agent last, and of gold in its hand."""
IN_HAND = len(SPOTS) - 1
SIDES = np.array([0, 3, 1, 2])
"""The side of a square, as :func:`.neighbour` counts them, for each facing."""
AHEAD_X, AHEAD_Y = np.array([0, 1, 0, -1]), np.array([-1, 0, 1, 0])


@rule
def area(level, out):
    """Write the size of the cave, all of which is drawn."""
    out[0], out[1], out[2], out[3], out[4], out[5] = level[HEIGHT], level[WIDTH], 0, 0, level[HEIGHT], level[WIDTH]


@rule
def put_square(level, square, seen, out, n):
    """Put the floor or rock, the stairs and the pit of a square."""
    cell, row, column = level[CELLS + square], square // level[WIDTH], square % level[WIDTH]
    n = cover(out, n, ROCK if cell & WALL else FLOOR + (row * 5 + column * 7 + row * column) % FLOORS, square)
    show(out, n, seen)
    if square == level[START]:
        n = put(out, n, STAIRS, square, 500, 500, 940)
        show(out, n, seen)
    if cell & PIT:
        n = cover(out, n, PIT_SPRITE, square)
        show(out, n, seen)
    return n


@rule
def ground(level, scene, out):
    """Put all squares, or fog over them if only what the agent knows is shown."""
    n = 0
    for square in range(level.shape[0] - CELLS):
        n = put_square(level, square, ALWAYS, out, n) if scene[SETTINGS] == WORLD else cover(out, n, FOG, square)
    return n


@rule
def things_on(level, state, square):
    """Return what is on a square, as ALIVE_HERE, EATING or DEAD_HERE, plus GOLD_HERE, plus AGENT_HERE."""
    things, eaten = NOTHING, state[ENDING] == EATEN and square == state[SQUARE]
    if level[CELLS + square] & WUMPUS:
        things = (EATING if eaten else ALIVE_HERE) if state[ALIVE] else DEAD_HERE
    if state[GOLD] == square:
        things += GOLD_HERE
    if state[SQUARE] == square and not eaten:
        things += AGENT_HERE
    return things


@rule
def last_spot(things):
    """Return the index of the last spot of so many things as share a square."""
    count = (things % GOLD_HERE > 0) + things // GOLD_HERE % 2 + things // AGENT_HERE
    return count * (count + 1) // 2 - 1


@rule
def stand(out, n, sprite, square, spot, seen):
    """Put a thing at a spot of a square, on its shadow: two rows."""
    x, y, size = SPOTS[spot, 0], SPOTS[spot, 1], SPOTS[spot, 2]
    n = put(out, n, SHADOW, square, x, y + 42 * size // 100, 95 * size // 100)
    stretch(out, n, 40 * size // 100)
    show(out, n, seen)
    n = put(out, n, sprite, square, x, y, size)
    show(out, n, seen)
    return n


@rule
def put_things(out, n, things, square, seen):
    """Put the wumpus and the gold of a square; the agent, the last of its things, is above the darkness."""
    wumpus, gold, agent = things % GOLD_HERE, things // GOLD_HERE % 2, things // AGENT_HERE
    spot = last_spot(things) - agent
    if wumpus:
        n = stand(out, n, WUMPUS_ALIVE + wumpus - 1, square, spot - gold, seen)
    return stand(out, n, GOLD_SPRITE, square, spot, seen) if gold else n


@rule
def put_squares(level, before, state, world, out, n):
    """Put what is on the squares that are shown; those that become known, once the movement has ended."""
    for square in range(level.shape[0] - CELLS):
        was, now = world or knows(level, before, square), world or knows(level, state, square)
        if not world and (was or now):
            n = put_square(level, square, when(was, now), out, n)
        things_before = things_on(level, before, square) if was else NOTHING
        things = things_on(level, state, square) if now else NOTHING
        if things_before == things:
            n = put_things(out, n, things, square, ALWAYS)
        else:
            n = put_things(out, n, things_before, square, DURING)
            n = put_things(out, n, things, square, AFTER)
    return n


@rule
def put_darkness(level, before, state, strength, out, n):
    """Put darkness over unknown squares; it leaves those that become known once the movement has ended."""
    for square in range(level.shape[0] - CELLS):
        was, now = not knows(level, before, square), not knows(level, state, square)
        if was or now:
            n = cover(out, n, DARKNESS, square)
            out[n - 1, OPACITY] = strength
            show(out, n, when(was, now))
    return n


@rule
def put_percept(out, n, sprite, square, was, now):
    """Put a percept that was there before the last action, is there now, or both, if it is one of them."""
    if was or now:
        n = cover(out, n, sprite, square)
        show(out, n, when(was, now))
    return n


@rule
def put_percepts(level, before, state, out, n):
    """Put the percepts of visited squares."""
    for square in range(level.shape[0] - CELLS):
        was, now, cell = before[SEEN + square] == 1, state[SEEN + square] == 1, level[CELLS + square]
        smells, windy = cell & STENCH != 0, cell & BREEZE != 0
        n = put_percept(out, n, STENCH_SPRITE, square, was and smells, now and smells)
        n = put_percept(out, n, BREEZE_SPRITE, square, was and windy, now and windy)
        n = put_percept(out, n, GLITTER, square, was and before[GOLD] == square, now and state[GOLD] == square)
    return n


@rule
def come(out, n, rows):
    """Let the last rows come from where the rows after them are, which are not kept."""
    for row in range(n - rows, n):
        for place in range(ANGLE + 1 - FROM, ANGLE + 1):
            out[row, FROM + place] = out[row + rows, place]


@rule
def put_lit(level, state, seen, out, n):
    """Put the agent and the light of its lantern: four rows."""
    square, spot = state[SQUARE], last_spot(things_on(level, state, state[SQUARE]))
    n = put(out, n, GLOW, square, 500, 500, 5000)
    show(out, n, seen)
    n = put(out, n, BEAM, square, SPOTS[spot, 0], SPOTS[spot, 1], 2600)
    show(out, n, seen)
    turn(out, n, state[FACING])
    n = stand(out, n, AGENT, square, spot, seen)
    turn(out, n, state[FACING])
    return n


@rule
def died(state):
    """Whether the agent is dead."""
    return state[ENDING] == FELL or state[ENDING] == EATEN


@rule
def put_agent(level, before, state, out, n):
    """Put the agent with its light, what it carries and whether it bumped into something, or its death."""
    was, now = not died(before), not died(state)
    if was or now:
        n = put_lit(level, state, when(was, now), out, n)
        put_lit(level, before, ALWAYS, out, n)
        come(out, n, 4)
    carried, carries = was and before[GOLD] == HELD, now and state[GOLD] == HELD
    if carried or carries:
        n = stand(out, n, GOLD_SPRITE, state[SQUARE], IN_HAND, when(carried, carries))
        move_from(out, n - 1, before[SQUARE])
        move_from(out, n, before[SQUARE])
    if now and state[BUMP]:
        facing = state[FACING]
        n = put(out, n, BUMP_ICON, state[SQUARE], 500 + 340 * AHEAD_X[facing], 500 + 340 * AHEAD_Y[facing], 400)
    if not was or not now:
        dead, ending = (before[SQUARE], before[ENDING]) if now else (state[SQUARE], state[ENDING])
        seen = when(not was, not now)
        if ending == FELL:
            n = put(out, n, AGENT, dead, 500, 540, 500)
            out[n - 1, ANGLE] = out[n - 1, FROM + ANGLE] = 210
            out[n - 1, OPACITY] = FALLEN
            show(out, n, seen)
        n = cover(out, n, DEATH, dead)
        show(out, n, seen)
    return n


@rule
def flight(level, state, world):
    """Return how far the arrow flew; a player who does not see the cave does not see what stopped it."""
    columns, squares, side, flown = level[WIDTH], level.shape[0] - CELLS, SIDES[state[FACING]], 0
    square = neighbour(state[SQUARE], side, columns, squares)
    while square >= 0 and not (level[CELLS + square] & WALL and (world or knows(level, state, square))):
        flown += UNIT
        if world and state[SCREAM] and level[CELLS + square] & WUMPUS:
            return flown
        square = neighbour(square, side, columns, squares)
    return flown + STUCK


@rule
def put_trail(square, facing, flown, out, n):
    """Put an arrow that has flown so far, and its trail: two rows."""
    right, down, thin = flown * AHEAD_X[facing], flown * AHEAD_Y[facing], UNIT // 16
    n = put(out, n, TRAIL, square, 500 + right // 2, 500 + down // 2, thin + abs(right))
    stretch(out, n, thin + abs(down))
    out[n - 1, OPACITY] = 128
    n = put(out, n, FLYING_ARROW, square, 500 + right, 500 + down, 600)
    turn(out, n, facing)
    return n


@rule
def pieces(level, start, before, state, scene, out):
    """Put what is on the squares, the darkness, the percepts, the agent, the arrow and the wumpus's scream."""
    world, n = scene[SETTINGS] == WORLD, 0
    n = put_squares(level, before, state, world, out, n)
    n = put_darkness(level, before, state, DIMMED if world else FOGGED, out, n)
    n = put_percepts(level, before, state, out, n)
    n = put_agent(level, before, state, out, n)
    if scene[ACTION] == SHOOT and scene[KNOWN] and before[ARROW] != state[ARROW]:
        n = put_trail(state[SQUARE], state[FACING], flight(level, state, world), out, n)
        put_trail(state[SQUARE], state[FACING], 0, out, n)
        come(out, n, 2)
    if world and (before[SCREAM] or state[SCREAM]):
        for square in range(level.shape[0] - CELLS):
            if level[CELLS + square] & WUMPUS:
                n = put(out, n, SCREAM_ICON, square, 800, 200, 340)
                show(out, n, when(before[SCREAM], state[SCREAM]))
    return n


PICTURE = Picture(
    package=__package__,
    sprites=SPRITES,
    area=area,
    ground=ground,
    pieces=pieces,
    frame=Frame("#2c2530", "#4d4149", share=0.3, least=17, most=56, numbers="#a8978e"),
    settings={"show": SHOWS},
    tile=16,
)


@rule
def knows(level, state, square):
    """Whether the agent knows a square: it has visited it, or it is rock next to one that it has visited."""
    if state[SEEN + square]:
        return True
    if level[CELLS + square] & WALL:
        for side in range(4):
            there = neighbour(square, side, level[WIDTH], level.shape[0] - CELLS)
            if there >= 0 and state[SEEN + there]:
                return True
    return False


def known_squares(level: Row, state: Row) -> npt.NDArray[np.bool_]:
    """Return the squares that the agent knows, bool[H, W]."""
    squares = range(level.size - CELLS)
    return np.array([knows(level, state, square) for square in squares]).reshape(level[HEIGHT], level[WIDTH])
