"""The areas of the floor after each move of a box, compared with a flood of the floor."""

import numpy as np
import pytest

from gridpuzzles_gym.agents.sokoban.solver.areas import (
    AREA,
    FIELDS,
    MOVE_SIZE,
    area_after,
    count_after,
    divide,
    move_between,
)

SIZE = 6


def random_floor(rng, walls):
    """The neighbours of the squares of a grid with walls, numbered in random order: int16[n, 4]."""
    inside = np.full((SIZE + 2, SIZE + 2), -1, np.int16)
    cells = np.argwhere(rng.random((SIZE, SIZE)) >= walls) + 1
    inside[tuple(cells.T)] = rng.permutation(len(cells))
    neighbours = np.empty((len(cells), 4), np.int16)
    for row, column in cells:
        near = (row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)
        neighbours[inside[row, column]] = [inside[cell] for cell in near]
    return neighbours


def flooded(neighbours, box_at):
    """For each square the lowest square of its area, -1 at boxes."""
    area = np.where(box_at, -1, len(box_at))
    for start in range(len(box_at)):
        reached = [start] if area[start] == len(box_at) else []
        for here in reached:
            area[here] = start
            reached += {there for there in neighbours[here] if there >= 0 and area[there] == len(box_at)} - set(reached)
    return area.tolist()


@pytest.mark.parametrize("walls", [0.2, 0.4])
@pytest.mark.parametrize("boxes", [1, 4, 9])
def test_areas_after_each_move_are_those_of_a_flood(walls, boxes):
    rng = np.random.default_rng([boxes, int(10 * walls)])
    split = joined = 0
    for _ in range(12):
        neighbours = random_floor(rng, walls)
        squares = len(neighbours)
        box_at = np.zeros(squares, np.uint8)
        box_at[rng.permutation(squares)[:boxes]] = 1
        areas, move = np.zeros((FIELDS, squares), np.int16), np.zeros(MOVE_SIZE, np.int16)
        found = divide(neighbours, box_at, areas)
        before = flooded(neighbours, box_at)
        assert areas[AREA].tolist() == before
        assert found == len(set(before) - {-1})
        freed = int(rng.choice(np.flatnonzero(box_at)))
        for taken in [freed, *np.flatnonzero(box_at == 0).tolist()]:
            after = box_at.copy()
            after[freed], after[taken] = 0, 1
            move_between(neighbours, areas, freed, taken, move)
            expected = flooded(neighbours, after)
            free = np.flatnonzero(after == 0).tolist()
            assert [area_after(neighbours, areas, move, square) for square in free] == [
                expected[square] for square in free
            ]
            number = count_after(areas, move, found)
            assert number == len(set(expected) - {-1})
            split, joined = split + (number > found), joined + (number < found)
    assert split
    assert joined
