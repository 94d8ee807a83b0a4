"""``gridpuzzles list``: list the environments, or show one."""

import dataclasses
import importlib
import inspect
import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer
from rich import box
from rich.console import RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from gridpuzzles_gym.agents.game import Game
from gridpuzzles_gym.agents.registry import agent_entries
from gridpuzzles_gym.agents.search_tables import heuristics_of

from ..engine.levels.bundled import bundled
from ..engine.levels.sources import find_levels, level_source
from ..engine.pictures.pixels import observations_of
from ..play.arguments import known_ids, short_names
from ..registration import puzzle_of_id, spec_of
from .common.options import Json, resolved
from .common.terminal import console, examples, print_json

group = typer.Typer()

_MARKUP = re.compile(r":\w+:`~?([^`]+)`|``(.+?)``|\*\*(.+?)\*\*|`([^`]+)`")


@group.command("list", rich_help_panel="Look around", epilog=examples("list", "list wumpus"))
def list_command(
    env_id: Annotated[
        str | None,
        typer.Argument(metavar="ID", callback=resolved, help="ID or short name of one environment."),
    ] = None,
    json: Json = False,
) -> None:
    """List the environments, or show one: actions, observations, settings, levels, agents and documentation."""
    if json:
        entries = [Entry.of(each) for each in ([env_id] if env_id else known_ids())]
        print_json([dataclasses.asdict(entry) for entry in entries])
    elif env_id is None:
        console.print(overview())
    else:
        console.print(Entry.of(env_id).panel())
        console.print(documentation(env_id))


@dataclasses.dataclass(frozen=True)
class Entry:
    """Everything that can be chosen for one id."""

    id: str
    names: list[str]
    """Short names of the id."""
    title: str
    actions: list[str]
    """Names of the actions, in the order of their numbers."""
    observations: dict[str, str]
    """Name and space of each observation, as Gymnasium prints it; the first one is the default."""
    max_episode_steps: int | None
    settings: dict[str, Any]
    """Options of the puzzle and their defaults."""
    levels: dict[str, int]
    """Bundled packs and their numbers of levels."""
    agents: dict[str, str]
    """Agents and their one-line descriptions."""
    heuristics: dict[str, str]
    """Heuristics for the searches and their descriptions; empty if no search applies."""
    preset: str
    """The training settings tuned on it, as the command line takes them; empty if there are none."""

    @classmethod
    def of(cls, env_id: str) -> "Entry":
        """Return the entry of an id.

        Raises:
            ValueError: The id is unknown.
        """
        game = Game.of(env_id)
        spec, puzzle, options = game.spec, game.puzzle, game.options
        extent = level_source(puzzle, None, options).extent
        heuristics = heuristics_of(puzzle).values() if puzzle.deterministic else ()
        return cls(
            spec.id,
            short_names(spec.id),
            puzzle.title,
            list(puzzle.actions(options)),
            {name: str(observation.space(extent)) for name, observation in observations_of(puzzle).items()},
            spec.max_episode_steps,
            {field.name: getattr(options, field.name) for field in dataclasses.fields(options)},
            {name: len(find_levels(puzzle, name)) for name in bundled(puzzle)},
            {name: entry.description for name, entry in agent_entries(puzzle).items()},
            {heuristic.name: heuristic.description for heuristic in heuristics},
            str(game.agents.presets.get(spec.id, "")),
        )

    def panel(self) -> Panel:
        """Return the entry as a panel for the terminal."""
        table = Table.grid(padding=(0, 2))
        table.add_column(style="bold", no_wrap=True)
        table.add_column()
        for heading, content in self._rows():
            table.add_row(heading, content)
        return Panel(table, title=f"[bold]{self.id}[/] · {self.title}", title_align="left")

    def _rows(self) -> Iterator[tuple[str, RenderableType]]:
        yield "short names", ", ".join(self.names)
        yield "actions", ", ".join(f"{number} {name}" for number, name in enumerate(self.actions))
        default = next(iter(self.observations))
        spaces = {name: space + "  default" * (name == default) for name, space in self.observations.items()}
        yield "observations", _grid(spaces)
        yield "step limit", "none" if self.max_episode_steps is None else f"{self.max_episode_steps} steps"
        yield "settings", ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        yield "levels", ", ".join(f"{name} ({count})" for name, count in self.levels.items()) or "no bundled levels"
        yield "agents", _grid(self.agents)
        if self.heuristics:
            yield "heuristics", _grid(self.heuristics)
        if self.preset:
            yield "preset", Text(self.preset)


def overview() -> Table:
    """Return a table with one or two lines per id."""
    caption = "`gridpuzzles list ID` shows its actions, observations, settings, levels and agents"
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), caption=caption, caption_justify="left")
    table.add_column("ID", style="bold", no_wrap=True)
    table.add_column("short names", no_wrap=True)
    table.add_column("description")
    for env_id in known_ids():
        table.add_row(env_id, ", ".join(short_names(env_id)), _summary(env_id))
    return table


def _summary(env_id: str) -> str:
    """Return the first line of the puzzle's documentation, without the puzzle's name, and the id's own settings."""
    puzzle = puzzle_of_id(env_id)
    line = (inspect.getdoc(importlib.import_module(puzzle.module)) or puzzle.title).splitlines()[0]
    own = ", ".join(f"{name}={value}" for name, value in spec_of(env_id).kwargs.items() if name != "puzzle")
    return (line.partition(": ")[2] or line) + (f" Here {own}." if own else "")


def _grid(rows: Mapping[str, str]) -> Table:
    """Return a grid of names and descriptions; names are never truncated."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column()
    for row in rows.items():
        grid.add_row(*row)
    return grid


def documentation(env_id: str) -> Text:
    """Return the documentation page of an id's puzzle.

    Raises:
        ValueError: The id is unknown.
    """
    where = spec_of(env_id).kwargs["puzzle"]
    page = inspect.getdoc(importlib.import_module(where)) if isinstance(where, str) else None
    return Text(rendered(page or ""))


def rendered(docstring: str) -> str:
    """Return a docstring without its markup: each paragraph becomes one line; indented lines are unchanged."""
    plain = _MARKUP.sub(lambda found: next(filter(None, found.groups())), docstring)
    indented = re.compile(r"^(?: |[-*] )", re.MULTILINE)
    return "\n\n".join(each if indented.search(each) else " ".join(each.split()) for each in plain.split("\n\n"))
