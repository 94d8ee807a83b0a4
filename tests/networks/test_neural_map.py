"""The network ``map``: its memory is a map by dead reckoning, the same in training and in play."""

import gymnasium as gym
import numpy as np
import pytest
from tiny_models import SIZES, random_weights

from gridpuzzles_gym.agents.networks.architectures import network_of
from gridpuzzles_gym.agents.networks.network import NUMPY

pytest.importorskip("torch")

import torch

from gridpuzzles_gym.agents.training.sb3_policy import TorchOperations

ACTIONS, PERCEPTS = 6, 5
LEFT, RIGHT, FORWARD, BUMP = 0, 1, 2, 3
DIRECTIONS = ((-1, 0), (0, 1), (1, 0), (0, -1))
COUNT, STEPS = 8, 23


class DeadReckoning:
    """What an agent remembers in one episode, on a map that does not move; north is where it faces at the start."""

    def __init__(self, radius):
        self.radius, self.place, self.facing, self.last = radius, (0, 0), 0, None
        self.start, self.walls, self.taken, self.latest = (0, 0), set(), set(), {}
        self.ever = np.zeros(PERCEPTS + ACTIONS, np.uint8)
        self.forgotten = set()

    def ahead(self, distance=1, right=0):
        (down, across), (down_right, across_right) = DIRECTIONS[self.facing], DIRECTIONS[(self.facing + 1) % 4]
        row, column = self.place
        return row + distance * down + right * down_right, column + distance * across + right * across_right

    def perceive(self, percepts):
        """Return the map, the agent in the middle, and what ever happened."""
        if self.last is not None:
            self.taken.add((self.place, self.last))
            self.ever[PERCEPTS + self.last] = 1
        if percepts[BUMP]:
            self.walls.add(self.ahead())
        elif self.last == FORWARD:
            self.place = self.ahead()
        self.facing = (self.facing + {LEFT: 3, RIGHT: 1}.get(self.last, 0)) % 4
        self.latest[self.place] = [1, *percepts]
        self.ever[:PERCEPTS] |= percepts.astype(np.uint8)
        return np.concatenate([self.window().reshape(-1), self.ever])

    def window(self):
        side = 2 * self.radius + 1
        window = np.zeros((2 + ACTIONS + 1 + PERCEPTS, side, side), np.uint8)
        inside = set()
        for row, column in np.ndindex(side, side):
            there = self.ahead(self.radius - row, column - self.radius)
            inside.add(there)
            taken = [(there, action) in self.taken for action in range(ACTIONS)]
            window[:, row, column] = [
                there == self.start, there in self.walls, *taken, *self.latest.get(there, [0] * (1 + PERCEPTS))
            ]  # fmt: skip
        self.start = self.start if self.start in inside else None
        self.walls &= inside
        self.taken = {(there, action) for there, action in self.taken if there in inside}
        self.latest = {there: percepts for there, percepts in self.latest.items() if there in inside}
        return window


@pytest.mark.parametrize("radius", [1, 3])
def test_the_map_is_that_of_dead_reckoning(radius):
    """Over random walks in caves, with bumps, turns, arrows, and squares that leave the map."""
    network = network_of("map", (PERCEPTS,), ACTIONS, SIZES["map"] | {"radius": radius})
    weights = random_weights(network)
    env = gym.make_vec("Wumpus-v0", num_envs=4, observation="percepts", pits=2, size=6, max_episode_steps=60)
    numbers = np.random.default_rng(7)
    observations, _ = env.reset(seed=3)
    memory, starts = np.zeros((4, network.memory), np.float32), np.ones(4, bool)
    reckonings = [DeadReckoning(radius) for _ in range(4)]
    happened = np.zeros(PERCEPTS + ACTIONS, np.int64)
    for _ in range(400):
        for i in np.flatnonzero(starts):
            memory[i], reckonings[i] = 0, DeadReckoning(radius)
        before = memory.copy()
        output = network.forward(NUMPY, weights, observations, memory)
        assert np.array_equal(memory, before)
        assert output.memory.dtype == np.float32
        assert not output.memory[:, -ACTIONS:].any()
        for percepts, found, reckoning in zip(observations, output.memory, reckonings, strict=True):
            wanted = reckoning.perceive(percepts)
            assert np.array_equal(found[:-ACTIONS], wanted)
            happened += wanted[-(PERCEPTS + ACTIONS) :]
        actions = numbers.choice(ACTIONS, 4, p=[0.15, 0.15, 0.6, 0.02, 0.02, 0.06])
        for reckoning, action in zip(reckonings, actions.tolist(), strict=True):
            reckoning.last = action
        memory = output.memory.copy()
        memory[:, -ACTIONS:] = np.eye(ACTIONS)[actions]
        observations, _, terminated, truncated, _ = env.step(actions)
        starts = terminated | truncated
    assert np.delete(happened, 4).all(), "all but a scream, which is rare"
    env.close()


def test_pytorch_and_numpy_remember_the_same_in_any_dtype():
    network = network_of("map", (PERCEPTS,), ACTIONS, SIZES["map"])
    numbers = np.random.default_rng(2)
    percepts = numbers.integers(0, 2, (40, PERCEPTS)).astype(np.int8)
    last = np.eye(ACTIONS)[numbers.integers(0, ACTIONS, 40)] * (numbers.random((40, 1)) < 0.8)
    memory = np.concatenate([numbers.integers(0, 2, (40, network.memory - ACTIONS)), last], axis=1)
    wanted = network.remember(NUMPY, percepts, memory.astype(np.uint8))
    assert wanted.dtype == np.uint8
    assert set(np.unique(wanted)) == {0, 1}
    assert np.array_equal(wanted, network.remember(NUMPY, percepts, memory.astype(np.float32)))
    ops = TorchOperations(torch.device("cpu"))
    for dtype in (torch.uint8, torch.float32):
        found = network.remember(ops, torch.from_numpy(percepts), torch.from_numpy(memory).to(dtype))
        assert found.dtype == dtype
        assert np.array_equal(found.numpy(), wanted)
