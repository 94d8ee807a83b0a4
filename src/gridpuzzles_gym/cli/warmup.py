"""``gridpuzzles warmup``: compile ahead of time, by running everything once as briefly as possible.

Tables that heuristics keep on disk are built here, too.
"""

import functools
import itertools
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import gymnasium as gym
import numpy as np
import typer
from rich.console import Console

from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.parallel import open_executor
from gridpuzzles_gym.agents.registry import agent_entries
from gridpuzzles_gym.agents.search.heuristic import Heuristic
from gridpuzzles_gym.agents.search.problem import Limits, Problem
from gridpuzzles_gym.agents.search.search import Search
from gridpuzzles_gym.agents.search_tables import heuristic_named, heuristics_of, searches_of

from ..engine.compile.compilation import compiling_at_once
from ..engine.messages import plural, quote
from ..engine.pictures.pixels import observations_of
from ..engine.system.files import cache_root
from ..engine.system.progress_bar import progress
from ..play.arguments import known_ids
from ..play.session import Session, Watched, WatchOptions
from ..registration import puzzle_of_id
from .common.options import Ray, Setting, Workers, resolved, settings_of
from .common.terminal import examples, say

group = typer.Typer()

BRIEFLY = Limits(nodes=300, seconds=2)
"""Limits of a search that is run only to compile it; compile time does not count."""

Step = tuple[str, Callable[[], object]]
"""What is compiled, and the function that compiles it."""


@group.command(
    rich_help_panel="Look around",
    epilog=examples("warmup", "warmup sokoban tiles", "warmup 15-puzzle --heuristic pdb-7-8 --workers 2"),
)
def warmup(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="ID", help="IDs or short names of environments.", show_default="all"),
    ] = None,
    heuristics: Annotated[
        list[str] | None,
        typer.Option(
            "--heuristic", metavar="NAME", help="Build the tables of this heuristic instead. Can be repeated."
        ),
    ] = None,
    settings: Setting = None,
    workers: Workers = None,
    ray: Ray = None,
) -> None:
    """Compile everything the environments need ahead of time, or build tables that are kept on disk.

    Otherwise the first use of each environment, search and agent compiles what it needs. Compiling all environments
    takes some minutes; the result is kept until their code changes. Ctrl-C keeps what is compiled so far.

    With [cyan]--heuristic[/], pattern databases are built, one pattern in each process; [cyan]--set[/] chooses the
    board and its goal. Ctrl-C keeps the patterns that are finished.
    """
    env_ids = [env_id for env_id in map(resolved, names or ()) if env_id]
    if heuristics:
        kept = build_tables(env_ids, heuristics, workers, ray, **settings_of(settings))
        say([f"done; the tables are in {kept}"])
        return
    unused = {"--set": settings, "--workers": workers, "--ray": ray}
    for option, given in unused.items():
        if given is not None:
            raise ValueError(f"{option} is for tables: it needs --heuristic NAME")
    folder = warm_up(env_ids)
    say([f"done; compiled code is in {folder}"])


def warm_up(env_ids: Sequence[str] = ()) -> Path:
    """Compile everything that ``gym.make``, ``make_vec``, ``play``, ``watch`` and ``solve`` need.

    Code that is already compiled is only loaded. Pattern databases are built by :func:`build_tables`, or when they are
    first used, and so is the exact optimum of caves of the Wumpus World.

    Args:
        env_ids: Registered ids; an empty sequence is all of them.

    Returns:
        The folder of the compiled code.

    Raises:
        ValueError: An id is unknown.
        OSError: There is no folder for compiled code.
        KeyboardInterrupt: Ctrl-C was pressed; its message says how much is compiled, which is kept.
    """
    steps = [step for env_id in dict.fromkeys(env_ids or known_ids()) for _, step in steps_of(env_id)]
    folder, done = _folder(), 0
    with compiling_at_once(), progress(len(steps), noun="part") as advance:
        try:
            for work in steps:
                work()
                done += 1
                advance()
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"stopped: compiled {done} of {plural(len(steps), 'part')}") from None
    return folder


def build_tables(
    env_ids: Sequence[str],
    names: Sequence[str],
    workers: int | None = None,
    ray: str | None = None,
    **settings: Any,
) -> Path:
    """Build the tables that heuristics keep on disk, for the boards of environments. Existing ones are checked.

    Args:
        env_ids: Registered ids.
        names: Names of heuristics.
        workers: The number of processes; None is one for each core.
        ray: The address of a Ray cluster that builds instead; None: this machine.
        **settings: Keyword arguments of the environments.

    Returns:
        The folder of everything that is stored on disk.

    Raises:
        ValueError: An id or a heuristic is unknown, a heuristic keeps no tables, or there is none for a board.
        OSError: There is no folder for tables, or as :func:`~gridpuzzles_gym.agents.parallel.open_executor` raises it.
        KeyboardInterrupt: Ctrl-C was pressed; what is finished is kept.
    """
    if not env_ids:
        raise ValueError("--heuristic needs the ID of an environment")
    folder = _folder()
    wanted = []
    for env_id, name in itertools.product(env_ids, names):
        puzzle = puzzle_of_id(env_id)
        build = heuristic_named(name, puzzle).build
        if build is None:
            known = ", ".join(each.name for each in heuristics_of(puzzle).values() if each.build) or "none"
            raise ValueError(f"heuristic {quote(name)} keeps no tables on disk; available for {puzzle.title}: {known}")
        session = Session(Game.of(env_id, **settings), seed=0)
        session.begin()
        wanted.append((build, Problem.of(session.env).level))
        session.close()
    try:
        with open_executor(workers, ray) as executor:
            for build, level in wanted:
                build(level, executor, Console(stderr=True).is_terminal)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("stopped: what is finished is kept; the same command goes on") from None
    return folder


def _folder() -> Path:
    """Return the folder of everything that is stored on disk.

    Raises:
        OSError: There is none.
    """
    folder = cache_root()
    if folder is None:
        raise OSError("no folder for compiled code: it must be writable, and owned and accessible by this user only")
    return folder


def steps_of(env_id: str) -> Iterator[Step]:
    """Yield everything to compile for an id, in the order in which it is typically needed.

    Raises:
        ValueError: The id is unknown.
    """
    puzzle = puzzle_of_id(env_id)
    yield f"{env_id}: rules", functools.partial(_play, env_id)
    for name in observations_of(puzzle):
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
    """Do what a person playing does."""
    session = Session(Game.of(env_id), seed=0)
    session.begin()
    session.play(0)
    session.undo()
    session.env.action_masks()
    session.close()


def _step(env_id: str, observation: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the warnings of Gymnasium's checker do not matter here
        env = gym.make(env_id, observation=observation)
        env.reset(seed=0)
        env.step(0)
        env.close()
        envs = gym.make_vec(env_id, num_envs=2, observation=observation)
        envs.reset(seed=0)
        envs.step(np.zeros(2, np.int64))
        envs.close()


def _search(env_id: str, search: Search, heuristic: Heuristic) -> None:
    session = Session(Game.of(env_id), seed=0)
    session.begin()
    search.solve(Problem.of(session.env), heuristic, BRIEFLY)
    session.close()


def _watch(env_id: str, agent: str) -> None:
    session = Watched(Game.of(env_id), agent, WatchOptions(seed=0))
    session.begin()
    session.advance()
    session.picture()
    session.close()
