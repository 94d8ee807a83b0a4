"""Rooms: parts of the floor that are at least two squares wide, and which of them are linked.

Two rooms are linked if the player can get from every part of both, within it and through corridors, beside the other.
Boxes divide rooms into parts, and bar corridors. After Y. Shoham and J. Schaeffer's feature "room connectivity".
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.compile.compilation import routine
from gridpuzzles_gym.puzzles.sokoban.rules import DOWN, RIGHT

from .board import NOWHERE, SIDES

# rooms int16[4, n], for each square: the room that it is in, or CORRIDOR; the part of a room or corridor that it is in,
# NOWHERE at a box; a queue; and for each part, its first square.
ROOM, PART, QUEUE, FIRST, ROOM_ROWS = range(5)
CORRIDOR, SHARED = -1, -2
MOST_ROOMS = 64
"""A board with more rooms is treated as one without."""
# beside uint64[n + MOST_ROOMS], sets of rooms: those beside each part; then those beside all parts of each room.


@routine
def is_corner(neighbours, square):
    """Whether a square is the upper left one of a block of 2×2 squares."""
    right, below = neighbours[square, RIGHT], neighbours[square, DOWN]
    return right >= 0 and below >= 0 and neighbours[right, DOWN] >= 0


@routine
def find_rooms(neighbours, rooms, beside, box_at):
    """Find the rooms; return how many pairs are linked without boxes. ``box_at`` is cleared.

    A room consists of two or more blocks of 2×2 squares that overlap. A square of two rooms is a corridor.
    """
    room, corner, queue, found = rooms[ROOM], rooms[PART], rooms[QUEUE], 0
    for square in range(room.shape[0]):
        room[square] = CORRIDOR
        corner[square] = is_corner(neighbours, square)
    for start in range(room.shape[0]):
        if not corner[start]:
            continue
        corner[start], queue[0], head, tail = 0, start, 0, 1
        while head < tail:
            here = queue[head]
            head += 1
            for side in range(SIDES):
                there = neighbours[here, side]
                if there >= 0 and corner[there]:
                    corner[there], queue[tail] = 0, there
                    tail += 1
        for k in range(tail if tail > 1 else 0):
            here, right = queue[k], neighbours[queue[k], RIGHT]
            for square in (here, right, neighbours[here, DOWN], neighbours[right, DOWN]):
                room[square] = found if room[square] == CORRIDOR or room[square] == found else SHARED
        found += tail > 1
    for square in range(room.shape[0]):
        if room[square] == SHARED or found > MOST_ROOMS:
            room[square] = CORRIDOR
    box_at[:] = 0
    return count_links(neighbours, rooms, beside, box_at)


@routine
def divide_rooms(neighbours, rooms, beside, box_at):
    """Number the parts of rooms and corridors, and find the rooms beside each; return how many parts there are."""
    room, part, queue, first, parts = rooms[ROOM], rooms[PART], rooms[QUEUE], rooms[FIRST], 0
    for square in range(room.shape[0]):
        part[square] = NOWHERE
    for start in range(room.shape[0]):
        if box_at[start] or part[start] != NOWHERE:
            continue
        part[start], first[parts], queue[0], head, tail = parts, start, start, 0, 1
        beside[parts] = 0
        while head < tail:
            here = queue[head]
            head += 1
            for side in range(SIDES):
                there = neighbours[here, side]
                if there < 0 or box_at[there]:
                    continue
                if room[there] != room[start]:
                    if room[there] != CORRIDOR:
                        beside[parts] |= np.uint64(1) << np.uint64(room[there])
                elif part[there] == NOWHERE:
                    part[there], queue[tail] = parts, there
                    tail += 1
        parts += 1
    return parts


@routine
def count_links(neighbours, rooms, beside, box_at):
    """Return the number of pairs of rooms that are linked with boxes at ``box_at`` (uint8[n])."""
    room, part, first = rooms[ROOM], rooms[PART], rooms[FIRST]
    parts, everywhere = divide_rooms(neighbours, rooms, beside, box_at), beside[room.shape[0] :]
    for square in range(room.shape[0]):  # and those beside the corridors that begin there
        if box_at[square] or room[square] == CORRIDOR:
            continue
        for side in range(SIDES):
            there = neighbours[square, side]
            if there >= 0 and not box_at[there] and room[there] == CORRIDOR:
                beside[part[square]] |= beside[part[there]]
    everywhere[:] = 0  # what is full of boxes has no links
    seen, one, links = np.uint64(0), np.uint64(1), np.int64(0)
    for k in range(parts):
        number = np.int64(room[first[k]])
        if number != CORRIDOR:
            before = everywhere[number] if (seen >> np.uint64(number)) & one else ~np.uint64(0)
            everywhere[number] = before & beside[k]
            seen |= one << np.uint64(number)
    for here in range(MOST_ROOMS):
        for there in range(here):
            both = (everywhere[here] >> np.uint64(there)) & (everywhere[there] >> np.uint64(here))
            links += np.int64(both & one)
    return links
