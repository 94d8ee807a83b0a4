"""Records episodes of the agents that do not run in a browser: ``python -m gridpuzzles_gym.web.recorded``.

Each puzzle has a file ``site/recorded/PUZZLE.json``: ``{agent: {source: [episode, ...]}}``. A source is a bundled pack,
with an episode for each of its levels, or an id, with one for each of the first seeds of its generated instances. An
episode is a string of digits, the actions; it is null if the agent has found no solution within its limits. Agents get
seed 0. The pages replay the episodes and mark them as recorded.
"""

import argparse
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from rich.progress import track

from gridpuzzles_gym.agents.puzzle_agents import agents_record
from gridpuzzles_gym.agents.registry import RANDOM, agents_of, agents_with_network, make_agent, observation_for
from gridpuzzles_gym.agents.search.problem import Limits, Problem
from gridpuzzles_gym.agents.search_tables import heuristic_named, search_named, searches_of
from gridpuzzles_gym.engine.levels.bundled import bundled
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.engine.puzzle import Puzzle, load_puzzle
from gridpuzzles_gym.registration import ENVIRONMENTS

from .assembly import SITE
from .searches import ORDERS

SEEDS = 50
"""The number of generated instances."""
MAX_LEVELS = 50
"""Packs with more levels are left out."""
LIMITS = Limits(nodes=300_000)
"""The limits of a search on each level; without a time limit every machine records the same."""
MAX_STEPS = 500
"""Maximum number of actions of an episode."""
Actions = str | None


def missing_agents(puzzle: Puzzle) -> list[str]:
    """Return the names of the agents that do not run in a browser, except random and slow ones."""
    record, planners = agents_record(puzzle), [entry.name for entry in agents_with_network(puzzle)]
    left_out = {*planners, RANDOM.name, *record.kernels(), *record.solvers(), *(ORDERS if puzzle.deterministic else ())}
    return [name for name in agents_of(puzzle) if name not in left_out]


def record(puzzle: Puzzle, id: str) -> dict[str, dict[str, list[Actions]]]:
    """Play the episodes of all agents that do not run in a browser.

    Args:
        puzzle: The puzzle.
        id: The id of its environment.
    """
    levels = {pack: find_levels(puzzle, pack) for pack in bundled(puzzle)}
    found = {}
    for agent in missing_agents(puzzle):
        sources = {
            pack: [_played(puzzle, id, agent, 0, level) for level in track(some, f"{agent}, {pack}")]
            for pack, some in levels.items()
            if len(some) <= MAX_LEVELS
        }
        if puzzle.generation_with(puzzle.read_options()) is not None:
            sources[id] = [_played(puzzle, id, agent, seed) for seed in track(range(SEEDS), f"{agent}, {id}")]
        found[agent] = {source: episodes for source, episodes in sources.items() if any(episodes)}
    return {agent: sources for agent, sources in found.items() if sources}


def _played(puzzle: Puzzle, id: str, agent: str, seed: int, level: Any = None) -> Actions:
    """Return the actions of an episode; None if a search finds no solution, or the agent cannot play the level."""
    own: dict[str, Any] = {} if level is None else {"levels": [level]}
    env = gym.make(id, disable_env_checker=True, observation=observation_for(agent, puzzle, id), **own)
    try:
        view, _ = env.reset(seed=seed)
        if agent in searches_of(puzzle):
            search, heuristic = search_named(agent, puzzle), heuristic_named(None, puzzle)
            result = search.solve(Problem.of(env), heuristic, LIMITS)
            return _text(result.actions, env) if result.solved else None
        return _text(_episode(env, make_agent(agent, env), view), env)
    except ValueError:
        return None
    finally:
        env.close()


def _text(actions: Sequence[int], env: gym.Env[Any, Any]) -> Actions:
    limit = env.spec.max_episode_steps if env.spec is not None else None
    return "".join(map(str, actions)) if len(actions) <= min(limit or MAX_STEPS, MAX_STEPS) else None


def _episode(env: gym.Env[Any, Any], policy: Any, view: Any) -> list[int]:
    state, start, over = None, np.ones(1, np.bool_), False
    actions: list[int] = []
    while not over:
        action, state = policy.predict(view, state, start)
        actions.append(int(np.asarray(action).item()))
        view, _, terminated, truncated, _ = env.step(actions[-1])
        over, start = terminated or truncated, np.zeros(1, np.bool_)
    return actions


def write(ids: Iterable[str], folder: Path) -> list[Path]:
    """Record the agents of environments, and write a file for each puzzle.

    Args:
        ids: Ids of registered environments; only the first of each puzzle is used.
        folder: The folder to write to.
    """
    puzzles: dict[str, str] = {}
    for id in ids:
        puzzles.setdefault(gym.spec(id).kwargs["puzzle"], id)
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, id in puzzles.items():
        puzzle = load_puzzle(name)
        found = record(puzzle, id)
        if found:
            written.append(folder / f"{puzzle.name}.json")
            written[-1].write_text(json.dumps(found, separators=(",", ":")) + "\n", encoding="utf-8")
    return written


def main(arguments: Sequence[str] | None = None) -> None:
    """Record episodes, and list the files written with their sizes."""
    parser = argparse.ArgumentParser(
        prog="python -m gridpuzzles_gym.web.recorded", description="Record agents that do not run in a browser."
    )
    parser.add_argument("ids", nargs="*", metavar="ID", help="Ids of environments; by default all of the suite.")
    parser.add_argument("--out", type=Path, default=Path(str(SITE / "recorded")), help="Folder to write to.")
    chosen = parser.parse_args(arguments)
    for path in write(chosen.ids or [environment.id for environment in ENVIRONMENTS], chosen.out):
        print(f"{path.stat().st_size:9,} bytes  {path}")


if __name__ == "__main__":
    main()
