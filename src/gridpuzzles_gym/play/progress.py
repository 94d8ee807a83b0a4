"""What is saved of a person's games: best results, unfinished games and settings.

A folder has ``settings.json``, and one JSON file per puzzle, with the best results on each solved level and the
unfinished game of each level. Several windows can share it: each adds its results to those of the others. Whatever
other versions have written besides is ignored.
"""

import dataclasses
import hashlib
import itertools
import json
import math
import os
import stat
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from ..engine.messages import quote, shorten
from ..engine.system.file_lock import locked
from ..engine.system.files import remove_unfinished, write_text
from ..engine.system.json_text import read_json
from .preferences import Preferences, preferences_from

if TYPE_CHECKING:  # importing it takes long, and the window is shown before
    from .game import Game

FORMAT = 1
"""The version of the file format, stored in each file."""
MAX_BYTES = 2**26
"""Maximum size of a file, in bytes; a larger one is renamed and not read."""
LOCK_SECONDS = 2.0
"""Maximum time to wait for another process's lock, in seconds."""
LOCK = ".lock"
"""The name of the file in each folder that is locked while one of its files is read or written."""
SETTINGS = "settings"
"""The name of the file of the settings; no puzzle may have it."""
APP = "gridpuzzles_gym"
MOST_GAMES = 300
"""Maximum number of unfinished games of a puzzle, of which each save writes all; the oldest is removed."""
_TICK = 0.001
"""Minimum difference between the times of two saves, in seconds."""

Value = TypeVar("Value")


class JsonStore(Generic[Value]):
    """One file and its value.

    Args:
        path: The file; None for a value in memory only.
        empty: The value if there is no file.
        read: ``read(content)`` returns the value of a JSON object; it raises ValueError if the object is invalid.
        write: ``write(value)`` returns the JSON object of a value.
        merge: ``merge(theirs, ours)`` combines two values if another process has changed the file.
        notify: Called with each message for the person.
    """

    def __init__(
        self,
        path: Path | None,
        empty: Value,
        read: Callable[[dict[str, Any]], Value],
        write: Callable[[Value], dict[str, Any]],
        merge: Callable[[Value, Value], Value],
        notify: Callable[[str], None],
    ) -> None:
        self.path, self.value = path, empty
        self._read, self._write, self._merge, self._notify = read, write, merge, notify
        self._seen: tuple[int, ...] | None = None
        self._locked(self._open)

    def save(self, value: Value) -> None:
        """Replace the value and write it, merged with what another process has written since the last time."""
        self.value = value
        self._locked(self._replace)

    def _open(self, file: Path) -> None:
        found = self._changed(file)
        if found is not None:
            self.value = found

    def _replace(self, file: Path) -> None:
        theirs = self._changed(file)
        if theirs is not None:
            self.value = self._merge(theirs, self.value)
        text = json.dumps({"format": FORMAT, **self._write(self.value)}, allow_nan=False)
        remove_unfinished(file)
        write_text(file, text)
        self._seen = _signature(file)

    def _locked(self, work: Callable[[Path], None]) -> None:
        """Call ``work(path)`` while no other process reads or writes in the folder; an OSError becomes a message."""
        path, start = self.path, time.monotonic()
        if path is None:
            return

        def wait() -> None:
            if time.monotonic() - start > LOCK_SECONDS:
                raise TimeoutError("another process is writing")

        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with locked(path.with_name(LOCK), wait):
                work(path)
        except OSError as error:
            reason = error.strerror or str(error)
            self._notify(f"{path.parent} cannot be used ({reason}); until it can, progress will not be saved")

    def _changed(self, file: Path) -> Value | None:
        """Return the value of the file if another process has changed it; None otherwise."""
        found = _signature(file)
        if found is None or found == self._seen:
            return None
        try:
            value = self._read(_content(file))
        except (OSError, ValueError) as error:
            self._rename(file, error)
            return None
        self._seen = found
        return value

    def _rename(self, file: Path, error: Exception) -> None:
        """Rename a file that cannot be read.

        Raises:
            OSError: It cannot be renamed.
        """
        names = (file.with_name(f"{file.stem}.damaged-{number}{file.suffix}") for number in itertools.count(1))
        damaged = next(path for path in names if not os.path.lexists(path))
        os.rename(file, damaged)
        self._notify(shorten(f"{file.name} could not be read ({error}); it was renamed to {damaged}"))


def _content(file: Path) -> dict[str, Any]:
    """Return the JSON object in a file; raises ValueError if it holds something else."""
    status = file.stat()
    if not stat.S_ISREG(status.st_mode):  # reading a pipe would wait forever
        raise ValueError("it is not a regular file")
    if status.st_size > MAX_BYTES:
        raise ValueError(f"it has {status.st_size:,} bytes; the maximum is {MAX_BYTES:,}")
    content = read_json(file.read_bytes())
    if not isinstance(content, dict):
        raise ValueError("it is not a JSON object")
    if content.pop("format", None) != FORMAT:
        raise ValueError("it was written by another program or a newer version")
    return content


