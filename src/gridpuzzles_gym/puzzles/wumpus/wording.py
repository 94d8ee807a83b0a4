"""The Wumpus World in words: the map of what the agent remembers, which is all that the observation shows."""

import itertools
from collections.abc import Sequence

import numpy as np

from ...engine.config import EnvConfig
from ...engine.messages import plural, quote
from ...engine.puzzle import Extent
from ...engine.wording import Numbers, Seen, Wording, scoring, unwrapped
from .observing import (
    ARROW_P,
    BREEZE_P,
    BUMP_P,
    FACING_P,
    GLITTER_P,
    GOLD_P,
    HOME_P,
    PLANES,
    SCREAM_P,
    STENCH_P,
    VISITED_P,
    WALL_P,
)

UNKNOWN = "not visited"
AGENTS = {
    "": "", "^": "agent facing up", ">": "agent facing right", "v": "agent facing down", "<": "agent facing left",
}  # fmt: skip
"""The symbol of the agent; none where it is not."""
LETTERS = {"H": "start", "S": "stench", "B": "breeze", "G": "glitter"}
_PLANES = (HOME_P, STENCH_P, BREEZE_P, GLITTER_P)
"""The planes of LETTERS."""
_WALL, _VISITED = 1, 2
"""The numbers of the symbols of rock and of the first visited square; 0 is a square that is not visited."""

REMARKS = {
    ARROW_P: ("You have shot your arrow.", "You have your arrow."),
    GOLD_P: ("You do not have the gold.", "You have the gold."),
    BUMP_P: ("You did not walk into a wall.", "Bump: you walked into a wall."),
    SCREAM_P: ("You have heard no scream.", "You have heard a scream: the wumpus is dead."),
}
"""What is said if a flag is 0, and if it is 1."""


def symbols(extent: Extent) -> dict[str, tuple[str, ...]]:
    """Return all symbols: rock, and each combination of the agent and the letters."""
    found: dict[str, tuple[str, ...]] = {"?": (), "#": ("rock",)}
    letters = [[("", ""), item] for item in LETTERS.items()]
    for (agent, facing), *felt in itertools.product(AGENTS.items(), *letters):
        symbol = agent + "".join(letter for letter, _ in felt)
        parts = ["visited", facing, *(name for _, name in felt)]
        found[symbol or "."] = tuple(filter(None, parts))
    return found


def numbers(observations: Seen) -> Numbers:
    """Return the symbols of planes ``[B, 14, H, W]``: ``[B, H, W]``."""
    planes = observations.astype(np.uint8, copy=False)  # the largest number is 81
    visited = np.zeros_like(planes[:, 0])
    for facing in range(4):
        visited += np.uint8(facing + 1) * planes[:, FACING_P + facing]
    for plane in _PLANES:
        visited += visited + planes[:, plane]
    known: Numbers = np.where(planes[:, VISITED_P] == 1, visited + np.uint8(_VISITED), planes[:, WALL_P])
    return known


_FLAGS = ["".join(f"{sentence}\n" for sentence in sentences) for sentences in itertools.product(*REMARKS.values())]
"""The lines for each combination of flags."""


def remarks(observations: Seen) -> list[str]:
    """Return what the flags of planes ``[B, 14, H, W]`` say, four lines each."""
    numbers = np.zeros(len(observations), np.int64)
    for plane in REMARKS:
        numbers = 2 * numbers + observations[:, plane, 0, 0]
    return [_FLAGS[number] for number in numbers.tolist()]


def read(board: Numbers, lines: Sequence[str]) -> Seen:
    """Return the planes uint8[14, H, W] with this board and these remarks; raises ValueError if there are none."""
    planes = np.zeros((len(PLANES), *board.shape), np.uint8)
    planes[WALL_P] = board == _WALL
    planes[VISITED_P] = board >= _VISITED
    rest = np.where(board >= _VISITED, board - _VISITED, 0)
    for plane in reversed(_PLANES):
        rest, planes[plane] = np.divmod(rest, 2)
    for facing in range(4):
        planes[FACING_P + facing] = rest == facing + 1
    if planes[FACING_P : FACING_P + 4].sum() != 1:
        raise ValueError("there must be one agent on the board")
    if len(lines) != len(REMARKS):
        raise ValueError(f"{plural(len(lines), 'line')} after the board; there must be {len(REMARKS)}")
    for (plane, sentences), sentence in zip(REMARKS.items(), lines, strict=True):
        if sentence not in sentences:
            raise ValueError(f"the line {quote(sentence)} after the board must be {' or '.join(map(repr, sentences))}")
        planes[plane] = sentences.index(sentence)
    return planes


def rules(config: EnvConfig) -> str:
    """Return the rules."""
    options, squares = config.options, config.extent[0] * config.extent[1]
    if not config.generated:
        contents = "There is at most one wumpus, there may be pits, and there is one gold."
    elif options.pit_probability is None:
        contents = (
            f"There are one wumpus, one gold and {plural(options.pits, 'pit')}, on different squares other than the "
            "start; all such caves are equally likely."
        )
    else:
        contents = (
            "There are one wumpus and one gold, each on any square other than the start, and each such square has a "
            f"pit with a probability of {options.pit_probability:g}; they can share a square."
        )
    textbook, climb = options.reward == "textbook", options.climb
    home = "climb out at the start square" if textbook else "come back to the start square"
    leave = " climb, on the start square, leaves the cave and ends the episode." if climb else ""
    paid = "climbing out with the gold" if textbook else "grabbing the gold"
    back = () if textbook else ("releasing it costs 1000",)
    points = scoring(
        "every action costs 1 point",
        "shooting the arrow costs 10 more",
        f"{paid} gives 1000",
        *back,
        "dying costs 1000",
    )
    text = f"""
This is the Wumpus World. You are in a dark cave of {squares} squares. Find the gold and {home} with it, alive. You
know only the squares you have visited. {contents}

On the wumpus's square and the squares next to it you feel a stench, also when it is dead; on the squares next to a
pit a breeze; on the gold's square you see a glitter. Squares are next to each other if they share a side. Entering
a pit, or the square of the live wumpus, kills you.

Actions: turn left and turn right turn you by 90 degrees. forward moves you one square in the direction you face; if
the edge of the cave or rock is there, you stay and feel a bump. grab takes the gold if it is on your square,
release puts it down. shoot shoots your only arrow straight ahead; it flies until it meets the wumpus, rock or the
edge of the cave, and if it kills the wumpus, you hear a scream.{leave}
"""
    return f"{unwrapped(text)}\n\n{points}"


WORDING = Wording(
    rules=rules,
    observation="planes",
    symbols=symbols,
    empty=UNKNOWN,
    legend=lambda extent: "\n".join(
        (
            f"? {UNKNOWN}",
            "# rock",
            ". visited, with nothing to perceive there",
            *(f"{letter} visited: {name}" for letter, name in LETTERS.items()),
            *(f"{agent} you, {facing.removeprefix('agent ')}" for agent, facing in AGENTS.items() if agent),
            "A square with several of these has them joined: >SB is you, facing right, with a stench and a breeze",
        )
    ),
    numbers=numbers,
    remarks=remarks,
    read=read,
)
