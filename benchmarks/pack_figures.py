"""The figures of Sokoban's packs, their tables and medians: parts of ``figures.py``."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gridpuzzles_gym.agents.search.problem import Problem
from gridpuzzles_gym.agents.sokoban.generation.difficulty import Measured, measure, prove_fewest_moves
from gridpuzzles_gym.agents.sokoban.generation.generator import Generator, Recipe
from gridpuzzles_gym.agents.sokoban.generation.packs import Grade, read_sidecar
from gridpuzzles_gym.engine.levels.sources import find_levels
from gridpuzzles_gym.puzzles.sokoban.notation import read_lurd
from gridpuzzles_gym.registration import puzzle_of_id

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
KINDS = ("starter", "easy", "medium", "hard")
MEASURES = ("pushes", "fewest_moves", "nodes", "proof_nodes", "box_changes", "deadlock_density")
RECIPES: dict[str, dict[str, Any]] = {
    "starter": {"height": 7, "width": 7, "boxes": 2, "exact": False, "simulations": 50},
    "easy": {"height": 8, "width": 8, "boxes": 3, "simulations": 100},
    "medium": {"height": 10, "width": 10, "boxes": 4, "simulations": 300},
    "hard": {"height": 10, "width": 10, "boxes": 4, "simulations": 100, "edits": 500},
}
"""The packs of levels/README.md."""


class Check(NamedTuple):
    """A figure, as stated and as computed."""

    where: str
    said: str
    found: str


Checks = Iterator[Check]


def table(path: Path, start: str) -> list[list[str]]:
    """The rows of a Markdown table whose heading begins with this text, without marks of emphasis."""
    lines = iter(path.read_text(encoding="utf-8").splitlines())
    next(line for line in lines if line.startswith(start))
    rows = []
    for line in lines:
        if not line.startswith("|"):
            break
        rows.append([cell.strip(" *`") for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return rows[1:]


def pack(kind: str, every: int) -> Checks:
    """Check every column of the tables of a pack and its test pack; of the random bits, every ``every``-th level."""
    puzzle, generator = puzzle_of_id("Sokoban-v0"), Generator(Recipe(**RECIPES[kind]))
    for name in (kind, f"{kind}-test"):
        for place, (level, grade) in enumerate(zip(find_levels(puzzle, name), read_sidecar(name), strict=True)):
            rows = puzzle.encode(level, level.extent, puzzle.read_options())
            found, said = measure(*rows), grade.row()
            more = {"fewest_moves": prove_fewest_moves(*rows), "boxes": sum(map("".join(level.content).count, "$*"))}
            numbers = {column: getattr(found, column) for column in said if hasattr(found, column)} | more
            numbers["deadlock_density"] = round(found.deadlock_density, 6)
            score = round(Measured().worth(found), 6)
            again = Grade(title=level.name, random_bits=grade.random_bits, score=score, **numbers).row()
            yield from (Check(f"{level.name}: {column}", said[column], again[column]) for column in said)
            problem = Problem(puzzle, *rows, puzzle.read_options())
            solves = problem.reaches_goal(read_lurd(grade.certificate)), sum(map(str.isupper, grade.certificate))
            yield Check(f"{level.name}: certificate solves it", f"(True, {grade.pushes})", str(solves))
            if place % (every if kind == "hard" else -(-every // 10)) == 0:
                made = generator.make(grade.random_bits)
                text = "" if made is None else "\n".join(made.level.content)
                yield Check(f"{level.name}: level of its random bits", "\n".join(level.content), text)


def medians(every: int) -> Checks:
    """Medians and means over Sokoban's packs."""
    grades = {kind: read_sidecar(kind) for kind in KINDS}
    for kind, *cells in table(ROOT / "levels/README.md", "| generated pack"):
        for name, said in zip(("pushes", "nodes"), cells[2:], strict=True):
            yield _median(f"levels/README.md, {kind}", said, grades[kind], name)
    for kind, *cells in table(DOCS / "sokoban-generator.md", "| levels | number"):
        if kind in KINDS:
            for name, said in zip(MEASURES, cells[1:], strict=True):
                yield _median(f"sokoban-generator.md, {kind}", said, grades[kind], name)


def _median(where: str, said: str, grades: list[Grade], name: str) -> Check:
    median = float(np.median([getattr(grade, name) for grade in grades]))
    return Check(f"{where}: median {name}", said, f"{median:.2f}" if median < 1 else f"{median:,g}")
