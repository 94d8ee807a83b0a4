"""Atomic file writing: a file is written under a temporary name next to its destination, then renamed.

Other processes never see an incomplete file, even after a full disk, a crash or Ctrl-C.
"""

import contextlib
import os
import secrets
import string
from collections.abc import Iterator
from pathlib import Path

from .interrupts import uninterrupted

_LONGEST_STEM = 100
"""The maximum number of bytes of a file's name used in its temporary name, because names are limited to 255."""
_TOKEN = 16
"""The number of random hexadecimal digits in a temporary name."""


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str], mode: int = 0o666) -> Iterator[Path]:
    """Open a temporary file in the same folder that replaces ``path`` at the end of the block.

    If the block raises, ``path`` is unchanged and the temporary file is removed. Missing parent folders are created.
    If ``path`` is a symbolic link, its target is replaced; if it is not a file (a pipe, ``/dev/null``), it is written
    to directly.

    Args:
        path: The file to write or overwrite.
        mode: Its permissions, before the process's umask is applied.

    Yields:
        The path of an empty file with the same suffix, to write to.

    Raises:
        OSError: It cannot be written.
    """
    path = Path(path)
    if path.exists() and not (path.is_file() or path.is_dir()):
        yield path
        return
    path = Path(os.path.realpath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = _temporary(path, secrets.token_hex(_TOKEN // 2))
    try:
        os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
        yield unfinished
        with unfinished.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except OSError as error:
        if error.errno is not None and error.filename in (None, os.fspath(unfinished)):
            error.filename = os.fspath(path)
        raise
    finally:
        with uninterrupted():
            unfinished.unlink(missing_ok=True)


def remove_unfinished(path: str | os.PathLike[str]) -> None:
    """Remove the temporary files of writers of ``path`` that were killed; no other may be writing it at this time.

    Raises:
        OSError: One cannot be removed.
    """
    path = Path(os.path.realpath(path))
    for file in path.parent.glob(".*"):
        token = file.stem[-_TOKEN:]
        if file == _temporary(path, token) and set(token) <= set(string.hexdigits):
            file.unlink(missing_ok=True)


def _temporary(path: Path, token: str) -> Path:
    """Return the temporary name of a file, in the same folder."""
    stem = os.fsdecode(os.fsencode(path.stem)[:_LONGEST_STEM])
    return path.with_name(f".{stem}-{token}{path.suffix}")


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text in UTF-8 with unchanged line breaks; see :func:`replacing`.

    Raises:
        OSError: It cannot be written.
    """
    write_bytes(path, text.encode())


def write_bytes(path: str | os.PathLike[str], content: "bytes | memoryview[int]", mode: int = 0o666) -> None:
    """Write bytes; see :func:`replacing`.

    Raises:
        OSError: It cannot be written.
    """
    with replacing(path, mode) as unfinished:
        unfinished.write_bytes(content)
