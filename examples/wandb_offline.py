"""Log training to Weights & Biases, offline: curves of Stable-Baselines3, and a film. No account and no network.

Install: wandb, stable-baselines3, tensorboard, moviepy and imageio (or wandb and gridpuzzles_gym's extras ``train`` and
``media``). Run: ``python examples/wandb_offline.py``; half a minute on two cores. ``wandb sync FOLDER`` uploads it.
"""

import argparse
import time

import gymnasium as gym
import numpy as np
import torch
import wandb
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env

import gridpuzzles_gym  # noqa: F401 - registers the environments

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--steps", type=int, default=50_000, help="steps to train for")
parser.add_argument("--folder", default="runs", help="folder that gets the folder wandb")
options = parser.parse_args()
torch.set_num_threads(1)  # faster for networks as small as these

run = wandb.init(mode="offline", project="gridpuzzles", dir=options.folder, sync_tensorboard=True)
envs = make_vec_env("CatMouse-v0", n_envs=16, seed=0)
curves = f"{run.dir}/tensorboard"
model = PPO("MlpPolicy", envs, n_steps=64, batch_size=256, n_epochs=4, tensorboard_log=curves, seed=0)
begun = time.perf_counter()
model.learn(options.steps)
print(f"{model.num_timesteps / (time.perf_counter() - begun):,.0f} steps a second, learning included")

env = gym.make("CatMouse-v0", render_mode="rgb_array", tile_size=24)
observation, _ = env.reset(seed=0)
frames, ended = [env.render()], False
while not ended:
    action, _ = model.predict(observation)
    observation, _, terminated, truncated, info = env.step(int(action))
    frames.append(env.render())
    ended = terminated or truncated
film = np.stack(frames).transpose(0, 3, 1, 2)  # wandb wants [T, C, H, W]
run.log({"film": wandb.Video(film, fps=env.metadata["render_fps"], format="mp4"), "solved": info["is_success"]})
run.finish()
print(f"run in {options.folder}/wandb: {len(film)} pictures in the film")
