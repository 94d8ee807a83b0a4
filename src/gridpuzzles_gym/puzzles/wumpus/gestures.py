"""Mouse gestures: a click walks over visited squares, a drag shoots; they depend only on what the agent knows."""

from collections.abc import Callable, Iterable, Set
from typing import Any

import numpy as np

from ...engine.board.gestures import Actions, Gestures, Square
from ...engine.board.paths import shortest_paths, until_over
from ...engine.puzzle import UNFINISHED
from ...engine.scene import Row
from .rules import (
    ALIVE,
    ARROW,
    BREEZE,
    CELLS,
    CLIMB_OUT,
    EAST,
    FACING,
    FORWARD,
    GOLD,
    GRAB,
    HEIGHT,
    HELD,
    NORTH,
    SEEN,
    SHOOT,
    SOUTH,
    SQUARE,
    STENCH,
    TURN_LEFT,
    TURN_RIGHT,
    WEST,
    WIDTH,
    legal,
    neighbour,
    outcome,
    step,
)

FACINGS = {(-1, 0): NORTH, (0, 1): EAST, (1, 0): SOUTH, (0, -1): WEST}
"""The facing in which a step moves by that (row, column)."""
TURNS = ((), (TURN_RIGHT,), (TURN_RIGHT, TURN_RIGHT), (TURN_LEFT,))
"""The turns that change the facing by that many quarter turns clockwise."""

Pose = tuple[int, int]
"""(square, facing) of the agent; squares have numbers, as in rows."""


def agent_square(level: Row, state: Row) -> Square:
    """Return the square of the agent."""
    row, column = divmod(int(state[SQUARE]), int(level[WIDTH]))
    return row, column


def number_of(level: Row, square: Square) -> int:
    """Return the number of a square; -1 outside the cave."""
    height, width = int(level[HEIGHT]), int(level[WIDTH])
    inside = 0 <= square[0] < height and 0 <= square[1] < width
    return square[0] * width + square[1] if inside else -1


def seen(state: Row, square: int) -> bool:
    """Whether the agent has visited a square."""
    return bool(state[SEEN + square])


def steps_in(level: Row, state: Row) -> Callable[[Pose], Iterable[tuple[int, Pose]]]:
    """Return the turns and steps of an agent that walks over visited squares, and onto no other."""

    def steps(pose: Pose) -> Iterable[tuple[int, Pose]]:
        square, facing = pose
        ahead = int(neighbour(level, square, facing))
        if ahead >= 0 and seen(state, ahead):
            yield FORWARD, (ahead, facing)
        yield TURN_LEFT, (square, (facing + 3) % 4)
        yield TURN_RIGHT, (square, (facing + 1) % 4)

    return steps


def entrances(level: Row, state: Row, target: int) -> list[Pose]:
    """Return the squares and the directions from which the agent can enter a square that it has not visited."""
    poses = []
    for facing in range(4):
        beyond = int(neighbour(level, target, facing))
        if beyond >= 0 and seen(state, beyond):
            poses.append((beyond, (facing + 2) % 4))
    return poses


def is_safe(level: Row, state: Row, poses: Iterable[Pose]) -> bool:
    """Whether the percepts felt next to a square prove that neither a pit nor a live wumpus is there."""
    cells = [int(level[CELLS + square]) for square, _ in poses]
    quiet = not state[ALIVE] or any(not cell & STENCH for cell in cells)
    return quiet and any(not cell & BREEZE for cell in cells)


def click(level: Row, state: Row, options: Any, square: Square) -> Actions:
    """Return the actions of a click.

    On the agent's own square it grabs the gold, or climbs out with it; on a visited one it walks there. On another
    square next to a visited one it walks up to it and faces it, and goes on into it if the agent already stood next to
    it or knows that it is safe. Squares farther away have no effect.
    """
    if outcome(level, state) != UNFINISHED:
        return ()
    here, target = int(state[SQUARE]), number_of(level, square)
    if target < 0:
        return ()
    if target == here:
        return on_own_square(level, state)
    if seen(state, target):
        actions = way(level, state, [(target, facing) for facing in range(4)])
    else:
        poses = entrances(level, state, target)
        near = [pose for pose in poses if pose[0] == here]
        actions = way(level, state, near or poses)
        if near or is_safe(level, state, poses):
            actions = *actions, FORWARD
    return until_over(level, state, actions, step, outcome)


def on_own_square(level: Row, state: Row) -> Actions:
    """Return the action of a click on the agent's own square."""
    if legal(level, state, GRAB):
        return (GRAB,)
    leaves = state[GOLD] == HELD and legal(level, state, CLIMB_OUT)
    return (CLIMB_OUT,) if leaves else ()


def way(level: Row, state: Row, goals: list[Pose]) -> Actions:
    """Return the fewest actions that take the agent to one of some poses; none if it is there already."""
    pose = int(state[SQUARE]), int(state[FACING])
    paths = shortest_paths(pose, goals, steps_in(level, state))
    return min(paths.values(), key=len, default=())


def drag(level: Row, state: Row, options: Any, start: Square, end: Square) -> Actions:
    """Return the turns and the shot of a drag from the agent's square along its row or column."""
    down, right = end[0] - start[0], end[1] - start[1]
    own = number_of(level, start) == state[SQUARE]
    in_line = (down == 0) != (right == 0) and number_of(level, end) >= 0
    if not own or not in_line or not state[ARROW] or outcome(level, state) != UNFINISHED:
        return ()
    facing = FACINGS[int(np.sign(down)), int(np.sign(right))]
    return (*TURNS[(facing - int(state[FACING])) % 4], SHOOT)


def reachable(level: Row, state: Row, options: Any, grabbed: Square | None) -> Set[Square]:
    """Return the squares on which a click has an effect, or those to which the arrow can be aimed."""
    height, width = int(level[HEIGHT]), int(level[WIDTH])
    squares = {(row, column) for row in range(height) for column in range(width)}
    if grabbed is not None:
        return {square for square in squares if drag(level, state, options, grabbed, square)}
    if outcome(level, state) != UNFINISHED:
        return frozenset()
    return {square for square in squares if can_go(level, state, number_of(level, square))}


def can_go(level: Row, state: Row, square: int) -> bool:
    """Whether a click on a square has an effect."""
    if square == state[SQUARE]:
        return bool(on_own_square(level, state))
    return seen(state, square) or bool(entrances(level, state, square))


GESTURES = Gestures(
    click,
    reachable,
    agent_square,
    "walk there over visited squares; on your own: grab or climb",
    drag,
    "shoot in the direction in which you drag the agent",
    marks=("pit?", "wumpus?", "safe"),
)
