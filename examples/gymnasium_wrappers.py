"""Gymnasium's own wrappers on a single environment and on the native vector environment.

Install: only gridpuzzles_gym. Run: ``python examples/gymnasium_wrappers.py``; a few seconds.
Wrappers hide what is not part of Gymnasium's interface: ``env.get_wrapper_attr("action_masks")()`` and
``env.unwrapped`` reach it.
"""

import argparse
import time

import gymnasium as gym
import numpy as np
from gymnasium import wrappers

from gridpuzzles_gym import Outcome

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--steps", type=int, default=20_000, help="steps of the vector environment, summed over all copies")
options = parser.parse_args()

env = gym.make("Wumpus-v0")
env = wrappers.TransformReward(env, lambda reward: reward / 1000)
env = wrappers.FlattenObservation(env)
env = wrappers.FrameStackObservation(env, stack_size=4)
env = wrappers.RecordEpisodeStatistics(env)
env.action_space.seed(0)
observation, info = env.reset(seed=0)
ended = False
while not ended:
    action = env.action_space.sample(mask=info["action_mask"])
    assert env.get_wrapper_attr("action_masks")()[action]
    observation, reward, terminated, truncated, info = env.step(action)
    ended = terminated or truncated
print(f"single: observations {observation.shape}, {Outcome(info['outcome'])}, scaled return {info['episode']['r']:.3f}")

copies = 64
envs = gym.make_vec("Wumpus-v0", num_envs=copies, vectorization_mode="vector_entry_point")
envs = wrappers.vector.TransformReward(envs, lambda rewards: rewards / 1000)
envs = wrappers.vector.FlattenObservation(envs)
envs = wrappers.vector.RecordEpisodeStatistics(envs)
envs.reset(seed=0)
random = np.random.default_rng(0)
returns: list[float] = []
begun = time.perf_counter()
for _ in range(options.steps // copies):
    legal = envs.unwrapped.action_masks()
    actions = np.where(legal, random.random(legal.shape), -1).argmax(axis=1)
    observations, rewards, terminated, truncated, infos = envs.step(actions)
    if "episode" in infos:
        returns += infos["episode"]["r"][infos["_episode"]].tolist()
rate = options.steps / (time.perf_counter() - begun)
print(f"vector: observations {observations.shape}, {len(returns)} episodes, mean scaled return {np.mean(returns):.3f}")
print(f"{rate:,.0f} steps a second")
