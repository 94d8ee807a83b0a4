"""Where what was computed once is kept on disk: a folder that is ours alone, since code is loaded from it."""

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

NAME = "gridpuzzles_gym"


def cache_root() -> Path | None:
    """The first folder that is ours, closed to other users, and writable; None where there is none.

    In order: ``NUMBA_CACHE_DIR``, ``XDG_CACHE_HOME``, ``~/.cache``, each with ``/gridpuzzles_gym``; then one in
    the system's folder for temporary files. A folder that belongs to another user, or that others may write
    to, is passed over: whoever writes there decides what our process runs.
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
    """Does a folder belong to this user, and may nobody else write to it? Always so where users have no number."""
    if not hasattr(os, "getuid"):
        return True
    found = folder.stat()
    others_write = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return found.st_uid == folder.lstat().st_uid == os.getuid() and not others_write


def _candidates() -> Iterator[Path]:
    for variable in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        if os.environ.get(variable):
            yield Path(os.environ[variable]) / NAME
    with contextlib.suppress(RuntimeError):  # no HOME, and a user without a password entry
        yield Path.home() / ".cache" / NAME
    with contextlib.suppress(OSError):  # those that `mkdtemp` made for us earlier
        prefix = _temporary_prefix()
        yield from sorted(Path(tempfile.gettempdir()).glob(f"{prefix}*"))


def _temporary_prefix() -> str:
    return f"{NAME}-{os.getuid() if hasattr(os, 'getuid') else 'user'}-"
