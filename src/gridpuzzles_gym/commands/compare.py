"""Comparing agents: the work of ``gridpuzzles compare``."""

import dataclasses
import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gridpuzzles_gym.agents.parallel import open_executor
from gridpuzzles_gym.agents.registry import compared_agents, observation_for

from ..engine.puzzle import Puzzle
from ..session.arguments import check_settings, environment, new_file
from ..session.watch_options import WatchOptions

if TYPE_CHECKING:
    from gridpuzzles_gym.agents.evaluation import Comparison


@dataclasses.dataclass(frozen=True)
class Files:
    """The files that a comparison is written to; None: not written."""

    csv: Path | None = None
    """The scores."""
    chart: Path | None = None
    """A chart, as PNG."""
    report: Path | None = None
    """A page (HTML) with the table, and the first episodes of the agents side by side."""
    force: bool = False
    """Whether existing files are overwritten."""

    def check(self, puzzle: Puzzle) -> None:
        """Check, before any long work, that all files can be written.

        Raises:
            ValueError: A name has another suffix, or a report is requested and the puzzle has no drawing for pages.
            OSError: A file already exists and ``force`` is False, or it cannot be written.
            ImportError: A chart is requested and matplotlib is not installed.
        """
        if self.csv is not None:
            new_file(self.csv, self.force)
        if self.chart is not None:
            new_file(self.chart, self.force, ".png")
            importlib.import_module("matplotlib")
        if self.report is not None:
            from ..web.film import check_drawing

            new_file(self.report, self.force, ".html")
            check_drawing(puzzle)


def compare(
    env_id: str,
    agents: Sequence[str] | None,
    env_kwargs: dict[str, Any],
    files: Files,
    workers: int | None = None,
    ray: str | None = None,
    **numbers: Any,
) -> tuple["Comparison", list[Path]]:
    """Compare agents; see :func:`gridpuzzles_gym.agents.evaluation.compare`.

    Args:
        env_id: A registered id.
        agents: Names of agents or paths of models; None is the main agents of the puzzle (``featured``).
        env_kwargs: Settings of the environment.
        files: The files to write.
        workers: The number of processes; None is one for each core.
        ray: The address of a Ray cluster that plays instead; None: this machine.
        **numbers: ``episodes``, ``every_level``, ``seed``, ``num_envs``, ``deterministic``, ``trust_pickle``,
            ``progress``.

    Returns:
        The comparison, and the files written: none if Ctrl-C came before the first agent had finished.

    Raises:
        ValueError: The id or an agent is unknown, a setting is invalid, or as :meth:`Files.check`.
        OSError, ImportError: As :meth:`Files.check`.
    """
    _, puzzle = environment(env_id)
    check_settings(puzzle, env_kwargs)
    if numbers.get("seed", 0) < 0:
        raise ValueError(f"seed={numbers['seed']}: must be a non-negative integer")
    names = list(agents or compared_agents(env_id, env_kwargs))
    for name in names:
        observation_for(name, puzzle, env_id)
    files.check(puzzle)
    from gridpuzzles_gym.agents.evaluation import compare as compare_agents

    with open_executor(workers, ray) as executor:
        comparison = compare_agents(env_id, names, env_kwargs=env_kwargs, executor=executor, **numbers)

    def write_report(path: Path) -> None:
        from . import film_pages

        playing = {name: numbers[name] for name in ("deterministic", "trust_pickle") if name in numbers}
        film_pages.write_report(comparison, path, names, WatchOptions(**playing, settings=env_kwargs))

    writers = [(files.csv, comparison.write_csv), (files.chart, comparison.write_chart), (files.report, write_report)]
    written = [(path, write) for path, write in writers if path is not None and comparison.scores]
    for path, write in written:
        write(path)
    return comparison, [path for path, _ in written]
