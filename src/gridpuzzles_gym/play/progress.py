"""What is saved of a person's games: best results, unfinished games and settings.

A folder has ``settings.json``, and one JSON file per puzzle, with the best results on each solved level and the
unfinished game of each level. Several windows can share it: each change is made to what the file holds at that time.
What other versions have written in addition is kept, and the file of a newer format is left alone. Invalid entries are
left out; then the file as it was is kept under another name, as is one that cannot be read at all.
"""

import dataclasses
import hashlib
import itertools
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from ..engine.arguments import integer, is_integer, real
from ..engine.messages import one_line, plural, quote, shorten
from ..engine.system.files import locked, read_json, remove_unfinished, write_text
from .preferences import Preferences, preferences_from

FORMAT = 1
"""The version of the file format, stored in each file."""
LOCK_SECONDS = 2.0
"""Maximum time to wait for another process's lock, in seconds."""
LOCK = ".lock"
"""The name of the file in each folder that is locked while one of its files is read or written."""
SETTINGS = "settings"
"""The name of the file of the settings; no puzzle may have it."""
APP = "gridpuzzles_gym"
MOST = 1e15
"""The largest number that is read."""
MOST_GAMES = 300
"""Maximum number of unfinished games of a puzzle, of which each save writes all; the oldest is removed."""

Value = TypeVar("Value")


class JsonStore(Generic[Value]):
    """One file and its value.

    Args:
        path: The file; None for a value in memory only.
        empty: The value if there is no file.
        read: ``read(content, faults)`` returns the value of a JSON object, and adds the errors of entries that it
            leaves out to a list; it raises ValueError if the whole object is invalid.
        write: ``write(value)`` returns the JSON object of a value.
        notify: Called with each message for the person.
    """

    def __init__(
        self,
        path: Path | None,
        empty: Value,
        read: Callable[[dict[str, Any], list[str]], Value],
        write: Callable[[Value], dict[str, Any]],
        notify: Callable[[str], None],
    ) -> None:
        self.path, self.value, self._empty = path, empty, empty
        self._read, self._write, self._notify = read, write, notify
        self._unsaved: list[Callable[[Value], Value]] = []
        self._foreign: dict[str, Any] = {}
        """What other versions have written in addition."""
        self._locked(self._load)

    def change(self, change: Callable[[Value], Value]) -> None:
        """Change the value, and what the file holds now; if it cannot be written, that is done with the next change."""
        self.value = change(self.value)
        self._unsaved.append(change)
        self._locked(self._save)

    def _save(self, file: Path) -> None:
        self._load(file)
        for change in self._unsaved:
            self.value = change(self.value)
        if self.path is not None:
            self._replace(file)
            self._unsaved.clear()

    def _replace(self, file: Path) -> None:
        remove_unfinished(file)
        content = {**self._foreign, "format": FORMAT, **self._write(self.value)}
        write_text(file, json.dumps(content, allow_nan=False))

    def _load(self, file: Path) -> None:
        """Read the file; one with an error is renamed, and what can be read of it is kept."""
        faults: list[str] = []
        try:
            content = _content(file)
            self.value = self._read(content, faults)
            own = self._write(self.value)
            self._foreign = {name: each for name, each in content.items() if name not in own and _is_valid(each)}
        except FileNotFoundError:
            self.value = self._empty
        except _NewerError as error:
            self.path = None
            self._notify(shorten(f"{file.name} is left alone ({error}); progress will not be saved"))
        except ValueError as error:
            self.value = self._empty
            self._notify(shorten(f"{file.name} could not be read ({error}); it was renamed to {_set_aside(file)}"))
        if faults:
            damaged = _set_aside(file)
            self._replace(file)
            count = plural(len(faults), "entry", "entries")
            self._notify(shorten(f"{file.name}: {count} left out ({faults[0]}); the file as it was is {damaged}"))

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


class _NewerError(ValueError):
    """A file was written by a newer version of the program."""


