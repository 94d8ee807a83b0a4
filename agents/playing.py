"""Episodes that an agent plays at the same time, in the native vector environment.

What happens in an episode depends on its seeds only, not on the others that are played with it; except with models of
Stable-Baselines3, which sample from one random generator.
"""

import dataclasses
import time
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from gridpuzzles_gym.engine.config import EnvConfig
from gridpuzzles_gym.engine.vector import PuzzleVectorEnv

from .game import Game
from .policy import Policy
from .registry import load_agent, observation_for

AGENT_SEED = 10**12
"""Added to an episode's seed, it is the agent's: with equal seeds, both would sample the same random bits."""

Arrays = npt.NDArray[Any]
Numbers = npt.NDArray[np.intp]


class Played(NamedTuple):
    """The results of some episodes."""

    results: npt.NDArray[np.float64]
    """[episodes, 3]: return, outcome, length."""
    decisions: int
    """Number of timed decisions: all but those of a player's first step, which may load or compile."""
    seconds: float
    """The time that they took."""


class Log(Protocol):
    """Receives everything that happens."""

    def see(self, env: PuzzleVectorEnv, going: Numbers, observations: Arrays, infos: dict[str, Any]) -> None:
        """Called with the environments after the reset and after each step; ``going`` has the episodes concerned."""

    def act(self, going: Numbers, *arrays: Arrays) -> None:
        """Called with the actions, rewards, terminations and truncations of all environments after each step."""


class Player:
    """An agent and the environments in which it plays.

    Args:
        game: The game.
        agent: The name of an agent, or the path of a model.
        size: The maximum number of episodes at the same time.
        trust_pickle: Load models that can run any code.

    Raises:
        ValueError: The agent does not play this environment.
    """

    def __init__(self, game: Game, agent: str, size: int, trust_pickle: bool = False) -> None:
        self.game, self.name, self.trust_pickle = game, agent, trust_pickle
        self.env = game.make_vec(size, autoreset_mode=AutoresetMode.NEXT_STEP)
        self._begun = False
        self._observation = self._readable_observation()

    def _readable_observation(self) -> str:
        """Return the observation that the agent reads: its own, or else that of the environment if possible."""
        puzzle, given = self.env.puzzle, self.env.config.observation
        needed = observation_for(self.name, puzzle, self.game.id)
        choices = [needed] if needed else list(dict.fromkeys((given, *puzzle.observations)))
        for number, observation in enumerate(choices, start=1):
            try:
                self.make_agent(self._view(observation), 0)
            except ValueError:
                if number == len(choices):
                    raise
            else:
                return observation
        raise AssertionError

    def _view(self, observation: str) -> "View":
        env = self.env
        return View(env, env.spec, dataclasses.replace(env.config, observation=observation), np.arange(env.num_envs))

    def make_agent(self, view: "View", seed: int) -> Policy:
        """Return the agent for these environments."""
        return load_agent(self.name, view, seed, self.trust_pickle)

    def play(
        self,
        seeds: range,
        deterministic: bool,
        levels: Sequence[int] | None = None,
        log: Log | None = None,
    ) -> Played:
        """Play one episode from each seed.

        Args:
            seeds: As many seeds as there are environments, or fewer. The agent's are these plus :data:`AGENT_SEED`.
            deterministic: Models take their most probable action.
            levels: The number of each episode's level in the environment's pack; None: levels are sampled.
            log: Receives everything that happens.
        """
        env, view = self.env, self._view(self._observation)
        agent, memory = self.make_agent(view, AGENT_SEED + seeds.start), None
        results = np.zeros((len(seeds), 3))
        going = np.arange(len(seeds))
        unused = env.num_envs - len(seeds)
        observations, infos = env.reset(seed=[*seeds, *[0] * unused])
        for i, level in enumerate(levels or ()):
            observations, infos = env.reset(
                options={"reset_mask": np.arange(env.num_envs) == i, "level": level},
            )
        if log is not None:
            log.see(env, going, observations, infos)
        starts = np.ones(len(seeds), np.bool_)
        decisions, seconds = 0, 0.0
        while len(going):
            view.going = going
            actions = np.zeros(env.num_envs, np.int64)
            seen, begun = view.observe(observations), time.perf_counter()
            actions[going], memory = agent.predict(seen, memory, starts, deterministic)
            if self._begun:
                seconds += time.perf_counter() - begun
                decisions += len(going)
            self._begun = True
            observations, rewards, terminated, truncated, infos = env.step(actions)
            if log is not None:
                log.act(going, actions, rewards, terminated, truncated)
                log.see(env, going, observations, infos)
            over = (terminated | truncated)[going]
            if over.any():
                ended = going[over]
                endings = env.batch.endings(ended)
                results[ended] = np.stack([endings.returns, endings.outcomes, endings.lengths], axis=1)
                going = going[~over]
                memory = None if memory is None else tuple(array[~over] for array in memory)
            starts = np.zeros(len(going), np.bool_)
        return Played(results, decisions, seconds)

    def close(self) -> None:
        """Close the environments."""
        self.env.close()


@dataclasses.dataclass
class View:
    """The environments whose episodes go on, as an agent sees them."""

    env: PuzzleVectorEnv
    spec: Any
    config: EnvConfig
    going: Numbers

    @property
    def unwrapped(self) -> "View":
        """Itself, as there is no wrapper."""
        return self

    @property
    def single_observation_space(self) -> gym.Space[Any]:
        """The agent's observation space in one environment."""
        return self.env.observation_format.space(self.config.space)

    @property
    def single_action_space(self) -> gym.Space[Any]:
        """The action space of one environment."""
        return self.env.single_action_space

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return their legal actions, bool[going, A]."""
        masks: npt.NDArray[np.bool_] = self.env.action_masks()[self.going]
        return masks

    def observe(self, observations: Arrays) -> Arrays:
        """Return the agent's observations, [going, ...].

        Args:
            observations: Those that all environments returned.
        """
        name = self.config.observation
        own = name == self.env.config.observation
        seen = observations if own else self.env.observation_format.of(self.env.batch.observed_as(name))
        return seen[self.going]
