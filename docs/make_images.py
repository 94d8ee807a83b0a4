"""Draw the pictures of docs/images/ anew: ``python docs/make_images.py``.

Each is one moment of a played episode, exactly as ``render_mode="rgb_array"`` shows it; no display is needed.
"""

from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym
import pygame

import gridpuzzles_gym  # noqa: F401  (registers the environments)

IMAGES = Path(__file__).parent / "images"


class Situation(NamedTuple):
    """One moment to draw."""

    id: str
    actions: tuple[int, ...] = ()
    kwargs: dict[str, Any] = {}  # noqa: RUF012 - never changed
    notes: dict[tuple[int, int], str] = {}  # noqa: RUF012
    level: str | int | None = None
    """What the episode is played on, where ``levels`` holds several."""


TURN_LEFT, TURN_RIGHT, FORWARD, GRAB, _, SHOOT = range(6)
TO_THE_GOLD = (TURN_LEFT, FORWARD, TURN_RIGHT, FORWARD, TURN_LEFT, FORWARD)
HOME_WITH_IT = (GRAB, TURN_LEFT, TURN_LEFT, FORWARD, TURN_RIGHT, FORWARD, TURN_LEFT, FORWARD)
UP, DOWN, LEFT, RIGHT = range(4)
TO_THE_BOX = (DOWN, LEFT, DOWN)
TEXTBOOK = {"levels": "textbook", "tile_size": 128}
LOADING_BAY = """; The loading bay
   ######
####    #
#  . ## ####
# $.$@     #
#  *    $  #
#### ##  .##
   ########
"""

SITUATIONS: dict[str, Situation] = {
    "wumpus-start": Situation("Wumpus-v0", (), TEXTBOOK),
    "wumpus-explore": Situation(
        "Wumpus-v0",
        TO_THE_GOLD,
        {**TEXTBOOK, "show": "knowledge"},
        {(1, 0): "wumpus!", (1, 2): "pit?", (0, 1): "pit?", (2, 2): "safe", (3, 1): "safe"},
    ),
    "wumpus-end": Situation("Wumpus-v0", (TURN_LEFT, SHOOT, *TO_THE_GOLD[1:], *HOME_WITH_IT), TEXTBOOK),
    "cat-mouse-start": Situation("CatMouse-v0", (), {"tile_size": 64}),
    "cat-mouse-meeting": Situation("CatMouse-v0", (RIGHT, RIGHT, DOWN, DOWN), {"tile_size": 64}),
    "cat-mouse-won": Situation(
        "CatMouse-v0",
        (*[RIGHT] * 2, *[DOWN] * 3, *[RIGHT] * 3, DOWN, *[RIGHT] * 2, *[DOWN] * 3, *[RIGHT] * 2, *[DOWN] * 3),
        {"tile_size": 64, "cat_blocked": True},
    ),
    "eight-start": Situation("EightPuzzle-v0", (), {"levels": "classic", "tile_size": 128}, level="easy, 5 moves"),
    "eight-end": Situation(
        "EightPuzzle-v0",
        (UP, RIGHT, UP, LEFT, DOWN),
        {"levels": "classic", "tile_size": 128},
        level="easy, 5 moves",
    ),
    "fifteen": Situation("FifteenPuzzle-v0", (LEFT, UP), {"levels": "fifteen", "tile_size": 128}, level="20 moves"),
    "bait-hard": Situation("Bait-v0", (), {"tile_size": 64}, level="5 Every box counts"),
    "bait-door": Situation("Bait-v0", (*TO_THE_BOX, *[RIGHT] * 5), {"tile_size": 64}, level="3 Through the shut door"),
    "bait-won": Situation(
        "Bait-v0",
        (*TO_THE_BOX, *[RIGHT] * 4, DOWN, DOWN, RIGHT, *[UP] * 4),
        {"tile_size": 64},
        level="1 Fill the hole",
    ),
    **{
        f"sokoban-{style}": Situation("Sokoban-v0", (LEFT,), {"levels": LOADING_BAY, "tile_size": 80, "style": style})
        for style in ("warehouse", "paper")
    },
}
"""Name of the picture → what it shows."""


def main() -> None:
    """Write every picture."""
    IMAGES.mkdir(exist_ok=True)
    for name, situation in SITUATIONS.items():
        env = gym.make(situation.id, render_mode="rgb_array", **situation.kwargs)
        env.reset(seed=0, options={} if situation.level is None else {"level": situation.level})
        for action in situation.actions:
            env.step(action)
        env.unwrapped.notes = situation.notes  # type: ignore[attr-defined]
        frame: Any = env.render()
        pygame.image.save(pygame.surfarray.make_surface(frame.swapaxes(0, 1)), IMAGES / f"{name}.png")
        env.close()


if __name__ == "__main__":
    main()
