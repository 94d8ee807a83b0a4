"""The folder of the disk cache, which must be private because code is loaded from it."""

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

NAME = "gridpuzzles_gym"


def cache_root() -> Path | None:
    """Return the first candidate folder that is private and writable; None if there is none.

    The candidates are, in order, ``NUMBA_CACHE_DIR``, ``XDG_CACHE_HOME`` and ``~/.cache``, each with
    ``/gridpuzzles_gym``, then a folder in the system's folder for temporary files. A folder that belongs to another
    user, or to which others can write, is skipped, because anyone who writes there could run code in this process.
    """
    for folder in _candidates():
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if is_private(folder):
                tempfile.TemporaryFile(dir=folder).close()
                return folder
        except OSError:
            continue
    try:
        return Path(tempfile.mkdtemp(prefix=_temporary_prefix()))
    except OSError:
        return None


def is_private(folder: Path) -> bool:
    """Whether a folder belongs to this user and no other user can write to it; always True without POSIX user ids."""
    if not hasattr(os, "getuid"):
        return True
    found = folder.stat()
    others_write = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return found.st_uid == folder.lstat().st_uid == os.getuid() and not others_write


def _candidates() -> Iterator[Path]:
    for variable in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        if os.environ.get(variable):
            yield Path(os.environ[variable]) / NAME
    with contextlib.suppress(RuntimeError):  # HOME is not set, and the user is not in the password database
        yield Path.home() / ".cache" / NAME
    with contextlib.suppress(OSError):  # folders that `mkdtemp` created earlier
        prefix = _temporary_prefix()
        yield from sorted(Path(tempfile.gettempdir()).glob(f"{prefix}*"))


def _temporary_prefix() -> str:
    return f"{NAME}-{os.getuid() if hasattr(os, 'getuid') else 'user'}-"
