"""Frames a second of the window while something moves: ``SDL_VIDEODRIVER=dummy python benchmarks/window/frames.py``.

Plays random keys in a window of 1280×800 and counts the processor time of each frame, drawing included.
"""

import random
import time

import pygame

from gridpuzzles_gym.play.play_session import PlaySession
from gridpuzzles_gym.play.progress import Progress
from gridpuzzles_gym.play.window.app import App

IDS = "Wumpus-v0", "CatMouse-v0", "Bait-v0", "FifteenPuzzle-v0", "Sokoban-v0"
SIZE, KEYS, FIRST = (1280, 800), 40, 20
"""The window, the keys that are pressed, and the frames that are not counted: kernels and sprites are loaded."""


def seconds_of_frames(id: str) -> list[float]:
    """Return the processor time of each frame of a game during movements."""
    app, game, luck, found = App(Progress(None), SIZE), PlaySession.of(id, seed=3), random.Random(1), []
    app.teaches = False
    app.show("playing", game)
    screen = app.top
    app.frame([], 1.0)
    for _ in range(KEYS):
        key = pygame.key.key_code(luck.choice(list(game.puzzle.keys)))
        for kind in (pygame.KEYDOWN, pygame.KEYUP):
            app.frame([pygame.event.Event(kind, key=key, mod=0, unicode="", scancode=0)], 0.0)
        while screen.moving:
            begun = time.thread_time()
            app.frame([], 1 / 60)
            found.append(time.thread_time() - begun)
        if game.over:
            screen.restart()
            app.frame([], 1.0)
    app.quit()
    return found[FIRST:]


def main() -> None:
    """Measure, and print."""
    pygame.display.init()
    print("| | frames | frames a second | the slowest of 100 |\n|---|---|---|---|")
    for id in IDS:
        seconds = sorted(seconds_of_frames(id))
        slowest = 1000 * seconds[99 * len(seconds) // 100]
        print(f"| {id} | {len(seconds)} | {len(seconds) / sum(seconds):.0f} | {slowest:.1f} ms |")


if __name__ == "__main__":
    main()
