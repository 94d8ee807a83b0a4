"""Level texts: the files of a folder, their decoding, boards in one line, and invalid levels among valid ones."""

import contextlib
import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..messages import plural, quote, shorten
from ..puzzle import Level, LevelError, Puzzle, Read

MAX_BYTES = 64 * 2**20
"""The maximum size of a level file."""
MAX_FILES, MAX_FOLDER_BYTES = 20_000, 512 * 2**20
"""The maximum number of files of any kind in a folder of level files, and the maximum total size of its level files."""
_SUFFIXES = (".txt", ".xsb", ".sok", ".slc", ".lvl", ".rle")
"""The extensions of level files."""
_BINARY = re.compile(r"[\x00-\x08\x0e-\x1f]")
"""Control characters that do not occur in text."""
_LONGEST_REASON = 240
_ROW_END = re.compile(" [|/] |[|/]")
_LAST_END = re.compile(" ?[|/] ?$")


def level_files(folder: Path) -> list[Path]:
    """Return the level files in a folder and its subfolders, by their extensions, sorted, without hidden ones.

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
            if name[0] != "." and name.lower().endswith(_SUFFIXES) and os.path.isfile(path):
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


def read_one_line(puzzle: Puzzle, line: str, source: str) -> str | None:
    """Return level text of a board in one line, whose rows are separated by ``|`` or ``/``; None if this is no board.

    Args:
        puzzle: The puzzle of the board.
        line: The line. It may also be a board by itself, as some puzzles allow it.
        source: The name of the text, for messages.

    Raises:
        LevelError: It is a board, because it has a ``|`` or no letters, but an invalid one.
    """
    inner = _LAST_END.sub("", line)
    rows = [row for row in _ROW_END.split(inner) if row.strip()]
    texts = dict.fromkeys(f"{text}\n" for text in (line, "\n".join(rows)))
    error: LevelError | None = None
    for text in texts:
        items = list(levels_in_text(puzzle.read, text, source))
        if any(isinstance(item, Level) for item in items):
            return text
        error = next((item for item in items if isinstance(item, LevelError)), error)
    if error is not None and ("|" in line or not any(letter.isalpha() for letter in line)):
        raise error
    return None


# -- invalid levels among valid ones ----------------------------------------------------------------


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

    Args:
        read: What reads a text.
        folder: The folder.

    Raises:
        LevelError: As :func:`level_files`.
    """
    for file in level_files(Path(folder)):
        yield file, levels_in_file(read, file)


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
        if isinstance(item, Level):
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


def no_level(source: Any) -> str:
    """Return the message that a value of ``levels=`` has no level."""
    is_path = isinstance(source, str | os.PathLike) and os.path.exists(source)
    return f"no level in {repr(os.fspath(source)) if is_path else quote(source)}"


def warn(line: str) -> None:
    """Issue a :class:`LevelWarning`; the same one is shown once a process."""
    warnings.warn(line, LevelWarning, stacklevel=2)


def named(source: Any) -> str:
    """Return a value of ``levels=`` as it begins a message: paths in full, texts and lists shortened."""
    if isinstance(source, str | os.PathLike) and os.path.exists(source):
        return os.fspath(source)
    return f"levels={quote(source)}"
