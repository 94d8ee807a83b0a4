"""A level as the push searches see it: renumbered squares, their neighbours, and distances to goals.

Only squares the player could ever reach are numbered, starting with those from which a box can still reach a goal:
``square < live`` means that a box may be there. A search that keeps boxes in bit sets needs no others.
"""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import int16, int32, int64, types, uint64

from gridpuzzles_gym.engine.compile.compilation import borrowed, compiled, routine, rule, tiered
from gridpuzzles_gym.engine.kernels import kernel
from gridpuzzles_gym.engine.scene import Row
from gridpuzzles_gym.puzzles.sokoban.rules import CELLS, COUNT, GOAL, PLAYER, WALL, ahead, box_on

from .flood import same_side

NOWHERE = -1
FAR = 1 << 20
"""The distance to an unreachable goal: more than all boxes of a level need together, except if :func:`may_exceed`."""
SIDES = 4
MOST_INTERPRETED = 1_000
"""The maximum number of squares for which kernels may be interpreted; with more, that takes seconds."""


class Board(NamedTuple):
    """The constant facts about a level; n squares, k goals."""

    neighbours: npt.NDArray[np.int16]
    """int16[n, 4]: the square in the direction of each action, NOWHERE at a wall."""
    distance: npt.NDArray[np.int32]
    """int32[n, k]: pushes from a square to each goal on the empty board, FAR if there is no path."""
    goal_at: npt.NDArray[np.int16]
    """int16[n]: the index of the goal on a square, or NOWHERE."""
    goals: npt.NDArray[np.int16]
    """int16[k]: the square of each goal."""
    place: npt.NDArray[np.int16]
    """int16[n]: each square's number in the level."""
    code: npt.NDArray[np.uint64]
    """uint64[2n]: Zobrist keys of a box on each square, then of the player there: a position's hash is their
    exclusive or (A. Zobrist, 1970)."""
    live: int
    """Number of squares from which a box can reach a goal."""
    pushed: int
    """1 if boxes are pushed; 0 if the level is read backwards, and they are pulled from the goals: see
    :class:`.sub_searches.Backwards`."""


BOARD = types.NamedTuple(
    (
        types.Array(int16, 2, "C"),
        types.Array(int32, 2, "C"),
        int16[::1],
        int16[::1],
        int16[::1],
        uint64[::1],
        int64,
        int64,
    ),
    Board,
)


@rule
def step_of(board, box, action):
    """Return how a box is moved: the player's square before, the box's new square, and the player's square after.

    NOWHERE in any of them is a wall.
    """
    there = board.neighbours[box, action]
    if board.pushed:
        return board.neighbours[box, action ^ 1], there, box
    if there == NOWHERE:
        return there, there, there
    return there, there, board.neighbours[there, action]


@rule
def is_step(board, box_at, box, player_at, there, ends):
    """Whether a box can take the step that :func:`step_of` describes, if the player can get to his square."""
    if player_at < 0 or there < 0 or there >= board.live or ends < 0 or box_at[there]:
        return False
    return ends == box or not box_at[ends]


@rule
def reachable(level, state, inside, queue):
    """Number the squares the player could reach without boxes, in ``inside`` (int16[N]); return how many."""
    for square in range(inside.shape[0]):
        inside[square] = NOWHERE
    queue[0] = state[PLAYER]
    inside[state[PLAYER]] = 0
    count = 1
    head = 0
    while head < count:
        here = queue[head]
        head += 1
        for action in range(SIDES):
            there = ahead(level, here, action)
            if inside[there] == NOWHERE and not level[CELLS + there] & WALL:
                inside[there] = count
                queue[count] = there
                count += 1
    return count


@rule
def label_sides(neighbours, side, seen, queue):
    """For a box on each square: which of its four sides the player can walk between, int8[n, 4].

    Two sides with the same label are connected around the box; NOWHERE is a wall.
    """
    count = neighbours.shape[0]
    for box in range(count):
        for action in range(SIDES):
            side[box, action] = NOWHERE
        for action in range(SIDES):
            if neighbours[box, action] == NOWHERE or side[box, action] != NOWHERE:
                continue
            side[box, action] = action
            same_side(neighbours, box, action, side, seen, queue)


@rule
def move_from(neighbours, side, start, pushed, column, distance, steps, queue):
    """Fill ``distance[:, column]``: the fewest pulls, or pushes, of a box from one square to every other.

    There are no other boxes; a position is the box's square and the side of it where the player is. Pulls from a goal
    are pushes to it, backwards.
    """
    for k in range(steps.shape[0]):
        steps[k] = FAR
    head = tail = 0
    for action in range(SIDES):
        if side[start, action] == action:
            steps[start * SIDES + action] = 0
            queue[tail] = start * SIDES + action
            tail += 1
    distance[start, column] = 0
    while head < tail:
        position = queue[head]
        head += 1
        box, label = position // SIDES, position % SIDES
        for stood in range(SIDES):
            if side[box, stood] != label:
                continue
            there = neighbours[box, stood ^ pushed]
            if there == NOWHERE or neighbours[there, stood] == NOWHERE:
                continue
            after = np.int64(there) * SIDES + side[there, stood]  # he is on the same side of it as before
            if steps[after] == FAR:
                steps[after] = steps[position] + 1
                distance[there, column] = min(distance[there, column], steps[after])
                queue[tail] = after
                tail += 1


@rule
def scrambled(number):
    """Return a hash of a number (G. Steele, D. Lea and C. Flood's SplitMix64, 2014)."""
    word = np.uint64(number + 1) * np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@routine
