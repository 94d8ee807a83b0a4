"""Demonstrations: episodes that agents play, as datasets of Minari for imitation and offline reinforcement learning."""

import contextlib
import dataclasses
import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np

from gridpuzzles_gym._version import __version__
from gridpuzzles_gym.engine.arguments import integer
from gridpuzzles_gym.engine.kernels import OUTCOME
from gridpuzzles_gym.engine.puzzle import SOLVED
from gridpuzzles_gym.engine.vector import PuzzleVectorEnv

from .evaluation import Arrays, Numbers, Player
from .game import Game
from .parallel import TaskExecutor, open_executor, ordered
from .registry import observation_for

if TYPE_CHECKING:
    from minari import MinariDataset

CHUNK = 32
"""Episodes that are played at the same time; fixed, so that they do not depend on the number of processes."""
_WRITTEN = 32
"""Chunks that are written at the same time."""
_REQUEST = "gridpuzzles"
"""The entry of a dataset's metadata that has what was asked for."""


@dataclasses.dataclass(frozen=True)
class Episode:
    """One episode of L steps."""

    seed: int
    observations: Arrays
    """[L + 1, ...], the first and the last one included."""
    infos: Mapping[str, Arrays]
    """By name, [L + 1, ...]: action masks, metrics, success and outcome."""
    actions: Arrays
    """int64[L]"""
    rewards: Arrays
    """float64[L]"""
    terminations: Arrays
    """bool[L]"""
    truncations: Arrays
    """bool[L]"""

    @property
    def solved(self) -> bool:
        """Whether it ended with the puzzle solved."""
        return bool(self.infos["is_success"][-1])


def demonstrate(
    dataset_id: str,
    env_id: str,
    agent: str,
    episodes: int = 1000,
    seed: int = 0,
    deterministic: bool = False,
    only_successes: bool = False,
    trust_pickle: bool = False,
    executor: TaskExecutor | None = None,
    **env_kwargs: Any,
) -> "MinariDataset":
    """Write a dataset of episodes that an agent plays, or continue one: the same call plays what is missing.

    Args:
        dataset_id: Minari's name of the dataset, e.g. ``"wumpus/optimal-v0"``; it is kept in ``MINARI_DATASETS_PATH``.
        env_id: A registered id.
        agent: The name of an agent, or the path of a model.
        episodes: The number of episodes.
        seed: The seed of the first episode; later ones have seed+1, seed+2, …
        deterministic: A trained model takes its most likely action instead of sampling.
        only_successes: Leave out the episodes that are not solved.
        trust_pickle: Load models that can run any code.
        executor: Where the episodes are played; None: on all cores. It does not change the dataset.
        **env_kwargs: Keyword arguments of the environment, which must be JSON; without ``observation``, it is the one
            that the agent plays with.

    Returns:
        The dataset, as ``minari.load_dataset(dataset_id)`` loads it.

    Raises:
        ValueError: The agent does not play this environment, a setting is invalid, a dataset of this name was made with
            another call, or no episode was solved.
        ImportError: Minari is not installed.
    """
    import minari

    integer("episodes", episodes, 1)
    game = Game.of(env_id, **env_kwargs)
    observation = observation_for(agent, game.puzzle, env_id)
    if observation is not None and "observation" not in env_kwargs:
        game = game.with_settings(observation=observation)
    play = Play(game, agent, deterministic, trust_pickle)
    request = {"env_id": env_id, "env_kwargs": game.settings, "agent": agent, "deterministic": deterministic}
    request |= {"seed": seed, "only_successes": only_successes}
    asked = json.dumps(request, sort_keys=True)
    dataset, first = None, seed
    if dataset_id in minari.list_local_datasets():
        dataset = minari.load_dataset(dataset_id)
        before = dataset.storage.metadata.get(_REQUEST)
        if before != asked:
            raise ValueError(f"dataset {dataset_id!r} exists and was made with {before}, not {asked}")
        first = 1 + int(next(iter(dataset.storage.get_episode_metadata([len(dataset) - 1])))["seed"])
    env = gym.make(env_id, **game.settings)
    try:
        with contextlib.nullcontext(executor) if executor is not None else open_executor(None, None) as where:
            for some in _batches(play, range(first, seed + episodes), where):
                buffers = [_buffer(episode) for episode in some if episode.solved or not only_successes]
                if buffers and dataset is None:
                    dataset = minari.create_dataset_from_buffers(
                        dataset_id,
                        buffers,
                        env,
                        env,
                        algorithm_name=agent,
                        author="gridpuzzles_gym",
                        description=f"Episodes of {agent} on {env_id}, made with gridpuzzles_gym {__version__}.",
                        requirements=[f"gridpuzzles_gym>={__version__}"],
                    )
                    dataset.storage.update_metadata({_REQUEST: asked})
                elif buffers and dataset is not None:
                    dataset.update_dataset_from_buffer(buffers)
    finally:
        env.close()
    if dataset is None:
        raise ValueError(f"none of the {episodes:,} episodes was solved: there is no dataset to write")
    return minari.load_dataset(dataset_id)


