"""Train sb3-contrib's MaskablePPO on short eight-puzzles, and compare it with a search agent.

Install: sb3-contrib (or gridpuzzles_gym's extra ``train``). Run: ``python examples/maskable_ppo.py``; a minute on two
cores. MaskablePPO finds the environments' ``action_masks()`` by itself.
"""

import argparse
import time

import gymnasium as gym
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy as evaluate_maskable
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy

import gridpuzzles_gym

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--steps", type=int, default=150_000, help="steps to train for")
options = parser.parse_args()
torch.set_num_threads(1)  # faster for networks as small as these


def scaled(env):
    """Networks learn best from rewards of about one; here a goal is +1000."""
    return gym.wrappers.TransformReward(env, lambda reward: reward / 1000)


puzzle = {"scramble": 8, "max_episode_steps": 30}
training = make_vec_env("EightPuzzle-v0", n_envs=16, seed=0, wrapper_class=scaled, env_kwargs=puzzle)
settings = {"n_steps": 64, "batch_size": 256, "n_epochs": 4, "learning_rate": 1e-3, "gamma": 0.95, "ent_coef": 0.01}
model = MaskablePPO("MlpPolicy", training, seed=0, **settings)
begun = time.perf_counter()
model.learn(options.steps)
print(f"{model.num_timesteps / (time.perf_counter() - begun):,.0f} steps a second, learning included")

test = make_vec_env("EightPuzzle-v0", n_envs=16, seed=1000, env_kwargs=puzzle)
returns, _ = evaluate_maskable(model, test, n_eval_episodes=200, deterministic=False, return_episode_rewards=True)
print(f"MaskablePPO mean return {np.mean(returns):+8.1f}")
for name in ("random", "astar"):
    agent = gridpuzzles_gym.make_agent(name, test)
    returns, _ = evaluate_policy(agent, test, n_eval_episodes=200, return_episode_rewards=True)
    print(f"{name:11} mean return {np.mean(returns):+8.1f}")