def _signature(file: Path) -> tuple[int, ...] | None:
    """Return numbers that change whenever a file is replaced; None if there is no file."""
    try:
        status = file.stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


Numbers = Mapping[str, float]


@dataclasses.dataclass(frozen=True)
class Best:
    """The best results on a level, which may be from different solutions."""

    moves: int
    """The minimum number of moves."""
    least: Numbers = dataclasses.field(default_factory=dict)
    """The minimum of each metric where lower is better, by name."""
    actions: Sequence[int] = ()
    """The actions of the solution with the fewest moves; empty if it was found by a version that did not save them."""
    seed: int = 0
    """Its seed."""

    def __post_init__(self) -> None:
        if type(self.moves) is not int or self.moves < 0:
            raise ValueError(f"moves={quote(self.moves)}: must be a non-negative integer")
        for name, value in self.least.items():
            if type(value) not in (int, float) or not math.isfinite(value):
                raise ValueError(f"{quote(name)}: {quote(value)} must be a finite number")
        if not all(type(number) is int for number in (*self.actions, self.seed)):
            raise ValueError(f"actions={quote(self.actions)}: must be integers")
        object.__setattr__(self, "actions", tuple(self.actions))

    def merged(self, other: "Best") -> "Best":
        """Return the better of each result."""
        both = {**self.least, **other.least}
        least = {name: min(each.least.get(name, value) for each in (self, other)) for name, value in both.items()}
        return dataclasses.replace(min(self, other, key=lambda each: (each.moves, not each.actions)), least=least)


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

    def merged(self, other: "_Saved") -> "_Saved":
        """Return the best results of both, and the later game of each level."""
        levels, games = dict(self.levels), dict(self.games)
        for name, best in other.levels.items():
            levels[name] = best.merged(levels[name]) if name in levels else best
        for name, game in other.games.items():
            games[name] = max(game, games.get(name, game), key=lambda each: each.saved)
        return _Saved(levels, _ordered(games))


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
            key: The level's key, as :func:`gridpuzzles_gym.agents.puzzle_agents.key_of` returns it.

        Returns:
            The results; None if the level has not been solved.
        """
        return self._store(puzzle).value.levels.get(level_id(key))

    def solved(self, puzzle: str) -> frozenset[str]:
        """Return the :func:`level_id` of each solved level."""
        return frozenset(self._store(puzzle).value.levels)

    def record(self, puzzle: str, key: bytes, found: Best) -> bool:
        """Record a solution of a level; return whether it was unsolved, or the solution improves any number.

        Args:
            puzzle: The puzzle's name.
            key: The level's key, as for :meth:`best`.
            found: The solution's number of moves, its metrics where lower is better, and its actions.
        """
        store = self._store(puzzle)
        name = level_id(key)
        old = store.value.levels.get(name)
        best = found if old is None else old.merged(found)
        better = old is None or (best.moves, best.least) != (old.moves, old.least)
        if better:
            store.save(dataclasses.replace(store.value, levels={**store.value.levels, name: best}))
        return better

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
    return {"levels": {name: vars(best) for name, best in saved.levels.items()}, "games": games}


def _read(content: dict[str, Any]) -> _Saved:
    """Return the contents of a puzzle's file; raises ValueError if they are invalid."""
    own = [field.name for field in dataclasses.fields(Best)]
    try:
        levels = {
            str(name): Best(**{key: value for key, value in best.items() if key in own})
            for name, best in content.get("levels", {}).items()
        }
        games = {str(name): _Game(game["saved"], game["game"]) for name, game in content.get("games", {}).items()}
    except (TypeError, AttributeError, KeyError) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from None
    for game in games.values():
        if type(game.saved) not in (int, float) or not math.isfinite(game.saved):
            raise ValueError(f"saved={quote(game.saved)}: must be a finite number")
        if not isinstance(game.game, dict | None):
            raise ValueError(f"game={quote(game.game)}: must be an object")
    return _Saved(levels, _ordered(games))


def save_unfinished(game: "Game", progress: Progress) -> None:
    """Save a game; one without actions, and a solved one, leave nothing to continue.

    A game that is not the level's own (see :attr:`.Game.slot`) is saved apart, and only continued from the start
    screen.
    """
    unfinished = (game.can_undo or game.can_redo) and not game.solved
    progress.save_game(game.puzzle.name, game.save() if unfinished else None, game.identity)


def continue_unfinished(game: "Game", progress: Progress) -> None:
    """Continue a level where it was left, unless it has been continued already."""
    own = not (game.slot or game.can_undo or game.can_redo)
    saved = progress.game(game.puzzle.name, game.identity) if own else None
    if saved is not None:
        try:
            game.restore(saved)
        except (ValueError, KeyError, TypeError):  # it was played by other rules
            game.go_to(game.number)
