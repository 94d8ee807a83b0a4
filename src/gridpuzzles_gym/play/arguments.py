"""Command-line arguments: ids, ``name=value`` settings, levels and output files."""

import dataclasses
import errno
import importlib
import math
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import gymnasium as gym
from gymnasium.envs.registration import EnvSpec

from gridpuzzles_gym.agents.puzzle_agents import board_of

from ..engine.arguments import step_limit
from ..engine.levels.bundled import bundled
from ..engine.levels.left_out import encodable, line_about, split_valid_and_errors, warn
from ..engine.levels.sources import find_levels, levels_text, read_levels
from ..engine.messages import did_you_mean, plural, quote
from ..engine.pictures.pixels import observations_of
from ..engine.puzzle import Level, Puzzle, all_valid, load_puzzle
from ..engine.system.json_text import NestingError, read_json
from ..registration import ENVIRONMENTS, NAMESPACE, Environment

COMMON = ("levels", "strict", "observation", "tile", "max_episode_steps", "flat", "dtype")
"""Settings that every puzzle has, in addition to its own options."""
Item = TypeVar("Item")
_PYTHON = {"True": True, "False": False, "None": None}


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
    return aliases or [environment(env_id)[1].name]


def environment_names() -> dict[str, str]:
    """Return every name :func:`resolve_id` accepts, normalized (lower case, no hyphens), and its id."""
    puzzles = [(environment(env_id)[1].name, env_id) for env_id in known_ids()]
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


def environment(env_id: str) -> tuple[EnvSpec, Puzzle]:
    """Return the registration and the puzzle of an id; ``module:id`` imports ``module`` first.

    Raises:
        ValueError: The id is unknown, or there is no such module.
    """
    module, _, name = env_id.rpartition(":")
    if module:
        _import(module, env_id)
    spec = gym.registry.get(name)
    if spec is None or "puzzle" not in spec.kwargs:
        raise ValueError(f"unknown environment {quote(name)}; {did_you_mean(name, known_ids())}")
    return spec, load_puzzle(spec.kwargs["puzzle"])


def puzzle_named(name: str) -> Puzzle:
    """Return the puzzle with this name (``wumpus``), or of the environment with this name (see :func:`resolve_id`).

    Raises:
        ValueError: The name is unknown.
    """
    puzzles = {_plain(puzzle.name): puzzle for puzzle in all_puzzles()}
    if _plain(name) in puzzles:
        return puzzles[_plain(name)]
    if ":" in name or _plain(name) in environment_names():
        return environment(resolve_id(name))[1]
    names = [*(puzzle.name for puzzle in puzzles.values()), *known_ids()]
    raise ValueError(f"unknown puzzle {quote(name)}; {did_you_mean(name, names)}")


def all_puzzles() -> list[Puzzle]:
    """Return the puzzles of all ids, without duplicates."""
    return list(dict.fromkeys(environment(env_id)[1] for env_id in known_ids()))


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


def read_value(text: str) -> Any:
    """Parse a value: JSON, ``True``, ``False`` or ``None``, otherwise plain text; infinities and NaN are text too.

    Raises:
        ValueError: The JSON is nested too deeply.
    """
    if text in _PYTHON:
        return _PYTHON[text]
    try:
        return read_json(text, quote(text), parse_float=_finite, parse_constant=_finite)
    except NestingError:
        raise
    except ValueError:
        return text


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not a finite number")
    return number


def check_settings(puzzle: Puzzle, settings: Mapping[str, Any]) -> None:
    """Check that settings are options of a puzzle or in :data:`COMMON`, and that their values are valid.

    Raises:
        ValueError: A setting is unknown or has an invalid value.
    """
    own = [field.name for field in dataclasses.fields(puzzle.options)]
    for name in settings:
        if name not in (*own, *COMMON):
            raise ValueError(f"{puzzle.title} has no setting {quote(name)}; {did_you_mean(name, [*own, *COMMON])}")
    puzzle.read_options(**{name: value for name, value in settings.items() if name in own})
    observation = settings.get("observation")
    if observation is not None and observation not in observations_of(puzzle):
        allowed = ", ".join(map(repr, observations_of(puzzle)))
        raise ValueError(f"observation={quote(observation)} is invalid; {puzzle.title} has {allowed}")
    step_limit(settings.get("max_episode_steps"))


