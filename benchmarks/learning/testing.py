"""Plays models and agents on test levels: a number of episodes, or every level once."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from gridpuzzles_gym.agents.evaluation import SEED, Player, View, score_of
from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.models.model_file import Model, read_model
from gridpuzzles_gym.agents.models.trained_agent import TrainedAgent
from gridpuzzles_gym.agents.networks.network import Output
from gridpuzzles_gym.agents.policy import Policy
from gridpuzzles_gym.agents.training.sb3_policy import TorchOperations

from .plan import LevelTest
from .results import LIKELIEST, SAMPLED, Score

ENVIRONMENTS = 1024


class TorchAgent(TrainedAgent):
    """A trained model whose network PyTorch computes."""

    rows = 8192

    def __init__(self, model: Model, env: Any, seed: int, device: torch.device) -> None:
        super().__init__(model, env, seed)
        self._device, self._operations = device, TorchOperations(device)
        self._tensors = {name: torch.tensor(array, device=device) for name, array in model.weights.items()}

    @torch.no_grad()
    def output(self, observations: Any, memory: Any) -> Output:
        """Return the network's output as arrays."""
        views, before = (torch.from_numpy(np.ascontiguousarray(x)).to(self._device) for x in (observations, memory))
        output = self.network.forward(self._operations, self._tensors, views, before)
        return Output(*(None if part is None else part.float().cpu().numpy() for part in output))


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
        kwargs["levels"] = Game.of(env_id, **kwargs).pack()
        count = len(kwargs["levels"])
    count = min(count, episodes or count)
    player = _Player(Game.of(env_id, **kwargs), agent, min(ENVIRONMENTS, count), trust_pickle=True)  # trained here
    try:
        seeds = range(SEED, SEED + count)
        parts = [
            player.play(some, deterministic, range(some.start - SEED, some.stop - SEED) if test.every else None)
            for some in (seeds[first : first + ENVIRONMENTS] for first in range(0, count, ENVIRONMENTS))
        ]
    finally:
        player.close()
    return np.concatenate([part.results for part in parts]), agent


class _Player(Player):
    """A player whose models are computed by PyTorch."""

    def make_agent(self, view: View, seed: int) -> Policy:
        agent = super().make_agent(view, seed)
        if isinstance(agent, TrainedAgent):
            return TorchAgent(
                read_model(self.name), view, seed, torch.device("cuda" if torch.cuda.is_available() else "cpu")
            )
        return agent
