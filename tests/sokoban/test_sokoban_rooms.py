"""Rooms of a Sokoban level, and which are linked: drawn by hand, and as a naive search finds them."""

import itertools

import numpy as np
import pytest
from sokoban_positions import Position
from sokoban_problems import random_levels

from gridpuzzles_gym.agents.sokoban.solver.position import BOX_AT
from gridpuzzles_gym.agents.sokoban.solver.rooms import CORRIDOR, count_links, find_rooms, make_rooms

AROUND = (-1, 1, -1j, 1j)


def linked(position):
    """The number of linked rooms without boxes, and with them."""
    neighbours, box_at = position.board.neighbours, position.work.flags[BOX_AT]
    rooms = make_rooms(position.board)
    find_rooms(neighbours, rooms, box_at.copy())
    return rooms.links[0], count_links(neighbours, rooms, box_at)


def rooms_of(position):
    """The rooms, as sets of squares."""
    rooms = make_rooms(position.board)
    find_rooms(position.board.neighbours, rooms, position.work.flags[BOX_AT].copy())
    numbers = set(rooms.room.tolist()) - {CORRIDOR}
    return [set(position.named(np.flatnonzero(rooms.room == number))) for number in sorted(numbers)]


TWO = "#########", "#  ###  #", "#@ ###  #", "#       #", "####*####", "#########"
"""Two rooms, a corridor between them, and a box beside it, so that it is a level."""


def test_a_room_is_two_squares_wide_and_the_rest_is_corridor():
    left, right = ({row + column * 1j for row in (1, 2, 3) for column in columns} for columns in ((1, 2), (6, 7)))
    assert sorted(map(len, rooms_of(Position(*TWO)))) == [6, 6]
    assert {frozenset(left), frozenset(right)} == set(map(frozenset, rooms_of(Position(*TWO))))


def with_boxes(rows, *squares):
    drawn = [list(row) for row in rows]
    for row, column in squares:
        drawn[row][column] = "*"
    return Position(*map("".join, drawn))


@pytest.mark.parametrize(
    ("boxes", "links"),
    [
        ([], 1),
        ([(3, 4)], 0),  # in the corridor
        ([(3, 6)], 0),  # the last square before the room is free, but its door is not
        ([(1, 6)], 1),  # in a corner
        ([(2, 6), (2, 7)], 0),  # the upper part of the room is cut off
        ([(1, 6), (1, 7), (2, 6), (2, 7), (3, 6), (3, 7)], 0),  # full
    ],
)
def test_links_that_boxes_break(boxes, links):
    assert linked(with_boxes(TWO, *boxes)) == (1, links)


# -- against a naive version ---------------------------------------------------------------------


def connected(squares):
    """The connected parts of a set of squares."""
    squares, parts = set(squares), []
    while squares:
        part, waiting = set(), [squares.pop()]
        while waiting:
            here = waiting.pop()
            part.add(here)
            near = {here + step for step in AROUND} & squares
            squares -= near
            waiting += near
        parts.append(part)
    return parts


def naive_rooms(floor):
    def block(square):
        return {square, square + 1, square + 1j, square + 1 + 1j}

    corners = {square for square in floor if block(square) <= floor}
    found = [set().union(*map(block, group)) for group in connected(corners) if len(group) > 1]
    return [{square for square in room if sum(square in other for other in found) == 1} for room in found]


def naive_links(floor, boxes):
    rooms, free = naive_rooms(floor), floor - boxes
    corridors = free - set().union(*rooms)

    def beside(part, to):
        return any(square + step in to for square in part for step in AROUND)

    def comes(part, room):
        """Whether one comes from a part of a room beside another room, within it and through corridors."""
        touching = [other for other in connected(corridors) if beside(part, other)]
        return any(beside(way, room & free) for way in (part, *touching))

    def all_come(one, other):
        parts = connected(one & free)
        return bool(parts) and all(comes(part, other) for part in parts)

    return sum(all_come(one, other) and all_come(other, one) for one, other in itertools.combinations(rooms, 2))


@pytest.mark.compiled
@pytest.mark.extended
def test_links_are_those_of_a_naive_search():
    some, broken = 0, 0
    for rows, _ in random_levels(300, boxes=9, fewest=2, largest=11):
        position = Position(*rows)
        floor, boxes = set(position.names), set(position.named(np.flatnonzero(position.work.flags[BOX_AT])))
        assert sorted(map(sorted_squares, rooms_of(position))) == sorted(
            sorted_squares(room) for room in naive_rooms(floor) if room
        )
        empty, links = linked(position)
        assert (empty, links) == (naive_links(floor, set()), naive_links(floor, boxes))
        some += empty > 0
        broken += links < empty
    assert some > 20
    assert broken > 10


def sorted_squares(room):
    return sorted((square.real, square.imag) for square in room)
