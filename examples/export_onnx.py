"""Train Stable-Baselines3's PPO for a moment, and write its policy as an ONNX file, for programs without PyTorch.

Install: stable-baselines3, onnx. Run: ``python examples/export_onnx.py``; a minute on two cores. The file computes the
logits of the actions and the value of each of a batch of observations; action masks are up to the program.
"""

import argparse
import time

import torch
from stable_baselines3 import PPO

from gridpuzzles_gym.agents.training.sb3_vec_env import PuzzleVecEnv

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--steps", type=int, default=50_000, help="steps to train for")
parser.add_argument("--out", default="eight-puzzle.onnx", help="file to write")
options = parser.parse_args()
torch.set_num_threads(1)  # faster for networks as small as these


class Computed(torch.nn.Module):
    """The policy as a function of observations."""

    def __init__(self, policy):
        super().__init__()
        self.policy = policy

    def forward(self, observation):
        features = self.policy.extract_features(observation.float())
        actor, critic = self.policy.mlp_extractor(features)
        return self.policy.action_net(actor), self.policy.value_net(critic).flatten()


training = PuzzleVecEnv("EightPuzzle-v0", 64, reward_scale=0.001, scramble=8, max_episode_steps=30)
model = PPO("MlpPolicy", training, n_steps=32, batch_size=512, seed=0)
begun = time.perf_counter()
model.learn(options.steps)
print(f"{model.num_timesteps / (time.perf_counter() - begun):,.0f} steps a second, learning included")

torch.onnx.export(
    Computed(model.policy).eval(),
    (torch.as_tensor(training.reset()[:2]),),
    options.out,
    input_names=["observation"],
    output_names=["logits", "value"],
    dynamic_axes={name: {0: "batch"} for name in ("observation", "logits", "value")},
    dynamo=False,  # the exporter that needs no further packages
)
print(f"wrote {options.out}")
