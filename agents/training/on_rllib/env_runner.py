"""RLlib's processes that play: a batch of native environments each, without objects for episodes."""

# Ray ships no type information.
# mypy: disable-error-code="misc"

import dataclasses
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
import numpy.typing as npt
import torch
from ray.rllib.core import DEFAULT_MODULE_ID
from ray.rllib.core.columns import Columns
from ray.rllib.env import INPUT_ENV_SPACES
from ray.rllib.env.env_runner import EnvRunner
from ray.rllib.evaluation.postprocessing import Postprocessing

from ...networks.network import Weights
from ..collector import Collector, Episode, environments
from ..phases import PPO
from ..setting_up import network_for
from ..settings import Settings
from ..torch_networks.acting import ActingNetwork
from ..torch_networks.weights import first_weights
from .module import MASKS

SETTINGS = "settings"
"""The key of the run's settings in RLlib's ``env_config``."""

Table = dict[str, npt.NDArray[Any]]
"""Columns of RLlib, [N, ...] each."""


class Rollout(NamedTuple):
    """The steps that one runner played."""

    runner: int
    """Its number."""
    table: Table
    """N steps, with their advantages and value targets."""
    episodes: list[Episode]
    """The episodes that ended."""


class BatchEnvRunner(EnvRunner):
    """Plays its part of a run's environments, with the weights that it is given, and computes the advantages.

    It is RLlib's interface to a :class:`~gridpuzzles_gym.agents.training.collector.Collector`: the same steps, masks
    and advantages as without RLlib. Environments are reset in the step that ends an episode, so no steps
    have to be left out; the rest of a truncated episode is worth the network's value of its last state.

    Args:
        config: RLlib's settings, with ours in ``env_config``.
        **kwargs: As for RLlib's runners; ``worker_index`` is 1, 2, …, or 0 in the process that was started.
    """

    def __init__(self, *, config: Any, **kwargs: Any) -> None:
        super().__init__(config=config, **kwargs)
        settings: Settings = config.env_config[SETTINGS]
        if self.worker_index:
            torch.set_num_threads(1)
        first, count = share_of(settings.num_envs, max(self.num_workers, 1), max(self.worker_index, 1) - 1)
        self.first, self.settings = first, dataclasses.replace(settings, num_envs=count, env_runners=None)
        self.env = environments(self.settings, None)
        network = network_for(self.settings, self.env)
        self.player = ActingNetwork(network, first_weights(network, 0), torch.device("cpu"))
        self.collector = Collector(self.settings, self.env, self.player, None)
        self._begun = False

    def sample(self, *, weights: Weights, steps: int, **kwargs: Any) -> Rollout:
        """Play ``settings.n_steps`` steps in each environment.

        Args:
            weights: The weights of the network, by name.
            steps: Steps of the run so far. The first call begins the episodes; in a resumed run or a replaced process
                they differ from earlier ones.
            **kwargs: Not used.
        """
        self.player.set_weights(weights)
        if not self._begun:
            self._begin(steps)
        experience = self.collector.collect(PPO, advised=False)
        columns = {
            Columns.OBS: experience.views,
            Columns.ACTIONS: experience.actions,
            Columns.ACTION_LOGP: experience.log_probabilities,
            Postprocessing.ADVANTAGES: experience.advantages,
            Postprocessing.VALUE_TARGETS: experience.returns,
        }
        if self.settings.masked:
            columns[MASKS] = experience.masks
        episodes = list(self.collector.episodes)
        self.collector.episodes.clear()
        table = {name: column.flatten(0, 1).numpy() for name, column in columns.items()}
        return Rollout(self.worker_index, table, episodes)

    def _begin(self, steps: int) -> None:
        """Begin the episodes: at first as without RLlib, environment i with the seed ``settings.seed + i``."""
        words = np.random.SeedSequence([self.settings.seed, steps, self.worker_index]).generate_state(2)
        self.player.generator.manual_seed(int(words[0]))
        self.collector.begin(int(words[1]) if steps else self.settings.seed + self.first)
        self._begun = True

    def get_spaces(self) -> dict[str, tuple[gym.Space[Any], gym.Space[Any]]]:
        """Return the spaces of observations and actions, for RLlib."""
        spaces = self.env.single_observation_space, self.env.single_action_space
        return {INPUT_ENV_SPACES: spaces, DEFAULT_MODULE_ID: spaces}

    def assert_healthy(self) -> None:
        """Check that it was made completely, for RLlib."""
        assert self.collector is not None

    def stop(self) -> None:
        """Close the environments."""
        self.env.close()


def share_of(count: int, parts: int, k: int) -> tuple[int, int]:
    """Return the first of ``count`` things in part ``k`` of ``parts`` that are as equal as possible, and how many."""
    first, end = count * k // parts, count * (k + 1) // parts
    return first, end - first
