"""The memory of the Bayesian agent of the Wumpus World.

One row per environment, ``memory int16[9 + H*W]``:

    SQUARE  its square                HELD    1 with the gold in hand
    FACING  its facing                DEAD    1 once the wumpus has screamed
    START   the start square          LAST    its last action, -1 before the first
    ARROW   1 until it has shot       GOAL    its current goal, -1 for none
    CLOCK   steps taken               CELLS…  bits per square

The agent always knows its position: it sees no wall before it bumps, but it perceives the bump.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from gridpuzzles_gym.engine.compile.compilation import rule
from gridpuzzles_gym.puzzles.wumpus.rules import FORWARD, GRAB, RELEASE, SHOOT, TURN_LEFT, TURN_RIGHT

from .geometry import BREEZE_FELT, BUMPED, GLITTER_SEEN, SCREAMED, STENCH_FELT, neighbour

SQUARE, FACING, START, ARROW, HELD, DEAD, LAST, GOAL, CLOCK, CELLS = range(10)
VISITED, STENCH, BREEZE, GLITTER, ROCK, MISSED, HIT, OUTER = (1 << bit for bit in range(8))
"""MISSED: an arrow flew through without a scream. HIT: the arrow that flew through killed the wumpus. OUTER: perhaps
such squares have no pits; see :mod:`.belief`."""

# settings int64[5]: the cave's size; the number of pits, -1 if each square has one at random; is there a CLIMB action;
# the step limit of an episode.
MODEL_PITS, CLIMB, LIMIT = range(2, 5)


@rule
def open_neighbour(settings, memory, square, facing):
    """Return the neighbouring square on that side, or -1 at the edge of the cave or at known rock."""
    there = neighbour(settings, square, facing)
    return -1 if there < 0 or memory[CELLS + there] & ROCK else there


@rule
def begin(memory, start, facing):
    """The memory before the first percept."""
    memory[:] = 0
    memory[SQUARE] = start
    memory[START] = start
    memory[FACING] = facing
    memory[ARROW] = 1
    memory[LAST] = -1
    memory[GOAL] = -1


@rule
def perceive(settings, memory, percepts):
    """Update the memory by the percepts of the last action; returns whether anything is new."""
    last, fresh = memory[LAST], memory[LAST] < 0
    memory[CLOCK] = min(memory[CLOCK] + (last >= 0), 32000)
    if last == TURN_LEFT:
        memory[FACING] = (memory[FACING] + 3) % 4
    elif last == TURN_RIGHT:
        memory[FACING] = (memory[FACING] + 1) % 4
    elif last == GRAB and memory[CELLS + memory[SQUARE]] & GLITTER:
        memory[HELD] = 1
        fresh = True
    elif last == RELEASE and memory[HELD]:  # only a person does this
        memory[HELD] = 0
        fresh = True
    elif last == FORWARD:
        ahead = open_neighbour(settings, memory, memory[SQUARE], memory[FACING])
        if ahead >= 0 and percepts[BUMPED]:
            memory[CELLS + ahead] |= ROCK
            fresh = True
        elif ahead >= 0:
            memory[SQUARE] = ahead
    elif last == SHOOT and memory[ARROW]:
        fresh = True
        note_shot(settings, memory, percepts[SCREAMED])
    here = CELLS + memory[SQUARE]
    if not memory[here] & VISITED:
        fresh = True
    memory[here] &= ~GLITTER
    memory[here] |= VISITED | STENCH * percepts[STENCH_FELT] | BREEZE * percepts[BREEZE_FELT]
    memory[here] |= GLITTER * percepts[GLITTER_SEEN]
    return fresh


@rule
def note_shot(settings, memory, screamed):
    """Record a shot: the arrow is gone, and the wumpus was in its path or was not."""
    memory[ARROW] = 0
    memory[DEAD] = screamed
    there = open_neighbour(settings, memory, memory[SQUARE], memory[FACING])
    while there >= 0:
        memory[CELLS + there] |= HIT if screamed else MISSED
        there = open_neighbour(settings, memory, there, memory[FACING])