@dataclasses.dataclass(frozen=True)
class Play:
    """Plays the episodes of some seeds, in any process."""

    game: Game
    agent: str
    deterministic: bool
    trust_pickle: bool

    def __call__(self, seeds: range) -> list[Episode]:
        """Return the episode of each seed, at most :data:`CHUNK`."""
        log = _Log()
        self._player.play(seeds, self.deterministic, log=log)
        return log.episodes(seeds)

    @functools.cached_property
    def _player(self) -> Player:
        return Player(self.game, self.agent, CHUNK, self.trust_pickle)


def _batches(play: Play, seeds: range, executor: TaskExecutor) -> Iterator[list[Episode]]:
    """Play the episodes of seeds; yields them in order, many at a time."""
    chunks = [seeds[place : place + CHUNK] for place in range(0, len(seeds), CHUNK)]
    some: list[Episode] = []
    with contextlib.closing(ordered(executor, play, chunks)) as played:
        for number, (_, episodes) in enumerate(played, start=1):
            some += episodes
            if number % _WRITTEN == 0 or number == len(chunks):
                yield some
                some = []


def _buffer(episode: Episode) -> Any:
    from minari.data_collector import EpisodeBuffer

    return EpisodeBuffer(
        seed=episode.seed,
        observations=list(episode.observations),
        actions=list(episode.actions),
        rewards=episode.rewards.tolist(),
        terminations=episode.terminations.tolist(),
        truncations=episode.truncations.tolist(),
        infos={name: list(values) for name, values in episode.infos.items()},
    )


class _Log:
    """What happens in episodes that are played at the same time, in order of time."""

    def __init__(self) -> None:
        self._seen: list[dict[str, Arrays]] = []
        self._done: list[dict[str, Arrays]] = []

    def see(self, env: PuzzleVectorEnv, going: Numbers, observations: Arrays, infos: dict[str, Any]) -> None:
        """Record the states of some episodes."""
        outcomes = env.batch.ends[OUTCOME, going]
        self._seen.append(
            {
                "episode": going,
                "observations": observations[going],
                "action_mask": env.action_masks()[going].astype(np.int8),
                "is_success": outcomes == SOLVED,
                "outcome": outcomes.astype(np.int64),
                **{name: infos[name][going] for name in env.batch.metric_kinds},
            }
        )

    def act(self, going: Numbers, *arrays: Arrays) -> None:
        """Record steps: the actions, rewards, terminations and truncations of all environments."""
        names = "actions", "rewards", "terminations", "truncations"
        self._done.append({"episode": going} | {name: each[going] for name, each in zip(names, arrays, strict=True)})

    def episodes(self, seeds: Sequence[int]) -> list[Episode]:
        """Return the episodes, which had these seeds."""
        seen, done = _split(self._seen, len(seeds)), _split(self._done, len(seeds))
        return [
            Episode(int(seed), states.pop("observations"), states, **steps)
            for seed, states, steps in zip(seeds, seen, done, strict=True)
        ]


def _split(entries: list[dict[str, Arrays]], count: int) -> list[dict[str, Arrays]]:
    """Return the arrays of each of the episodes, from entries that have rows of several."""
    joined = {name: np.concatenate([entry[name] for entry in entries]) for name in entries[0]}
    numbers = joined.pop("episode")
    order = np.argsort(numbers, kind="stable")
    ends = np.cumsum(np.bincount(numbers, minlength=count))[:-1]
    parts = {name: np.split(values[order], ends) for name, values in joined.items()}
    return [{name: values[number] for name, values in parts.items()} for number in range(count)]
