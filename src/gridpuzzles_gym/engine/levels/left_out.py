"""Skip invalid levels among valid ones, and warn once."""

import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..messages import plural, quote, shorten
from ..puzzle import Level, LevelError, Puzzle, Read
from .text_files import is_level_file, level_files, read_level_text

_LONGEST_REASON = 240
_LINES = 1_000
"""The maximum number of lines of a text in which symbols are counted."""


class LevelWarning(UserWarning):
    """Some levels are left out, because they are invalid; the message says how many, and why the first one is."""


class FileError(LevelError):
    """A file of a folder that cannot be read, or a text that cannot be divided into levels."""


Reader = Callable[[str, str], Iterable[Read | LevelError]]
""":attr:`.Puzzle.read`, or that of its :class:`.LevelFormats`."""


def levels_in_folder(
    read: Reader[Read], folder: str | os.PathLike[str]
) -> Iterator[tuple[Path, list[Read | LevelError]]]:
    """Yield each level file of a folder with its levels, and the errors of those that are invalid.

    A file without an extension of level files is left out if no level in it is valid.

    Args:
        read: What reads a text.
        folder: The folder.

    Raises:
        LevelError: As :func:`~.text_files.level_files`.
    """
    for file in level_files(Path(folder)):
        items = levels_in_file(read, file)
        if is_level_file(file) or not all(isinstance(item, LevelError) for item in items):
            yield file, items


def levels_in_file(read: Reader[Read], file: Path) -> list[Read | LevelError]:
    """Return the levels in a file, and the errors of those that are invalid; one error if it cannot be read."""
    try:
        return list(levels_in_text(read, read_level_text(file), str(file)))
    except LevelError as error:
        return [FileError(str(error)).named(str(file))]


def levels_in_text(read: Reader[Read], text: str, source: str) -> Iterator[Read | LevelError]:
    """Yield the levels in a text, and the errors of those that are invalid; that of the whole text, if it has one."""
    try:
        yield from read(text, source)
    except LevelError as error:
        yield FileError(str(error)).named(source)


def encodable(puzzle: Puzzle, items: Iterable[Level | LevelError], options: Any) -> Iterator[Level | LevelError]:
    """Yield the same levels and errors; in place of each level that cannot be played with these options, its error."""
    for item in items:
        if isinstance(item, Level) and puzzle.encode_many is None:
            try:
                puzzle.encode(item, item.extent, puzzle.resolve_options(options, item.extent, [item]))
            except LevelError as error:
                yield error.named(item.name)
                continue
        yield item


def split_valid_and_errors(items: Iterable[Read | LevelError]) -> tuple[list[Read], list[LevelError]]:
    """Return the levels, and the errors of those that are invalid."""
    levels: list[Read] = []
    errors: list[LevelError] = []
    for item in items:
        if isinstance(item, LevelError):
            errors.append(item)
        else:
            levels.append(item)
    return levels, errors


def line_about(source: Any, levels: int, errors: Sequence[LevelError]) -> str:
    """Return one line that says what was left out, and why.

    Args:
        source: The value of ``levels=``.
        levels: The number of valid levels.
        errors: The errors of the others, at least one.
    """
    files = sum(isinstance(error, FileError) for error in errors)
    refused = len(errors) - files
    parts = [f"{refused:,} of {plural(levels + refused, 'level')}"] if refused else []
    what = " and ".join([*parts, *([plural(files, "file")] if files else [])])
    verb = "was" if len(errors) == 1 else "were"
    line = f"{named(source)}: {what} {verb} left out: {shorten(str(errors[0]), _LONGEST_REASON)}"
    if isinstance(source, str | os.PathLike) and os.path.exists(source):
        return f"{line}; `gridpuzzles levels check {os.fspath(source)}` lists all"
    return line


def no_level(puzzle: Puzzle, source: Any, text: str) -> str:
    """Return the message that there is no level, with the symbols that levels have, and those of the text.

    Args:
        puzzle: The puzzle.
        source: The value of ``levels=``.
        text: Its text, or the beginning of it.
    """
    what = os.fspath(source) if isinstance(source, os.PathLike) else source
    message = f"no level in {repr(what) if named(source) == what else quote(source)}"
    if puzzle.palette is None:
        return message
    pieces = puzzle.palette.pieces(puzzle.palette.size)
    known = ", ".join(f"{symbol} {name}" for symbol, name in pieces.items() if not symbol.isspace())
    message += f"; in levels of {puzzle.title} there are {shorten(known, _LONGEST_REASON)}"
    rows = [row for line in text.splitlines()[:_LINES] if len(row := "".join(line.split())) > 2 and len({*row}) < 9]
    ours = {*pieces, *puzzle.palette.combined, *puzzle.palette.aliases}
    others = Counter(symbol for row in rows for symbol in row if symbol not in ours)
    if others:
        seen = ", ".join(f"{symbol} ({count:,} times)" for symbol, count in others.most_common(8))
        message += f"; in this text there are {seen}"
        if puzzle.formats is not None:
            message += "; `gridpuzzles levels import` with `--tile X=wall` reads other symbols"
    return message


def warn(line: str) -> None:
    """Issue a :class:`LevelWarning`; the same one is shown once a process."""
    warnings.warn(line, LevelWarning, stacklevel=2)


def named(source: Any) -> str:
    """Return a value of ``levels=`` as it begins a message: paths in full, texts and lists shortened."""
    if isinstance(source, str | os.PathLike) and os.path.exists(source):
        return os.fspath(source)
    return f"levels={quote(source)}"
