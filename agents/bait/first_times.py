"""How soon everything can happen at the earliest: the relaxed world behind our estimate for Bait.

Time is counted in steps from now. Each kind of event below cannot happen before something else has, so the least
times that keep all these conditions are never later than in any real game:

    SQUARE   y      the avatar stands on square y for the first time
    BOX      p, d   some box is pushed onto square p in direction d (where a hole is: the first box, which fills it)
    THROUGH  p, d   the same where a hole is now: a later box, which stays
    KEYED    y      the avatar stands on square y with a key

- A box leaves the square where it lies now when the avatar first enters that square, and only in a direction in
  which nothing lasting stops it. What stops it for now (a box, a mushroom) goes when the avatar enters *its*
  square; from there to behind the box are AROUND more steps.
- Pushed again, a box goes on at once, but to turn it the avatar walks to another side of it first.
- A hole is entered after a box has been pushed into it. Until a second one can follow, the avatar has to get behind
  it: SECOND, by the directions of the two.
- A goal is entered with a key.

What is left out: that boxes are in each other's way once they moved, and that one box fills one hole only.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.compilation import routine, rule
from gridpuzzles_gym.puzzles.bait.rules import AVATAR, BOX, GOAL, GOALS, HOLE, KEY, KEY_HERE, ahead

from .frozen import SHUT, is_box

SQUARE, BOX_ON, THROUGH, KEYED, EVENTS = 0, 1, 5, 9, 10
"""Where the events of each kind begin, and how many there are, in multiples of the number of squares."""
NEVER = 1 << 14
# Steps to the far side of a box and one into it, after the avatar stood where the box is to go.
AROUND = 5
# A push after a push in the same direction, after one across, after one the other way.
_AGAIN, _ACROSS, _BACK = 1, 3, 5
# From the push that fills a hole to the next one onto the same square.
_SECOND_AGAIN, _SECOND_ACROSS, _SECOND_BACK = 8, 4, 6
# The same where the box comes over a goal that is shut: the avatar is a step behind.
_SECOND_OVER_GOAL = 7
# Events wait in a ring of lists, one for each time; none is scheduled further ahead than this.
_RING = 16
_REVISIONS = 9
"""How often an event is brought forward at most: by one step at least, within what is ahead."""


@rule
def opposite(action):
    """The way back."""
    return action ^ 1


@rule
def steps_between(before, after, again, across, back):
    """One of three numbers, by how a direction differs from the one before."""
    if before == after:
        return again
    return back if opposite(before) == after else across


@rule
def schedule(world, event, time):
    """Let an event happen no later than that."""
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
    """The avatar enters the square of a box that lies there now: the box moves on, and it stands there."""
    things, key = world[0], world[2]
    schedule(world, (BOX_ON + action) * things.shape[0] + ahead(level, square, action), time)
    if things[square] & 3 != GOAL or key:
        schedule(world, SQUARE * things.shape[0] + square, time)


@rule
def beside(level, world, settled, square, time):
    """The avatar stands on a square for the first time: where does it get from here?"""
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
    for action in range(4):  # what stood here stands in the way of a box no more
        near = ahead(level, square, opposite(action))
        if near == square or ground[near] == SHUT or not is_box(things[near]):
            continue
        behind = ahead(level, near, opposite(action))
        if behind != near and settled[SQUARE * squares + behind]:
            shove(level, world, near, action, max(time + AROUND, times[SQUARE * squares + behind] + 1))


@rule
def push_on(level, world, square, action, time):
    """A box was pushed onto a square, the avatar is behind it: where may it go from there?"""
    ground = world[1]
    for onward in range(4):
        behind, beyond = ahead(level, square, opposite(onward)), ahead(level, square, onward)
        if behind != square and beyond != square and ground[behind] != SHUT and ground[beyond] != SHUT:
            steps = steps_between(action, onward, _AGAIN, _ACROSS, _BACK)
            schedule(world, (BOX_ON + onward) * ground.shape[0] + beyond, time + steps)


@rule
def fill(level, world, settled, later, square, action, time):
    """A hole is filled: the avatar may enter, and a second box come onto it once there is one."""
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
    """The least time of every event, int16[10 * N]; NEVER for what cannot happen.

    Args:
        level: int16[L]
        state: int16[S]
        things: uint8[N], what lies on each square.
        ground: uint8[N], walls and frozen boxes.
        patient: Go on until nothing more can happen, instead of ending with the last goal.

    Returns:
        The times, and the last goal's; where ``patient`` is not set, times after that are not found out.
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
            beside(level, world, settled, square, time)
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
    """Count a goal that is reached: (goals left, time of the last)."""
    if things[square] & 3 == GOAL:
        return goals - 1, time
    return goals, last
