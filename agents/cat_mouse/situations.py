"""The wall follower's table, with situations numbered as in the original program.

A situation is the direction in which the mouse runs, and the open sides of its square. Its number is the
direction's weight times the sum of the weights of the open sides, and all numbers are distinct:

    weight of            north   west   south   east
    the direction           1      2       3     17
    an open side            7     11      31     37

A hand on the right wall means: turn right if that side is open, else go ahead, else turn left, else turn back; a hand
on the left wall is its mirror image. Four directions times the fourteen sets of one to three open sides make the
original program's 56 situations; the four with every side open, absent from its maze, follow by the same rule.
"""

import itertools

import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.puzzles.cat_mouse.rules import DOWN, LEFT, RIGHT, UP

HANDS = ("right", "left")
DIRECTION_WEIGHTS = {UP: 1, LEFT: 2, DOWN: 3, RIGHT: 17}
SIDE_WEIGHTS = {UP: 7, LEFT: 11, DOWN: 31, RIGHT: 37}
CLOCKWISE = (UP, RIGHT, DOWN, LEFT)
NOWHERE = -1


def situation(direction: int, sides: tuple[int, ...]) -> int:
    """Return the number of a situation."""
    return DIRECTION_WEIGHTS[direction] * sum(SIDE_WEIGHTS[side] for side in sides)


def turn(direction: int, sides: tuple[int, ...], hand: str) -> int:
    """Return the direction to go with that hand on the wall, given the open sides."""
    facing, right = CLOCKWISE.index(direction), 1 if hand == "right" else -1
    wishes = (CLOCKWISE[(facing + quarters * right) % 4] for quarters in (1, 0, -1, 2))
    return next(side for side in wishes if side in sides)


def situations(hand: str = "right", most: int = 3) -> dict[int, int]:
    """Return the table: the number of every situation with at most ``most`` open sides, and the direction to go."""
    return {
        situation(direction, sides): turn(direction, sides, hand)
        for count in range(1, most + 1)
        for sides in itertools.combinations(SIDE_WEIGHTS, count)
        for direction in DIRECTION_WEIGHTS
    }


def ways(hand: str) -> npt.NDArray[np.int64]:
    """Return the table for all sets of sides, int64[largest number + 1]; NOWHERE for numbers without a situation."""
    table = situations(hand, most=4)
    array = np.full(max(table) + 1, NOWHERE)
    array[list(table)] = list(table.values())
    return array
