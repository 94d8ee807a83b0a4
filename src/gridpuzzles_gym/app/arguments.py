"""What people type, as what the suite takes: ids, ``key=value`` settings, levels, paths to write to."""

import dataclasses
import difflib
import errno
import importlib
import json
import math
import os
import re
import reprlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import gymnasium as gym
from gymnasium.envs.registration import EnvSpec

from ..engine.arguments import MOST_STEPS, integer
from ..engine.levels import bundled, find_levels
from ..engine.messages import plural
from ..engine.puzzle import Level, Puzzle, load_puzzle
from ..registration import ENVIRONMENTS

COMMON = ("levels", "observation", "max_episode_steps")
"""Settings that every puzzle has, beside its own options."""
Item = TypeVar("Item")
_PYTHON = {"True": True, "False": False, "None": None}


def known_ids() -> list[str]:
    """The suite's ids, then those that others have registered for puzzles of their own."""
    own = [row.id for row in ENVIRONMENTS]
    return own + [spec.id for spec in gym.registry.values() if "puzzle" in spec.kwargs and spec.id not in own]


def resolve_id(name: str) -> str:
    """The id that a name means, with the ``module:`` that stands before it.

    Case, hyphens and underscores do not matter, nor whether the version is given; a row's
    :attr:`~gridpuzzles_gym.registration.Environment.aliases` are names too, and a puzzle's name is one of its first id.

    Raises:
        ValueError: It means none, or there is no such module.
    """
    module, colon, short = name.rpartition(":")
    if module:
        _import(module, name)
    names = environment_names()
    found = names.get(_plain(short))
    if found is None:
        aliases = [alias for row in ENVIRONMENTS for alias in row.aliases]
        raise ValueError(f"no environment {short!r}; {did_you_mean(short, [*known_ids(), *aliases])}")
    return module + colon + found


def short_names(env_id: str) -> list[str]:
    """What to call an id for short: its row's aliases, or else the name of its puzzle."""
    aliases = [alias for row in ENVIRONMENTS if row.id == env_id for alias in row.aliases]
    return aliases or [environment(env_id)[1].name]


def environment_names() -> dict[str, str]:
    """Every name that :func:`resolve_id` knows, in plain letters and digits, and the id it means."""
    ids = known_ids()
    names = {_plain(env_id): env_id for env_id in ids}
    for env_id in ids:
        names.setdefault(_plain(_unversioned(env_id)), env_id)
    for row in ENVIRONMENTS:
        for alias in row.aliases:
            names.setdefault(_plain(alias), row.id)
    for env_id in ids:
        names.setdefault(_plain(environment(env_id)[1].name), env_id)
    return names


def _plain(name: str) -> str:
    return name.lower().translate({ord(letter): None for letter in "-_ "})


def _unversioned(env_id: str) -> str:
    return re.sub(r"-v\d+$", "", env_id, flags=re.IGNORECASE)


def _import(module: str, name: str) -> None:
    """Import the module that stands before an id, which registers it."""
    try:
        importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise ValueError(f"{name!r}: no module named {error.name!r}") from None


def environment(env_id: str) -> tuple[EnvSpec, Puzzle]:
    """The registration and the puzzle of an id; ``module:id`` imports ``module`` first.

    Raises:
        ValueError: There is no such id, or no such module.
    """
    module, _, name = env_id.rpartition(":")
    if module:
        _import(module, env_id)
    ids = known_ids()
    if name not in ids:
        raise ValueError(f"no environment {name!r}; {did_you_mean(name, ids)}")
    spec = gym.registry[name]
    return spec, load_puzzle(spec.kwargs["puzzle"])


def puzzle_named(name: str) -> Puzzle:
    """The puzzle with that name (``wumpus``), or that an id or another name of it plays (see :func:`resolve_id`).

    Raises:
        ValueError: There is none.
    """
    puzzles = {_plain(puzzle.name): puzzle for puzzle in all_puzzles()}
    if _plain(name) in puzzles:
        return puzzles[_plain(name)]
    if ":" in name or _plain(name) in environment_names():
        return environment(resolve_id(name))[1]
    names = [*(puzzle.name for puzzle in puzzles.values()), *known_ids()]
    raise ValueError(f"no puzzle {name!r}; {did_you_mean(name, names)}")


