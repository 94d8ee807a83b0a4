"""What is said next to a board: the last move, and the number of tiles at home."""

# mypy: disallow-untyped-defs=False, disallow-incomplete-defs=False

from ...engine.compile.compilation import rule
from ...engine.pictures.placement import ACTION, HEADINGS, KNOWN, SETTINGS
from ...engine.pictures.status import GOOD, NUMBERS, REASON, TURNS, WORDS, State, Status
from .picture import ARROWS, PICTURE
from .rules import BLANK, HEIGHT, MISPLACED, TILES, WIDTH

STATES = (
    State("scrambled", "state_start", "#7fb2e5"),
    State("sliding", "state_moved", "#e8c386"),
    State("blocked", "state_wall", "#ff9a7c"),
    State("solved", "state_solved", "#7ed07a", GOOD),
)
SCRAMBLED, SLIDING, BLOCKED, SOLVED = range(len(STATES))
REASONS = (
    *(f"arrows move the {thing}" for thing in ARROWS),
    "blank {action}",
    *(f"tile {{2}} {way}" for way in ("down", "up", "right", "left")),
    *(f"nothing {side} the blank" for side in ("above", "below", "left of", "right of")),
)
START, MOVED = 0, len(ARROWS)
TILE_MOVED, NOTHING = MOVED + 1, MOVED + 5
"""The first of the four reasons, one for each action."""
AT_HOME, ALL, TILE, COLUMNS, ROWS, COUNT = range(6)
"""The rule's numbers: the tiles at home, all tiles, the one that slid, and the size of the board."""


@rule
def status(level, start, before, state, scene, out):
    """Write the state of the game, its reason, and the numbers of tiles."""
    action = scene[ACTION]
    tile = state[TILES + before[BLANK]] if scene[KNOWN] else 0
    moved = tile > 0 or not scene[KNOWN]
    out[TURNS] = 0
    if action < 0:
        out[WORDS], out[REASON] = SCRAMBLED, START + scene[SETTINGS]
    else:
        out[WORDS] = SLIDING if moved else BLOCKED
        out[REASON] = MOVED if not scene[KNOWN] else action + (TILE_MOVED if moved else NOTHING)
        if scene[KNOWN]:
            out[TURNS] = HEADINGS[action] + (2 if moved else 0)  # a tile slides opposite to the blank
    if state[MISPLACED] == 0:
        out[WORDS], out[TURNS] = SOLVED, 0
    tiles = state.shape[0] - TILES - 1
    out[NUMBERS + AT_HOME], out[NUMBERS + ALL], out[NUMBERS + TILE] = tiles - state[MISPLACED], tiles, tile
    out[NUMBERS + COLUMNS], out[NUMBERS + ROWS] = level[WIDTH], level[HEIGHT]


STATUS = Status(
    picture=PICTURE,
    rule=status,
    count=COUNT,
    states=STATES,
    reasons=REASONS,
    figures={"return": "{return}", "step": "{step}", "tiles at home": "{0} of {1}"},
    unnamed="{3}×{4} squares",
)