class LevelSelection(NamedTuple):
    """The levels selected by ``--levels``."""

    source: Any
    """A value of ``levels=`` that makes an environment large enough for them."""
    levels: list[Level]
    """In order; at least one."""
    left_out: str = ""
    """What was left out because it is invalid, in one line; empty if nothing was."""


def select_levels(puzzle: Puzzle, choice: str, strict: bool = False) -> LevelSelection:
    """Return the levels selected by ``--levels``.

    Args:
        puzzle: The puzzle of the levels.
        choice: A file, a folder, a bundled pack, the title of a bundled level, a board in one line, with ``/`` or ``|``
            between its rows, or a JSON list of these; ``:3`` after one of the first three selects the third level, and
            invalid ones count.
        strict: Whether an invalid level is an error even among valid ones; otherwise it is left out.

    Raises:
        ValueError: There are no such levels, or none is valid, or the selected one is not.
    """
    if listed := parse_level_list(choice):
        parts = [select_levels(puzzle, each, strict) for each in listed]
        sources, left_out = [part.source for part in parts], "; ".join(part.left_out for part in parts if part.left_out)
        return LevelSelection(sources, [level for part in parts for level in part.levels], left_out)
    base, number = split_number(choice)
    titled = None if number is not None else _titled(puzzle, choice)
    if titled is not None:
        return titled
    items = list(encodable(puzzle, read_levels(puzzle, base), puzzle.read_options()))
    levels, errors = split_valid_and_errors(items)
    source = levels if errors else base
    if number is not None:
        return LevelSelection(source, list(all_valid([numbered(items, base, number)])))
    if errors and (strict or not levels):
        raise errors[0]
    return LevelSelection(source, levels, line_about(base, len(levels), errors) if errors else "")


def _titled(puzzle: Puzzle, choice: str) -> LevelSelection | None:
    """Return the bundled level with this title; None if there is none, or if it is a path or a pack's name."""
    packs = bundled(puzzle)
    if "\n" in choice or os.path.exists(choice) or choice in packs:
        return None
    named = ((pack, level) for pack in packs for level in find_levels(puzzle, pack) if level.name == choice)
    return next((LevelSelection(pack, [level]) for pack, level in named), None)


def parse_level_list(choice: str) -> list[str]:
    """Return the choices in one that is a JSON list of them; empty if it is none."""
    listed = read_value(choice) if choice.startswith("[") and not os.path.exists(choice) else None
    return listed if isinstance(listed, list) and all(isinstance(each, str) for each in listed) else []


def level_setting(puzzle: Puzzle, choice: str) -> Any:
    """Return the value of ``levels=`` that ``--levels`` selects, which can be saved as JSON.

    Raises:
        ValueError: As for :func:`select_levels`, if the choice has one level of a file or pack.
    """
    if listed := parse_level_list(choice):
        return [level_setting(puzzle, each) for each in listed]
    if split_number(choice)[1] is None and _titled(puzzle, choice) is None:
        return choice
    levels = select_levels(puzzle, choice).levels
    return levels_text([level.name for level in levels], [board_of(puzzle, level) for level in levels])


def selected_levels(puzzle: Puzzle, choice: str, strict: bool = False) -> list[Level]:
    """Return the levels of :func:`select_levels`; a ``LevelWarning`` says what was left out."""
    chosen = select_levels(puzzle, choice, strict)
    if chosen.left_out:
        warn(chosen.left_out)
    return chosen.levels


def split_number(choice: str) -> tuple[str, int | None]:
    """Split ``"first:3"`` into ``("first", 3)``; the number is None if there is none, or if a file has this name."""
    base, colon, number = choice.rpartition(":")
    if not colon or not (number.isascii() and number.isdigit()) or len(number) > 9 or os.path.exists(choice):
        return choice, None
    return base, int(number)


def numbered(items: Sequence[Item], base: str, number: int) -> Item:
    """Return the item with this number, counted from 1.

    Raises:
        ValueError: There are fewer items.
    """
    if not 1 <= number <= len(items):
        raise ValueError(f"{base} has no level {number}; it has {plural(len(items), 'level')}, counted from 1")
    return items[number - 1]


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
