"""What is said next to a board: the status of the episode, the key, and the remaining things."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from ...engine.compile.compilation import rule
from ...engine.pictures.placement import ACTION, HEADINGS, KNOWN, SETTINGS, STEPS
from ...engine.pictures.status import BAD, GOOD, NUMBERS, REASON, TURNS, WORDS, Group, Sign, State, Status
from ...engine.puzzle import DIED
from .picture import PICTURE, is_box
from .rules import CELLS, GOALS, HOLE, KEY, MUSHROOM, WAIT, outcome, thing_on

GOLD = "#ffd24d"
STATES = (
    State("ready", "state_ready", "#7fb2e5"),
    State("moving", "state_moving", "#e8c386"),
    State("stopped", "state_blocked", "#ff9a7c"),
    State("key in hand", "key", GOLD),
    State("died", "death", "#ee5a5c", BAD),
    State("solved", "open", "#7ed07a", GOOD),
)
READY, MOVING, STOPPED, WITH_KEY, DEAD, SOLVED = range(len(STATES))
REASONS = ("find the key", "go to the goal", "{action}", "fell into a hole", "every goal is open")
FIND_KEY, GO_TO_GOAL, ACTED, FELL, ALL_OPEN = range(len(REASONS))
HELD, GOALS_LEFT, BOXES_LEFT, HOLES_LEFT, MUSHROOMS_LEFT, SCORE, COUNT = range(7)
"""The rule's numbers: whether the key is in hand, how many things of each kind are left, and the score."""


@rule
def state_of(level, before, state, scene):
    """Return the index of the state of the game."""
    if state[GOALS] == 0:
        return SOLVED
    if outcome(level, state) == DIED:
        return DEAD
    if scene[ACTION] >= 0 and scene[KNOWN]:
        same = True
        for place in range(state.shape[0]):
            same = same and before[place] == state[place]
        if same:
            return STOPPED
    if state[KEY]:
        return WITH_KEY
    return READY if scene[STEPS] == 0 else MOVING


@rule
def status(level, start, before, state, scene, out):
    """Write the state of the game, its reason, the key in hand, what is left, and the score."""
    words, action = state_of(level, before, state, scene), scene[ACTION]
    out[WORDS] = words
    if words in (SOLVED, DEAD):
        out[REASON] = ALL_OPEN if words == SOLVED else FELL
    elif action >= 0:
        out[REASON] = ACTED
    else:
        out[REASON] = GO_TO_GOAL if state[KEY] else FIND_KEY
    out[TURNS] = HEADINGS[action] if words in (MOVING, STOPPED) and 0 <= action < WAIT else 0
    boxes, holes, mushrooms = 0, 0, 0
    for square in range(level.shape[0] - CELLS):
        thing = thing_on(state, square)
        boxes += is_box(thing)
        holes += thing == HOLE
        mushrooms += thing == MUSHROOM
    out[NUMBERS + HELD], out[NUMBERS + GOALS_LEFT], out[NUMBERS + BOXES_LEFT] = state[KEY], state[GOALS], boxes
    out[NUMBERS + HOLES_LEFT], out[NUMBERS + MUSHROOMS_LEFT], out[NUMBERS + SCORE] = holes, mushrooms, scene[SETTINGS]


STATUS = Status(
    picture=PICTURE,
    rule=status,
    count=COUNT,
    states=STATES,
    reasons=REASONS,
    figures={"score": "{5}", "step": "{step}", "return": "{return}"},
    groups=(
        Group("in hand", (Sign("key", HELD, ("no key yet", "a key: goals open"), color=GOLD),), height=2.7),
        Group(
            "left on the board",
            (
                Sign("goal", GOALS_LEFT, ("goals", "goal", "goals"), amount="{1}"),
                Sign("box", BOXES_LEFT, ("boxes", "box", "boxes"), amount="{2}"),
                Sign("hole", HOLES_LEFT, ("holes", "hole", "holes"), amount="{3}"),
                Sign("mushroom", MUSHROOMS_LEFT, ("mushrooms", "mushroom", "mushrooms"), amount="{4}"),
            ),
            columns=4,
            height=3.5,
        ),
    ),
)
