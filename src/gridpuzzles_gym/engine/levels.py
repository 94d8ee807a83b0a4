"""Level sources: bundled packs, files, folders, texts, samplers."""

import contextlib
import dataclasses
import functools
import importlib.resources
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from .level_folder import LevelFolder, is_level_folder
from .messages import plural, printable, quote
from .pool import StoredLevels
from .puzzle import Extent, Level, LevelError, Puzzle
from .spec import made_again
from .stores import is_url

SIDECAR = ".csv"
"""The extension of the table that accompanies a pack of measured levels."""
MAX_BYTES = 64 * 2**20
"""The maximum size of a level file."""
MAX_FILES, MAX_FOLDER_BYTES = 20_000, 512 * 2**20
"""The maximum number of files of any kind in a folder of level files, and the maximum total size of its level files."""
MAX_LINES = 1_000_000
"""The maximum number of lines of a level text."""
_SUFFIXES = (".txt", ".xsb", ".sok", ".slc")
"""The extensions of level files; other files in a folder are ignored."""
_BINARY = re.compile(r"[\x00-\x08\x0e-\x1f]")
"""Control characters that do not occur in text."""


@runtime_checkable
class Sampler(Protocol):
    """An endless source of levels; it may have state, such as a curriculum.

    ``sample`` is called one level ahead of play, with 64 random bits; equal bits and equal history must give equal
    levels. A sampler with resources such as processes may have a method ``close()``, which environments call when
    they are closed; a later call of ``sample`` must start them again. A sampler of known levels may list them in an
    attribute ``levels``, which :attr:`Puzzle.resolve_options` then receives.
    """

    extent: Extent
    """The extent of its largest level."""

    def sample(self, random_bits: int) -> Level:
        """Return the next level to play."""

    def report(self, level: Level, outcome: str, score: float) -> None:
        """Receive the outcome and the return of an episode on ``level`` that has ended."""

    def get_state(self) -> Any:
        """Return everything that determines its next levels."""

    def set_state(self, state: Any) -> None:
        """Continue from ``get_state()``."""


@dataclasses.dataclass(frozen=True)
class LevelSource:
    """The resolved ``levels=``: a pool of levels, a sampler, or neither if instances are generated."""

    extent: Extent
    levels: Sequence[Level] = ()
    sampler: Sampler | None = None

    @property
    def known(self) -> Sequence[Level]:
        """The levels that can be played, if known; otherwise empty. Of a level folder, whose levels are alike, one."""
        if isinstance(self.levels, StoredLevels):
            return self.levels[:1]
        return self.levels or tuple(getattr(self.sampler, "levels", ()))


def level_source(puzzle: Puzzle, levels: Any, options: Any) -> LevelSource:
    """Resolve the keyword argument ``levels=``.

    Args:
        puzzle: The puzzle.
        levels: None (the puzzle's default pack, or generated instances), the name of a bundled pack, a level text,
            the path of a file or a folder, the URL of a level folder, a :class:`Level`, a list of these, or a
            :class:`Sampler` or its description in a spec (:mod:`.spec`). A level folder is not loaded, see
            :mod:`.level_folder`; other levels are.
        options: The puzzle's own options.

    Raises:
        LevelError: A level is invalid, or there is nothing of that name.
    """
    if levels is None:
        generation = puzzle.generation_with(options)
        if generation is not None:
            return LevelSource(generation.extent(options))
        if puzzle.default_levels is None:
            raise LevelError(f"{puzzle.title} does not generate levels; levels= must be given")
        levels = puzzle.default_levels
    if isinstance(levels, Mapping):
        levels = made_again(levels)
    if isinstance(levels, Sampler):
        return LevelSource(tuple(levels.extent), sampler=levels)
    if isinstance(levels, str | os.PathLike) and is_level_folder(levels):
        stored = LevelFolder(puzzle, levels)
        return LevelSource(stored.extent, stored)
    found = tuple(find_levels(puzzle, levels))
    extent = tuple(max(sizes) for sizes in zip(*(level.extent for level in found), strict=True))
    return LevelSource(extent, found)


