"""Behaviour cloning on a dataset of ``agents.demonstrations``: ``FOLDER/data [EPOCHS] [TEST_EPISODES]``."""

import sys
import time

import gymnasium as gym
import minari
import numpy as np
import torch
from torch import nn

import gridpuzzles_gym  # noqa: F401 - registers the environments


def clone(dataset, epochs=10, batch=1024, width=256):
    """Return a network that gives logits of the demonstrated actions."""
    pairs = zip(*((episode.observations[:-1], episode.actions) for episode in dataset), strict=True)
    observations, actions = (torch.as_tensor(np.concatenate(arrays)) for arrays in pairs)
    inputs, outputs = observations[0].numel(), int(dataset.action_space.n)
    layers = [nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, outputs)]
    network = nn.Sequential(nn.Flatten(), *layers)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 2e-3, total_steps=epochs * -(-len(actions) // batch))
    for epoch in range(epochs):
        losses = []
        for rows in torch.randperm(len(actions)).split(batch):
            loss = nn.functional.cross_entropy(network(observations[rows].float()), actions[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
        print(f"epoch {epoch + 1}: loss {np.mean(losses):.4f}", flush=True)
    return network


@torch.no_grad()
def evaluate(network, spec, episodes=1000, seed=1_000_000):
    """Return the mean return and the share of solved episodes; the network takes its likeliest legal action."""
    envs = gym.make_vec(spec, num_envs=episodes, vectorization_mode="vector_entry_point")
    observations, _ = envs.reset(seed=seed)
    returns, going, solved = np.zeros(episodes), np.ones(episodes, bool), np.zeros(episodes, bool)
    while going.any():
        logits, legal = network(torch.as_tensor(observations).float()), torch.as_tensor(envs.unwrapped.action_masks())
        actions = logits.where(legal | ~legal.any(1, keepdim=True), -torch.inf).argmax(1).numpy()
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        returns += rewards * going
        solved |= going & infos.get("is_success", False)
        going &= ~(terminated | truncated)
    return returns.mean(), solved.mean()


if __name__ == "__main__":
    numbers, begun = [int(number) for number in sys.argv[2:]], time.time()
    data = minari.MinariDataset(sys.argv[1])
    mean, success = evaluate(clone(data, *numbers[:1]), data.env_spec, *numbers[1:])
    print(f"return {mean:+.1f}, success {success:.1%}, {time.time() - begun:.0f} s")
