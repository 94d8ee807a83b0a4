"""What the mouse does in a cave, by what the agent knows: a click walks over visited squares, a drag shoots."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from ...engine.board import touch
from ...engine.compile.compilation import routine, rule
from ...engine.puzzle import UNFINISHED
from .picture import area
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

NOT_REACHED = -1
until_over = touch.cut_at_the_end(step, outcome)


@routine
def walk_in_cave(level, state, steps, came):
    """Search the poses, 4 * square + facing, that turns and steps over visited squares lead to.

    Args:
        level: int16[L].
        state: int16[S].
        steps: int64[4 * squares], written: the number of actions; NOT_REACHED where none lead.
        came: int64[4 * squares], written: the last of these actions.
    """
    waiting = np.empty(steps.shape[0], np.int64)
    steps[:] = NOT_REACHED
    waiting[0] = 4 * int(state[SQUARE]) + state[FACING]
    steps[waiting[0]] = 0
    first, count = 0, 1
    while first < count:
        pose = waiting[first]
        square, facing = pose // 4, pose % 4
        first += 1
        ahead = int(neighbour(level, square, facing))
        for action in (FORWARD, TURN_LEFT, TURN_RIGHT):
            there = 4 * square + (facing + (3 if action == TURN_LEFT else 1)) % 4
            if action == FORWARD:
                there = 4 * ahead + facing if ahead >= 0 and state[SEEN + ahead] else pose
            if steps[there] == NOT_REACHED:
                steps[there], came[there] = steps[pose] + 1, action
                waiting[count] = there
                count += 1


@rule
def pose_before(level, pose, action):
    """Return the pose from which an action leads to another one."""
    square, facing = pose // 4, pose % 4
    if action == FORWARD:
        return 4 * int(neighbour(level, square, (facing + 2) % 4)) + facing
    return 4 * square + (facing + (1 if action == TURN_LEFT else 3)) % 4


@rule
def entrance(level, state, square, side):
    """Return the pose in which the agent would enter a square from one side; -1 if it has not visited that one."""
    beyond = int(neighbour(level, square, side))
    return 4 * beyond + (side + 2) % 4 if beyond >= 0 and state[SEEN + beyond] else -1


@rule
def is_safe(level, state, square):
    """Whether the percepts felt next to a square prove that neither a pit nor a live wumpus is there."""
    quiet, calm = not state[ALIVE], False
    for side in range(4):
        pose = entrance(level, state, square, side)
        if pose >= 0:
            cell = level[CELLS + pose // 4]
            quiet, calm = quiet or not cell & STENCH, calm or not cell & BREEZE
    return quiet and calm


@rule
def on_own_square(level, state):
    """Return the action of a click on the agent's own square; -1 for none."""
    if legal(level, state, GRAB):
        return GRAB
    return CLIMB_OUT if state[GOLD] == HELD and legal(level, state, CLIMB_OUT) else -1


@rule
def click(level, state, square, out):
    """Write the actions of a click.

    On the agent's own square it grabs the gold, or climbs out with it; on a visited one it walks there. On another
    square next to a visited one it walks up to it and faces it, and goes on into it if the agent already stood next to
    it or knows that it is safe. Squares farther away have no effect.
    """
    here = int(state[SQUARE])
    if outcome(level, state) != UNFINISHED:
        return 0
    if square == here:
        out[0] = on_own_square(level, state)
        return int(out[0] >= 0)
    steps, came = np.empty(4 * state[SEEN:].shape[0], np.int64), np.empty(4 * state[SEEN:].shape[0], np.int64)
    walk_in_cave(level, state, steps, came)
    near, goal = False, -1
    for side in range(4):
        pose = 4 * square + side if state[SEEN + square] else entrance(level, state, square, side)
        if pose < 0 or steps[pose] < 0:
            continue
        if pose // 4 == here:
            near, goal = True, pose
        elif not near and (goal < 0 or steps[pose] < steps[goal]):
            goal = pose
    if goal < 0:
        return 0
    count = steps[goal]
    for place in range(count - 1, -1, -1):
        out[place] = came[goal]
        goal = pose_before(level, goal, out[place])
    if not state[SEEN + square] and (near or is_safe(level, state, square)):
        out[count] = FORWARD
        count += 1
    return until_over(level, state, out, count)


@rule
def drag(level, state, start, end, out):
    """Write the turns and the shot of a drag from the agent's square along its row or column."""
    width = int(level[WIDTH])
    down, right = end // width - start // width, end % width - start % width
    in_line = (down == 0) != (right == 0)
    if start != state[SQUARE] or not in_line or not state[ARROW] or outcome(level, state) != UNFINISHED:
        return 0
    facing = (SOUTH if down > 0 else NORTH) if down != 0 else (EAST if right > 0 else WEST)
    turns, count = (facing - int(state[FACING])) % 4, 0
    for _ in range(1 if turns == 3 else turns):
        out[count] = TURN_LEFT if turns == 3 else TURN_RIGHT
        count += 1
    out[count] = SHOOT
    return count + 1


@rule
def reach(level, state, grabbed, out):
    """Write the squares on which a click has an effect, or those to which the arrow can be aimed."""
    actions = np.empty(4, np.int64)
    for square in range(out.shape[0]):
        if grabbed >= 0:
            out[square] = drag(level, state, grabbed, square, actions) > 0
        elif outcome(level, state) != UNFINISHED:
            out[square] = 0
        elif square == state[SQUARE]:
            out[square] = on_own_square(level, state) >= 0
        else:
            out[square] = state[SEEN + square]
            for side in range(4):
                out[square] |= entrance(level, state, square, side) >= 0


@rule
def actor(level, state):
    """Return the square of the agent."""
    return state[SQUARE]


TOUCH = touch.Touch(
    "wumpus",
    touch.Rules(area, click, reach, actor, drag),
    click_words="walk there over visited squares; on your own: grab or climb",
    drag_words="shoot in the direction in which you drag the agent",
    marks=("pit?", "wumpus?", "safe"),
)
