"""Record films of an agent with Gymnasium's ``RecordVideo``.

Install: moviepy (or gridpuzzles_gym's extra ``media``). Run: ``python examples/record_video.py``; a few seconds.
"""

import argparse
import time

import gymnasium as gym

import gridpuzzles_gym

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--steps", type=int, default=100, help="end after the episode in which this many steps are reached")
parser.add_argument("--folder", default="videos", help="folder for the films")
options = parser.parse_args()

env = gym.make("Sokoban-v0", render_mode="rgb_array", tile_size=48)
env = gym.wrappers.RecordVideo(env, options.folder, episode_trigger=lambda episode: True, disable_logger=True)
agent = gridpuzzles_gym.make_agent("astar", env)
steps = episodes = 0
begun = time.perf_counter()
while steps < options.steps:
    observation, _ = env.reset(seed=episodes)
    ended = False
    while not ended:
        action, _ = agent.predict(observation)
        observation, _, terminated, truncated, info = env.step(int(action))
        ended = terminated or truncated
        steps += 1
    print(f"episode {episodes}: {info['moves']} moves, solved: {info['is_success']}")
    episodes += 1
env.close()
print(f"{steps / (time.perf_counter() - begun):,.0f} steps a second, searching and drawing included")
