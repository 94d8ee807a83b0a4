"""Level sources: bundled packs, files, folders, texts, samplers."""

import dataclasses
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ..messages import plural, printable, quote, suggestion
from ..puzzle import Extent, Level, LevelError, Outcome, Puzzle, all_valid
from ..system.files import replacing
from .bundled import all_bundled, bundled, bundled_files, bundled_levels, is_bundled, pack_levels
from .level_text import (
    encodable,
    level_files,
    levels_in_folder,
    levels_in_text,
    line_about,
    no_level,
    read_level_text,
    read_one_line,
    split_valid_and_errors,
    warn,
)
from .pool import pool_rows
from .rows import ROWS, StoredLevels, default_options, is_row_file, read_row_file, write_rows

SIDECAR = ".csv"
"""The extension of the table that accompanies a pack of measured levels."""
MAX_LINES = 1_000_000
"""The maximum number of lines of a level text."""
_PARSED = 10_000
"""The number of levels of a file of rows that are parsed at a time."""


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

    def report(self, level: Level, outcome: Outcome, score: float) -> None:
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
        """The levels that can be played, if known; otherwise empty. Of :class:`.StoredLevels`, only the first."""
        if isinstance(self.levels, StoredLevels):
            return (self.levels[0],)
        return self.levels or tuple(getattr(self.sampler, "levels", ()))


def level_source(puzzle: Puzzle, levels: Any, options: Any, strict: bool = False) -> LevelSource:
    """Resolve the keyword argument ``levels=``.

    Invalid levels among valid ones are left out, and a :class:`~.level_text.LevelWarning` says so.

    Args:
        puzzle: The puzzle.
        levels: None (the puzzle's default pack, or generated instances), the name of a bundled pack, a level text,
            the path of a file or a folder, a :class:`Level`, a list of these, or a :class:`Sampler`. The levels of a
            file of rows (:mod:`.rows`) are not made until they are used.
        options: The puzzle's own options.
        strict: Whether an invalid level is an error even among valid ones.

    Raises:
        LevelError: No level is valid, or none if ``strict``, or there is nothing of that name.
    """
    if levels is None:
        generation = puzzle.generation_with(options)
        if generation is not None:
            return LevelSource(generation.extent(options))
        if puzzle.default_levels is None:
            raise LevelError(f"{puzzle.title} does not generate levels; levels= must be given")
        levels = puzzle.default_levels
    if isinstance(levels, Sampler):
        return LevelSource(tuple(levels.extent), sampler=levels)
    if isinstance(levels, str | os.PathLike) and is_row_file(levels):
        stored = read_row_file(puzzle, levels)
        return LevelSource(stored.extent, stored)
    if is_bundled(puzzle, levels):
        pack = pack_levels(puzzle, levels)
        if isinstance(pack, StoredLevels):
            return LevelSource(pack.extent, pack)
    found, errors = split_valid_and_errors(read_levels(puzzle, levels))
    source = _source_of(found)
    if not strict and len(found) > 1 and not _encodable(puzzle, source, options):
        playable, unplayable = split_valid_and_errors(encodable(puzzle, found, options))
        if playable:
            found, errors = playable, errors + unplayable
            source = _source_of(found)
    _tell(levels, found, errors, strict)
    return source


def _source_of(levels: Sequence[Level]) -> LevelSource:
    extent = tuple(max(sizes) for sizes in zip(*(level.extent for level in levels), strict=True))
    return LevelSource(extent, tuple(levels))


def _encodable(puzzle: Puzzle, source: LevelSource, options: Any) -> bool:
    """Whether an environment can play all levels; their rows stay cached for it."""
    try:
        resolved = puzzle.resolve_options(options, source.extent, source.levels)
        pool_rows(puzzle, source.levels, source.extent, resolved)
    except LevelError:
        return False
    return True


def find_levels(puzzle: Puzzle, levels: Any, strict: bool = False) -> list[Level]:
    """Return the valid levels of a text, a path, a bundled pack's name, a level, or a list of these; at least one.

    Args:
        puzzle: The puzzle.
        levels: As for :func:`level_source`, but no sampler.
        strict: Whether an invalid level is an error even among valid ones; otherwise a
            :class:`~.level_text.LevelWarning` says that it is left out.

    Raises:
        LevelError: No level is valid, or none if ``strict``, or there is nothing of that name.
    """
    found, errors = split_valid_and_errors(read_levels(puzzle, levels))
    _tell(levels, found, errors, strict)
    return found


def _tell(levels: Any, found: Sequence[Level], errors: Sequence[LevelError], strict: bool) -> None:
    if errors and (strict or not found):
        raise errors[0]
    if errors:
        warn(line_about(levels, len(found), errors))


