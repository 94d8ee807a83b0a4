"""Keys of boards: one for all images of a board under any walls, another for any other board."""

import itertools

import pytest

from gridpuzzles_gym.agents.sokoban.generation.candidates import canonical_key
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.puzzles.sokoban import PUZZLE

BUNDLED = [level.content for level in find_levels(PUZZLE, "first")]
ROOM = ("#######", "#@ #  #", "# $   #", "#  *. #", "#######")


def images(rows):
    """The eight images of a board, by moving letters about."""
    for _ in range(4):
        rows = tuple("".join(column) for column in zip(*rows[::-1], strict=True))
        yield rows
        yield tuple(row[::-1] for row in rows)


def padded(rows, top, right, bottom, left):
    wide = left + len(rows[0]) + right
    return "#" * wide, *["#" * wide] * top, *("#" * left + row + "#" * right for row in rows), *["#" * wide] * bottom


def changed(rows, place, symbol):
    row, column = place
    return (*rows[:row], rows[row][:column] + symbol + rows[row][column + 1 :], *rows[row + 1 :])


@pytest.mark.parametrize("rows", [ROOM, *BUNDLED[::5]])
def test_images_under_any_walls_have_one_key(rows):
    paddings = [(0, 0, 0, 0), (2, 0, 0, 1), (0, 3, 1, 0)]
    keys = {canonical_key(padded(image, *walls)) for image in images(rows) for walls in paddings}
    assert keys == {canonical_key(rows)}


def test_all_images_of_a_board_without_symmetry_are_different_boards():
    assert len(set(images(ROOM))) == 8


def test_the_players_square_counts_only_for_where_he_can_walk():
    there = changed(changed(ROOM, (1, 1), " "), (3, 2), "@")
    assert canonical_key(there) == canonical_key(ROOM)
    shut = ("#######", "#@$ . #", "#######")
    assert canonical_key(shut) != canonical_key(("#######", "# $ .@#", "#######"))
    assert canonical_key(("#######", "#@$ .##", "#######")) == canonical_key(("#######", "##. $@#", "#######"))


def test_any_other_board_has_another_key():
    boards = {ROOM}
    for place, symbol in itertools.product(itertools.product(range(1, 4), range(1, 6)), " #.$*"):
        if ROOM[place[0]][place[1]] != "@":
            boards.add(changed(ROOM, place, symbol))
    keys = [canonical_key(board) for board in boards]
    assert len(boards) > 50
    assert len(set(keys)) == len(boards)


def test_shipped_levels_are_all_different():
    assert len({canonical_key(rows) for rows in BUNDLED}) == len(BUNDLED)
