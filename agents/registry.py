"""All agents by name: a name in a puzzle's table, the path of a trained model, or a class in a Python file."""

import dataclasses
import os
import re
from collections.abc import Iterator
from typing import Any, cast

import gymnasium as gym

from gridpuzzles_gym.engine.config import config_of
from gridpuzzles_gym.engine.messages import quote, shorten, suggestion
from gridpuzzles_gym.engine.puzzle import Puzzle, load_puzzle

from .game import Game
from .models.model_file import model_file, read_description
from .models.sb3_model import SB3Agent, is_zip, load_sb3, sb3_observation, split_algorithm
from .models.trained_agent import (
    PRETRAINED,
    fits_pretrained,
    load_evaluator,
    load_pretrained,
    load_trained,
    pretrained_models,
    pretrained_observation,
)
from .own_agent import is_own, load_own, own_observation
from .parameters import read_parameters
from .policy import Policy, RandomAgent
from .puzzle_agents import AgentEntry, agents_record
from .search.problem import Limits
from .search.search import MODEL, Search
from .search_tables import advisors_of, searches_of


def _planner(search: Search) -> AgentEntry:
    def make(env: Any, seed: int, **parameters: Any) -> Policy:
        from .search_agent import DEFAULT_LIMITS, GUIDED_LIMITS, SearchAgent

        if search.guided:
            parameters = {**parameters, MODEL: load_evaluator(parameters.get(MODEL, PRETRAINED), env)}
        limits = GUIDED_LIMITS if search.guided else DEFAULT_LIMITS
        chosen = {name: parameters.pop(name) for name in _LIMITS if name in parameters}
        limits = dataclasses.replace(limits, **chosen)
        return SearchAgent.for_env(env, search.name, limits=limits, seed=seed, **{**search.playing, **parameters})

    description = f"plans by {search.name} search: {search.description}"
    names = ("heuristic", "every", *_LIMITS, *search.parameters)
    return AgentEntry(search.name, description, make, search=search.name, parameters=names, featured=search.featured)


def _gumbel(env: Any, seed: int, model: str = PRETRAINED, **parameters: Any) -> Policy:
    from .search_agent import PlanningAgent

    return PlanningAgent(env, load_evaluator(model, env), seed, **parameters)


_LIMITS = tuple(field.name for field in dataclasses.fields(Limits))
_WITH_PARAMETERS = re.compile(r"[\w-]+:\w+\s*=")
RANDOM = AgentEntry("random", "every action equally likely", RandomAgent.for_env)
"""The only agent, apart from the searches, that plays any puzzle."""
PLANNER = AgentEntry(
    "planner",
    "plans every action by Gumbel AlphaZero's search over the rules, guided by a trained network",
    _gumbel,
    parameters=(MODEL, "simulations", "value_scale"),
    featured=False,
)
"""Plays every puzzle whose observations show the full state, whatever is left to chance."""
_PRETRAINED = AgentEntry(PRETRAINED, "plays by the trained network that comes with the suite", load_pretrained)


def agents_with_network(puzzle: Puzzle) -> list[AgentEntry]:
    """Return the agents that plan with a trained network: by default that of the suite."""
    searches = [search for search in searches_of(puzzle, guided=True).values() if search.guided]
    shown = any(observation.decode is not None for observation in puzzle.observations.values())
    return [*map(_planner, searches), *([PLANNER] if shown else [])]


def agent_entries(puzzle: Puzzle) -> dict[str, AgentEntry]:
    """Return the agents that play a puzzle without training, by name.

    They are random, the suite's trained network if the puzzle has one, the puzzle's own, one for each search, and those
    that plan with that network.
    """
    trained = [_PRETRAINED] if pretrained_models(puzzle) else []
    guided = agents_with_network(puzzle) if trained else []
    planners = map(_planner, searches_of(puzzle).values())
    return {entry.name: entry for entry in (RANDOM, *trained, *agents_record(puzzle).agents, *planners, *guided)}


def agents_of(puzzle: Puzzle, featured: bool = False) -> list[str]:
    """Return the names of the agents that play a puzzle; with ``featured``, only those compared by default."""
    return [name for name, entry in agent_entries(puzzle).items() if entry.featured or not featured]


def compared_agents(game: Game) -> list[str]:
    """Return the names of the agents compared by default in a game: the featured ones that can play it."""
    names = agents_of(game.puzzle, featured=True)
    if PRETRAINED in names:
        env = game.make(observation=pretrained_observation(game.puzzle, game.id))
        if not fits_pretrained(config_of(env), game.id):
            names.remove(PRETRAINED)
        env.close()
    return names


def advising_agents(puzzle: Puzzle) -> list[str]:
    """Return the names of the agents that give advice in a puzzle, in the order in which they are tried."""
    known = agents_of(puzzle)
    return [advisor.name for advisor in advisors_of(puzzle) if advisor.name in known]


def agent_entry(name: str, puzzle: Puzzle) -> AgentEntry:
    """Return the agent of that name for a puzzle.

    Raises:
        ValueError: There is none, or it plays another puzzle.
    """
    entries = agent_entries(puzzle)
    unlisted = {entry.name: entry for entry in agents_with_network(puzzle)}  # a network can be given to these
    if name in unlisted:
        return unlisted[name]
    if name not in entries:
        owners = [other.name for other in _puzzles() if name in agent_entries(other)]
        problem = f"plays {' and '.join(owners)}, not {puzzle.name}" if owners else "is not known"
        near = suggestion(name, entries)
        raise ValueError(f"agent {quote(name)} {problem}; {near}allowed for {puzzle.name} are {', '.join(entries)}")
    return entries[name]


