"""Makes the packs of levels that long training runs use: ``python benchmarks/training_levels.py runs/levels``.

Each pack is a folder of files with 5,000 levels each, for ``levels=FOLDER``. Files that exist are kept, so a run can be
stopped and continued. No level, rotated and mirrored ones included, occurs twice in a pack
or in a pack for tests; ``--avoid FILE`` names further ones, such as Boxoban's:

    python benchmarks/training_levels.py runs/levels --avoid boxoban-levels/unfiltered/test

``--count 20000`` makes that many levels of each pack, ``--only sokoban-10x10-rooms`` only this one, and
``--workers 16`` uses 16 processes, which does not change the levels.
"""

import argparse
import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from gridpuzzles_gym.agents.level_sources.generating import random_bits_of
from gridpuzzles_gym.agents.level_sources.makers import make_source
from gridpuzzles_gym.agents.parallel import open_executor, ordered
from gridpuzzles_gym.agents.puzzle_agents import board_of, key_of
from gridpuzzles_gym.engine.levels.bundled import bundled
from gridpuzzles_gym.engine.levels.sources import find_levels, levels_text
from gridpuzzles_gym.engine.puzzle import Level, Puzzle, load_puzzle
from gridpuzzles_gym.engine.system.files import write_text

FILE = 5_000
"""Levels in a file."""


class Kind(NamedTuple):
    """One kind of level, with the settings that generate it."""

    puzzle: str
    count: int
    seed: int
    """Seed of the first file; later ones use seed+1, seed+2, …"""
    settings: dict[str, Any]


PACKS = {
    # As Boxoban's unfiltered levels: rooms, and 12 pushes on average.
    "sokoban-10x10-rooms": Kind(
        "sokoban", 100_000, 101_000, {"size": 10, "simulations": 15, "widen": 200, "floor": (36, 65), "pushes": 80}
    ),
    # As the bundled pack "starter", but also with a single push.
    "sokoban-7x7": Kind("sokoban", 100_000, 102_000, {"size": 7, "boxes": 2, "exact": False, "simulations": 50}),
    "bait-7x7-easy": Kind("bait", 40_000, 103_000, {"size": 7, "difficulty": "easy"}),
    "bait-7x7-medium": Kind("bait", 10_000, 104_000, {"size": 7, "difficulty": "medium"}),
    # As the bundled pack "medium", but also with fewer than 8 pushes.
    "sokoban-10x10-medium": Kind("sokoban", 50_000, 105_000, {"size": 10, "simulations": 300}),
    # Rooms without the solver in the search for hard levels: they are easier, and come six times as fast.
    "sokoban-10x10-displaced": Kind(
        "sokoban",
        200_000,
        106_000,
        {"size": 10, "simulations": 30, "widen": 200, "floor": (36, 65), "evaluation": "displacement"},
    ),
}


def puzzle_of(name: str) -> Puzzle:
    return load_puzzle(f"gridpuzzles_gym.puzzles.{name}")


def keys_in(puzzle: Puzzle, levels: Any) -> Iterator[bytes]:
    return (key_of(puzzle, level) for level in find_levels(puzzle, levels))


def make(name: str, out: Path, most: int | None, avoid: list[str], workers: int) -> Iterator[str]:
    """Make the files of a pack that are missing; yields a line about each."""
    kind = PACKS[name]
    puzzle = puzzle_of(kind.puzzle)
    source = make_source(puzzle, kind.settings)
    tests = [pack for pack in bundled(puzzle) if pack.endswith("-test")]
    known = {key for levels in [*tests, *avoid] for key in keys_in(puzzle, levels)}
    count = kind.count if most is None else min(kind.count, most)
    with open_executor(workers) as executor:
        for number in range(-(-count // FILE)):
            path = out / name / f"{number:03}.txt"
            if path.exists():
                known.update(keys_in(puzzle, path))
                continue
            begun = time.monotonic(), time.process_time()
            levels: list[Level] = []
            wanted = min(FILE, count - number * FILE)
            with contextlib.closing(ordered(executor, source.sample, random_bits_of(kind.seed + number))) as made:
                while len(levels) < wanted:
                    _, level = next(made)
                    key = key_of(puzzle, level)
                    if key not in known:
                        known.add(key)
                        levels.append(level)
            path.parent.mkdir(parents=True, exist_ok=True)
            titles = [str(number * FILE + k) for k in range(wanted)]
            write_text(path, levels_text(titles, [board_of(puzzle, level) for level in levels]))
            wall, own = time.monotonic() - begun[0], time.process_time() - begun[1]
            yield f"{path}: {wanted:,} levels in {wall:.0f} s, {own:.0f} s of this process"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", action="append", choices=PACKS)
    parser.add_argument("--count", type=int)
    parser.add_argument("--avoid", action="append", default=[])
    parser.add_argument("--workers", type=int, default=1)
    arguments = parser.parse_args()
    for name in arguments.only or PACKS:
        avoid = arguments.avoid if PACKS[name].puzzle == "sokoban" else []
        for line in make(name, arguments.out, arguments.count, avoid, arguments.workers):
            print(line, flush=True)


if __name__ == "__main__":
    main()
