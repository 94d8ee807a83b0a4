"""Command-line arguments: ids, ``name=value`` settings, levels and output files."""

import errno
import importlib
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym

from ..agents.parameters import read_value
from ..engine.levels.level_text import MAX_BYTES, decode_level_text
from ..engine.messages import did_you_mean, quote
from ..engine.puzzle import Puzzle
from ..registration import ENVIRONMENTS, NAMESPACE, Environment, puzzle_of_id

STDIN, FROM_STDIN = "-", "standard input"
"""The argument for standard input, and its name in messages."""


def known_ids() -> list[str]:
    """Return the ids of the suite, then those that other packages registered for their own puzzles."""
    suite = {name for row in ENVIRONMENTS for name in (row.id, f"{NAMESPACE}/{row.id}")}
    others = (spec.id for spec in gym.registry.values() if "puzzle" in spec.kwargs and spec.id not in suite)
    return [*map(_own_id, ENVIRONMENTS), *others]


def _own_id(row: Environment) -> str:
    """Return the id of an environment of the suite: that in the namespace if the other is another package's."""
    return row.id if "puzzle" in gym.registry[row.id].kwargs else f"{NAMESPACE}/{row.id}"


def resolve_id(name: str) -> str:
    """Return the id of a name, with its ``module:`` prefix if it has one.

    Case, hyphens and underscores are ignored, and the version may be left out. The
    :attr:`~gridpuzzles_gym.registration.Environment.aliases` of an environment are names too, and the name of a puzzle
    means the first id of that puzzle.

    Raises:
        ValueError: The name is unknown, or there is no such module.
    """
    module, colon, short = name.rpartition(":")
    if module:
        _import(module, name)
    found = _registered_names().get(_plain(short)) or environment_names().get(_plain(short))
    if found is None:
        aliases = [alias for row in ENVIRONMENTS for alias in row.aliases]
        raise ValueError(f"unknown environment {quote(short)}; {did_you_mean(short, [*known_ids(), *aliases])}")
    return module + colon + found


def short_names(env_id: str) -> list[str]:
    """Return the short names of an id: its aliases, otherwise the name of its puzzle."""
    aliases = [alias for row in ENVIRONMENTS if _own_id(row) == env_id for alias in row.aliases]
    return aliases or [puzzle_of_id(env_id).name]


def environment_names() -> dict[str, str]:
    """Return every name :func:`resolve_id` accepts, normalized (lower case, no hyphens), and its id."""
    puzzles = [(puzzle_of_id(env_id).name, env_id) for env_id in known_ids()]
    return {_plain(name): env_id for name, env_id in reversed(puzzles)} | _registered_names()


def _registered_names() -> dict[str, str]:
    """Return the names that are known without loading a puzzle: ids and aliases."""
    pairs = [(env_id, env_id) for env_id in known_ids()]
    for row in ENVIRONMENTS:
        pairs += [(name, _own_id(row)) for name in (row.id, f"{NAMESPACE}/{row.id}", *row.aliases)]
    pairs += [(_unversioned(name), env_id) for name, env_id in pairs]
    return {_plain(name): env_id for name, env_id in reversed(pairs)}  # of several, the first one counts


def _plain(name: str) -> str:
    return name.lower().translate({ord(letter): None for letter in "-_ "})


def _unversioned(env_id: str) -> str:
    return re.sub(r"-v\d+$", "", env_id, flags=re.IGNORECASE)


def _import(module: str, name: str) -> None:
    """Import the module named before an id, which registers the environment."""
    try:
        importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise ValueError(f"{quote(name)}: no module named {quote(error.name)}") from None


def puzzle_named(name: str) -> Puzzle:
    """Return the puzzle with this name (``wumpus``), or of the environment with this name (see :func:`resolve_id`).

    Raises:
        ValueError: The name is unknown.
    """
    puzzles = {_plain(puzzle.name): puzzle for puzzle in all_puzzles()}
    if _plain(name) in puzzles:
        return puzzles[_plain(name)]
    if ":" in name or _plain(name) in environment_names():
        return puzzle_of_id(resolve_id(name))
    names = [*(puzzle.name for puzzle in puzzles.values()), *known_ids()]
    raise ValueError(f"unknown puzzle {quote(name)}; {did_you_mean(name, names)}")


def all_puzzles() -> list[Puzzle]:
    """Return the puzzles of all ids, without duplicates."""
    return list(dict.fromkeys(puzzle_of_id(env_id) for env_id in known_ids()))


def read_settings(pairs: Sequence[str], flag: str = "--set", alone: bool = False) -> dict[str, Any]:
    """Parse ``["size=6", "observation=planes"]`` as keyword arguments; values are JSON, otherwise plain text.

    Args:
        pairs: The pairs.
        flag: The option that they are given by, for messages.
        alone: Whether a name without ``=`` is allowed; its value is True.

    Raises:
        ValueError: A pair has no ``=`` or no name, or a name is given twice.
    """
    settings: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        name = name.strip()
        if not (equals or alone) or not name.isidentifier():
            raise ValueError(f"{flag} {quote(pair)}: must have the form name=value, e.g. {flag} size=6")
        if name in settings:
            raise ValueError(f"{flag} {name} is given twice")
        settings[name] = read_value(text.strip()) if equals else True
    return settings


def read_stdin() -> str:
    """Read standard input as the text of a level file.

    Raises:
        LevelError: The input is too large or is not text.
    """
    return decode_level_text(sys.stdin.buffer.read(MAX_BYTES + 1), FROM_STDIN)


def writable(path: Path, *suffixes: str) -> Path:
    """Check, before any long work, that a file can be written; create its folder.

    Raises:
        ValueError: The name has none of ``suffixes``.
        OSError: The file cannot be written.
    """
    if suffixes and path.suffix.lower() not in suffixes:
        *others, last = suffixes
        raise ValueError(f"{path}: the name must end in {', '.join(others)}{' or ' if others else ''}{last}")
    path.parent.mkdir(parents=True, exist_ok=True)
    new = not path.exists()
    with path.open("ab"):
        pass
    if new:
        path.unlink()
    return path


def new_file(path: Path, force: bool, *suffixes: str) -> Path:
    """Check like :func:`writable`, and that the file does not exist unless ``force`` is set; for all output options.

    Raises:
        ValueError: The name has none of ``suffixes``.
        OSError: The file exists and ``force`` is False, or it cannot be written.
    """
    if path.is_file() and not force:
        raise FileExistsError(errno.EEXIST, "already exists; use --force to overwrite it", str(path))
    return writable(path, *suffixes)
