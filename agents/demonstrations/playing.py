"""Playing the episodes of a chunk at the same time, in the native vector environment."""

import dataclasses
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from gridpuzzles_gym.engine.kernels import OUTCOME
from gridpuzzles_gym.engine.puzzle import OUTCOMES, SOLVED
from gridpuzzles_gym.engine.setup import Setup
from gridpuzzles_gym.engine.vector import PuzzleVectorEnv

from ..policy import Policy
from ..registry import load_agent, observation_for
from .episodes import Arrays, Episodes
from .request import Request

AGENT_SEED = 10**12
"""Added to an episode's seed, it is the agent's: with equal seeds, both would draw the same random bits."""
_WORDS = np.array([word.encode() for word in OUTCOMES])

Numbers = npt.NDArray[np.intp]


class Player:
    """An agent and the environments in which it plays.

    Args:
        request: What to play.
        size: The maximum number of episodes at the same time.
        trust_pickle: Load models that can run any code.

    Raises:
        ValueError: The agent does not play this environment.
    """

    def __init__(self, request: Request, size: int, trust_pickle: bool = False) -> None:
        self.request, self.trust_pickle = request, trust_pickle
        env: Any = gym.make_vec(
            request.env_id, num_envs=size, autoreset_mode=AutoresetMode.NEXT_STEP, **request.env_kwargs
        )
        self.env: PuzzleVectorEnv = env.unwrapped
        self.spec = env.spec
        self.observation = self._readable_observation()

    def _readable_observation(self) -> str:
        """Return the observation that the agent reads: its own, or else the dataset's if possible."""
        puzzle, wanted = self.env.puzzle, self.env.setup.observation
        needed = observation_for(self.request.agent, puzzle, self.request.env_id)
        choices = [needed] if needed else list(dict.fromkeys((wanted, *puzzle.observations)))
        for number, observation in enumerate(choices, start=1):
            try:
                self._agent(self._view(observation), 0)
            except ValueError:
                if number == len(choices):
                    raise
            else:
                return observation
        raise AssertionError

    def _view(self, observation: str) -> "_View":
        env = self.env
        return _View(env, self.spec, dataclasses.replace(env.setup, observation=observation), np.arange(env.num_envs))

    def _agent(self, view: "_View", seed: int) -> Policy:
        return load_agent(self.request.agent, view, seed, self.trust_pickle)

    def play(self, seeds: range) -> Episodes:
        """Play one episode from each seed.

        Args:
            seeds: As many seeds as there are environments, or fewer.
        """
        env, view, log = self.env, self._view(self.observation), _Log()
        going = np.arange(len(seeds))
        agent, memory = self._agent(view, AGENT_SEED + seeds.start), None
        unused = env.num_envs - len(seeds)
        observations, infos = env.reset(seed=[*seeds, *[0] * unused])
        log.see(self, going, observations, infos)
        starts = np.ones(len(seeds), np.bool_)
        while len(going):
            view.going = going
            actions = np.zeros(env.num_envs, np.int64)
            chosen, memory = agent.predict(view.observe(observations), memory, starts, self.request.deterministic)
            actions[going] = chosen
            observations, rewards, terminated, truncated, infos = env.step(actions)
            log.act(going, actions, rewards, terminated, truncated)
            log.see(self, going, observations, infos)
            goes_on = ~(terminated | truncated)[going]
            going = going[goes_on]
            memory = None if memory is None else tuple(array[goes_on] for array in memory)
            starts = np.zeros(len(going), np.bool_)
        return log.episodes(seeds)

    def close(self) -> None:
        """Close the environments."""
        self.env.close()


@dataclasses.dataclass
class _View:
    """The environments whose episodes go on, as an agent sees them."""

    env: PuzzleVectorEnv
    spec: Any
    setup: Setup
    going: Numbers

    @property
    def unwrapped(self) -> "_View":
        return self

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return their legal actions, bool[going, A]."""
        masks: npt.NDArray[np.bool_] = self.env.action_masks()[self.going]
        return masks

    def observe(self, observations: Arrays) -> Arrays:
        """Return what the agent observes, [going, ...].

        Args:
            observations: What all environments have returned.
        """
        name = self.setup.observation
        seen = observations if name == self.env.setup.observation else self.env.batch.observed_as(name)
        return seen[self.going]


class _Log:
    """What happens in the episodes, in order of time; each entry has the numbers of its episodes."""

    def __init__(self) -> None:
        self.seen: list[dict[str, Arrays]] = []
        self.done: list[dict[str, Arrays]] = []

    def see(self, player: Player, going: Numbers, observations: Arrays, infos: dict[str, Any]) -> None:
        """Record the states of some episodes."""
        batch, metrics = player.env.batch, player.env.batch.metric_kinds
        outcomes = batch.ends[OUTCOME, going]
        self.seen.append(
            {
                "episode": going,
                "observations": observations[going],
                "action_mask": player.env.action_masks()[going].astype(np.int8),
                "is_success": outcomes == SOLVED,
                "outcome": outcomes,
                **{name: infos[name][going] for name in metrics},
            }
        )

    def act(self, going: Numbers, *arrays: Arrays) -> None:
        """Record steps: the actions, rewards, terminations and truncations of all environments."""
        names = "actions", "rewards", "terminations", "truncations"
        self.done.append({"episode": going} | {name: a[going] for name, a in zip(names, arrays, strict=True)})

    def episodes(self, seeds: range) -> Episodes:
        """Return the episodes."""
        seen, done = _sorted(self.seen), _sorted(self.done)
        lengths = np.bincount(done.pop("episode"), minlength=len(seeds))
        ends = np.cumsum(lengths)
        returns = np.add.reduceat(done["rewards"], ends - lengths)
        outcomes = seen.pop("outcome")
        del seen["episode"]
        return Episodes(
            seeds=np.array(seeds, np.int64),
            lengths=lengths,
            results=np.stack([returns, outcomes[ends + np.arange(len(seeds))], lengths], axis=1),
            observations=seen.pop("observations"),
            infos={**seen, "outcome": _WORDS[outcomes]},
            **done,
        )


def _sorted(entries: list[dict[str, Arrays]]) -> dict[str, Arrays]:
    """Return entries joined, the rows of one episode after those of another."""
    joined = {name: np.concatenate([entry[name] for entry in entries]) for name in entries[0]}
    order = np.argsort(joined["episode"], kind="stable")
    return {name: values[order] for name, values in joined.items()}
