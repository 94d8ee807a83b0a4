"""What the app saves: results, unfinished games, generated levels, and the settings.

A folder has ``settings.json``, and one JSON file per puzzle, with the best results on each solved level, the unfinished
game of each level and the generated levels; in ``solutions/``, another one per puzzle. Several windows can share it:
each adds its results to those of the others.
"""

import dataclasses
import hashlib
import json
import math
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...engine.messages import quote
from ...session.preferences import Preferences, preferences_from
from .json_store import JsonStore
from .results.solutions import Solutions

SETTINGS = "settings"
"""The name of the file of the settings; no puzzle may have it."""
APP = "gridpuzzles_gym"
MOST_GAMES = 300
"""Maximum number of unfinished games of a puzzle, of which each save writes all; the oldest is removed."""
_TICK = 0.001
"""Minimum difference between the times of two saves, in seconds."""

Numbers = Mapping[str, float]


@dataclasses.dataclass(frozen=True)
class Best:
    """The best results on a level, which may be from different solutions."""

    moves: int
    """The minimum number of moves."""
    least: Numbers = dataclasses.field(default_factory=dict)
    """The minimum of each metric where lower is better, by name."""

    def __post_init__(self) -> None:
        if type(self.moves) is not int or self.moves < 0:
            raise ValueError(f"moves={quote(self.moves)}: must be a non-negative integer")
        for name, value in self.least.items():
            if type(value) not in (int, float) or not math.isfinite(value):
                raise ValueError(f"{quote(name)}: {quote(value)} must be a finite number")

    def merged(self, other: "Best") -> "Best":
        """Return the better of each result."""
        both = {**self.least, **other.least}
        least = {name: min(each.least.get(name, value) for each in (self, other)) for name, value in both.items()}
        return Best(min(self.moves, other.moves), least)


class _Game(NamedTuple):
    """An unfinished game."""

    saved: float
    """When it was saved or ended, in seconds since 1970."""
    game: dict[str, Any] | None
    """What was saved; None if it has ended."""


@dataclasses.dataclass(frozen=True)
class _Saved:
    """The contents of one puzzle's file."""

    levels: Mapping[str, Best] = dataclasses.field(default_factory=dict)
    """The best results by :func:`level_id`."""
    games: Mapping[str, _Game] = dataclasses.field(default_factory=dict)
    """The unfinished games by :func:`level_id`, oldest first."""
    made: float = 0.0
    """When the generated levels last changed, in seconds since 1970."""
    generated: Sequence[dict[str, Any]] = ()

    def merged(self, other: "_Saved") -> "_Saved":
        """Return the best results of both, the later game of each level, and the newer generated levels."""
        levels, games = dict(self.levels), dict(self.games)
        for name, best in other.levels.items():
            levels[name] = best.merged(levels[name]) if name in levels else best
        for name, game in other.games.items():
            games[name] = max(game, games.get(name, game), key=lambda each: each.saved)
        newer = self if self.made > other.made else other
        return _Saved(levels, _ordered(games), newer.made, newer.generated)


