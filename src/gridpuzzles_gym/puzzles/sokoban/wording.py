"""Sokoban in words."""

from ...engine.config import EnvConfig
from ...engine.wording import Wording, listed, scoring, unwrapped

SYMBOLS = {
    "#": ("wall",),
    "-": (),
    ".": ("goal",),
    "@": ("player",),
    "+": ("player", "goal"),
    "$": ("box",),
    "*": ("box", "goal"),
}
"""The symbols of level text, in the order of the observation ``"symbols"``; floor is visible."""
FLOOR = "floor"


def rules(config: EnvConfig) -> str:
    """Return the rules."""
    points = (
        ("every action costs 0.1 points", "a box pushed onto a goal gives 1 point and one pushed off it costs 1")
        if config.options.reward == "boxoban"
        else ("every action costs 1 point",)
    )
    solved = "10" if config.options.reward == "boxoban" else "1000"
    paid = scoring(*points, f"solving the level gives {solved} points")
    text = """
This is Sokoban. You are the player in a warehouse. Push every box onto a goal: the level is solved when all boxes
are on goals.

Actions: up, down, left and right move you one square. If a box is on that square, you push it one square further in
the same direction, which is possible only if the square behind it has neither a wall nor another box. You cannot
pull boxes. An action that is impossible changes nothing but counts. A box in a corner that is not a goal can never
be moved again.
"""
    return f"{unwrapped(text)}\n\n{paid}"


WORDING = Wording(
    rules=rules,
    observation="symbols",
    symbols=lambda extent: SYMBOLS,
    empty=FLOOR,
    legend=lambda extent: listed(SYMBOLS, FLOOR),
)