def _content(file: Path) -> dict[str, Any]:
    """Return the JSON object in a file, with any numbers; raises ValueError if it holds something else."""
    content = read_json(file.read_bytes(), parse_constant=float, parse_float=float, parse_int=int)
    if not isinstance(content, dict):
        raise ValueError("it is not a JSON object")
    version = content.pop("format", None)
    if is_integer(version, FORMAT + 1, 10**9):
        raise _NewerError("it was written by a newer version")
    if version != FORMAT:
        raise ValueError("it was written by another program")
    return content


def _is_valid(value: Any) -> bool:
    """Whether a value of JSON has only finite numbers, and only texts that can be encoded."""
    try:
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except ValueError:
        return False
    return True


def _set_aside(file: Path) -> Path:
    """Rename a file, and return its new path."""
    names = (file.with_name(f"{file.stem}.damaged-{number}{file.suffix}") for number in itertools.count(1))
    damaged = next(path for path in names if not os.path.lexists(path))
    os.rename(file, damaged)
    return damaged


@dataclasses.dataclass(frozen=True)
class Best:
    """The best results on a level, which may be from different solutions."""

    moves: int
    """The minimum number of moves."""
    least: Mapping[str, float] = dataclasses.field(default_factory=dict)
    """The minimum of each metric where lower is better, by name."""
    actions: Sequence[int] = ()
    """The actions of the solution with the fewest moves; empty if it was found by a version that did not save them."""
    seed: int = 0
    """Its seed."""
    foreign: Mapping[str, Any] = dataclasses.field(default_factory=dict, compare=False)
    """What other versions have written in addition, by name."""

    def __post_init__(self) -> None:
        integer("moves", self.moves, 0)
        for name, value in self.least.items():
            real(name, value, -MOST, MOST)
        for action in self.actions:
            integer("action", action, 0)
        integer("seed", self.seed, 0, 2**63)
        object.__setattr__(self, "actions", tuple(self.actions))

    def merged(self, other: "Best") -> "Best":
        """Return the better of each result."""
        both = {**self.least, **other.least}
        least = {name: min(each.least.get(name, value) for each in (self, other)) for name, value in both.items()}
        better = min(self, other, key=lambda each: (each.moves, not each.actions))
        return dataclasses.replace(better, least=least, foreign={**self.foreign, **other.foreign})


class _Game(NamedTuple):
    """An unfinished game."""

    saved: float
    """When it was saved, in seconds since 1970."""
    game: dict[str, Any]


