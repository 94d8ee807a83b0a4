"""From the pushes of a search to the moves of the player."""

from collections.abc import Callable

import numpy as np
from numba import int32, int64, uint8

from gridpuzzles_gym.engine.compilation import borrowed, compiled, routine, rule
from gridpuzzles_gym.engine.kernels import kernel

from .board import BOARD, SIDES, Board
from .flood import walk
from .nodes import NO_NODE, NODES, Nodes, unpack
from .position import BOX_AT, QUEUE, STEPS, WORK, Work


@rule
def write(plan, count, action):
    """Write an action behind the first ``count`` of a plan, where there is room; answer how many there are then."""
    if count < plan.shape[0]:
        plan[count] = action
    return count + 1


@routine
def walk_to(board, box_at, player, target, steps, queue, plan, count):
    """Write a shortest walk behind the first ``count`` actions of a plan; answer how many there are then."""
    walk(board.beside, box_at, target, steps, queue)
    while player != target:
        for action in range(SIDES):
            there = board.beside[player, action]
            if there >= 0 and 0 <= steps[there] < steps[player]:
                count = write(plan, count, action)
                player = there
                break
    return count


@routine
def take_box(board, box_at, player, source, target, zone, steps, queue, way, before, plan, count):
    """Write how a box is pushed to a square with the fewest pushes, the player then in a zone.

    A zone is the lowest square that he can walk to. ``before`` (int32[n, 4]) is filled with the position that each
    one of the box, the player on a side, was reached from. Answers how many actions there are then, and where he is.
    """
    beside = board.beside
    for square in range(before.shape[0]):
        for side in range(SIDES):
            before[square, side] = NO_NODE
    head = tail = 0
    walk(beside, box_at, player, steps, queue)
    for side in range(SIDES):
        stands = beside[source, side]
        if stands >= 0 and steps[stands] >= 0:
            way[tail] = before[source, side] = source * SIDES + side
            tail += 1
    box_at[source] = 0
    last = NO_NODE
    while head < tail and last == NO_NODE:
        here, side = way[head] // SIDES, way[head] % SIDES
        there = beside[here, side ^ 1]
        if there >= 0 and not box_at[there] and before[there, side] == NO_NODE:
            box_at[there] = 1
            lowest = walk(beside, box_at, here, steps, queue)
            box_at[there] = 0
            # The side he pushed from comes first: a push on needs no walk.
            for turn in range(SIDES):
                other = side ^ turn
                stands = beside[there, other]
                if stands >= 0 and steps[stands] >= 0 and before[there, other] == NO_NODE:
                    before[there, other] = way[head]
                    way[tail] = there * SIDES + other
                    tail += 1
            if there == target and (lowest == zone or here == zone):
                last = way[head]
        head += 1
    # The pushes, last first: each is the position that it was made from.
    pushes = 0
    while last != NO_NODE:
        way[pushes] = last
        pushes += 1
        previous = before[last // SIDES, last % SIDES]
        last = NO_NODE if previous == last else previous
    for push in range(pushes - 1, -1, -1):
        here, side = way[push] // SIDES, way[push] % SIDES
        box_at[here] = 1
        count = walk_to(board, box_at, player, beside[here, side], steps, queue, plan, count)
        box_at[here] = 0
        count = write(plan, count, side ^ 1)
        player = here
    box_at[target] = 1
    return count, player


def make_planner() -> Callable[..., int]:
    """``planner(board, nodes, work, chain, player, plan) -> int``: fills in the actions; answers how many there are.

    ``chain`` (int32[c]) are the nodes of the way, the first one included; ``plan`` (uint8[m]) may turn out too short.
    """

    def planner(board, nodes, work, chain, player, plan):  # type: ignore[no-untyped-def]
        board, nodes, work = borrowed(board), borrowed(nodes), borrowed(work)
        box_at, steps, queue = work.flags[BOX_AT], work.squares[STEPS], work.squares[QUEUE]
        squares = box_at.shape[0]
        way, before = np.empty(squares * SIDES, np.int32), np.empty((squares, SIDES), np.int32)
        unpack(nodes.boxes[chain[0]], work.boxes, box_at)
        count = 0
        for k in range(1, chain.shape[0]):
            source, target = nodes.push[chain[k], 0], nodes.push[chain[k], 1]
            zone = nodes.player[chain[k]]
            count, player = take_box(
                board, box_at, player, source, target, zone, steps, queue, way, before, plan, count
            )
        return count

    return compiled(planner, [], "sokoban-planner", int64(BOARD, NODES, WORK, int32[::1], int64, uint8[::1]))


def actions_to(board: Board, nodes: Nodes, work: Work, node: int, player: int) -> list[int]:
    """The actions that lead from the first node to another, the player at first on a square."""
    chain = [node]
    while nodes.parent[chain[-1]] != NO_NODE:
        chain.append(int(nodes.parent[chain[-1]]))
    way, plan = np.array(chain[::-1], np.int32), np.zeros(1024, np.uint8)
    while True:
        count = kernel(make_planner)(board, nodes, work, way, player, plan)
        if count <= len(plan):
            actions: list[int] = plan[:count].tolist()
            return actions
        plan = np.zeros(count, np.uint8)
