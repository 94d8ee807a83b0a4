"""Train PPO with TorchRL on the native vector environment, with action masks: short eight-puzzles.

Install: torchrl. Run: ``python examples/torchrl_ppo.py``; a minute on two cores. TorchRL resets environments itself,
hence ``autoreset_mode="Disabled"``; ``GymEnv("EightPuzzle-v0")`` gives a single environment.
"""

import argparse
import time

import gymnasium as gym
import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl import envs as rl
from torchrl.collectors import Collector
from torchrl.data import Binary, Composite
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import gridpuzzles_gym  # noqa: F401 - registers the environments

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--steps", type=int, default=100_000, help="steps to train for")
options = parser.parse_args()
ENVS, LENGTH, EPOCHS, BATCH = 32, 64, 4, 256
torch.manual_seed(0)
torch.set_num_threads(1)  # faster for networks as small as these

puzzle = {"scramble": 8, "max_episode_steps": 30, "masks": True, "flat": True, "dtype": "float32"}
envs = gym.make_vec("EightPuzzle-v0", ENVS, "vector_entry_point", autoreset_mode="Disabled", **puzzle)
env = rl.GymWrapper(envs, categorical_action_encoding=True)
actions = int(envs.single_action_space.n)
masks = Composite(action_mask=Binary(actions, shape=(ENVS, actions), dtype=torch.int8), shape=(ENVS,))
env.set_info_dict_reader(rl.default_info_dict_reader(["action_mask"], masks))
transforms = [
    rl.DTypeCastTransform(torch.int8, torch.bool, in_keys=["action_mask"]),
    rl.RewardSum(),
    rl.RewardScaling(0.0, 0.001),
]
env = rl.TransformedEnv(env, rl.Compose(*transforms))


def network(outputs):
    return nn.Sequential(nn.LazyLinear(128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(), nn.Linear(128, outputs))


actor = ProbabilisticActor(
    TensorDictModule(network(actions), in_keys=["observation"], out_keys=["logits"]),
    in_keys={"logits": "logits", "mask": "action_mask"},
    distribution_class=MaskedCategorical,
    return_log_prob=True,
)
critic = ValueOperator(network(1), in_keys=["observation"])
critic(actor(env.reset()))  # tells the first layers their size
advantage = GAE(gamma=0.95, lmbda=0.95, value_network=critic)
loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01, critic_coeff=0.5, normalize_advantage=True)
optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)
frames = ENVS * LENGTH
steps = -(-options.steps // frames) * frames
collector = Collector(env, actor, frames_per_batch=frames, total_frames=steps)
begun = time.perf_counter()
for rollout in collector:
    advantage(rollout)
    for _ in range(EPOCHS):
        for rows in torch.randperm(rollout.numel()).split(BATCH):
            losses = loss(rollout.reshape(-1)[rows])
            optimizer.zero_grad()
            (losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]).backward()
            optimizer.step()
returns = rollout["next", "episode_reward"][rollout["next", "done"]]
print(f"{steps / (time.perf_counter() - begun):,.0f} steps a second, learning included")
print(f"mean return of the last {len(returns)} episodes: {returns.mean():+.1f}")
