"""What is said next to a maze: the status of the episode, and the mouse's distances to the exit and to the cats."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

import numpy as np

from ...engine.board.ways import UNREACHABLE, walk
from ...engine.compile.compilation import rule
from ...engine.pictures.placement import ACTION, HEADINGS, KNOWN, STEPS
from ...engine.pictures.status import BAD, GOOD, NUMBERS, REASON, TURNS, WORDS, Group, Sign, State, Status
from ...engine.puzzle import SOLVED, UNFINISHED
from .picture import PICTURE
from .rules import BLOCKED, CAT, CATS, CELLS, EXIT, MOUSE, STRIDE, WALL, cat_on, outcome

STATES = (
    State("ready", "mouse", "#7fb2e5"),
    State("running", "state_running", "#e8c386"),
    State("stopped", "state_stopped", "#ff9a7c"),
    State("caught", "cat", "#ee5a5c", BAD),
    State("escaped", "cheese", "#7ed07a", GOOD),
)
READY, RUNNING, STOPPED, CAUGHT, ESCAPED = range(len(STATES))
REASONS = (
    "on to the cheese", "{action}", "by a wall", "something is in the way", "by the cat", "ran into the cat",
    "reached the cheese",
)  # fmt: skip
ONWARD, MOVED, BY_WALL, IN_THE_WAY, BY_CAT, INTO_CAT, REACHED = range(len(REASONS))
TO_CHEESE, TO_CAT, MANY, COUNT = range(4)
"""The rule's numbers: the steps from the mouse to the exit and to the nearest cat, and whether there are more."""


@rule
def state_of(level, before, state, scene):
    """Return the index of the state of the game."""
    ending = outcome(level, state)
    if ending != UNFINISHED:
        return ESCAPED if ending == SOLVED else CAUGHT
    if scene[STEPS] == 0:
        return READY
    return STOPPED if scene[KNOWN] and before[MOUSE] == state[MOUSE] else RUNNING


@rule
def status(level, start, before, state, scene, out):
    """Write the state of the game, its reason, and the distances."""
    words = state_of(level, before, state, scene)
    out[WORDS], out[TURNS] = words, 0
    if words == ESCAPED:
        out[REASON] = REACHED
    elif words == CAUGHT:
        out[REASON] = INTO_CAT if scene[KNOWN] and cat_on(level, before, state[MOUSE]) else BY_CAT
    elif words == STOPPED:
        out[REASON] = IN_THE_WAY if level[BLOCKED] else BY_WALL
    elif scene[ACTION] >= 0:
        out[REASON] = MOVED
        out[TURNS] = HEADINGS[scene[ACTION]] if words == RUNNING else 0
    else:
        out[REASON] = ONWARD
    free = level[CELLS:] & WALL == 0
    steps = np.empty(free.shape[0], np.int64)
    walk(free, level[STRIDE], state[MOUSE], steps)
    nearest = UNREACHABLE
    for cat in range(level[CATS]):
        distance = steps[state[CAT + cat]]
        if distance >= 0 and (nearest < 0 or distance < nearest):
            nearest = distance
    out[NUMBERS + TO_CHEESE], out[NUMBERS + TO_CAT] = steps[level[EXIT]], nearest
    out[NUMBERS + MANY] = level[CATS] > 1


STATUS = Status(
    picture=PICTURE,
    rule=status,
    count=COUNT,
    states=STATES,
    reasons=REASONS,
    groups=(
        Group(
            "steps from the mouse to",
            (
                Sign("cheese", TO_CHEESE, ("the cheese",), least=0, amount="{0}", none="none"),
                Sign("cat", TO_CAT, ("the cat", "the nearest cat"), MANY, least=0, amount="{1}", none="none"),
            ),
        ),
    ),
    unnamed="a maze",
)
