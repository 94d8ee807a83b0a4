"""The pieces of a cave, for drawing it by hand. Several pieces on a square are written one after another."""

from ...engine.board.palette import Palette
from .text import LARGEST

PIECES = {
    ".": "empty square",
    "#": "solid rock",
    "^": "agent facing north",
    ">": "agent facing east",
    "v": "agent facing south",
    "<": "agent facing west",
    "W": "wumpus",
    "P": "pit",
    "G": "gold",
}
AGENTS = "^>v<"
SHARED = ("PW", "PG", "WG", "PWG", *(f"G{agent}" for agent in AGENTS))
"""The pieces that can share a square, from bottom to top."""


def _example(agent: str, gold: str, wumpus: str) -> str:
    """Return a cave with the agent far from everything else, because its lantern lights the squares around it."""
    return f"{gold} . {wumpus} . P . # . . . . {agent}\n"


PALETTE = Palette(
    pieces=lambda extent: PIECES,
    sides=(2, LARGEST),  # several pieces on a square could not be distinguished from several squares in a column of one
    size=(4, 4),
    examples=lambda extent: (
        *(_example(agent, "G", "W") for agent in AGENTS),
        *(_example(f"G{agent}", ".", "PW") for agent in AGENTS),
        *(_example(">", shared, "." if "W" in shared else "W") for shared in SHARED if "G" in shared[1:]),
    ),
    combined={shared: shared for shared in SHARED},
    single=(AGENTS, "W", "G"),
    aliases={"A": ">"},
)