class Progress:
    """What is saved in one folder. Errors of the disk are not raised; they are in :attr:`notices`.

    Args:
        folder: The folder; None for one in the user's folder for application data.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.notices: list[str] = []
        """Messages for the person, oldest first, each once; the app removes those it has shown."""
        self._noticed: set[str] = set()
        self.folder = self._default_folder() if folder is None else folder
        self._settings = JsonStore(
            self._file(SETTINGS),
            Preferences(),
            preferences_from,
            dataclasses.asdict,
            lambda theirs, ours: ours,
            self._notify,
        )
        self._puzzles: dict[str, JsonStore[_Saved]] = {}
        self.solutions = Solutions(None if self.folder is None else self.folder / "solutions", self._notify)
        """The solutions and snapshots."""

    @property
    def preferences(self) -> Preferences:
        """The settings."""
        return self._settings.value

    def save_preferences(self, preferences: Preferences) -> None:
        """Replace the settings."""
        self._settings.save(preferences)

    def best(self, puzzle: str, key: bytes) -> Best | None:
        """Return the best results on a level.

        Args:
            puzzle: The puzzle's name.
            key: The level's key, as :func:`gridpuzzles_gym.agents.identity.key_of` returns it.

        Returns:
            The results; None if the level has not been solved.
        """
        return self._store(puzzle).value.levels.get(level_id(key))

    def solved(self, puzzle: str) -> frozenset[str]:
        """Return the :func:`level_id` of each solved level."""
        return frozenset(self._store(puzzle).value.levels)

    def record(self, puzzle: str, key: bytes, moves: int, least: Numbers | None = None) -> bool:
        """Record a solution of a level.

        Args:
            puzzle: The puzzle's name.
            key: The level's key, as for :meth:`best`.
            moves: The number of actions of the solution.
            least: Its metrics where lower is better, such as pushes, by name.

        Returns:
            Whether the level was unsolved, or the solution improves any of these numbers.

        Raises:
            ValueError: A number is negative or not finite.
        """
        store = self._store(puzzle)
        name, new = level_id(key), Best(moves, dict(least or {}))
        old = store.value.levels.get(name)
        best = new if old is None else old.merged(new)
        if best != old:
            store.save(dataclasses.replace(store.value, levels={**store.value.levels, name: best}))
        return best != old

    def save_game(self, puzzle: str, game: dict[str, Any] | None, key: bytes = b"") -> None:
        """Replace the unfinished game of a level; the oldest ones are removed if there are very many.

        Args:
            puzzle: The puzzle's name.
            game: Any JSON object; None if there is nothing to continue.
            key: The level's key, equal for levels that are the same.

        Raises:
            TypeError: The game has a value that JSON cannot represent.
            ValueError: The game has a number that is not finite.
        """
        store = self._store(puzzle)
        name, games = level_id(key), dict(store.value.games)
        copied = json.loads(json.dumps(game, allow_nan=False))
        if copied != (games[name].game if name in games else None):
            latest = max((each.saved for each in games.values()), default=0.0)
            games[name] = _Game(max(time.time(), latest + _TICK), copied)
            store.save(dataclasses.replace(store.value, games=_ordered(games)))

    def game(self, puzzle: str, key: bytes | None = None) -> dict[str, Any] | None:
        """Return a copy of the unfinished game of a level, or of a puzzle's latest; None if there is none."""
        games = self._store(puzzle).value.games
        unfinished = [each.game for each in games.values() if each.game is not None]
        found = unfinished[-1:] if key is None else [games[level_id(key)].game] if level_id(key) in games else []
        copied: dict[str, Any] | None = json.loads(json.dumps(found[0])) if found else None
        return copied

    def forget_latest_game(self, puzzle: str) -> None:
        """Remove a puzzle's latest unfinished game, because it cannot be continued."""
        store = self._store(puzzle)
        names = [name for name, each in store.value.games.items() if each.game is not None]
        if names:
            games = {**store.value.games, names[-1]: _Game(time.time(), None)}
            store.save(dataclasses.replace(store.value, games=_ordered(games)))

    def latest_games(self) -> list[tuple[str, dict[str, Any]]]:
        """Return the latest unfinished game of each puzzle that has one, with the puzzle's name, latest first."""
        for puzzle in self._names():
            self._store(puzzle)
        times = {
            puzzle: [each.saved for each in store.value.games.values() if each.game is not None]
            for puzzle, store in self._puzzles.items()
        }
        names = sorted((name for name in times if times[name]), key=lambda name: times[name][-1], reverse=True)
        return [(name, game) for name in names if (game := self.game(name)) is not None]

    def save_generated(self, puzzle: str, levels: Sequence[dict[str, Any]]) -> None:
        """Replace the levels that were generated for a puzzle, JSON objects as for :meth:`save_game`."""
        store = self._store(puzzle)
        copied = json.loads(json.dumps(list(levels), allow_nan=False))
        if copied != list(store.value.generated):
            made = max(time.time(), store.value.made + _TICK)
            store.save(dataclasses.replace(store.value, made=made, generated=copied))

    def generated(self, puzzle: str) -> list[dict[str, Any]]:
        """Return copies of the levels that were generated for a puzzle."""
        found: list[dict[str, Any]] = json.loads(json.dumps(list(self._store(puzzle).value.generated)))
        return found

    def _store(self, puzzle: str) -> JsonStore[_Saved]:
        """Return a puzzle's file, which is read when it is first needed."""
        if puzzle not in self._puzzles:
            if not puzzle.isidentifier() or puzzle == SETTINGS:
                raise ValueError(f"{quote(puzzle)} cannot be the name of a puzzle")
            self._puzzles[puzzle] = JsonStore(
                self._file(puzzle), _Saved(), _read, _written, _Saved.merged, self._notify
            )
        return self._puzzles[puzzle]

    def _file(self, name: str) -> Path | None:
        return None if self.folder is None else self.folder / f"{name}.json"

    def _names(self) -> list[str]:
        """Return the names of the puzzles that have a file."""
        try:
            files = [] if self.folder is None else list(self.folder.glob("*.json"))
        except OSError:
            return []
        return [file.stem for file in files if file.stem.isidentifier() and file.stem != SETTINGS]

    def _default_folder(self) -> Path | None:
        import platformdirs

        folder = platformdirs.user_data_path(APP) / "progress"
        if folder.is_absolute():
            return folder
        self._notify("this user has no home folder; progress will not be saved")
        return None

    def _notify(self, message: str) -> None:
        if message not in self._noticed:
            self._noticed.add(message)
            self.notices.append(message)