def survey_rows(level, state):
    """Return the board of a level, the boxes, and the player: see :func:`survey`."""
    level, state = borrowed(level), borrowed(state)
    squares = level.shape[0] - CELLS
    inside, order = np.empty(squares, np.int16), np.empty(squares, np.int16)
    count = reachable(level, state, inside, order)
    first = np.empty((count, SIDES), np.int16)
    goals = 0
    for here in range(count):
        goals += (level[CELLS + order[here]] & GOAL) != 0
        for action in range(SIDES):
            first[here, action] = inside[ahead(level, order[here], action)]
    side = np.empty((count, SIDES), np.int8)
    steps, queue = np.empty(count * SIDES, np.int32), np.empty(count * SIDES, np.int32)
    label_sides(first, side, steps, queue)
    distance = np.full((count, goals), FAR, np.int32)
    goal = 0
    for here in range(count):
        if level[CELLS + order[here]] & GOAL:
            move_from(first, side, here, 0, goal, distance, steps, queue)
            goal += 1
    # Renumber the squares, starting with those from which some goal can be reached.
    rank = np.empty(count, np.int16)
    live = 0
    for here in range(count):
        alive = False
        for goal in range(goals):
            if distance[here, goal] < FAR:
                alive = True
                break
        rank[here] = live if alive else NOWHERE
        live += alive
    dead = live
    for here in range(count):
        if rank[here] == NOWHERE:
            rank[here] = dead
            dead += 1
    neighbours, far = np.empty((count, SIDES), np.int16), np.empty((count, goals), np.int32)
    goal_at, goal_squares = np.full(count, NOWHERE, np.int16), np.empty(goals, np.int16)
    place, code = np.empty(count, np.int16), np.empty(2 * count, np.uint64)
    boxes = np.empty(level[COUNT], np.int16)
    found = goal = 0
    for here in range(count):
        new = rank[here]
        place[new] = order[here]
        for action in range(SIDES):
            there = first[here, action]
            neighbours[new, action] = NOWHERE if there == NOWHERE else rank[there]
        for number in range(goals):
            far[new, number] = distance[here, number]
        if level[CELLS + order[here]] & GOAL:
            goal_at[new] = goal
            goal_squares[goal] = new
            goal += 1
        if box_on(state, order[here]):
            boxes[found] = new
            found += 1
    for number in range(2 * count):
        code[number] = scrambled(number)
    board = Board(neighbours, far, goal_at, goal_squares, place, code, live, 1)
    return board, boxes[:found], np.int64(rank[0])


def make_survey() -> Callable[..., tuple[Board, npt.NDArray[np.int16], int]]:
    """``survey(level, state) -> (board, boxes, player)``: the board of a level, and the squares of boxes and player.

    ``boxes`` are int16[k]; a box that is lost already has a number from ``board.live`` on.
    """

    def survey(level, state):
        return survey_rows(level, state)

    return compiled(survey, "sokoban-survey", returns_arrays=True)


def survey(level: Row, state: Row) -> tuple[Board, npt.NDArray[np.int16], int]:
    """Return the board of a level, the squares of its boxes (int16[k]), and the square of the player."""
    surveyed: tuple[Board, npt.NDArray[np.int16], int] = tiered_by_size(len(level), kernel(make_survey), level, state)
    return surveyed


def tiered_by_size(squares: int, function: Any, *arguments: Any) -> Any:
    """Call a kernel: compiled if the board is large, otherwise as :func:`~.compilation.tiered` decides."""
    return function(*arguments) if squares > MOST_INTERPRETED else tiered(function, *arguments)


def may_exceed(board: Board) -> bool:
    """Whether the boxes may need :data:`FAR` pushes, which searches take for unsolvable: on huge boards only."""
    longest = board.distance[board.distance < FAR].max(initial=0)
    return int(longest) * len(board.goals) >= FAR


def make_aiming() -> Callable[..., tuple[npt.NDArray[np.int32], npt.NDArray[np.int16]]]:
    """``aiming(board, goals, pushed) -> (distance, goal_at)``, as in a :class:`Board`: see :func:`aimed`."""

    def aiming(board, goals, pushed):
        board, goals = borrowed(board), borrowed(goals)
        squares, count = board.neighbours.shape[0], goals.shape[0]
        side = np.empty((squares, SIDES), np.int8)
        steps, queue = np.empty(squares * SIDES, np.int32), np.empty(squares * SIDES, np.int32)
        label_sides(board.neighbours, side, steps, queue)
        distance, goal_at = np.full((squares, count), FAR, np.int32), np.full(squares, NOWHERE, np.int16)
        for goal in range(count):
            goal_at[goals[goal]] = goal
            move_from(board.neighbours, side, goals[goal], 1 - pushed, goal, distance, steps, queue)
        return distance, goal_at

    signature = types.Tuple((types.Array(int32, 2, "C"), int16[::1]))(BOARD, int16[::1], int64)
    return compiled(aiming, "sokoban-aiming", signature, returns_arrays=True)


def aimed(board: Board, goals: npt.NDArray[np.int16], pushed: int = 1) -> Board:
    """Return the same board with other goals (int16[k]), to which boxes are pushed, or pulled."""
    distance, goal_at = kernel(make_aiming)(board, goals, pushed)
    return board._replace(distance=distance, goal_at=goal_at, goals=goals.copy(), pushed=pushed)


def aiming_bytes(board: Board, count: int) -> int:
    """Return the size of what :func:`aimed` creates for ``count`` goals in bytes, temporary arrays included."""
    squares = len(board.neighbours)
    return (4 * squares + 2) * count + 2 * squares + (1 + 2 * 4) * SIDES * squares