def _puzzles() -> Iterator[Puzzle]:
    """Every puzzle that has a registered id, each once."""
    modules = dict.fromkeys(spec.kwargs["puzzle"] for spec in gym.registry.values() if "puzzle" in spec.kwargs)
    yield from dict.fromkeys(map(load_puzzle, modules))


def make_agent(name: str, env: Any, seed: int = 0) -> Policy:
    """Return the agent of that name, for the puzzle, options and board size of ``env``.

    Args:
        name: One of :func:`agents_of` for the puzzle; parameters can follow: ``"astar:nodes=1000,heuristic=zero"``.
        env: One of the suite's environments, or a vector of them: the native one, Gymnasium's or Stable-Baselines3's.
            The agent reads the step limit from the wrappers that `gym.make` adds; an unwrapped environment has none.
        seed: Random seed; environment ``i`` of a batch uses ``seed + i``.

    Raises:
        ValueError: There is no such agent or parameter, or it does not play this puzzle or this environment.
    """
    name, parameters = read_parameters(name, "agent")
    entry = agent_entry(name, config_of(env).puzzle)
    for parameter in parameters:
        if parameter not in entry.parameters:
            has = ", ".join(entry.parameters) or "none"
            raise ValueError(f"agent {quote(name)} has no parameter {quote(parameter)}; it has {has}")
    return entry.make(env, seed, **parameters)


def is_model(agent: str) -> bool:
    """Whether this is the path of a model file or run folder, rather than the name of an agent."""
    path, _ = split_algorithm(agent)
    return (
        not _WITH_PARAMETERS.match(agent)
        and not is_own(path)
        and (path.endswith((".safetensors", ".zip")) or os.path.exists(path))
    )


def plays_by_network(agent: str) -> bool:
    """Whether it plays by a trained network, which may need boards of one size, and action masks."""
    return agent == PRETRAINED or is_model(agent)


def observation_for(agent: str, puzzle: Puzzle, env_id: str | None = None) -> str | None:
    """Return the ``observation=`` an agent's environment must have; None is the puzzle's default, or any.

    Args:
        agent: A name as for :func:`make_agent`, a model file, the folder of a run, or a class in a Python file
            (:mod:`.own_agent`). ``MODEL.zip:ALGORITHM`` names the algorithm of a model of Stable-Baselines3.
        puzzle: The puzzle to play.
        env_id: The id of the environment to play; None if unknown.

    Raises:
        ValueError: There is no such agent or model, or it was trained on another puzzle.
    """
    entries = agent_entries(puzzle)
    if agent == PRETRAINED and agent in entries:
        return pretrained_observation(puzzle, env_id)
    if agent in entries or _WITH_PARAMETERS.match(agent):
        return agent_entry(agent.partition(":")[0], puzzle).observation
    if is_own(agent):
        return own_observation(agent, puzzle)
    if not is_model(agent):
        has = f"{', '.join(entries)}, trained models, and your own FILE.py"
        raise ValueError(
            f"no agent {quote(agent)} and no such file; {suggestion(agent, entries)}{puzzle.title} has {has}"
        )
    path = model_file(split_algorithm(agent)[0])
    if is_zip(path):
        return sb3_observation(path, puzzle, env_id)
    description = read_description(agent)
    if not description.plays(puzzle):
        raise ValueError(f"{agent} was trained on {shorten(description.env_id, 80)}, this is {env_id or puzzle.title}")
    return description.observation


def load_agent(agent: Any, env: Any, seed: int = 0, trust_pickle: bool = False, algorithm: str | None = None) -> Policy:
    """Return the agent, ready to play ``env`` (made with the observation that :func:`observation_for` returns).

    Args:
        agent: A name or a path as for :func:`observation_for`, or a model of Stable-Baselines3 that is in memory.
        env: One of the suite's environments, or a vector of them: the native one, Gymnasium's or Stable-Baselines3's.
        seed: Random seed of the agent; one that is in memory already keeps its own.
        trust_pickle: Load a file that Stable-Baselines3 saved: it can run arbitrary code.
        algorithm: The algorithm that saved such a file, e.g. ``"PPO"``; None detects it.

    Raises:
        ValueError: There is no such agent or model, it does not play this environment, or it is a file of
            Stable-Baselines3 and ``trust_pickle`` is False.
    """
    config = config_of(env)
    if isinstance(agent, os.PathLike):
        agent = os.fspath(agent)
    elif not isinstance(agent, str):
        if not hasattr(agent, "predict"):
            raise ValueError(f"agent={quote(agent)}: must be a name, a path or a model of Stable-Baselines3")
        return SB3Agent(agent, env) if hasattr(agent, "set_random_seed") else cast(Policy, agent)
    if is_own(agent):
        return load_own(agent, env)
    if agent in agent_entries(config.puzzle) or not is_model(agent):
        return make_agent(agent, env, seed)
    name, named = split_algorithm(agent)
    path = model_file(name)
    return (
        load_sb3(path, env, seed, trust_pickle, algorithm or named) if is_zip(path) else load_trained(path, env, seed)
    )
