"""The variants of environments that the site generates instances of, from ``web/variants.json`` in a puzzle's folder.

The file has the keyword arguments of each variant by the id of the environment and the name of the variant::

    {"Wumpus-v0": {"4 × 4, 3 pits": {}, "6 × 6, 6 pits": {"size": 6, "pits": 6}}}
"""

import importlib.resources
from collections.abc import Iterable, Mapping
from typing import Any

from gridpuzzles_gym.engine.puzzle import Puzzle
from gridpuzzles_gym.engine.system.files import read_json

FILE = "variants.json"


def variants_of(puzzle: Puzzle, ids: Iterable[str]) -> dict[str, Mapping[str, Mapping[str, Any]]]:
    """Return the keyword arguments of each variant, by the id of its environment and its name.

    Args:
        puzzle: The puzzle.
        ids: Ids of the puzzle's environments; without the file, each is its only variant.
    """
    file = importlib.resources.files(puzzle.module) / "web" / FILE
    if not file.is_file():
        return {id: {id: {}} for id in ids}
    declared = read_json(file.read_bytes(), FILE)
    return {id: declared[id] for id in ids if id in declared}
