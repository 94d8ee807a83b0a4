"""What is said next to a cave: the status of the episode, the agent's percepts, and what it has in hand."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from ...engine.compile.compilation import rule
from ...engine.pictures.placement import ACTION, KNOWN, STEPS
from ...engine.pictures.status import BAD, GOOD, NUMBERS, REASON, TURNS, WORDS, Group, Sign, State, Status
from .picture import PICTURE, died
from .rules import (
    ARROW,
    BREEZE,
    BUMP,
    CELLS,
    CLIMB_OUT,
    ENDING,
    FELL,
    FORWARD,
    GOLD,
    GRAB,
    HELD,
    RELEASE,
    RUNNING,
    SCREAM,
    SHOOT,
    SQUARE,
    STENCH,
)

STATES = (
    State("ready", "agent", "#7fb2e5"),
    State("moving", "state_moving", "#e0bd84"),
    State("gold found", "gold", "#ffc745"),
    State("wumpus killed", "wumpus_dead", "#b98cf0"),
    State("died", "state_died", "#ee5a5c", BAD),
    State("back home", "state_home", "#7ed07a", GOOD),
)
READY, MOVING, FOUND, KILLED, DIED, BACK = range(len(STATES))
REASONS = (
    "find the gold", "{action}", "fell into a pit", "eaten by the wumpus", "with the gold", "empty-handed",
    "missed", "no arrow left", "a wall is in the way", "nothing to grab", "nothing to release", "no way out here",
    "carry it home",
)  # fmt: skip
(
    FIND, ACTED, INTO_PIT, BY_WUMPUS, WITH_GOLD, EMPTY_HANDED,
    MISSED, NO_ARROW, BY_WALL, NO_GRAB, NO_RELEASE, NO_WAY_OUT,
    CARRY,
) = range(len(REASONS))  # fmt: skip
SMELLS, FEELS, SEES, BUMPED, HEARS, HAS_ARROW, HAS_GOLD, COUNT = range(8)
"""The rule's numbers, each 1 or 0."""


@rule
def state_of(state, scene):
    """Return the index of the status of the episode."""
    if state[ENDING] != RUNNING:
        return DIED if died(state) else BACK
    if scene[STEPS] == 0:
        return READY
    if state[SCREAM]:
        return KILLED
    return FOUND if state[GOLD] == HELD or state[GOLD] == state[SQUARE] else MOVING


@rule
def in_vain(before, state, action):
    """Return why an action did not have the intended effect; ACTED if it had."""
    if action == SHOOT and not state[SCREAM]:
        return MISSED if before[ARROW] else NO_ARROW
    if action == FORWARD and state[BUMP]:
        return BY_WALL
    if action == GRAB and before[GOLD] == state[GOLD]:
        return NO_GRAB
    if action == RELEASE and before[GOLD] == state[GOLD]:
        return NO_RELEASE
    return NO_WAY_OUT if action == CLIMB_OUT else ACTED


@rule
def reason_of(before, state, scene):
    """Return the index of the reason for the status."""
    if died(state):
        return INTO_PIT if state[ENDING] == FELL else BY_WUMPUS
    if state[ENDING] != RUNNING:
        return WITH_GOLD if state[GOLD] == HELD else EMPTY_HANDED
    if scene[ACTION] < 0:
        return FIND
    reason = in_vain(before, state, scene[ACTION]) if scene[KNOWN] else ACTED
    return CARRY if reason == ACTED and state[GOLD] == HELD else reason


@rule
def status(level, start, before, state, scene, out):
    """Write the status, its reason, the percepts, and what the agent has."""
    out[WORDS], out[REASON], out[TURNS] = state_of(state, scene), reason_of(before, state, scene), 0
    cell = level[CELLS + state[SQUARE]]
    out[NUMBERS + SMELLS], out[NUMBERS + FEELS] = cell & STENCH != 0, cell & BREEZE != 0
    out[NUMBERS + SEES] = state[GOLD] == state[SQUARE]
    out[NUMBERS + BUMPED], out[NUMBERS + HEARS] = state[BUMP], state[SCREAM]
    out[NUMBERS + HAS_ARROW], out[NUMBERS + HAS_GOLD] = state[ARROW], state[GOLD] == HELD


LEGEND = {"agent": "you", "wumpus": "wumpus", "pit": "pit", "gold": "gold", "stairs": "way out"}
STATUS = Status(
    picture=PICTURE,
    rule=status,
    count=COUNT,
    states=STATES,
    reasons=REASONS,
    groups=(
        Group(
            "percepts",
            (
                Sign("icon_stench", SMELLS, ("stench",), color="#a6dc45"),
                Sign("icon_breeze", FEELS, ("breeze",), color="#9bd8ff"),
                Sign("icon_glitter", SEES, ("glitter",), color="#ffd24d"),
                Sign("icon_bump", BUMPED, ("bump",), color="#ff9a4a"),
                Sign("icon_scream", HEARS, ("scream",), color="#ff8fa6"),
            ),
            columns=5,
            height=3.9,
        ),
        Group(
            "in hand",
            (
                Sign("arrow", HAS_ARROW, ("no arrow", "arrow"), color="#d0a064"),
                Sign("gold", HAS_GOLD, ("no gold", "gold"), color="#ffd24d"),
            ),
            columns=2,
        ),
        Group(
            "",
            tuple(Sign(icon, SMELLS, (words,), least=0) for icon, words in LEGEND.items()),
            columns=5,
            height=2.6,
            cards=False,
        ),
    ),
    unnamed="an unknown cave",
)