def read_levels(puzzle: Puzzle, levels: Any) -> Iterator[Level | LevelError]:
    """Yield the levels of a text, a path, a bundled pack's name, a level, or a list of these; at least one item.

    In place of each invalid level its error is yielded; in place of a file of a folder that cannot be read, or of a
    text that cannot be divided into levels, a :class:`~.level_text.FileError`.

    Raises:
        LevelError: There is no level, or nothing of that name.
    """
    empty = True
    for item in _items(puzzle, levels):
        empty = False
        yield item
    if empty:
        raise LevelError(no_level(levels))


def _items(puzzle: Puzzle, levels: Any) -> Iterator[Level | LevelError]:
    if isinstance(levels, Level):
        yield levels
    elif isinstance(levels, str | os.PathLike):
        if is_row_file(levels):
            yield from read_row_file(puzzle, levels)
        elif is_bundled(puzzle, levels):
            yield from bundled_levels(puzzle, str(levels))
        elif os.path.isdir(levels):
            for _, items in levels_in_folder(puzzle.read, levels):
                yield from items
        else:
            for text, source in level_texts(puzzle, levels):
                yield from levels_in_text(puzzle.read, text, source)
    elif isinstance(levels, Sequence):
        for item in levels:
            yield from read_levels(puzzle, item)
    else:
        raise LevelError(
            f"levels={quote(levels)} is a {type(levels).__name__}; allowed are a bundled pack's name, "
            "a level text, a path, a list of these, or a sampler"
        )


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
            named = [level for level in all_bundled(puzzle) if level.name == choice]
        return named[0] if named else next(all_valid(read_levels(puzzle, choice)))
    pool = source.levels or [level for level in all_bundled(puzzle) if _passes(check, level)]
    if not 0 <= choice < len(pool):
        raise LevelError(
            f"level index {quote(choice)} is out of range; "
            f"this environment has {plural(len(pool), 'level')}, counted from 0"
        )
    return pool[choice]


def _passes(check: Callable[[Level], None], level: Level) -> bool:
    try:
        check(level)
    except LevelError:
        return False
    return True


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


def read_blocks(
    text: str, source: str, read: Callable[[str, list[tuple[int, str]], str], Level]
) -> Iterator[Level | LevelError]:
    """Yield the level of each of the :func:`blocks` of a text, or its error: what a puzzle's ``read`` returns.

    Args:
        text: Level text.
        source: Its name, for messages.
        read: ``read(title, lines, source)``: the level of one board; raises LevelError.

    Raises:
        LevelError: The text has too many lines.
    """
    for title, lines in blocks(text, source):
        try:
            yield read(title, lines, source)
        except LevelError as error:
            yield error.named(title or f"{source}:{lines[0][0]}")


def levels_text(titles: Sequence[str], boards: Sequence[str]) -> str:
    """Return the text of a level file: each board below its title, separated by blank lines, for :func:`blocks`."""
    return "\n".join(f"; {printable(title)}\n{board}\n" for title, board in zip(titles, boards, strict=True))


def write_levels(puzzle: Puzzle, path: Path, titles: Sequence[str], boards: Sequence[str]) -> None:
    """Write levels as text or, if the name ends in ``.npz``, as rows of boards of the largest extent among them.

    Args:
        puzzle: The puzzle.
        path: The file.
        titles: Their titles.
        boards: Their boards as level text; at least one.

    Raises:
        LevelError: A board is invalid, and its rows are needed.
        OSError: The file cannot be written.
    """
    with replacing(path) as unfinished:
        if path.suffix.lower() != ROWS:
            unfinished.write_bytes(levels_text(titles, boards).encode())
            return
        parts = [slice(first, first + _PARSED) for first in range(0, len(boards), _PARSED)]
        texts = [levels_text(titles[part], boards[part]) for part in parts]
        source = _source_of([level for text in texts for level in puzzle.parse(text, path.name)])
        rows = pool_rows(puzzle, source.levels, source.extent, default_options(puzzle, source.extent))
        with unfinished.open("wb") as stream:
            write_rows(stream, puzzle, source.extent, rows, [level.name for level in source.levels])


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
    path, pack = Path(levels), bundled_files(puzzle).get(str(levels))
    if os.path.isdir(path):  # unlike pathlib's, returns False for a name that is too long
        for file in level_files(path):
            yield read_level_text(file), str(file)
    elif os.path.isfile(path):
        yield read_level_text(path), str(path)
    elif pack is not None:
        yield pack.read_text(encoding="utf-8"), pack.name
    elif (text := read_one_line(puzzle, str(levels), "level text")) is not None:
        yield text, "level text"
    else:
        raise LevelError(
            f"no levels {quote(str(levels))}: not a file or folder; {suggestion(levels, bundled(puzzle))}"
            f"the bundled packs of {puzzle.title} are {', '.join(map(repr, bundled(puzzle))) or 'none'}"
        )
