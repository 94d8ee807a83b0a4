"""What an agent is: anything with Stable-Baselines3's ``predict()``; and the table of those that need no training.

An agent maps observations to actions. What it remembers of an episode is in a state that goes out
of one call and into the next, so one agent serves any number of environments, and
``stable_baselines3.common.evaluation.evaluate_policy`` takes it as it takes a PPO model.
"""

import dataclasses
from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from gridpuzzles_gym.engine.random import Words, word_from

State = tuple[npt.NDArray[Any], ...]
"""What an agent remembers: arrays with a leading axis of environments."""


@runtime_checkable
class Policy(Protocol):
    """An agent: Stable-Baselines3's ``predict()``, with ``state`` as its only memory."""

    def predict(
        self,
        observation: npt.NDArray[Any],
        state: State | None = None,
        episode_start: npt.NDArray[np.bool_] | None = None,
        deterministic: bool = True,
    ) -> tuple[npt.NDArray[np.int64] | np.int64, State | None]:
        """Choose actions.

        Args:
            observation: One observation, or a batch ``[B, ...]``.
            state: What the last call returned; None starts afresh.
            episode_start: bool[B]: this observation is the first of an episode, forget the last one.
            deterministic: False samples, where the agent has a distribution to sample from.

        Returns:
            The action (np.int64), or int64[B] for a batch; and the state to hand to the next call.
        """
        ...


@dataclasses.dataclass(frozen=True)
class AgentEntry:
    """One row of :data:`AGENTS`."""

    name: str
    """What the command line calls it."""
    puzzle: str | None
    """The name of the puzzle it plays; None plays all."""
    description: str
    """One line for people."""
    make: Callable[[Any, int], Policy]
    """``make(env, seed)`` with an unwrapped PuzzleEnv or PuzzleVectorEnv; imports the agent's code."""
    observation: str | None = None
    """Which ``observation=`` its environment should have; None takes any."""


def _random(env: Any, seed: int) -> Policy:
    from .random_agent import RandomAgent

    return RandomAgent(len(env.batch.action_names), env.batch.space.shape, seed)


def _online_search(marks: str, risk: bool = True) -> Callable[[Any, int], Policy]:
    def make(env: Any, seed: int) -> Policy:
        from .wumpus.online_search import OnlineSearch

        return OnlineSearch.for_env(env, seed, marks=marks, risk=risk)

    return make


AGENTS: dict[str, AgentEntry] = {
    entry.name: entry
    for entry in (
        AgentEntry("random", None, "every action equally likely", _random),
        AgentEntry(
            "online-search",
            "wumpus",
            "explores by a map of marks; takes two suspicions for certainty",
            _online_search("seed"),
        ),
        AgentEntry(
            "online-search-sound",
            "wumpus",
            "the same, but certain only of what the percepts prove",
            _online_search("sound"),
        ),
        AgentEntry(
            "online-search-careful",
            "wumpus",
            "sound marks, and never a step onto a square that is not proven safe",
            _online_search("sound", risk=False),
        ),
    )
}
"""Agents that need no training, by name: what tools offer, tests and comparisons run through."""


def make_agent(name: str, env: gym.Env[Any, Any] | gym.vector.VectorEnv[Any, Any, Any], seed: int = 0) -> Policy:
    """The agent of that name, for the puzzle, options and board size of ``env``.

    Args:
        name: A key of :data:`AGENTS`.
        env: One of the suite's environments, single or vector, wrapped or not.
        seed: The seed of its own randomness; environment ``i`` of a batch draws from ``seed + i``.

    Raises:
        ValueError: There is no such agent, or it does not play this puzzle or in this environment.
    """
    inner: Any = env.unwrapped
    playing = inner.puzzle.name
    allowed = [entry.name for entry in AGENTS.values() if entry.puzzle in (None, playing)]
    if name not in allowed:
        problem = f"plays {AGENTS[name].puzzle}, not {playing}" if name in AGENTS else "is not known"
        raise ValueError(f"agent {name!r} {problem}; for {playing} there are {', '.join(allowed)}")
    return AGENTS[name].make(inner, seed)


def seed_words(seed: int, count: int) -> Words:
    """Randomness for ``count`` environments: uint64[count], word ``i`` is what ``seed + i`` gives alone."""
    return np.array([word_from(gym.utils.seeding.np_random(seed + i)[0]) for i in range(count)], np.uint64)


def is_single(observation: npt.NDArray[Any], shape: tuple[int, ...]) -> bool:
    """Is this one observation of that shape, rather than a batch of them?

    Raises:
        ValueError: It is neither.
    """
    if observation.shape[observation.ndim - len(shape) :] != shape or observation.ndim > len(shape) + 1:
        raise ValueError(
            f"an observation of shape {observation.shape}; {shape} is needed, or a batch with one axis in front"
        )
    return observation.ndim == len(shape)


def starts_of(episode_start: npt.NDArray[np.bool_] | None, count: int) -> npt.NDArray[np.bool_]:
    """``episode_start`` as bool[count]; None is False everywhere.

    Raises:
        ValueError: It has another length.
    """
    if episode_start is None:
        return np.zeros(count, np.bool_)
    starts = np.asarray(episode_start, np.bool_).reshape(-1)
    if len(starts) != count:
        raise ValueError(f"episode_start has {len(starts)} entries for {count} observations")
    return starts
