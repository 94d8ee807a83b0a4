"""What is said next to a board: the status of the episode, its metrics, and the boxes on goals."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from ...engine.compile.compilation import rule
from ...engine.pictures.placement import ACTION, KNOWN, SETTINGS, STEPS
from ...engine.pictures.status import BAD, GOOD, NUMBERS, REASON, TURNS, WORDS, State, Status, Tally
from .picture import PICTURE, WARN
from .rules import ASTRAY, COUNT, PLAYER, box_on, stuck

STATES = (
    State("{0} to go", "box", "#e8b36a"),
    State("deadlock", "deadlock", "#ee5a5c", BAD),
    State("solved", "box_on_goal", "#7ed07a", GOOD),
)
TO_GO, DEADLOCK, SOLVED = range(len(STATES))
REASONS = (
    "push boxes to the goals", "after {step} steps", "{action}", "blocked {action}", "pushed {action}",
    "walked {action}", "no longer solvable",
)  # fmt: skip
BEGIN, AFTER_STEPS, ACTED, BLOCKED, PUSHED, WALKED, UNSOLVABLE = range(len(REASONS))
IS_DEADLOCK = SETTINGS + len(PICTURE.settings)
"""The metric ``deadlock`` of a scene."""
AWAY, HOME, ALL, NUMBERS_OF_BOXES = range(4)
"""The rule's numbers: the boxes that are not on goals, those on goals, and all."""


@rule
def last_action(before, state, scene):
    """Return the index of the words for the effect of the last action."""
    if scene[ACTION] < 0:
        return BEGIN if scene[STEPS] == 0 else AFTER_STEPS
    if not scene[KNOWN]:
        return ACTED
    if before[PLAYER] == state[PLAYER]:
        return BLOCKED
    return PUSHED if box_on(before, state[PLAYER]) else WALKED


@rule
def status(level, start, before, state, scene, out):
    """Write the state of the game, its reason, and the numbers of boxes."""
    out[TURNS], out[REASON] = 0, last_action(before, state, scene)
    if state[ASTRAY] == 0:
        out[WORDS] = SOLVED
    elif scene[IS_DEADLOCK] or (scene[WARN] and stuck(level, state)):
        out[WORDS], out[REASON] = DEADLOCK, UNSOLVABLE
    else:
        out[WORDS] = TO_GO
    out[NUMBERS + AWAY], out[NUMBERS + ALL] = state[ASTRAY], level[COUNT]
    out[NUMBERS + HOME] = level[COUNT] - state[ASTRAY]


STATUS = Status(
    picture=PICTURE,
    rule=status,
    count=NUMBERS_OF_BOXES,
    states=STATES,
    reasons=REASONS,
    figures={"return": "{return}", "step": "{step}", "pushes": "{pushes}", "moves": "{moves}"},
    tally=Tally("boxes on goals", "{1} of {2}", HOME, ALL, "box_on_goal", "goal"),
    unnamed="an unknown level",
)
