"""The public modules, for the API reference, and the page that lists those of all puzzles."""

from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec

from gridpuzzles_gym.engine.puzzle import Puzzle


def public_modules(name: str) -> Iterator[str]:
    """Yield a public module, or the public modules of a package: itself, if it has names, and those that it lists."""
    spec = find_spec(name)
    assert spec is not None, f"there is no module {name}"
    package = spec.submodule_search_locations is not None
    listed = import_module(name).__all__ if package else ()
    modules = [f"{name}.{each}" for each in listed if find_spec(f"{name}.{each}")]
    if not package or len(modules) < len(listed):
        yield name
    for module in modules:
        yield from public_modules(module)


def puzzle_modules(puzzle: Puzzle) -> list[str]:
    """Return the public modules of a puzzle, and of its agents if it has any."""
    agents = f"gridpuzzles_gym.agents.{puzzle.name}"
    return [name for each in (puzzle.module, agents) if find_spec(each) for name in public_modules(each)]


def puzzles_page(puzzles: Sequence[Puzzle]) -> str:
    """Return the page that lists the modules of puzzles."""
    parts = ["# Puzzles\n\nThe record of each puzzle, its rules, its level text, and what only its agents have."]
    for puzzle in puzzles:
        names = "".join(f"   {name}\n" for name in puzzle_modules(puzzle))
        parts.append(f"## {puzzle.title}\n\n```{{eval-rst}}\n.. autosummary::\n   :toctree: generated\n\n{names}```")
    return "\n\n".join(parts) + "\n"