def all_puzzles() -> list[Puzzle]:
    """Every puzzle that an id plays, each once."""
    return list(dict.fromkeys(environment(env_id)[1] for env_id in known_ids()))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of an error message: the nearest of what is known, or all of it."""
    names = list(dict.fromkeys(known))
    by_stem = {_unversioned(name.lower()): name for name in reversed(names)}  # all versions look alike
    stem = _unversioned(word.lower())
    near = difflib.get_close_matches(stem, by_stem, n=1)
    near = near or [name for name in by_stem if stem and name.startswith(stem)][:1]
    choices = f"there are {', '.join(names) or 'none'}"
    return f"did you mean {by_stem[near[0]]!r}? ({choices})" if near else choices


def read_settings(pairs: Sequence[str], flag: str = "--set") -> dict[str, Any]:
    """``["size=6", "observation=planes"]`` as keyword arguments: values are JSON, or else plain text.

    Raises:
        ValueError: A pair has no ``=`` or no name, or a name comes twice.
    """
    settings: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        name = name.strip()
        if not equals or not name.isidentifier():
            raise ValueError(f"{flag} {pair!r}: name=value is needed, e.g. {flag} size=6")
        if name in settings:
            raise ValueError(f"{flag} {name} is given twice")
        settings[name] = read_value(text.strip())
    return settings


def read_value(text: str) -> Any:
    """A value as somebody types it: JSON, or else plain text; what is no finite number is text too.

    Raises:
        ValueError: It is JSON nested too deeply to be read.
    """
    if text in _PYTHON:
        return _PYTHON[text]
    try:
        return json.loads(text, parse_float=_finite, parse_constant=_finite)
    except ValueError:
        return text
    except RecursionError:
        raise ValueError(f"{reprlib.repr(text)} is nested too deeply") from None


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is no finite number")
    return number


def check_settings(puzzle: Puzzle, settings: dict[str, Any]) -> None:
    """See that settings are a puzzle's own options or of :data:`COMMON`.

    Raises:
        ValueError: One is unknown or has a value that is not allowed.
    """
    own = [field.name for field in dataclasses.fields(puzzle.options)]
    for name in settings:
        if name not in (*own, *COMMON):
            raise ValueError(f"{puzzle.title} has no setting {name!r}; {did_you_mean(name, [*own, *COMMON])}")
    puzzle.read_options(**{name: value for name, value in settings.items() if name in own})
    observation = settings.get("observation")
    if observation is not None and observation not in puzzle.observations:
        allowed = ", ".join(map(repr, puzzle.observations))
        raise ValueError(f"observation={observation!r} is not known; {puzzle.title} has {allowed}")
    limit = settings.get("max_episode_steps", 1)
    integer("max_episode_steps", limit, 1, MOST_STEPS)


def choose_levels(puzzle: Puzzle, choice: str) -> tuple[str, list[Level]]:
    """The levels that ``--level`` means.

    Args:
        puzzle: Whose levels.
        choice: A file, a folder, a shipped pack, or the title of one shipped level; ``:3`` behind
            any of the first three picks the third level.

    Returns:
        What ``levels=`` takes so that there is room for them, and the levels in order.

    Raises:
        ValueError: There are none by that name, or one of them cannot be.
    """
    packs = bundled(puzzle)
    base, number = split_number(choice)
    if number is not None:
        return base, [numbered(find_levels(puzzle, base), base, number)]
    if choice not in packs and not os.path.exists(choice):
        for pack in packs:
            titled = [level for level in find_levels(puzzle, pack) if level.name == choice]
            if titled:
                return pack, titled[:1]
    return choice, find_levels(puzzle, choice)


def split_number(choice: str) -> tuple[str, int | None]:
    """``"first:3"`` as ``("first", 3)``; without a number, or where a file has that very name, None."""
    base, colon, number = choice.rpartition(":")
    if not colon or not (number.isascii() and number.isdigit()) or len(number) > 9 or os.path.exists(choice):
        return choice, None
    return base, int(number)


def numbered(items: Sequence[Item], base: str, number: int) -> Item:
    """The item with that number, counted from 1.

    Raises:
        ValueError: There are not so many.
    """
    if not 1 <= number <= len(items):
        raise ValueError(f"{base} has {plural(len(items), 'level')}, counted from 1; there is no level {number}")
    return items[number - 1]


def writable(path: Path, *suffixes: str) -> Path:
    """See early, before any long work, that a file can be written; its folder is made.

    Raises:
        ValueError: Its name does not end as one of ``suffixes``.
        OSError: It cannot be written.
    """
    if suffixes and path.suffix.lower() not in suffixes:
        raise ValueError(f"{path}: the name must end in {' or '.join(suffixes)}")
    path.parent.mkdir(parents=True, exist_ok=True)
    new = not path.exists()
    with path.open("ab"):
        pass
    if new:
        path.unlink()
    return path


def new_file(path: Path, force: bool, *suffixes: str) -> Path:
    """As :func:`writable`, of a file that is not there yet: what every option that names a file asks.

    Raises:
        ValueError: Its name does not end as one of ``suffixes``.
        OSError: It is there, and ``force`` is False; or it cannot be written.
    """
    if path.is_file() and not force:
        raise FileExistsError(errno.EEXIST, "is there already; --force overwrites it", str(path))
    return writable(path, *suffixes)
