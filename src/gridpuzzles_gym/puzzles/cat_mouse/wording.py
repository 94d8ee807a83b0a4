"""Cat and Mouse in words."""

from ...engine.config import EnvConfig
from ...engine.wording import Wording, listed, scoring, unwrapped

SYMBOLS = {
    "#": ("wall",),
    ".": (),
    "E": ("exit",),
    "M": ("mouse",),
    "C": ("cat",),
    "c": ("cat", "exit"),
    "m": ("mouse", "exit"),
    "x": ("mouse", "cat"),
    "X": ("mouse", "cat", "exit"),
}
"""The letters of level text, in the order of the observation ``"symbols"``."""
FLOOR = "floor"


CATS = {
    False: """After your move each cat moves to a random square next to it that has neither a wall nor another cat. Cats
        do not chase you, but you die if you move onto a cat's square or a cat moves onto yours, also if you change
        places. You win at the exit before the cats move.""",
    True: """In each turn the cats move first, each to a random square next to it without a wall, another cat or you;
        you see the result and then move. You and the cats block each other like walls, and nobody dies.""",
}
"""How the cats move, without and with ``cat_blocked``."""


def rules(config: EnvConfig) -> str:
    """Return the rules."""
    death: tuple[str, ...] = () if config.options.cat_blocked else ("dying costs 1000",)
    goal = "Reach the exit." if config.options.cat_blocked else "Reach the exit without being caught by a cat."
    points = scoring("every action costs 1 point", "reaching the exit gives 1000 points", *death)
    text = f"""
This is Cat and Mouse. You are the mouse in a maze. {goal}

Actions: up, down, left and right move you one square; a wall stops you, and then you stay where you are.
{CATS[config.options.cat_blocked]}
"""
    return f"{unwrapped(text)}\n\n{points}"


WORDING = Wording(
    rules=rules,
    observation="symbols",
    symbols=lambda extent: SYMBOLS,
    empty=FLOOR,
    legend=lambda extent: listed(SYMBOLS, FLOOR),
)
