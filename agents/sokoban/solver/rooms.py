"""Rooms: parts of the floor that are at least two squares wide, and which of them are linked.

Two rooms are linked if the player can get from every part of both, within it and through corridors, beside the other.
Boxes divide rooms into parts, and bar corridors. After Y. Shoham and J. Schaeffer's feature "room connectivity".
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import int16, int64, types, uint64

from gridpuzzles_gym.engine.compile.compilation import routine
from gridpuzzles_gym.puzzles.sokoban.rules import DOWN, RIGHT

from .board import NOWHERE, SIDES, Board

CORRIDOR, SHARED = -1, -2
MOST_ROOMS = 64
"""A board with more rooms is treated as one without."""


class Rooms(NamedTuple):
    """The rooms of a board, and scratch arrays for their parts; n squares."""

    links: npt.NDArray[np.int64]
    """int64[1]: the number of linked pairs of rooms without boxes."""
    room: npt.NDArray[np.int16]
    """int16[n]: the room that each square is in, or CORRIDOR."""
    part: npt.NDArray[np.int16]
    """int16[n]: the part of a room or corridor that each square is in, NOWHERE at a box."""
    queue: npt.NDArray[np.int16]
    """int16[n]"""
    first: npt.NDArray[np.int16]
    """int16[n]: the first square of each part."""
    beside: npt.NDArray[np.uint64]
    """uint64[n]: the set of rooms next to each part."""
    everywhere: npt.NDArray[np.uint64]
    """uint64[MOST_ROOMS]: the set of rooms next to all parts of each room."""


ROOMS = types.NamedTuple((int64[::1], *(int16[::1],) * 4, uint64[::1], uint64[::1]), Rooms)


def make_rooms(board: Board) -> Rooms:
    """Return arrays for the rooms of a board."""
    squares = len(board.neighbours)
    rows, sets = np.zeros((4, squares), np.int16), np.zeros(squares, np.uint64)
    return Rooms(np.zeros(1, np.int64), *rows, sets, np.zeros(MOST_ROOMS, np.uint64))


def rooms_bytes(board: Board) -> int:
    """Return the size of :func:`make_rooms` in bytes."""
    return 8 + (4 * 2 + 8) * len(board.neighbours) + 8 * MOST_ROOMS


@routine
def is_corner(neighbours, square):
    """Whether a square is the upper left one of a block of 2×2 squares."""
    right, below = neighbours[square, RIGHT], neighbours[square, DOWN]
    return right >= 0 and below >= 0 and neighbours[right, DOWN] >= 0


@routine
def find_rooms(neighbours, rooms, box_at):
    """Find the rooms, and count the pairs that are linked without boxes. ``box_at`` is cleared.

    A room consists of two or more blocks of 2×2 squares that overlap. A square of two rooms is a corridor.
    """
    room, corner, queue, found = rooms.room, rooms.part, rooms.queue, 0
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
    rooms.links[0] = count_links(neighbours, rooms, box_at)


@routine
def divide_rooms(neighbours, rooms, box_at):
    """Number the parts of rooms and corridors, and find the rooms beside each; return how many parts there are."""
    room, part, queue, first, beside, parts = rooms.room, rooms.part, rooms.queue, rooms.first, rooms.beside, 0
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
def count_links(neighbours, rooms, box_at):
    """Return the number of pairs of rooms that are linked with boxes at ``box_at`` (uint8[n])."""
    room, part, first, beside, everywhere = rooms.room, rooms.part, rooms.first, rooms.beside, rooms.everywhere
    parts = divide_rooms(neighbours, rooms, box_at)
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
