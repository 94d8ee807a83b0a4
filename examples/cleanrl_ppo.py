"""PPO in one file, as CleanRL writes it, with action masks: learns short eight-puzzles.

Install: torch. Run: ``python examples/cleanrl_ppo.py``; half a minute on two cores. ``--vectorization sync`` steps
Gymnasium's ``SyncVectorEnv`` instead of the native vector environment: the same episodes, so the same returns.
"""

import argparse
import time

import gymnasium as gym
import numpy as np
import torch
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from torch import nn
from torch.distributions import Categorical

import gridpuzzles_gym  # noqa: F401 - registers the environments

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--steps", type=int, default=200_000, help="steps to train for")
parser.add_argument("--vectorization", choices=("vector_entry_point", "sync"), default="vector_entry_point")
options = parser.parse_args()
ENVS, LENGTH, EPOCHS, BATCH, GAMMA, LAMBDA, CLIP = 32, 64, 4, 256, 0.95, 0.95, 0.2
torch.manual_seed(0)
torch.set_num_threads(1)  # faster for networks as small as these

# Action masks in infos: always those of single environments, on request those of the native vector environment.
masks = {} if options.vectorization == "sync" else {"masks": True}
envs = gym.make_vec("EightPuzzle-v0", ENVS, options.vectorization, scramble=8, max_episode_steps=30, **masks)
envs = RecordEpisodeStatistics(envs, buffer_length=500)
inputs, actions = int(np.prod(envs.single_observation_space.shape)), int(envs.single_action_space.n)


def network(outputs):
    return nn.Sequential(nn.Linear(inputs, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(), nn.Linear(128, outputs))


def read(observations, infos):  # rows of floats, and which actions are legal
    return torch.as_tensor(observations).flatten(1).float(), torch.as_tensor(infos["action_mask"]).bool()


actor, critic = network(actions), network(1)
parameters = [*actor.parameters(), *critic.parameters()]
optimizer = torch.optim.Adam(parameters, lr=1e-3)
seen, legal = read(*envs.reset(seed=0))
over = torch.zeros(ENVS)  # which environments the next step resets; it ignores their actions
begun = time.perf_counter()
for _ in range(max(1, options.steps // (ENVS * LENGTH))):
    rows = []
    for _ in range(LENGTH):
        with torch.no_grad():
            policy = Categorical(logits=actor(seen).masked_fill(~legal, -1e9))
            action, value = policy.sample(), critic(seen)[:, 0]
        observations, rewards, terminated, truncated, infos = envs.step(action.numpy())
        gain, ended = (torch.as_tensor(array).float() for array in (rewards / 1000, terminated))  # a goal is +1000
        rows.append((seen, legal, action, policy.log_prob(action), value, gain, ended, over))
        seen, legal = read(observations, infos)
        over = torch.as_tensor(terminated | truncated).float()
    saw, could, did, logs, values, gains, ends, resets = map(torch.stack, zip(*rows, strict=True))
    following = torch.cat([values[1:], critic(seen).detach().T])
    after = torch.cat([resets[1:], over[None]])  # the episode is over, terminated or truncated
    advantages, last = torch.zeros_like(values), torch.zeros(ENVS)
    for t in reversed(range(LENGTH)):
        delta = gains[t] + GAMMA * following[t] * (1 - ends[t]) - values[t]
        advantages[t] = last = delta + GAMMA * LAMBDA * (1 - after[t]) * last
    kept = resets.flatten() == 0
    data = [part.flatten(0, 1)[kept] for part in (saw, could, did, logs, advantages, advantages + values)]
    for batch in [batch for _ in range(EPOCHS) for batch in torch.randperm(len(data[0])).split(BATCH)]:
        state, allowed, taken, old, advantage, target = (part[batch] for part in data)
        policy = Categorical(logits=actor(state).masked_fill(~allowed, -1e9))
        ratio = (policy.log_prob(taken) - old).exp()
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        gain = torch.minimum(ratio * advantage, ratio.clamp(1 - CLIP, 1 + CLIP) * advantage).mean()
        loss = (critic(state)[:, 0] - target).square().mean() / 2 - gain - 0.01 * policy.entropy().mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 0.5)
        optimizer.step()
print(f"{options.steps / (time.perf_counter() - begun):,.0f} steps a second, learning included")
print(f"mean return of the last {len(envs.return_queue)} episodes: {np.mean(envs.return_queue):+.1f}")