def find_levels(puzzle: Puzzle, levels: Any) -> list[Level]:
    """Return the levels of a text, a path, a bundled pack's name, a level, or a list of these; at least one.

    Raises:
        LevelError: A level is invalid, or there is none.
    """
    if isinstance(levels, Level):
        found = [levels]
    elif isinstance(levels, str) and is_url(levels):
        found = list(LevelFolder(puzzle, levels))
    elif isinstance(levels, str | os.PathLike):
        if levels in bundled(puzzle) and not os.path.exists(levels):
            return list(bundled_levels(puzzle, os.fspath(levels)))
        found = [level for text, source in level_texts(puzzle, levels) for level in puzzle.parse(text, source)]
    elif isinstance(levels, Sequence):
        found = [level for item in levels for level in find_levels(puzzle, item)]
    else:
        raise LevelError(
            f"levels={quote(levels)} is a {type(levels).__name__}; allowed are a bundled pack's name, "
            "a level text, a path, a list of these, or a sampler"
        )
    if not found:
        raise LevelError(f"no level in {_named(levels)}")
    return found


@functools.lru_cache(maxsize=64)
def bundled_levels(puzzle: Puzzle, name: str) -> tuple[Level, ...]:
    """Return the levels of a bundled pack, parsed once, whatever files there are in the current folder."""
    pack = _bundled_files(puzzle)[name]
    return tuple(puzzle.parse(pack.read_text(encoding="utf-8"), pack.name))


def pick_level(puzzle: Puzzle, source: LevelSource, choice: Any, check: Callable[[Level], None]) -> Level:
    """Return the level selected by ``reset(options={"level": choice})``.

    Args:
        puzzle: The puzzle.
        source: The environment's level source. An index refers to its pool or, if it has none, to the bundled levels
            that can be played in the environment.
        choice: A text, the name of a bundled level, a path, an index, or a :class:`Level`.
        check: Raises LevelError on a level that cannot be played in the environment.

    Raises:
        LevelError: There is no such level, or it cannot be played in the environment.
    """
    level = choice if isinstance(choice, Level) else _pick(puzzle, source, choice, check)
    check(level)
    return level


def _pick(puzzle: Puzzle, source: LevelSource, choice: Any, check: Callable[[Level], None]) -> Level:
    if isinstance(choice, np.integer):
        choice = int(choice)
    if isinstance(choice, bool) or not isinstance(choice, int | str | os.PathLike):
        raise LevelError(f"level={quote(choice)} is a {type(choice).__name__}; allowed are a text, a name, or an index")
    if not isinstance(choice, int):
        named = [level for level in source.levels if level.name == choice]
        if not named and str(choice) not in bundled(puzzle) and "\n" not in str(choice) and not os.path.exists(choice):
            named = [level for level in _all_bundled(puzzle) if level.name == choice]
        return (named or find_levels(puzzle, choice))[0]
    pool = source.levels or [level for level in _all_bundled(puzzle) if _passes(check, level)]
    if not 0 <= choice < len(pool):
        raise LevelError(
            f"level index {quote(choice)} is out of range; "
            f"this environment has {plural(len(pool), 'level')}, counted from 0"
        )
    return pool[choice]


def _all_bundled(puzzle: Puzzle) -> Iterator[Level]:
    for name in bundled(puzzle):
        yield from bundled_levels(puzzle, name)


def _passes(check: Callable[[Level], None], level: Level) -> bool:
    try:
        check(level)
    except LevelError:
        return False
    return True


def bundled(puzzle: Puzzle) -> list[str]:
    """Return the names of the puzzle's bundled packs, sorted."""
    return sorted(_bundled_files(puzzle))


def blocks(text: str, source: str = "level text") -> Iterator[tuple[str, list[tuple[int, str]]]]:
    """Split level text into boards: runs of lines between blank lines.

    A line that begins with ``;`` is a comment; the last one before a board is its title.

    Yields:
        (title, [(line number from 1, line), ...])

    Raises:
        LevelError: The text has too many lines.
    """
    title = ""
    board: list[tuple[int, str]] = []
    for number, line in enumerate(lines_of(text, source), start=1):
        if line.startswith(";"):
            if board:
                yield title, board
                board = []
            title = line.lstrip("; ").rstrip()
        elif line.strip():
            board.append((number, line.rstrip()))
        elif board:
            yield title, board
            title, board = "", []
    if board:
        yield title, board


