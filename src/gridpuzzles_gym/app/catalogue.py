"""What there is: the ids with their actions, observations, settings, levels and agents."""

import dataclasses
import importlib
import inspect
from collections.abc import Iterator
from typing import Any

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from gridpuzzles_gym.agents.registry import AGENTS, agents_of
from gridpuzzles_gym.agents.solving import heuristics_of

from ..engine.levels import find_levels, level_source, shipped
from ..engine.puzzle import Puzzle
from .arguments import environment, known_ids


def overview() -> Group:
    """One panel an id."""
    return Group(*(describe(env_id) for env_id in known_ids()))


def describe(env_id: str) -> Panel:
    """Everything about one id that can be chosen.

    Raises:
        ValueError: There is no such id.
    """
    spec, puzzle = environment(env_id)
    limit = "none" if spec.max_episode_steps is None else f"{spec.max_episode_steps} steps"
    given = {name: value for name, value in spec.kwargs.items() if name != "puzzle"}
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    for heading, content in _rows(puzzle, limit, given):
        table.add_row(heading, content)
    return Panel(table, title=f"[bold]{spec.id}[/] · {puzzle.title}", title_align="left")


def documentation(env_id: str) -> Text:
    """The documentation page of an id's puzzle: the docstring of its module."""
    where = environment(env_id)[0].kwargs["puzzle"]
    page = inspect.getdoc(importlib.import_module(where)) if isinstance(where, str) else None
    return Text(page or "")


def _rows(puzzle: Puzzle, limit: str, given: dict[str, Any]) -> Iterator[tuple[str, RenderableType]]:
    own = {field.name for field in dataclasses.fields(puzzle.options)}
    options = puzzle.read_options(**{name: value for name, value in given.items() if name in own})
    yield "actions", ", ".join(f"{number} {name}" for number, name in enumerate(puzzle.actions(options)))
    extent = _extent(puzzle, options)
    spaces = _names()
    for number, (name, observation) in enumerate(puzzle.observations.items()):
        spaces.add_row(name, str(observation.space(extent)), "default" if number == 0 else "")
    yield "observations", spaces
    yield "step limit", limit
    yield (
        "settings",
        ", ".join(f"{field.name}={getattr(options, field.name)!r}" for field in dataclasses.fields(options)),
    )
    packs = [f"{name} ({len(find_levels(puzzle, name))})" for name in shipped(puzzle)]
    yield "levels", ", ".join(packs) or "none shipped"
    agents = _names()
    for name in agents_of(puzzle):
        agents.add_row(name, AGENTS[name].description)
    yield "agents", agents
    if puzzle.deterministic:
        heuristics = _names()
        for heuristic in heuristics_of(puzzle).values():
            heuristics.add_row(heuristic.name, heuristic.description)
        yield "heuristics", heuristics


def _names() -> Table:
    """A grid whose first column has names, which are never cut."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    return grid


def _extent(puzzle: Puzzle, options: Any) -> tuple[int, ...]:
    return level_source(puzzle, None, options).extent
