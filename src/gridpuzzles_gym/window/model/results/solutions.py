"""A person's solutions and snapshots of each level, and the days on which levels were solved, in one file a puzzle."""

import dataclasses
import datetime
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....engine.messages import quote
from ..json_store import JsonStore

if TYPE_CHECKING:  # importing it takes long, and the window is shown before
    from ....session.game import Game

MOST = 200
"""Maximum number of solutions and snapshots of a level; the oldest is removed."""


@dataclasses.dataclass(frozen=True)
class SavedGame:
    """A solution of a level, or a snapshot: a position that the person has named."""

    name: str
    """The snapshot's name; empty for a solution."""
    when: float
    """When it was saved, in seconds since 1970."""
    seconds: float
    """How long it took."""
    numbers: Mapping[str, int]
    """Its number of moves, and the puzzle's metrics."""
    hints: int
    """How many of its moves followed a hint."""
    optimal: bool | None
    """Whether one of its numbers is the proven minimum; None if no minimum is known."""
    seed: int
    taken: Sequence[int]
    hinted: Sequence[int]

    def __post_init__(self) -> None:
        for number in (self.when, self.seconds):
            if type(number) not in (int, float) or not math.isfinite(number):
                raise ValueError(f"{quote(number)} must be a finite number")
        for name, numbers in (("taken", self.taken), ("hinted", self.hinted), ("numbers", self.numbers.values())):
            if not all(type(number) is int for number in (*numbers, self.hints, self.seed)):
                raise ValueError(f"{name}={quote(numbers)}: must be integers")

    @classmethod
    def of(cls, game: "Game", name: str, when: float, optimal: bool | None) -> "SavedGame":
        """Return the current position of a game."""
        saved = game.save()
        numbers = {"moves": game.moves, **game.metrics()}
        own = {field: saved[field] for field in ("seconds", "seed", "taken", "hinted")}
        return cls(name, when, numbers=numbers, hints=game.hints, optimal=optimal, **own)

    def game(self, game: "Game") -> "Game":
        """Return another game of the same level in this position.

        Raises:
            ValueError: It was played by other rules.
        """
        own = {"seconds": self.seconds, "seed": self.seed, "taken": list(self.taken), "hinted": list(self.hinted)}
        return game.copied(**own, undone=[])

    @property
    def key(self) -> tuple[Any, ...]:
        """Equal for the same moves of the same name."""
        return self.name, self.seed, tuple(self.taken)


@dataclasses.dataclass(frozen=True)
class _Saved:
    levels: Mapping[str, Sequence[SavedGame]] = dataclasses.field(default_factory=dict)
    """The games by :func:`~..progress.level_id`, oldest first."""
    days: frozenset[str] = frozenset()
    """The days on which a level was solved, such as ``2026-05-31``."""

    def merged(self, other: "_Saved") -> "_Saved":
        """Return the games and days of both."""
        levels = {name: _latest([*self.levels.get(name, ()), *games]) for name, games in other.levels.items()}
        return _Saved({**self.levels, **levels}, self.days | other.days)


class Solutions:
    """The solutions and snapshots in one folder.

    Args:
        folder: The folder; None to save nothing.
        notify: Called with each message for the person.
    """

    def __init__(self, folder: Path | None, notify: Callable[[str], None]) -> None:
        self._folder, self._notify = folder, notify
        self._stores: dict[str, JsonStore[_Saved]] = {}

    def of(self, puzzle: str, level: str) -> list[SavedGame]:
        """Return the solutions and snapshots of a level, by its :func:`~..progress.level_id`, oldest first."""
        return list(self._store(puzzle).value.levels.get(level, ()))

    def all(self, puzzle: str) -> Mapping[str, Sequence[SavedGame]]:
        """Return the solutions and snapshots of each level."""
        return self._store(puzzle).value.levels

    def days(self, puzzle: str) -> frozenset[str]:
        """Return the days on which a level was solved, such as ``2026-05-31``."""
        return self._store(puzzle).value.days

    def add(self, puzzle: str, level: str, game: SavedGame, day: str = "") -> None:
        """Add a snapshot, or a solution that was found on a day.

        It replaces a solution with the same moves, and a snapshot with the same name.
        """
        store = self._store(puzzle)
        others = [each for each in self.of(puzzle, level) if not game.name or each.name != game.name]
        levels = {**store.value.levels, level: _latest([*others, game])}
        store.save(_Saved(levels, store.value.days | ({day} if day else set())))

    def remove(self, puzzle: str, level: str, game: SavedGame) -> None:
        """Remove a solution or a snapshot."""
        store = self._store(puzzle)
        left = [each for each in self.of(puzzle, level) if each.key != game.key]
        store.save(dataclasses.replace(store.value, levels={**store.value.levels, level: left}))

    def _store(self, puzzle: str) -> JsonStore[_Saved]:
        if puzzle not in self._stores:
            file = None if self._folder is None else self._folder / f"{puzzle}.json"
            self._stores[puzzle] = JsonStore(file, _Saved(), _read, _written, _Saved.merged, self._notify)
        return self._stores[puzzle]


def _latest(games: Sequence[SavedGame]) -> list[SavedGame]:
    """Return the latest of those with equal moves, oldest first."""
    latest = {game.key: game for game in sorted(games, key=lambda game: game.when)}
    return sorted(latest.values(), key=lambda game: game.when)[-MOST:]


def _written(saved: _Saved) -> dict[str, Any]:
    """Return the contents of a file as a JSON object."""
    return {"levels": {name: [*map(vars, games)] for name, games in saved.levels.items()}, "days": sorted(saved.days)}


def _read(content: dict[str, Any]) -> _Saved:
    """Return the contents of a file; raises ValueError if they are invalid."""
    try:
        levels = {str(name): [SavedGame(**game) for game in games] for name, games in content.pop("levels", {}).items()}
        days = frozenset(str(datetime.date.fromisoformat(day)) for day in content.pop("days", ()))
        return _Saved(levels, days, **content)
    except (TypeError, AttributeError) as error:
        raise ValueError(f"{error}") from None