@dataclasses.dataclass(frozen=True)
class _Saved:
    """The contents of one puzzle's file."""

    levels: Mapping[str, Best] = dataclasses.field(default_factory=dict)
    """The best results by :func:`level_id`."""
    games: Mapping[str, _Game] = dataclasses.field(default_factory=dict)
    """The unfinished games by :func:`level_id`, oldest first."""

    def with_best(self, name: str, found: Best) -> "_Saved":
        """Return this with one more solution of a level."""
        best = found.merged(self.levels[name]) if name in self.levels else found
        return dataclasses.replace(self, levels={**self.levels, name: best})

    def with_game(self, name: str, game: dict[str, Any] | None, saved: float) -> "_Saved":
        """Return this with another unfinished game of a level, or none."""
        games = {key: each for key, each in self.games.items() if key != name}
        if game is not None:
            games[name] = _Game(saved, game)
        return dataclasses.replace(self, games=dict([*games.items()][-MOST_GAMES:]))


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
        settings = self._file(SETTINGS)
        self._settings = JsonStore(settings, Preferences(), preferences_from, dataclasses.asdict, self._notify)
        self._puzzles: dict[str, JsonStore[_Saved]] = {}

    @property
    def preferences(self) -> Preferences:
        """The settings."""
        return self._settings.value

    def save_preferences(self, preferences: Preferences) -> None:
        """Replace the settings."""
        self._settings.change(lambda earlier: preferences)

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
        store, name = self._store(puzzle), level_id(key)
        old = store.value.levels.get(name)
        best = found if old is None else old.merged(found)
        better = old is None or (best.moves, best.least) != (old.moves, old.least)
        if better:
            store.change(lambda saved: saved.with_best(name, found))
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
        copied, now = json.loads(json.dumps(game, allow_nan=False)), time.time()
        if copied != self.game(puzzle, key):
            self._store(puzzle).change(lambda saved: saved.with_game(level_id(key), copied, now))

    def game(self, puzzle: str, key: bytes = b"") -> dict[str, Any] | None:
        """Return a copy of the unfinished game of a level; None if there is none."""
        found = self._store(puzzle).value.games.get(level_id(key))
        copied: dict[str, Any] | None = None if found is None else json.loads(json.dumps(found.game))
        return copied

    def forget_latest_game(self, puzzle: str) -> None:
        """Remove a puzzle's latest unfinished game, because it cannot be continued."""
        store = self._store(puzzle)
        if store.value.games:
            latest = [*store.value.games][-1]
            store.change(lambda saved: saved.with_game(latest, None, 0.0))

    def latest_games(self) -> list[tuple[str, dict[str, Any]]]:
        """Return the latest unfinished game of each puzzle that has one, with the puzzle's name, latest first."""
        games = [(name, [*self._store(name).value.games.values()][-1:]) for name in self._names()]
        latest = sorted(((each[0], name) for name, each in games if each), key=lambda item: -item[0].saved)
        return [(name, each.game) for each, name in latest]

    def _store(self, puzzle: str) -> JsonStore[_Saved]:
        """Return a puzzle's file, which is read when it is first needed."""
        if puzzle not in self._puzzles:
            if not puzzle.isidentifier() or puzzle == SETTINGS:
                raise ValueError(f"{quote(puzzle)} cannot be the name of a puzzle")
            self._puzzles[puzzle] = JsonStore(self._file(puzzle), _Saved(), _read, _written, self._notify)
        return self._puzzles[puzzle]

    def _file(self, name: str) -> Path | None:
        return None if self.folder is None else self.folder / f"{name}.json"

    def _names(self) -> list[str]:
        """Return the names of the puzzles that have a file, or games in memory."""
        try:
            files = [] if self.folder is None else [file.stem for file in self.folder.glob("*.json")]
        except OSError:
            files = []
        return [name for name in dict.fromkeys([*files, *self._puzzles]) if name.isidentifier() and name != SETTINGS]

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


def _written(saved: _Saved) -> dict[str, Any]:
    """Return the contents of a puzzle's file as a JSON object."""
    games = {name: game._asdict() for name, game in saved.games.items()}
    return {"levels": {name: _best_written(best) for name, best in saved.levels.items()}, "games": games}


_OWN = tuple(field.name for field in dataclasses.fields(Best) if field.name != "foreign")


def _best_written(best: Best) -> dict[str, Any]:
    return {**best.foreign, **{name: getattr(best, name) for name in _OWN}}


def _best_from(content: dict[str, Any]) -> Best:
    own = {name: content[name] for name in _OWN if name in content}
    foreign = {name: value for name, value in content.items() if name not in own and _is_valid(value)}
    return Best(**own, foreign=foreign)


def _game_from(content: dict[str, Any]) -> _Game | None:
    if content["game"] is None:  # written by other versions for one that has ended
        return None
    if not _is_valid(content["game"]):
        raise ValueError("a game has a number that is not finite, or a text that is no Unicode")
    return _Game(real("saved", content["saved"], 0, MOST), {**content["game"]})


def _read(content: dict[str, Any], faults: list[str]) -> _Saved:
    """Return the contents of a puzzle's file, and add the errors of invalid entries to ``faults``."""
    levels = _valid_entries(content.get("levels", {}), _best_from, faults)
    games = {name: game for name, game in _valid_entries(content.get("games", {}), _game_from, faults).items() if game}
    return _Saved(levels, dict(sorted(games.items(), key=lambda item: item[1].saved)))


def _valid_entries(
    content: dict[str, Any], read: Callable[[dict[str, Any]], Value], faults: list[str]
) -> dict[str, Value]:
    """Return the entries that ``read`` accepts; raises ValueError if there are no entries but something else."""
    if not isinstance(content, dict):
        raise ValueError(f"{quote(content)} is not a JSON object")
    entries: dict[str, Value] = {}
    for name, each in content.items():
        try:
            entries[name] = read(each)
        except (TypeError, AttributeError, KeyError, ValueError) as error:
            faults.append(one_line(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}")
    return entries
