"""What is said next to the board; without this file, only the board is drawn."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from gridpuzzles_gym.engine.compile.compilation import rule
from gridpuzzles_gym.engine.pictures.placement import ACTION
from gridpuzzles_gym.engine.pictures.status import GOOD, REASON, TURNS, WORDS, State, Status

from .picture import PICTURE
from .rules import solved

STATES = (State("on the way", "player", "#7fb2e5"), State("at the goal", "goal", "#7ed07a", GOOD))
"""Words, a sprite, a colour, and whether that is good."""


@rule
def status(level, start, before, state, scene, out):
    """Write the indices of the state and of its reason, and the quarter turns of the sprite."""
    out[WORDS], out[REASON], out[TURNS] = solved(level, state), scene[ACTION] >= 0, 0


STATUS = Status(
    picture=PICTURE,
    rule=status,
    count=0,
    states=STATES,
    reasons=("find the green square", "{action}"),
    figures={"return": "{return}", "step": "{step}"},
)
