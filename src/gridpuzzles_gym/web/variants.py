"""What of a puzzle the site generates: variants of its environments, declared in ``web/variants.json`` of its folder.

The file holds, for ids of the puzzle's environments, the keyword arguments of each variant by its name::

    {"Wumpus-v0": {"4 × 4, 3 pits": {}, "6 × 6, 6 pits": {"size": 6, "pits": 6}}}
"""

import importlib.resources
from collections.abc import Iterable, Mapping
from typing import Any

from gridpuzzles_gym.engine.puzzle import Puzzle
from gridpuzzles_gym.engine.system.json_text import read_json

FILE = "variants.json"


def variants_of(puzzle: Puzzle, ids: Iterable[str]) -> dict[str, Mapping[str, Mapping[str, Any]]]:
    """Return the keyword arguments of each variant, by its name, by the id of its environment.

    Args:
        puzzle: The puzzle.
        ids: Environments of the puzzle. Without the file, each is its own only variant.
    """
    file = importlib.resources.files(puzzle.module) / "web" / FILE
    if not file.is_file():
        return {id: {id: {}} for id in ids}
    declared = read_json(file.read_bytes(), FILE)
    return {id: declared[id] for id in ids if id in declared}
