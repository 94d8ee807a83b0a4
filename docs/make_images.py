"""Draw the pictures of docs/images/ anew: ``python docs/make_images.py``.

Each is one moment of a played episode, exactly as ``render_mode="rgb_array"`` shows it; no display is needed.
"""

from pathlib import Path
from typing import Any

import gymnasium as gym
import pygame

import gridpuzzles_gym  # noqa: F401  (registers the environments)

IMAGES = Path(__file__).parent / "images"
LEFT, RIGHT, FORWARD, GRAB, _, SHOOT = range(6)
TO_THE_GOLD = (LEFT, FORWARD, RIGHT, FORWARD, LEFT, FORWARD)
HOME_WITH_IT = (GRAB, LEFT, LEFT, FORWARD, RIGHT, FORWARD, LEFT, FORWARD)

# name -> (actions in the textbook's cave, keyword arguments, notes on squares (row, column))
SITUATIONS: dict[str, tuple[tuple[int, ...], dict[str, Any], dict[tuple[int, int], str]]] = {
    "wumpus-start": ((), {}, {}),
    "wumpus-explore": (
        TO_THE_GOLD,
        {"show": "knowledge"},
        {(1, 0): "wumpus!", (1, 2): "pit?", (0, 1): "pit?", (2, 2): "safe", (3, 1): "safe"},
    ),
    "wumpus-end": ((LEFT, SHOOT, *TO_THE_GOLD[1:], *HOME_WITH_IT), {}, {}),
}


def main() -> None:
    """Write every picture."""
    IMAGES.mkdir(exist_ok=True)
    for name, (actions, options, notes) in SITUATIONS.items():
        env = gym.make("Wumpus-v0", render_mode="rgb_array", levels="textbook", tile_size=128, **options)
        env.reset(seed=0)
        for action in actions:
            env.step(action)
        env.unwrapped.notes = notes  # type: ignore[attr-defined]
        frame: Any = env.render()
        pygame.image.save(pygame.surfarray.make_surface(frame.swapaxes(0, 1)), IMAGES / f"{name}.png")
        env.close()


if __name__ == "__main__":
    main()
