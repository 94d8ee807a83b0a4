"""The heuristics for Bait: our own, and two of the original program.

The original ones count pixels, 50 per step, and ignore walls. Here they are converted to
steps, which is equivalent: the original A* added 50 per step.

Ours is the earliest time of the last goal in a relaxed problem, in which boxes never block each other.

A box can move along a row or column only if both its neighbours there can be free: the avatar stands on one, the box
goes to the other. So boxes that are blocked on both axes by walls, or by each other, are *frozen* for good.

Time is counted in steps from now. Each kind of event below cannot happen before certain others, so the earliest times
that satisfy all these conditions are never later than in any real game:

    SQUARE   y      the avatar is on square y for the first time
    BOX      p, d   some box is pushed onto square p in direction d (at a hole: the first box, which fills it)
    THROUGH  p, d   the same where a hole is now: a later box, which stays
    KEYED    y      the avatar is on square y with a key

- A box leaves its current square when the avatar first enters that square, and only in a direction that is not
  permanently blocked. A temporary obstacle (a box, a mushroom) is gone once the avatar enters *its*
  square; getting from there to behind the box takes AROUND more steps.
- A box pushed again in the same direction moves on at once; to turn it the avatar first walks to another side of it.
- A hole is entered after a box has been pushed into it. Until a second box can follow, the avatar has to get behind
  it: SECOND, by the directions of the two.
- A goal is entered with a key.

Ignored: that boxes block each other once they have moved, and that one box fills only one hole.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.compile.compilation import routine, rule
from gridpuzzles_gym.puzzles.bait.rules import (
    AVATAR,
    BOX,
    CELLS,
    DOWN,
    GOAL,
    GOALS,
    HOLE,
    KEY,
    KEY_HERE,
    LEFT,
    MUSHROOM,
    RIGHT,
    STRIDE,
    THINGS,
    UP,
    WALL,
    ahead,
    thing_on,
)

from ..search.heuristic import DEAD_END, Heuristic

OPEN, MOVABLE, SHUT = range(3)
"""Values of ``ground``: not permanently blocked; a box that may still move; a wall or a frozen box."""


@rule
def is_box(thing):
    """Whether there is a box; a mushroom is not one."""
    return 4 <= thing <= 6


@routine
def unpack(level, state):
    """Return the content of each square, uint8[N]."""
    things = np.empty(level.shape[0] - CELLS, np.uint8)
    for square in range(things.shape[0]):
        things[square] = (state[THINGS + (square >> 2)] >> ((square & 3) << 2)) & 7
    return things


@rule
def slides(level, ground, square, one, other):
    """Whether a box can move along the axis with these two directions, in the most favourable case."""
    before, beyond = ahead(level, square, one), ahead(level, square, other)
    return before != square and beyond != square and ground[before] != SHUT and ground[beyond] != SHUT


@routine
def survey(level, things):
    """Walls and frozen boxes, uint8[N]: see OPEN, MOVABLE, SHUT."""
    ground = np.zeros(things.shape[0], np.uint8)
    for square in range(things.shape[0]):
        if level[CELLS + square] & WALL or is_box(things[square]):
            ground[square] = SHUT
    # All boxes are assumed frozen; one that turns out to be movable may free others.
    waiting = np.empty(5 * things.shape[0], np.int16)
    count = 0
    for square in range(things.shape[0]):
        if is_box(things[square]):
            waiting[count] = square
            count += 1
    while count:
        count -= 1
        square = waiting[count]
        if ground[square] != SHUT:
            continue
        if not slides(level, ground, square, UP, DOWN) and not slides(level, ground, square, LEFT, RIGHT):
            continue
        ground[square] = MOVABLE
        for action in range(4):
            near = ahead(level, square, action)
            if ground[near] == SHUT and is_box(things[near]):
                waiting[count] = near
                count += 1
    return ground


SQUARE, BOX_ON, THROUGH, KEYED, EVENTS = 0, 1, 5, 9, 10
"""The offsets of each kind of event, and the number of events, in multiples of the number of squares."""
NEVER = 1 << 14
# Steps to the far side of a box plus one push, after the avatar stood on the square the box goes to.
AROUND = 5
# A push after one in the same direction, after one at a right angle, after one in the opposite direction.
_AGAIN, _ACROSS, _BACK = 1, 3, 5
# From the push that fills a hole to the next one onto the same square.
_SECOND_AGAIN, _SECOND_ACROSS, _SECOND_BACK = 8, 4, 6
# The same if the box crosses a locked goal: the avatar is one step behind.
_SECOND_OVER_GOAL = 7
# Events wait in a ring of lists, one for each time; none is scheduled further ahead than this.
_RING = 16
_REVISIONS = 9
"""Maximum number of times an event is moved earlier: each time by at least one step, within the ring."""


@rule
def opposite(action):
    """Return the opposite direction."""
    return action ^ 1


@rule
def steps_between(before, after, again, across, back):
    """One of three numbers, by how a direction differs from the previous one."""
    if before == after:
        return again
    return back if opposite(before) == after else across


@rule
def schedule(world, event, time):
    """Schedule an event no later than a given time."""
    times, agenda, heads, count = world[3], world[4], world[5], world[6]
    if times[event] <= time:
        return
    times[event] = time
    entry = count[0]
    count[0] = entry + 1
    agenda[entry, 0] = event
    agenda[entry, 1] = heads[time % _RING]
    heads[time % _RING] = entry


@rule
def shove(level, world, square, action, time):
    """The avatar enters the square of a box in its original place: the box moves on, and the avatar is there."""
    things, key = world[0], world[2]
    schedule(world, (BOX_ON + action) * things.shape[0] + ahead(level, square, action), time)
    if things[square] & 3 != GOAL or key:
        schedule(world, SQUARE * things.shape[0] + square, time)


@rule
def reach_from(level, world, settled, square, time):
    """The avatar is on a square for the first time: schedule what it can reach from here."""
    things, ground, key, times = world[0], world[1], world[2], world[3]
    squares = things.shape[0]
    for action in range(4):
        near = ahead(level, square, action)
        if near == square or ground[near] == SHUT:
            continue
        if is_box(things[near]):
            beyond = ahead(level, near, action)
            if beyond == near or ground[beyond] == SHUT:
                continue
            if things[beyond] & BOX and things[beyond] != BOX | GOAL:
                if settled[SQUARE * squares + beyond]:
                    shove(level, world, near, action, max(time + 1, times[SQUARE * squares + beyond] + AROUND))
            else:
                shove(level, world, near, action, time + 1)
        elif things[near] != HOLE and (things[near] != GOAL or key):
            schedule(world, SQUARE * squares + near, time + 1)
    if not things[square] & BOX or things[square] == BOX | GOAL:
        return
    for action in range(4):  # what stood here no longer blocks a box
        near = ahead(level, square, opposite(action))
        if near == square or ground[near] == SHUT or not is_box(things[near]):
            continue
        behind = ahead(level, near, opposite(action))
        if behind != near and settled[SQUARE * squares + behind]:
            shove(level, world, near, action, max(time + AROUND, times[SQUARE * squares + behind] + 1))


@rule
def push_on(level, world, square, action, time):
    """A box was pushed onto a square, with the avatar behind it: schedule where it can go from there."""
    ground = world[1]
    for onward in range(4):
        behind, beyond = ahead(level, square, opposite(onward)), ahead(level, square, onward)
        if behind != square and beyond != square and ground[behind] != SHUT and ground[beyond] != SHUT:
            steps = steps_between(action, onward, _AGAIN, _ACROSS, _BACK)
            schedule(world, (BOX_ON + onward) * ground.shape[0] + beyond, time + steps)


@rule
def fill(level, world, settled, later, square, action, time):
    """A hole is filled: the avatar can enter, and so can a second box once there is one."""
    things = world[0]
    squares = things.shape[0]
    schedule(world, SQUARE * squares + square, time + 1)
    for onward in range(4):
        over_goal = things[ahead(level, square, opposite(onward))] & 3 == GOAL
        again = _SECOND_OVER_GOAL if over_goal else _SECOND_AGAIN
        second = time + steps_between(action, onward, again, _SECOND_ACROSS, _SECOND_BACK)
        event = onward * squares + square
        later[event] = min(later[event], second)
        if settled[BOX_ON * squares + event]:
            schedule(world, THROUGH * squares + event, later[event])


@routine
def first_times(level, state, things, ground, patient):
    """Return the earliest time of every event, int16[10 * N]; NEVER if it cannot happen.

    Args:
        level: int16[L]
        state: int16[S]
        things: uint8[N], the content of each square.
        ground: uint8[N], walls and frozen boxes.
        patient: Continue until nothing more can happen, instead of ending with the last goal.

    Returns:
        The times, and that of the last goal; unless ``patient``, later times are not computed.
    """
    squares = things.shape[0]
    key = state[KEY] == 1
    times, settled = np.full(EVENTS * squares, NEVER, np.int16), np.zeros(EVENTS * squares, np.bool_)
    agenda, heads = np.empty((EVENTS * squares * _REVISIONS, 2), np.int32), np.full(_RING, -1, np.int32)
    later, keyed = np.full(4 * squares, NEVER, np.int16), np.full(squares, NEVER, np.int16)
    world = things, ground, key, times, agenda, heads, np.zeros(1, np.int64)
    goals, last, time, idle = state[GOALS], 0, 0, 0
    schedule(world, SQUARE * squares + state[AVATAR], 0)
    while idle < _RING and (goals or patient):
        entry = heads[time % _RING]
        if entry < 0:
            time += 1
            idle += 1
            continue
        heads[time % _RING] = agenda[entry, 1]
        event = agenda[entry, 0]
        if settled[event]:
            continue
        settled[event] = True
        idle = 0
        kind, square = event // squares, event % squares
        if kind == SQUARE:
            reach_from(level, world, settled, square, time)
            if key:
                goals, last = reach(things, square, goals, last, time)
            elif things[square] & 3 == KEY_HERE:
                schedule(world, KEYED * squares + square, time)
            elif keyed[square] < NEVER:
                schedule(world, KEYED * squares + square, max(time, keyed[square]))
        elif kind == KEYED:
            goals, last = reach(things, square, goals, last, time)
            schedule(world, SQUARE * squares + square, time)
            for action in range(4):
                near = ahead(level, square, action)
                if near == square or ground[near] == SHUT:
                    continue
                keyed[near] = min(keyed[near], time + 1)
                if things[near] & 3 == GOAL or settled[SQUARE * squares + near]:
                    schedule(world, KEYED * squares + near, time + 1)
        elif kind >= THROUGH:
            push_on(level, world, square, kind - THROUGH, time)
        elif things[square] == HOLE:
            fill(level, world, settled, later, square, kind - BOX_ON, time)
            if later[event - BOX_ON * squares] < NEVER:
                schedule(world, event + (THROUGH - BOX_ON) * squares, max(time, later[event - BOX_ON * squares]))
        else:
            push_on(level, world, square, kind - BOX_ON, time)
    return times, (last if goals == 0 else NEVER)


@rule
def reach(things, square, goals, last, time):
    """Count a reached goal: (goals left, time of the last)."""
    if things[square] & 3 == GOAL:
        return goals - 1, time
    return goals, last


_BOX_FACTOR, _HOLE_FACTOR = 4, 32


@rule
def estimate(level, state, tables):
    """Return the earliest time of the last goal; DEAD_END if it can never be reached."""
    if state[GOALS] == 0:
        return np.int64(0)
    things = unpack(level, state)
    if things[state[AVATAR]] == HOLE:
        return np.int64(DEAD_END)
    _, last = first_times(level, state, things, survey(level, things), False)
    return np.int64(DEAD_END if last == NEVER else last)


@rule
def manhattan(level, one, other):
    """Rows and columns between two squares."""
    stride = level[STRIDE]
    return abs(one // stride - other // stride) + abs(one % stride - other % stride)


@rule
def nearest(level, state, square, kind):
    """Rows and columns to the nearest key, goal, hole or (BOX) box of any kind; -1 if there is none."""
    least = -1
    for other in range(level.shape[0] - CELLS):
        thing = thing_on(state, other)
        if is_box(thing) if kind == BOX else (thing & 3 == kind and thing != MUSHROOM):
            distance = manhattan(level, square, other)
            if least < 0 or distance < least:
                least = distance
    return least


@rule
def original_walk(level, state, tables):
    """Return the distance to the key and from it to a goal; with a key in hand, to a goal."""
    if state[KEY] or state[GOALS] == 0:
        return np.int64(max(nearest(level, state, state[AVATAR], GOAL), 0))
    best = -1
    for square in range(level.shape[0] - CELLS):
        if thing_on(state, square) & 3 == KEY_HERE:
            way = manhattan(level, state[AVATAR], square) + nearest(level, state, square, GOAL)
            if best < 0 or way < best:
                best = way
    return np.int64(best)


@rule
def original_boxes(level, state, tables):
    """Distances to the key, to the nearest box, and from all boxes to their nearest holes; with a key, to a goal."""
    here = state[AVATAR]
    if state[KEY] or state[GOALS] == 0:
        return original_walk(level, state, tables)
    total = nearest(level, state, here, KEY_HERE) + _BOX_FACTOR * max(nearest(level, state, here, BOX), 0)
    for square in range(level.shape[0] - CELLS):
        if is_box(thing_on(state, square)):
            total += _HOLE_FACTOR * max(nearest(level, state, square, HOLE), 0)
    return np.int64(total)


HEURISTICS: dict[str, Heuristic] = {
    row.name: row
    for row in (
        Heuristic(
            "first-times",
            "earliest time to reach all goals if boxes never block each other; detects deadlocks",
            estimate,
            consistent=False,
        ),
        Heuristic(
            "original-walk",
            "rows and columns to the key and on to the goal: the original depth-limited search",
            original_walk,
            admissible=False,
            consistent=False,
        ),
        Heuristic(
            "original-boxes",
            "to the key, 4 × to a box, 32 × from each box to a hole: the original A*",
            original_boxes,
            admissible=False,
            consistent=False,
        ),
    )
}
"""Heuristics by name; the first is the default."""
