"""What a dataset is to hold: which agent plays which episodes of which environment."""

import dataclasses
import json
import os
from collections.abc import Mapping
from typing import Any, Self

import gymnasium as gym
from gymnasium.envs.registration import EnvSpec

from gridpuzzles_gym.engine.levels.sources import level_texts
from gridpuzzles_gym.engine.puzzle import Puzzle
from gridpuzzles_gym.registration import puzzle_of_id

from ..registry import agent_entries, observation_for

CHUNK = 32
"""Episodes that are played at the same time, and saved in one file until all are played. It is fixed, so that the
episodes do not depend on the number of processes."""
MOST_EPISODES = 10**9
LARGEST_LEVELS = 2**20
"""Level files of up to so many characters are copied into the dataset."""


@dataclasses.dataclass(frozen=True)
class Request:
    """What a dataset is to hold; :func:`request` makes one."""

    env_id: str
    env_kwargs: Mapping[str, Any]
    """Keyword arguments of the environment, JSON-serializable; with the dataset's ``observation``."""
    agent: str
    """The name of an agent, or the path of a model."""
    episodes: int
    seed: int = 0
    """The seed of the first episode; later ones have seed+1, seed+2, …"""
    deterministic: bool = False
    """A trained model takes its most likely action instead of sampling."""
    only_successes: bool = False
    """Leave out the episodes that are not solved."""

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Self:
        """Return the request that was written as this JSON object.

        Raises:
            ValueError: It is none.
        """
        try:
            return cls(**content)
        except TypeError:
            raise ValueError("this is not the description of a dataset") from None

    def to_json(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return dataclasses.asdict(self)

    def difference(self, other: "Request") -> str:
        """Return the first difference from another request, in words; empty if there is none."""
        for field in dataclasses.fields(self):
            mine, theirs = getattr(self, field.name), getattr(other, field.name)
            if mine != theirs:
                return f"{field.name.replace('_', '-')} was {json.dumps(theirs)}, now it is {json.dumps(mine)}"
        return ""

    @property
    def puzzle(self) -> Puzzle:
        """The puzzle of the environment."""
        return puzzle_of_id(self.env_id)

    @property
    def chunks(self) -> int:
        """The number of its chunks."""
        return -(-self.episodes // CHUNK)

    def chunk(self, number: int) -> range:
        """Return the seeds of a chunk's episodes."""
        first = number * CHUNK
        return range(self.seed + first, self.seed + min(first + CHUNK, self.episodes))

    def spec(self) -> EnvSpec:
        """Return the specification of the environment, which `gym.make` takes."""
        env = gym.make(self.env_id, **self.env_kwargs)
        env.close()
        assert env.spec is not None
        return env.spec

    @property
    def agent_description(self) -> str:
        """What the agent is, in a line."""
        entry = agent_entries(self.puzzle).get(self.agent.partition(":")[0])
        return "a trained model" if entry is None else entry.description


def request(env_id: str, agent: str, env_kwargs: Mapping[str, Any], **more: Any) -> Request:
    """Return a request that describes its environment without reference to files on this machine, where possible.

    Args:
        env_id: A registered id.
        agent: The name of an agent, or the path of a model.
        env_kwargs: Keyword arguments of the environment; without ``observation``, it is the one the agent plays with.
        **more: ``episodes`` and the other fields of :class:`Request`.

    Raises:
        ValueError: There is no such agent, a number is out of range, or the levels are invalid.
    """
    puzzle = puzzle_of_id(env_id)
    needed = observation_for(agent, puzzle, env_id)
    kwargs = dict(env_kwargs)
    if kwargs.get("levels") is not None:
        kwargs["levels"] = _portable(puzzle, kwargs["levels"])
    kwargs.setdefault("observation", needed or next(iter(puzzle.observations)))
    try:
        kwargs = json.loads(json.dumps(kwargs))
    except TypeError as error:
        raise ValueError(f"a dataset describes its environment in JSON: {error}") from None
    made = Request(env_id, kwargs, agent, **more)
    if not 1 <= made.episodes <= MOST_EPISODES:
        raise ValueError(f"episodes={made.episodes}: must be a positive integer up to {MOST_EPISODES:,}")
    if not 0 <= made.seed < 2**62:
        raise ValueError(f"seed={made.seed}: must be a non-negative integer below 2**62")
    return made


def _portable(puzzle: Puzzle, levels: Any) -> Any:
    """Return ``levels=`` with the texts of level files in place of their paths; the absolute path of large ones."""
    if not isinstance(levels, str | os.PathLike) or not os.path.exists(levels):
        return levels
    texts = [text if "\n" in text else f"{text}\n" for text, _ in level_texts(puzzle, levels)]
    if sum(map(len, texts)) > LARGEST_LEVELS:
        return os.path.abspath(levels)
    return texts
