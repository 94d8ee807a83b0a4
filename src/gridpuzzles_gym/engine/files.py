"""Files that are complete or not there: written next to their place, then moved into it in one step.

Nobody sees half a file: not another process that reads it, and not somebody who looks after a full disk, a crash or
Ctrl-C in the middle.
"""

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from .interrupts import uninterrupted

_LONGEST_STEM = 100
"""Bytes of a file's name that its unfinished one repeats: names may have 255."""


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str], mode: int = 0o666) -> Iterator[Path]:
    """A new file in the same folder to write to; without an error it becomes ``path`` at the end of the block.

    Whatever ends the block otherwise leaves ``path`` as it was, and nothing next to it. Folders on the way are made.
    A link stays a link: the file it leads to is replaced. What is no file (a pipe, ``/dev/null``) is written directly.

    Args:
        path: The file to write or overwrite.
        mode: Its permissions, less the process's umask.

    Yields:
        The path to write to, of an empty file with the same suffix.

    Raises:
        OSError: It cannot be written.
    """
    path = Path(path)
    if path.exists() and not (path.is_file() or path.is_dir()):
        yield path
        return
    path = Path(os.path.realpath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    stem = os.fsdecode(os.fsencode(path.stem)[:_LONGEST_STEM])
    unfinished = path.with_name(f".{stem}-{secrets.token_hex(8)}{path.suffix}")
    try:
        os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
        yield unfinished
        with unfinished.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    finally:
        with uninterrupted():
            unfinished.unlink(missing_ok=True)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write UTF-8 text with its line breaks as they are; see :func:`replacing`.

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
