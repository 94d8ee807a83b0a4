"""The levels of a puzzle that can be played: bundled packs, the person's files, and generated instances."""

import contextlib
import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gridpuzzles_gym.agents.game import Game

from ..engine.levels.bundled import bundled
from ..engine.levels.level_text import level_files
from ..engine.puzzle import LevelError, Puzzle
from ..registration import puzzle_of_id
from .arguments import known_ids, short_names

DIFFICULTIES = ("first", "lessons", "textbook", "classic", "starter", "easy", "medium", "hard")
"""The names of packs of any puzzle, from the easiest to the hardest."""
TEST = "-test"
"""The end of the names of packs with which agents are tested."""


@dataclasses.dataclass(frozen=True)
class MenuEntry:
    """One source of levels."""

    title: str
    """Its name as shown to users."""
    env_id: str
    level: Any
    """A pack, file or folder; None: instances are generated."""

    def game(self, **settings: Any) -> Game:
        """Return the game with these levels.

        Args:
            **settings: Keyword arguments of the environment.

        Raises:
            ValueError: A setting is invalid, or there are no such levels.
        """
        return Game.of(self.env_id, **settings, **({} if self.level is None else {"levels": self.level}))


def ids_of(puzzle: Puzzle) -> list[str]:
    """Return the ids of a puzzle, in the order in which they were registered."""
    return [env_id for env_id in known_ids() if puzzle_of_id(env_id) is puzzle]


def choices_of(puzzle: Puzzle) -> list[MenuEntry]:
    """Return the suite's own levels of a puzzle; those played by default are first."""
    ids = ids_of(puzzle)
    packs = [MenuEntry(pack, ids[0], pack) for pack in bundled(puzzle)]
    generated = [
        MenuEntry(f"random {short_names(env_id)[0]}", env_id, None)
        for env_id in ids
        if puzzle.generation_with(Game.of(env_id).options) is not None
    ]
    found = [*generated, *sorted(packs, key=lambda pack: pack.level != puzzle.default_levels)]
    return found or [MenuEntry(short_names(ids[0])[0], ids[0], None)]  # its id is registered with levels


def own_entries(puzzle: Puzzle, folder: Path | None) -> list[MenuEntry]:
    """Return the level files that a person has saved for a puzzle in a folder."""
    files: list[Path] = []
    if folder is not None and folder.is_dir():
        with contextlib.suppress(LevelError):  # there are too many files
            files = level_files(folder)
    return [MenuEntry(file.stem, ids_of(puzzle)[0], str(file)) for file in files]


def by_difficulty(choices: Sequence[MenuEntry]) -> list[MenuEntry]:
    """Return choices in the order in which a beginner takes them: packs from easy to hard, then generated levels."""

    def rank(choice: MenuEntry) -> int:
        known = choice.level in DIFFICULTIES
        return DIFFICULTIES.index(str(choice.level)) if known else len(DIFFICULTIES) + (choice.level is None)

    return sorted(choices, key=rank)


def is_for_testing(choice: MenuEntry) -> bool:
    """Whether a choice is a pack with which agents are compared after training, and not meant for people."""
    return choice.level is not None and choice.level.endswith(TEST)


def smallest(puzzle: Puzzle) -> MenuEntry:
    """Return a choice that is quick to load, for an example."""
    from importlib.resources import files

    folder = files("gridpuzzles_gym.levels") / puzzle.name
    packs = {pack: (folder / f"{pack}.txt") for pack in bundled(puzzle)}
    sizes = {pack: len(file.read_bytes()) for pack, file in packs.items() if file.is_file()}
    found = [choice for choice in choices_of(puzzle) if choice.level is None or choice.level in sizes]
    return min(found, key=lambda choice: sizes.get(choice.level or "", 0))