def level_id(key: bytes) -> str:
    """Return a level's id in the files: 32 hexadecimal digits, a hash of its key."""
    return hashlib.blake2b(key, digest_size=16).hexdigest()


def _ordered(games: Mapping[str, _Game]) -> dict[str, _Game]:
    """Return the latest unfinished games and the latest ends of games, oldest first."""
    ordered = sorted(games.items(), key=lambda item: item[1].saved)
    kept = [[each for each in ordered if (each[1].game is None) == ended][-MOST_GAMES:] for ended in (False, True)]
    return dict(sorted((*kept[0], *kept[1]), key=lambda item: item[1].saved))


def _written(saved: _Saved) -> dict[str, Any]:
    """Return the contents of a puzzle's file as a JSON object."""
    games = {name: game._asdict() for name, game in saved.games.items()}
    return {**vars(saved), "levels": {name: vars(best) for name, best in saved.levels.items()}, "games": games}


def _read(content: dict[str, Any]) -> _Saved:
    """Return the contents of a puzzle's file; raises ValueError if they are invalid."""
    try:
        levels = {str(name): Best(**best) for name, best in content.pop("levels", {}).items()}
        games = {str(name): _Game(**game) for name, game in content.pop("games", {}).items()}
        saved = _Saved(levels, games, **content)
    except (TypeError, AttributeError) as error:
        raise ValueError(f"{error}") from None
    for name, moment in (("made", saved.made), *(("saved", game.saved) for game in saved.games.values())):
        if type(moment) not in (int, float) or not math.isfinite(moment):
            raise ValueError(f"{name}={quote(moment)}: must be a finite number")
    for game in saved.games.values():
        if not isinstance(game.game, dict | None):
            raise ValueError(f"game={quote(game.game)}: must be an object")
    if not (isinstance(saved.generated, list | tuple) and all(isinstance(each, dict) for each in saved.generated)):
        raise ValueError(f"generated={quote(saved.generated)}: must be a list of objects")
    return dataclasses.replace(saved, games=_ordered(saved.games))
