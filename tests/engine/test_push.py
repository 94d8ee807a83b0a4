"""Pushing one box around a board: the fewest moves, against a search of all places of box and player."""

import random
from collections import deque

import numpy as np
import pytest

from gridpuzzles_gym.engine.board.ways import ENTER, NEVER, ROOM, STAYS, neighbour, push, pushable

KINDS = {" ": ENTER | ROOM, "#": 0, "barred": ROOM, "end": ROOM | STAYS}


def move(squares, columns, player, box, action):
    """The squares of player and box after a move; None if it is impossible."""
    there = neighbour(player, action, columns, len(squares))
    if there != box:
        return (there, box) if there >= 0 and squares[there] & ENTER else None
    beyond = neighbour(box, action, columns, len(squares))
    if squares[box] & STAYS or beyond < 0 or not squares[beyond] & ROOM:
        return None
    return (there if squares[there] & ENTER else player), beyond


def fewest_moves(squares, columns, player, box):
    """The fewest moves with which the box gets to each square, by breadth-first search."""
    seen, waiting, found = {(player, box)}, deque([(0, player, box)]), {}
    while waiting:
        moves, *place = waiting.popleft()
        found.setdefault(place[1], moves)
        for action in range(4):
            after = move(squares, columns, *place, action)
            if after is not None and after not in seen:
                seen.add(after)
                waiting.append((moves + 1, *after))
    return found


@pytest.mark.parametrize("seed", range(40))
def test_boxes_are_pushed_by_the_fewest_moves(seed):
    luck = random.Random(seed)
    rows, columns = luck.randint(2, 6), luck.randint(2, 6)
    kinds = luck.choices(list(KINDS), (12, 3, 1, 1), k=rows * columns)
    player, box = luck.sample(range(rows * columns), 2)
    kinds[player], kinds[box] = " ", luck.choice((" ", "barred"))
    squares = np.array([KINDS[kind] for kind in kinds], np.uint8)
    fewest = fewest_moves(squares, columns, player, box)
    reached = np.empty(len(squares), np.int64)
    pushable(squares, columns, player, box, reached)
    assert set(np.flatnonzero(reached).tolist()) == set(fewest) - {box}
    for target in range(len(squares)):
        out = np.empty(32 * len(squares), np.int64)
        count = push(squares, columns, player, box, target, out)
        assert count == fewest.get(target, NEVER)
        place = player, box
        for action in out[: max(count, 0)].tolist():
            place = move(squares, columns, *place, action)
        assert count == NEVER or place[1] == target
