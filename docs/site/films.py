"""The films on the pages of the environments: an episode each, played by the puzzle's best advisor, as a GIF."""

from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym

import gridpuzzles_gym  # noqa: F401  (registers the environments)
from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.registry import agent_entries, make_agent, observation_for
from gridpuzzles_gym.agents.search_tables import advisors_of
from gridpuzzles_gym.engine.puzzle import Puzzle
from gridpuzzles_gym.play.recording import record
from gridpuzzles_gym.play.session import WatchOptions
from gridpuzzles_gym.registration import puzzle_of_id

SEEDS = range(20)
"""The seeds of the episodes to choose from."""
LEAST, MOST = 8, 60
"""The numbers of steps of an episode that is neither too short nor too long to watch."""
SIDE, TILE = 640, 96
"""The length of a board's longer side, and the maximum size of a square, in pixels."""
FPS = 4.0
"""Actions per second."""


class Film(NamedTuple):
    """A film of one episode."""

    file: Path
    agent: str
    seed: int


def film_of(env_id: str, folder: Path) -> Film:
    """Return the film of an id, recorded unless the folder has it.

    It shows the first episode that the agent solves in a number of steps that is good to watch; if there is none, that
    of the first seed.
    """
    puzzle = puzzle_of_id(env_id)
    agent = best_agent(puzzle)
    recorded = sorted(folder.glob(f"{env_id}-{agent}-[0-9]*.gif"))
    if recorded:
        return Film(recorded[0], agent, int(recorded[0].stem.rpartition("-")[2]))
    seed = next((seed for seed in SEEDS if _worth_watching(env_id, puzzle, agent, seed)), SEEDS[0])
    file = folder / f"{env_id}-{agent}-{seed}.gif"
    folder.mkdir(parents=True, exist_ok=True)
    env: Any = gym.make(env_id).unwrapped
    tile = min(TILE, SIDE // max(env.config.extent[:2]))
    record(Game.of(env_id), agent, file, WatchOptions(seed=seed, fps=FPS), tile_size=tile, progress=False, force=True)
    return Film(file, agent, seed)


def best_agent(puzzle: Puzzle) -> str:
    """Return the first of a puzzle's advisors that is an agent, else the last agent."""
    names = list(agent_entries(puzzle))
    return next((advisor.name for advisor in advisors_of(puzzle) if advisor.name in names), names[-1])


def _worth_watching(env_id: str, puzzle: Puzzle, name: str, seed: int) -> bool:
    seen = observation_for(name, puzzle, env_id)
    kwargs: dict[str, Any] = {} if seen is None else {"observation": seen}
    env = gym.make(env_id, **kwargs)
    agent = make_agent(name, env, seed)
    observation, info = env.reset(seed=seed)
    memory, steps, ended = None, 0, False
    while not ended and steps <= MOST:
        action, memory = agent.predict(observation, memory)
        observation, _, terminated, truncated, info = env.step(int(action))
        ended, steps = terminated or truncated, steps + 1
    env.close()
    return bool(ended and info["is_success"] and steps >= LEAST)
