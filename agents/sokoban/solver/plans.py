"""Converts the pushes found by a search to the player's moves."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import functools
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from numba import int16, int64, types, uint8

from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled, routine, rule
from gridpuzzles_gym.engine.kernels import kernel

from .board import BOARD, SIDES, Board, tiered_by_size
from .flood import walk
from .nodes import NO_NODE, Nodes, unpack
from .position import BOX_AT, QUEUE, STEPS, Work

Push = tuple[int, int]
"""The square of the box, and the action."""
Squares = npt.NDArray[np.int16]
Plan = npt.NDArray[np.uint8]


@routine
def chain_to(nodes, node):
    """Return the nodes from the first to another, both included, int32[c]."""
    length = 1
    here = node
    while nodes.parent[here] != NO_NODE:
        here = nodes.parent[here]
        length += 1
    chain = np.empty(length, np.int32)
    for place in range(length - 1, -1, -1):
        chain[place] = node
        node = nodes.parent[node]
    return chain


@rule
def write(plan, count, action):
    """Append an action to the first ``count`` of a plan, if it fits; return the new count."""
    if count < plan.shape[0]:
        plan[count] = action
    return count + 1


@routine
def walk_to(board, box_at, player, target, steps, queue, plan, count):
    """Append a shortest walk to the first ``count`` actions of a plan; return the new count."""
    walk(board.neighbours, box_at, target, steps, queue)
    while player != target:
        for action in range(SIDES):
            there = board.neighbours[player, action]
            if there >= 0 and 0 <= steps[there] < steps[player]:
                count = write(plan, count, action)
                player = there
                break
    return count


@routine
def take_box(board, box_at, player, source, target, zone, steps, queue, way, before, plan, count):
    """Append the fewest pushes of a box to a square that leave the player in a zone.

    A zone is identified by the lowest square in the player's reach. ``before`` (int32[n, 4]) is filled with the parent
    of each position (box, the player's side). Returns the new count of actions, and the player's square.
    """
    neighbours = board.neighbours
    for square in range(before.shape[0]):
        for side in range(SIDES):
            before[square, side] = NO_NODE
    head = tail = 0
    walk(neighbours, box_at, player, steps, queue)
    for side in range(SIDES):
        player_at = neighbours[source, side]
        if player_at >= 0 and steps[player_at] >= 0:
            way[tail] = before[source, side] = np.int64(source) * SIDES + side
            tail += 1
    box_at[source] = 0
    last = NO_NODE
    while head < tail and last == NO_NODE:
        here, side = way[head] // SIDES, way[head] % SIDES
        there = neighbours[here, side ^ 1]
        if there >= 0 and not box_at[there] and before[there, side] == NO_NODE:
            box_at[there] = 1
            lowest = walk(neighbours, box_at, here, steps, queue)
            box_at[there] = 0
            # The side he pushed from comes first: pushing on needs no walk.
            for turn in range(SIDES):
                other = side ^ turn
                player_at = neighbours[there, other]
                if player_at >= 0 and steps[player_at] >= 0 and before[there, other] == NO_NODE:
                    before[there, other] = way[head]
                    way[tail] = np.int64(there) * SIDES + other
                    tail += 1
            if there == target and (lowest == zone or here == zone):
                last = way[head]
        head += 1
    # The pushes, last first: each is the position it started from.
    pushes = 0
    while last != NO_NODE:
        way[pushes] = last
        pushes += 1
        previous = before[last // SIDES, last % SIDES]
        last = NO_NODE if previous == last else previous
    for push in range(pushes - 1, -1, -1):
        here, side = way[push] // SIDES, way[push] % SIDES
        box_at[here] = 1
        count = walk_to(board, box_at, player, neighbours[here, side], steps, queue, plan, count)
        box_at[here] = 0
        count = write(plan, count, side ^ 1)
        player = here
    box_at[target] = 1
    return count, player


@routine
def write_way(board, nodes, work, chain, player, plan):
    """Write the actions along a chain of nodes: see :func:`make_planner`."""
    board, nodes, work = borrowed(board), borrowed(nodes), borrowed(work)
    box_at, steps, queue = work.flags[BOX_AT], work.squares[STEPS], work.squares[QUEUE]
    squares = box_at.shape[0]
    way, before = np.empty(squares * SIDES, np.int32), np.empty((squares, SIDES), np.int32)
    unpack(nodes.boxes[chain[0]], work.boxes, box_at)
    count = 0
    for k in range(1, chain.shape[0]):
        source, target = nodes.push[chain[k], 0], nodes.push[chain[k], 1]
        if not board.pushed:  # the pull that led to the node before, undone
            target, source = nodes.push[chain[k - 1], 0], nodes.push[chain[k - 1], 1]
        zone = nodes.player[chain[k]]
        count, player = take_box(board, box_at, player, source, target, zone, steps, queue, way, before, plan, count)
    return count


def make_planner() -> Callable[..., int]:
    """``planner(board, nodes, work, chain, player, plan) -> int``: writes the actions; returns how many there are.

    ``chain`` (int32[c]) are the nodes on the path, in the order in which the boxes are pushed; ``plan`` (uint8[m]) may
    turn out too short.
    """

    def planner(board, nodes, work, chain, player, plan):
        return write_way(board, nodes, work, chain, player, plan)

    return compiled(planner, "sokoban-planner")


def actions_to(board: Board, nodes: Nodes, work: Work, node: int, player: int) -> list[int]:
    """Return the actions that lead from the first node to another, from the player's start square.

    Of a level read backwards: those that lead from the node to the first one.
    """
    chain = [node]
    while nodes.parent[chain[-1]] != NO_NODE:
        chain.append(int(nodes.parent[chain[-1]]))
    way = np.array(chain[::-1] if board.pushed else chain, np.int32)
    write = functools.partial(tiered_by_size, len(board.neighbours), kernel(make_planner))
    return _written(lambda plan: int(write(board, nodes, work, way, player, plan)))


def pushes_of(board: Board, boxes: Squares, player: int, actions: Sequence[int]) -> list[Push]:
    """Return the pushes in a plan: the box's square before each, and the action."""
    at, pushes = set(boxes.tolist()), []
    for action in actions:
        player = int(board.neighbours[player, action])
        if player in at:
            at.remove(player)
            at.add(int(board.neighbours[player, action]))
            pushes.append((player, action))
    return pushes


def make_walker() -> Callable[..., int]:
    """``walker(board, boxes, pushes, player, plan) -> int``: writes all actions; returns how many there are.

    ``pushes`` (int16[p, 2]) are the box's square and the action; ``plan`` (uint8[m]) may turn out too short.
    """

    def walker(board, boxes, pushes, player, plan):
        board = borrowed(board)
        squares = board.neighbours.shape[0]
        box_at = np.zeros(squares, np.uint8)
        steps, queue = np.empty(squares, np.int16), np.empty(squares, np.int16)
        for box in boxes:
            box_at[box] = 1
        count = 0
        for push in range(pushes.shape[0]):
            box, action = pushes[push, 0], pushes[push, 1]
            count = walk_to(board, box_at, player, board.neighbours[box, action ^ 1], steps, queue, plan, count)
            count = write(plan, count, action)
            box_at[box] = 0
            box_at[board.neighbours[box, action]] = 1
            player = box
        return count

    signature = int64(BOARD, int16[::1], types.Array(int16, 2, "C"), int64, uint8[::1])
    return compiled(walker, "sokoban-walker", signature)


def walked(board: Board, boxes: Squares, player: int, pushes: Sequence[Push]) -> list[int]:
    """Return all actions of a plan with these pushes, with shortest walks between them."""
    rows = np.array(pushes, np.int16).reshape(-1, 2)
    return _written(lambda plan: int(kernel(make_walker)(board, boxes, rows, player, plan)))


def _written(write_plan: Callable[[Plan], int]) -> list[int]:
    """Return the plan that ``write_plan`` writes; it returns the required length of its array."""
    plan = np.zeros(1024, np.uint8)
    while True:
        count = write_plan(plan)
        if count <= len(plan):
            actions: list[int] = plan[:count].tolist()
            return actions
        plan = np.zeros(count, np.uint8)
