"""The list of the modules of all puzzles and of their agents, for the API reference."""

import pkgutil
from collections.abc import Iterator, Sequence
from importlib import import_module

from gridpuzzles_gym.engine.puzzle import Puzzle

MODULES = ("rules", "observing", "text")
"""The modules of a puzzle, other than its record, that others use."""


def puzzles_page(puzzles: Sequence[Puzzle]) -> str:
    """Return the page that lists the modules of puzzles."""
    parts = ["# Puzzles\n\nThe record of each puzzle, its rules, its level text, and what only its agents have."]
    for puzzle in puzzles:
        names = "".join(f"   {name}\n" for name in [*_modules(puzzle), *_agent_modules(puzzle)])
        parts.append(f"## {puzzle.title}\n\n```{{eval-rst}}\n.. autosummary::\n   :toctree: generated\n\n{names}```")
    return "\n\n".join(parts) + "\n"


def _modules(puzzle: Puzzle) -> Iterator[str]:
    yield puzzle.module
    found = {each.name for each in pkgutil.iter_modules(import_module(puzzle.module).__path__)}
    yield from (f"{puzzle.module}.{name}" for name in MODULES if name in found)


def _agent_modules(puzzle: Puzzle) -> Iterator[str]:
    """Yield the package of a puzzle's agents and its modules; nothing for a puzzle without any."""
    name = f"gridpuzzles_gym.agents.{puzzle.name}"
    try:
        package = import_module(name)
    except ModuleNotFoundError:
        return
    yield name
    for each in pkgutil.walk_packages(package.__path__, f"{name}."):
        if not each.name.endswith("__main__"):
            yield each.name
