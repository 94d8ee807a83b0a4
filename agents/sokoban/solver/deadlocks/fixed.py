"""Deadlocks of boxes that can never move again: as walls, they may leave no matching, or no way to fill the goals."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from gridpuzzles_gym.engine.compile.compilation import routine
from gridpuzzles_gym.engine.compile.memory import copy_row

from ..board import FAR, NOWHERE, SIDES, label_sides, move_from
from ..flood import walk
from ..matching import match_all
from ..position import BOX_AT, FROZEN, QUEUE, REACHED
from .freezing import movable


@routine
def is_lost(board, work, scratch, steps):
    """Whether a position is lost since some boxes are fixed; ``scratch`` (uint8[n]) and ``steps`` (int16[n])."""
    boxes, box_at, frozen = work.boxes, work.flags[BOX_AT], work.flags[FROZEN]
    copy_row(box_at, frozen)
    removed = True
    while removed:
        removed = False
        for box in boxes:
            if frozen[box] and movable(board, frozen, box):
                frozen[box] = 0
                removed = True
    fixed = 0
    for box in boxes:
        fixed += frozen[box] != 0
        if frozen[box] and board.goal_at[box] < 0:
            return True
    if fixed > 0 and not is_matched_exactly(board, work, frozen):
        return True
    return not dissolves(board, work, frozen, scratch, steps)


@routine
def is_matched_exactly(board, work, frozen):
    """Whether all boxes can be matched with goals that they reach past those that are fixed, alone on the board."""
    walled = work.walled
    key = np.uint64(0)
    for box in work.boxes:
        if frozen[box]:
            key ^= board.code[box]
    if walled.key[0] != key:
        walled.key[0] = key
        for square in range(frozen.shape[0]):
            for side in range(SIDES):
                there = board.neighbours[square, side]
                walled.neighbours[square, side] = NOWHERE if there < 0 or frozen[there] or frozen[square] else there
        label_sides(walled.neighbours, walled.side, walled.steps, walled.queue)
        for goal in range(board.goals.shape[0]):
            for square in range(frozen.shape[0]):
                walled.distance[square, goal] = FAR
            place = board.goals[goal]
            if frozen[place]:
                walled.distance[place, goal] = 0
            else:
                move_from(walled.neighbours, walled.side, place, 0, goal, walled.distance, walled.steps, walled.queue)
    return match_all(walled.distance, work.boxes, work.match) < FAR


@routine
def dissolves(board, work, frozen, at, steps):
    """Whether the solved level can be reached: pulled apart from some area, only boxes that stand now are left."""
    neighbours, queue = board.neighbours, work.squares[QUEUE]
    seen = work.squares[REACHED]
    for square in range(seen.shape[0]):
        seen[square] = 0
    for start in range(seen.shape[0]):
        if seen[start] or board.goal_at[start] >= 0 or frozen[start]:
            continue
        for square in range(at.shape[0]):
            at[square] = board.goal_at[square] >= 0 or frozen[square]
        walk(neighbours, at, start, steps, queue)
        for square in range(at.shape[0]):
            seen[square] |= steps[square] >= 0
        changed = True
        while changed:
            changed = False
            for goal in board.goals:
                if not at[goal] or frozen[goal]:
                    continue
                for side in range(SIDES):
                    there = neighbours[goal, side]
                    if there < 0 or there >= board.live or at[there] or steps[there] < 0:
                        continue
                    ends = neighbours[there, side]
                    if ends >= 0 and not at[ends]:
                        at[goal] = 0
                        changed = True
                        break
            if changed:
                walk(neighbours, at, start, steps, queue)
        left = 0
        for goal in board.goals:
            left += at[goal] and not work.flags[BOX_AT, goal]
        if left == 0:
            return True
    return False
