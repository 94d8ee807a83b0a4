"""Pictures and films in notebooks.

Levels, search problems, results and comparisons are shown by themselves as the last line of a cell. This module adds
films of agents and of plans, the picture of an environment, and several objects side by side.
"""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gridpuzzles_gym.agents.search.problem import Problem

from .commands.film_pages import SUFFIX, play_rounds, solution_page
from .engine.config import config_of, scene_in
from .engine.pictures.canvas import Canvas
from .engine.pictures.html import png_html
from .engine.system.files import write_text
from .session.arguments import environment, new_file
from .session.watch_options import WatchOptions
from .web.film import HEIGHT, check_drawing, embedded, film_page

__all__ = ["Film", "Shown", "film", "picture", "replay", "side_by_side"]


@dataclasses.dataclass(frozen=True)
class Shown:
    """An object that notebooks show as HTML."""

    html: str = dataclasses.field(repr=False)

    def _repr_html_(self) -> str:
        return self.html


@dataclasses.dataclass(frozen=True)
class Film:
    """Episodes that play in the notebook, at any pace, forwards and backwards; no network is needed."""

    page: str = dataclasses.field(repr=False)
    """A complete HTML page."""
    height: int
    """In pixels."""

    def _repr_html_(self) -> str:
        return embedded(self.page, self.height)

    def save(self, path: str | Path, force: bool = False) -> None:
        """Write the page to a file.

        Args:
            path: The file; its name ends in ``.html``.
            force: Overwrite an existing file.

        Raises:
            ValueError: The name has another suffix.
            OSError: The file exists and ``force`` is False, or it cannot be written.
        """
        new_file(Path(path), force, SUFFIX)
        write_text(Path(path), self.page)


def film(
    env_id: str,
    *agents: str,
    level: str | None = None,
    seed: int | None = None,
    episodes: int = 1,
    notes: bool = True,
    deterministic: bool = False,
    trust_pickle: bool = False,
    height: int = HEIGHT,
    **settings: Any,
) -> Film:
    """Play agents side by side on the same episodes and return the film.

    Args:
        env_id: A registered id.
        *agents: Names of agents, or paths of trained models; at most four.
        level: A level file, a bundled pack or a level's title; None: the levels of the environment.
        seed: Seed of the first episode; later ones use seed+1, seed+2, …; None chooses one at random.
        episodes: Number of episodes.
        notes: Show what the agents think.
        deterministic: Trained models take their most likely actions instead of sampling.
        trust_pickle: Load a model that Stable-Baselines3 saved. Its file can run any code.
        height: The height of the film in pixels.
        **settings: Keyword arguments of the environment.

    Raises:
        ValueError: The id, an agent or the level is unknown, a setting is invalid, there are too many agents, or the
            puzzle has no drawing for films.
    """
    puzzle = environment(env_id)[1]
    check_drawing(puzzle)
    options = WatchOptions(
        level, seed, episodes, notes=notes, deterministic=deterministic, trust_pickle=trust_pickle, settings=settings
    )
    rounds = list(play_rounds(env_id, agents, options))
    return Film(film_page(puzzle, rounds, puzzle.title), height)


def replay(problem: Problem, actions: Sequence[int], name: str = "plan", height: int = HEIGHT) -> Film:
    """Return a film of a plan, such as the actions of a search's result.

    Args:
        problem: The problem, whose start is the plan's.
        actions: The plan.
        name: The heading, such as the name of the search.
        height: The height of the film in pixels.

    Raises:
        ValueError: An action is illegal, or the puzzle has no drawing for films.
    """
    return Film(solution_page(problem, actions, name), height)


def picture(env: Any, tile_size: int = 48) -> Shown:
    """Return the picture of an environment's current state.

    Args:
        env: One of the suite's environments, as for :func:`.config_of`; of a vector environment, the first is drawn.
        tile_size: The width of a square in pixels.

    Raises:
        gymnasium.error.ResetNeeded: The environment has not been reset.
        ValueError: It is not an environment of this suite.
    """
    puzzle, scene = config_of(env).puzzle, scene_in(env)
    return Shown(png_html(Canvas(puzzle, tile_size).png(scene), f"{puzzle.title}: step {scene.steps}"))


def side_by_side(*shown: Any) -> Shown:
    """Return several objects next to each other, e.g. levels.

    Args:
        *shown: Objects that notebooks show as HTML.

    Raises:
        ValueError: One of them is not such an object.
    """
    parts = []
    for each in shown:
        html = each._repr_html_() if hasattr(each, "_repr_html_") else None
        if html is None:
            raise ValueError(f"a {type(each).__name__} has no picture; allowed are levels, problems, results, …")
        parts.append(f"<div>{html}</div>")
    return Shown(f'<div style="display: flex; flex-wrap: wrap; align-items: flex-end">{"".join(parts)}</div>')
