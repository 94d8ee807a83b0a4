"""Compile beforehand whatever an environment will need: by doing everything once, as briefly as it goes."""

import functools
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import gymnasium as gym
import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from gridpuzzles_gym.agents.registry import agent_entries
from gridpuzzles_gym.agents.search.heuristic import Heuristic
from gridpuzzles_gym.agents.search.problem import Limits, Problem
from gridpuzzles_gym.agents.search.search import Search
from gridpuzzles_gym.agents.search_tables import heuristic_named, heuristics_of, searches_of

from ..engine.cache_folder import cache_root
from ..engine.compile_notice import silence
from .arguments import environment, known_ids
from .sessions import Session, Watched

BRIEFLY = Limits(nodes=300, seconds=2)
"""Of a search that is only to be compiled; compiling does not count."""

Step = tuple[str, Callable[[], object]]
"""What is being made ready, and what does so."""


def warm_up(env_ids: Sequence[str] = ()) -> Path:
    """Compile all that ``gym.make``, ``make_vec``, ``play``, ``watch`` and ``solve`` need, with a progress bar.

    What is compiled already is only loaded. Pattern databases and the exact optimum of the Wumpus World are
    computed when they are asked for, not here.

    Args:
        env_ids: Registered ids; none are all of them.

    Returns:
        The folder that machine code is kept in.

    Raises:
        ValueError: There is no such id.
        OSError: There is no folder to keep machine code in.
        KeyboardInterrupt: Somebody pressed Ctrl-C; it says how much is done, and that is kept.
    """
    steps = [step for env_id in dict.fromkeys(env_ids or known_ids()) for step in steps_of(env_id)]
    folder = cache_root()
    if folder is None:
        raise OSError("there is no folder to keep machine code in: none that is writable, ours, and closed to others")
    columns = SpinnerColumn(), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    words = TextColumn("{task.description}", markup=False)
    done = 0
    with silence(), Progress(*columns, words, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=len(steps))
        try:
            for name, work in steps:
                bar.update(task, description=name)
                work()
                done += 1
                bar.advance(task)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"stopped: {done} of {len(steps)} parts are ready") from None
    return folder


def steps_of(env_id: str) -> Iterator[Step]:
    """All there is to make ready for an id, in the order in which people come to need it.

    Raises:
        ValueError: There is no such id.
    """
    _, puzzle = environment(env_id)
    yield f"{env_id}: the rules", functools.partial(_play, env_id)
    for name in puzzle.observations:
        yield f"{env_id}: observation {name}", functools.partial(_step, env_id, name)
    estimate = heuristic_named(None, puzzle)
    for search in searches_of(puzzle).values():
        yield f"{env_id}: search {search.name}", functools.partial(_search, env_id, search, estimate)
    for heuristic in heuristics_of(puzzle).values():
        yield f"{env_id}: heuristic {heuristic.name}", heuristic.function
    for agent, entry in agent_entries(puzzle).items():
        if entry.search is None and entry.featured:
            yield f"{env_id}: agent {agent}", functools.partial(_watch, env_id, agent)


def _play(env_id: str) -> None:
    """What a player does."""
    session = Session(env_id, seed=0)
    session.begin()
    session.play(0)
    session.undo()
    session.env.action_masks()
    session.close()


def _step(env_id: str, observation: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what Gymnasium's checker has to say is for those who play
        env = gym.make(env_id, observation=observation)
        env.reset(seed=0)
        env.step(0)
        env.close()
        envs = gym.make_vec(env_id, num_envs=2, observation=observation)
        envs.reset(seed=0)
        envs.step(np.zeros(2, np.int64))
        envs.close()


def _search(env_id: str, search: Search, heuristic: Heuristic) -> None:
    session = Session(env_id, seed=0)
    session.begin()
    search.solve(Problem.of(session.env), heuristic, BRIEFLY)
    session.close()


def _watch(env_id: str, agent: str) -> None:
    session = Watched(env_id, agent, seed=0)
    session.begin()
    session.advance()
    session.picture()
    session.close()
