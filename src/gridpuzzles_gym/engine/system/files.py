"""Files: written atomically, locked between processes, in a private folder for what is cached, and read as JSON.

A file is written under a temporary name next to its destination, then renamed: other processes never see an incomplete
one, even after a full disk, a crash or Ctrl-C.
"""

import contextlib
import json
import math
import os
import secrets
import stat
import string
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ..messages import one_line, shorten
from .process import uninterrupted

_PACKAGE = "gridpuzzles_gym"

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


# -- locks ------------------------------------------------------------------------------------------

_PAUSE = 0.02
"""Seconds between two attempts."""


@contextlib.contextmanager
def locked(path: Path, wait: Callable[[], object], remove: bool = False) -> Iterator[None]:
    """Hold the lock of a file within the block.

    The operating system releases the lock when the process ends, even by ``kill -9``, so it is never stale; the empty
    file remains. If the file cannot be created or its file system has no locks, the block runs without a lock.

    Args:
        path: The file; missing folders are created.
        wait: Called repeatedly while another process or thread holds the lock; may raise.
        remove: Remove the file at the end of the block; all users of this lock must do the same.
    """
    from filelock import FileLock, Timeout  # only here: with all kernels compiled, no lock is needed

    # preserve_lock_file: the library never removes the file, which may be the next holder's by then, and never takes
    # the mere existence of a file for a lock.
    lock = FileLock(path, mode=0o600, thread_local=False, preserve_lock_file=True)

    def acquired() -> bool:
        """Try twice, since a file that its last holder has just removed counts as locked. True without locks."""
        try:
            lock.acquire(timeout=_PAUSE, poll_interval=_PAUSE)
        except Timeout:
            return False
        except OSError:
            return True
        return True

    try:
        while not acquired():
            wait()
        yield
    finally:
        if remove and lock.is_locked:
            with contextlib.suppress(OSError):
                path.unlink()
        lock.release()


# -- the private folder -----------------------------------------------------------------------------


def cache_root() -> Path | None:
    """Return the first candidate folder that is private and writable; None if there is none.

    The candidates are, in order, ``NUMBA_CACHE_DIR``, ``XDG_CACHE_HOME`` and ``~/.cache``, each with
    ``/gridpuzzles_gym``, then a folder in the system's folder for temporary files. A folder that belongs to another
    user, or to which others can write, is skipped, because anyone who writes there could run code in this process.
    """
    for folder in _candidates():
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if _is_private(folder):
                tempfile.TemporaryFile(dir=folder).close()
                return folder
        except OSError:
            continue
    try:
        return Path(tempfile.mkdtemp(prefix=_temporary_prefix()))
    except OSError:
        return None


def _is_private(folder: Path) -> bool:
    """Whether a folder belongs to this user and no other user can write to it; always True without POSIX user ids."""
    if not hasattr(os, "getuid"):
        return True
    found = folder.stat()
    others_write = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return found.st_uid == folder.lstat().st_uid == os.getuid() and not others_write


def _candidates() -> Iterator[Path]:
    for variable in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        if os.environ.get(variable):
            yield Path(os.environ[variable]) / _PACKAGE
    with contextlib.suppress(RuntimeError):  # HOME is not set, and the user is not in the password database
        yield Path.home() / ".cache" / _PACKAGE
    with contextlib.suppress(OSError):  # folders that `mkdtemp` created earlier
        prefix = _temporary_prefix()
        yield from sorted(Path(tempfile.gettempdir()).glob(f"{prefix}*"))


def _temporary_prefix() -> str:
    return f"{_PACKAGE}-{os.getuid() if hasattr(os, 'getuid') else 'user'}-"


# -- JSON -------------------------------------------------------------------------------------------

DEEPEST = 100
"""The maximum nesting of objects and lists. Python's parser and what handles its values fail at some thousand."""


class NestingError(ValueError):
    """A JSON text is nested too deeply."""


def read_json(text: str | bytes, source: str = "it", **options: Any) -> Any:
    """Return the value of a JSON text.

    Args:
        text: The text, or its bytes in UTF-8.
        source: What it is, for the message.
        **options: Those of ``json.loads``.

    Raises:
        ValueError: It is not JSON, or holds a number that is not finite or an integer of more than 64 bits.
        NestingError: It is nested too deeply.
    """
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8").removeprefix("\ufeff")
        value = json.loads(text, **{**_NUMBERS, **options})
        if text.count("[") + text.count("{") > DEEPEST and _is_deep(value):
            raise RecursionError
        return value
    except RecursionError:
        raise NestingError(f"{source} is nested too deeply: over {DEEPEST} objects or lists in each other") from None
    except ValueError as error:
        raise ValueError(f"{source} is not valid JSON ({one_line(error)})") from None


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{shorten(text, 80)} is not a finite number")
    return number


def _small(text: str) -> int:
    if len(text) > 20 or abs(int(text)) >= 2**64:
        raise ValueError(f"{shorten(text, 80)} is too large")
    return int(text)


_NUMBERS: dict[str, Any] = {"parse_float": _finite, "parse_constant": _finite, "parse_int": _small}


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [
            each
            for outer in level
            if isinstance(outer, dict | list)
            for each in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return bool(level)
