"""Bait in words."""

from ...engine.config import EnvConfig
from ...engine.wording import Wording, listed, scoring, unwrapped

SYMBOLS = {
    "w": ("wall",),
    ".": (),
    "k": ("key",),
    "g": ("goal",),
    "0": ("hole",),
    "1": ("box",),
    "%": ("box", "key"),
    "*": ("box", "goal"),
    "m": ("mushroom",),
    "A": ("avatar",),
    "K": ("avatar with the key in hand",),
    "x": ("dead avatar",),
    "X": ("dead avatar with the key in hand",),
}
"""The letters of level text, in the order of the observation ``"symbols"``."""
FLOOR = "floor"


def rules(config: EnvConfig) -> str:
    """Return the rules."""
    wait = " wait does nothing." if config.options.noop else ""
    points = (
        ("a filled hole gives 1 point", "a goal reached with a key gives 5", "a mushroom gives 1")
        if config.options.reward == "gvgai"
        else ("every action costs 1 point", "winning gives 1000 points", "dying costs 1000")
    )
    paid = scoring(*points)
    text = f"""
This is Bait. You are the avatar. Take a key, then move onto every goal: with a key in hand, a goal that you move
onto vanishes, and the game is won when no goal is left. Without a key you cannot enter a goal.

Actions: up, down, left and right move you one square.{wait} Walls stop you. You push a box ahead of you to the next
square unless a wall, another box or a mushroom is there; a box can lie on a key or on a goal. Without a key you can
push a box off a goal too, but you stay where you are. A box pushed into a hole fills it: both vanish and the square
becomes floor. Moving into a hole kills you and ends the game. You pick up a key by moving onto it, and eat a mushroom
by moving onto it.
"""
    return f"{unwrapped(text)}\n\n{paid}"


WORDING = Wording(
    rules=rules,
    observation="symbols",
    symbols=lambda extent: SYMBOLS,
    empty=FLOOR,
    legend=lambda extent: listed(SYMBOLS, FLOOR),
)
