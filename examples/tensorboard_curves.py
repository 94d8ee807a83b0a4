"""Watch the suite's numbers in TensorBoard while Stable-Baselines3 trains: solved boxes and levels of Sokoban.

Install: stable-baselines3 and tensorboard (or gridpuzzles_gym's extra ``train``). Run: ``python
examples/tensorboard_curves.py`` and, at the same time, ``tensorboard --logdir runs``; half a minute on two cores.
``gridpuzzles train`` writes such curves too.
"""

import argparse
import time

import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env

import gridpuzzles_gym  # noqa: F401 - registers the environments

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--steps", type=int, default=50_000, help="steps to train for")
parser.add_argument("--folder", default="runs/tensorboard", help="folder for the event files")
options = parser.parse_args()
torch.set_num_threads(1)  # faster for networks as small as these


class PuzzleMetrics(BaseCallback):
    """Write the infos of the end of an episode."""

    def _on_step(self) -> bool:
        for info, over in zip(self.locals["infos"], self.locals["dones"], strict=True):
            if over:
                self.logger.record_mean("puzzle/solved", float(info["is_success"]))
                self.logger.record_mean("puzzle/boxes_on_goals", info["boxes_on_goals"])
                self.logger.record_mean("puzzle/pushes", info["pushes"])
        return True


envs = make_vec_env("Sokoban-v0", n_envs=16, seed=0, env_kwargs={"reward": "boxoban"})
model = PPO("MlpPolicy", envs, n_steps=64, batch_size=256, n_epochs=4, tensorboard_log=options.folder, seed=0)
begun = time.perf_counter()
model.learn(options.steps, callback=PuzzleMetrics(), tb_log_name="sokoban")
print(f"{model.num_timesteps / (time.perf_counter() - begun):,.0f} steps a second, learning included")
print(f"event files in {model.logger.dir}")