def levels_text(titles: Sequence[str], boards: Sequence[str]) -> str:
    """Return the text of a level file: each board below its title, separated by blank lines, for :func:`blocks`."""
    return "\n".join(f"; {printable(title)}\n{board}\n" for title, board in zip(titles, boards, strict=True))


def lines_of(text: str, source: str) -> list[str]:
    """Split a level text into lines.

    Raises:
        LevelError: There are more than :data:`MAX_LINES`.
    """
    if text.count("\n") > MAX_LINES or len(lines := text.splitlines()) > MAX_LINES:
        raise LevelError(f"{source}:{MAX_LINES}:1: over {MAX_LINES:,} lines: not a level file")
    return lines


def level_texts(puzzle: Puzzle, levels: str | os.PathLike[str]) -> Iterator[tuple[str, str]]:
    """Yield each text of a level text, a path, or a bundled pack's name, together with the name of its source.

    Raises:
        LevelError: There is nothing of that name, or a file is not a level file.
    """
    if isinstance(levels, str) and ("\n" in levels or not levels):
        yield levels, "level text"
        return
    path, pack = Path(levels), _bundled_files(puzzle).get(str(levels))
    if os.path.isdir(path):  # unlike pathlib's, returns False for a name that is too long
        for file in level_files(path):
            yield read_level_text(file), str(file)
    elif os.path.isfile(path):
        yield read_level_text(path), str(path)
    elif pack is not None:
        yield pack.read_text(encoding="utf-8"), pack.name
    elif "|" in str(levels):  # a board in one line
        yield str(levels), "level text"
    else:
        raise LevelError(
            f"no levels {quote(str(levels))}: not a file or folder; the bundled packs of {puzzle.title} are "
            f"{', '.join(map(repr, bundled(puzzle))) or 'none'}"
        )


def level_files(folder: Path) -> list[Path]:
    """Return the level files in a folder and its subfolders, sorted, without hidden ones.

    Raises:
        LevelError: There are more than :data:`MAX_FILES` files, or more than :data:`MAX_FOLDER_BYTES` of level files.
    """
    found: list[Path] = []
    files = size = 0
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        files += len(folders) + len(names)
        if files > MAX_FILES:
            raise LevelError(f"{folder}: over {MAX_FILES:,} files in this folder: not a folder of levels")
        for name in names:
            path = Path(parent, name)
            if name.lower().endswith(_SUFFIXES) and name[0] != "." and path.is_file():
                found.append(path)
                size += path.stat().st_size
        if size > MAX_FOLDER_BYTES:
            raise LevelError(f"{folder}: over {MAX_FOLDER_BYTES >> 20} MiB of level files in this folder")
    return sorted(found)


def read_level_text(path: Path) -> str:
    """Read the text of a level file, in UTF-8 or, like many old collections, Windows-1252.

    Raises:
        LevelError: It cannot be read, is too large, or is not text.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise LevelError(f"{path} cannot be read: {error.strerror}") from None
    return decode_level_text(content, str(path))


def decode_level_text(content: bytes, source: str) -> str:
    """Decode the bytes of a level file; see :func:`read_level_text`."""
    if len(content) > MAX_BYTES:
        raise LevelError(f"{source} is over {MAX_BYTES >> 20} MiB: not a level file")
    for encoding in "utf-8-sig", "cp1252":
        with contextlib.suppress(UnicodeDecodeError):
            text = content.decode(encoding)
            if encoding == "utf-8-sig" or not _BINARY.search(text):
                return text
    raise LevelError(f"{source} is not UTF-8 text")


def _bundled_files(puzzle: Puzzle) -> dict[str, Traversable]:
    folder = importlib.resources.files("gridpuzzles_gym.levels") / puzzle.name
    if not folder.is_dir():
        return {}
    return {Path(file.name).stem: file for file in folder.iterdir() if file.name.endswith(".txt")}


def _named(levels: Any) -> str:
    """Return levels as quoted in a message: paths in full, texts and lists shortened."""
    if isinstance(levels, str | os.PathLike):
        levels = os.fspath(levels)
        return repr(levels) if os.path.exists(levels) else quote(levels)
    return quote(levels)
