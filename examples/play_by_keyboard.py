"""Play a puzzle with ``gymnasium.utils.play``: arrow keys move; close the window to end.

Install: only gridpuzzles_gym. Run: ``python examples/play_by_keyboard.py``; as long as you like. The
suite's own game, ``gridpuzzles play sokoban``, has undo, hints and menus.
"""

import argparse
import time

import gymnasium as gym
import pygame
from gymnasium.utils.play import play

from gridpuzzles_gym import Outcome

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--env", default="Sokoban-v0", help="id of the environment")
parser.add_argument("--steps", type=int, help="close the window after so many steps")
options = parser.parse_args()

steps, total = 0, 0.0


def count(before, after, action, reward, terminated, truncated, info):
    """Called after every step."""
    global steps, total
    steps, total = steps + 1, total + reward
    if terminated or truncated:
        print(f"{Outcome(info['outcome'])}, return so far {total:+.1f}")
    if steps == options.steps:
        pygame.event.post(pygame.event.Event(pygame.QUIT))


env = gym.make(options.env, render_mode="rgb_array", tile_size=64)
begun = time.perf_counter()
play(env, wait_on_player=True, callback=count, seed=0)
print(f"{steps / (time.perf_counter() - begun):,.0f} steps a second")
