"""Plays models and agents on test levels: a number of episodes, or every level once."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import torch

from gridpuzzles_gym.agents.evaluation import Entrant, score_of
from gridpuzzles_gym.agents.models.model_file import Model, read_model
from gridpuzzles_gym.agents.models.trained_agent import TrainedAgent
from gridpuzzles_gym.agents.samplers.base import Stateless, extent_for, levels_of
from gridpuzzles_gym.agents.training.torch_operations import TorchOperations, trainable
from gridpuzzles_gym.agents.training.trainer import device_for
from gridpuzzles_gym.engine.random import initial_bits, next_bits

from .plan import LevelTest
from .results import LIKELIEST, SAMPLED, Score

SEED = 1_000_000
ENVIRONMENTS = 1024
ROWS = 8192
"""Observations that PyTorch computes at once."""


class EveryLevel(Stateless):
    """Every level of a pack once: episode by episode, as the random bits of their seeds say.

    Args:
        levels: The levels, as an environment takes them.
        env_id: The environment.
        seed: Seed of the first episode; the next one has the next seed.
    """

    def __init__(self, levels: Any, env_id: str, seed: int) -> None:
        self.levels = levels_of(levels, env_id)
        self.extent = extent_for(self.levels)
        self._number = {first_bits(seed + number): number for number in range(len(self.levels))}

    def sample(self, random_bits: int) -> Any:
        """The level of the episode with these random bits; of other bits, which are of no episode, the first."""
        return self.levels[self._number.get(random_bits, 0)]


def first_bits(seed: int) -> int:
    """Return the random bits with which a batch samples the first level of an environment with that seed."""
    random, _ = gym.utils.seeding.np_random(seed)
    initial_bits(random)  # those of the rules
    word = np.array([initial_bits(random)], np.uint64)
    with np.errstate(over="ignore"):
        return (int(next_bits(word)) << 32) | int(next_bits(word))


class TorchAgent(TrainedAgent):
    """A trained model whose network PyTorch computes."""

    def __init__(self, model: Model, env: Any, seed: int, device: torch.device) -> None:
        super().__init__(model, env, seed)
        self._device, self._operations = device, TorchOperations(device)
        self._tensors = trainable(self.network, model.weights, device)

    @torch.no_grad()
    def _computed(self, observations: Any, memory: Any, masks: Any) -> Any:
        parts = []
        for first in range(0, len(observations), ROWS):
            rows = slice(first, first + ROWS)
            views, before = (torch.from_numpy(np.ascontiguousarray(x[rows])) for x in (observations, memory))
            output = self.network.forward(
                self._operations, self._tensors, views.to(self._device), before.to(self._device)
            )
            remembered = memory[rows] if output.memory is None else output.memory.cpu().numpy()
            parts.append((output.logits.double().cpu().numpy(), output.values.float().cpu().numpy(), remembered))
        logits, values, memories = (np.concatenate(each) for each in zip(*parts, strict=True))
        if masks is not None:
            logits = np.where(masks, logits, -np.inf)
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        return chances / chances.sum(axis=1, keepdims=True), values, memories


def score_model(
    path: Path, env_id: str, settings: Mapping[str, Any], test: LevelTest, episodes: int | None = None
) -> Iterator[Score]:
    """Yield the scores of a model in a test: of sampled actions, then of the likeliest ones.

    Args:
        path: The model.
        env_id: The environment.
        settings: Its keyword arguments, those of the test included.
        test: The test.
        episodes: Number of episodes at most; None: as many as the test says.
    """
    for action in (SAMPLED, LIKELIEST):
        results, name = _played(str(path), env_id, settings, test, episodes, action == LIKELIEST)
        found = score_of(name, results, 0.0)
        yield Score(test.name, action, found.episodes, found.mean_return, found.interval, found.success, found.deaths,
                    found.steps)  # fmt: skip


def score_agent(agent: str, env_id: str, settings: Mapping[str, Any], episodes: int) -> dict[str, Any]:
    """Return the scores of an agent that needs no training, as a row of references without its chart."""
    results, _ = _played(agent, env_id, settings, LevelTest("", episodes=episodes), None, False)
    found = score_of(agent, results, 0.0)
    numbers = {"episodes": found.episodes, "return": found.mean_return, "interval": found.interval}
    return {"agent": agent, **numbers, "success": found.success}


def _played(
    agent: str, env_id: str, settings: Mapping[str, Any], test: LevelTest, episodes: int | None, deterministic: bool
) -> tuple[np.ndarray[Any, Any], str]:
    """Return the results of all episodes [episodes, 3], and the agent's name."""
    kwargs, count = dict(settings), test.episodes
    if test.every:
        kwargs["levels"] = EveryLevel(kwargs["levels"], env_id, SEED)
        count = len(kwargs["levels"].levels)
    count = min(count, episodes or count)
    size = min(ENVIRONMENTS, count)
    entrant = Entrant(env_id, agent, size, kwargs, SEED, False)
    try:
        if isinstance(entrant.policy, TrainedAgent):
            entrant.policy = TorchAgent(read_model(agent), entrant.env, SEED, device_for("auto"))
        results = np.zeros((count, 3))
        for _ in entrant.play(results, SEED, deterministic):
            pass
    finally:
        entrant.env.close()
    return results, entrant.name
